"""Where words come from: the system's, drawn afresh, failing closed; exact uniform integers."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import EntropyError, InvalidInput
from sottovoce.base.randomness import uniform_below, uniform_below_many

SOURCE = Path(sv.__file__).parent
MECHANISMS = [
    sv.mechanism(name, sv.Categories(10), 1.0)
    for name in ("grr", "oue", "olh", "olh-seeded", "flh", "ss", "hr")
]


@pytest.mark.parametrize("oracle", MECHANISMS, ids=lambda m: m.name)
@pytest.mark.parametrize("values", [3, [3, 4, 5]], ids=["one", "many"])
def test_no_entropy_no_report(oracle, values, monkeypatch):
    def broken(count):
        raise OSError("no entropy")

    monkeypatch.setattr(os, "urandom", broken)
    with pytest.raises(EntropyError, match="the operating system gave no randomness: no entropy"):
        oracle.randomize(values)
    monkeypatch.setattr(os, "urandom", lambda count: b"\x00" * (count - 1))
    with pytest.raises(EntropyError, match="asked the operating system for .* bytes, got"):
        oracle.randomize(values)


def test_failure_in_a_worker_thread_reaches_the_caller(monkeypatch):
    def broken(count):
        raise OSError("no entropy")

    monkeypatch.setattr(os, "urandom", broken)
    with pytest.raises(EntropyError):
        MECHANISMS[0].randomize(np.zeros(1_000_000, dtype=int))


def test_forked_processes_draw_different_words():
    """100 children of one process: no two first words are equal."""
    source, seen = sv.OperatingSystem(), set()
    for _ in range(100):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(write, source.words(2).tobytes())
            os._exit(0)
        os.close(write)
        seen.add(os.read(read, 16))
        os.close(read)
        os.waitpid(child, 0)
    assert len(seen) == 100


def test_two_reports_use_different_words():
    reports = MECHANISMS[1].randomize(np.zeros(2000, dtype=int)).columns["bits"]
    assert len(np.unique(reports, axis=0)) > 100


def test_seeded_repeats_and_the_system_does_not():
    mechanism, values = MECHANISMS[2], np.arange(10).repeat(20)
    again = [mechanism.randomize(values, source=sv.Seeded(7)) for _ in "ab"]
    assert again[0] == again[1]
    assert mechanism.randomize(values) != mechanism.randomize(values)
    assert repr(sv.Seeded(7)) == "Seeded(7)"
    assert repr(sv.OperatingSystem()) == "OperatingSystem()"
    for wrong in (-1, 1.5, "seven", None):
        with pytest.raises(InvalidInput, match="seed of Seeded"):
            sv.Seeded(wrong)


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 64, 1000, 2**32 + 1, 2**63])
def test_uniform_integers_alone_and_many(bound):
    alone = [uniform_below(bound, sv.Seeded(seed)) for seed in range(50)]
    many = [int(uniform_below_many(bound, 1, sv.Seeded(seed))[0]) for seed in range(50)]
    assert alone == many
    assert 0 <= min(alone) <= max(alone) < bound


def test_uniform_integers_reject_the_overhang(scripted):
    top = 2**64 - 1
    assert (
        uniform_below(3, scripted([top], [5])) == 2
    )  # 2^64 = 1 mod 3: the last word is one too many
    assert uniform_below_many(3, 2, scripted([top, 4], [top], [7])).tolist() == [1, 1]


def test_no_other_randomness_on_the_device_path():
    """random and numpy.random appear only where simulation is."""
    allowed = {SOURCE / "base" / "randomness.py"}
    allowed |= set((SOURCE / "experiments").rglob("*.py"))
    for path in set(SOURCE.rglob("*.py")) - allowed:
        for node in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            elif isinstance(node, ast.Attribute) and node.attr == "random":
                names = [f"{getattr(node.value, 'id', '')}.random"]
            for name in names:
                assert name not in ("random", "np.random", "numpy.random", "secrets"), path
