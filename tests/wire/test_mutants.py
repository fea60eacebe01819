"""The vectors kill wrong clients: one-token mutants of the independent implementation."""

from __future__ import annotations

import ast
from random import Random

import pytest

from vectors import mutate_js as javascript
from vectors.mutants import mutants_of
from vectors.mutate import covered, explained, killed, mutants, vectors

SMALL = """
LIMIT = 3

def f(x, y):
    if x < LIMIT and y:
        raise ValueError("x")
    return min(x, y) + (1 if x else -y)
"""


def test_a_mutant_has_one_token_changed():
    found = [mutant.name for mutant in mutants_of("small", SMALL)]
    assert found == [
        "small.module: `3` -> `4`",
        "small.module: `3` -> `2`",
        "small.f: `if x < LIMIT and y:` -> `if not (x < LIMIT and y):`",
        "small.f: `x < LIMIT and y` -> `x < LIMIT or y`",
        "small.f: `x < LIMIT` -> `x <= LIMIT`",
        "small.f: `x < LIMIT` -> `x >= LIMIT`",
        "small.f: `raise ValueError('x')` -> `pass`",
        "small.f: `min(x, y) + (1 if x else -y)` -> `min(x, y) - (1 if x else -y)`",
        "small.f: `min(x, y)` -> `max(x, y)`",
        "small.f: `1 if x else -y` -> `1 if not x else -y`",
        "small.f: `1` -> `2`",
        "small.f: `1` -> `0`",
        "small.f: `-y` -> `y`",
    ]
    assert all(isinstance(mutant.tree(), ast.Module) for mutant in mutants_of("small", SMALL))


def test_names_of_mutants_are_theirs_alone():
    names = [mutant.name for mutant in mutants()]
    assert len(names) == len(set(names)) > 2000
    assert explained() <= set(names), "SURVIVORS.md explains what is no mutant any more"
    assert len(explained()) < len(names) / 5


@pytest.mark.slow
def test_mutants_are_killed_unless_nothing_can_tell_them():
    """A sample; ``python -m vectors.mutate`` tries all of them."""
    files, known = vectors(), explained()
    coverage = covered(files)
    sample = Random(7).sample([m for m in mutants() if m.name not in known], 150)  # noqa: S311
    survivors = [mutant.name for mutant in sample if not killed(mutant, files, coverage)]
    assert survivors == []


SCRIPT = """
const LIMIT = 3n; // 4 < 5
/** 6 + 7 */
if (x < LIMIT && /[0-9]+ < 1/.test("8 + 9")) y = `10 ${x}`;
return Math.min(x, 0.5) >>> 1_000;
"""


def test_a_mutant_of_javascript_has_one_token_changed():
    found = [mutant.name.split(" in ")[0] for mutant in javascript.mutants_of("small.js", SCRIPT)]
    assert found == [
        "3n -> (4n)", "3n -> (2n)", "< -> <=", "&& -> ||", "min -> max", ">>> -> <<",
        "1_000 -> (1001)", "1_000 -> (999)",
    ]  # fmt: skip
