"""A page for every registered mechanism, from its class and from what its instances say."""

from __future__ import annotations

import contextlib
import inspect
import json
import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import sottovoce as sv
from docs.generate.errors import SIZES, errors_to_expect, is_oracle
from docs.generate.examples import session
from docs.generate.markdown import bullets, code, fence, inline, prose, split_doctest, table
from docs.generate.questions import askable
from docs.generate.source import texts_beside
from sottovoce.answers.questions import registered_questions
from sottovoce.core.fields import BitField, Field, IntField
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import registered
from sottovoce.estimators.choose import GOALS, find_rule
from sottovoce.wire.payloads import payload_width

__all__ = ["mechanism_pages", "options_of"]

_BASE = {each.name for each in fields(Mechanism)}
_PARTS = re.compile(r"^(.*?)\s*(?:Allowed: (.*?))?\s*(?:Unless given: (.*?))?$", re.DOTALL)


def mechanism_pages() -> Iterator[tuple[str, str]]:
    """Path and text of every page."""
    for cls in registered():
        yield f"reference/mechanisms/{cls.name}.md", _page(cls)


def _page(cls: type[Mechanism]) -> str:
    words, _ = split_doctest(inspect.getdoc(cls) or "")
    shown = next(iter(cls.examples()))
    parts = [
        f"# {cls.name}", prose(words), _names(cls), "## Options", _options(cls),
        "## Example", fence("pycon", session(_example(cls.name, shown))),
        "## Reports and tallies", _sizes(cls), "## Error to expect", errors_to_expect(cls),
        "## Methods", _methods(shown), "## Questions", _questions(shown),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


# -- names and options ---------------------------------------------------------------------


def _names(cls: type[Mechanism]) -> str:
    fixed = [
        f"`{name}`" + (f" (with {', '.join(f'`{k}={v!r}`' for k, v in preset.items())})" if preset else "")
        for name, preset in cls.aka.items()
    ]  # fmt: skip
    papers = f" Papers call it {', '.join(fixed)}." if fixed else ""
    return (
        f"By name `{cls.name}`, as a class `sv.{cls.__name__}`.{papers} That it keeps its epsilon is "
        f"shown in its [proof](../../explanation/proofs/{cls.name}.md); how it compares is in the "
        "[overview](../mechanisms.md)."
    )


def options_of(cls: type[Mechanism]) -> dict[str, tuple[str, str, str]]:
    """Meaning, what is allowed and the default of every option, from the lines beside it."""
    found = {}
    for each in fields(cls):
        if each.name in _BASE:
            continue
        owner = next(k for k in cls.__mro__ if each.name in inspect.get_annotations(k))
        texts = texts_beside(owner)
        if each.name not in texts:
            raise LookupError(
                f"{owner.__name__}.{each.name} has no text below that says what it is"
            )
        parts = _PARTS.match(" ".join(texts[each.name].split()))
        assert parts is not None
        means, allowed, unless = ((part or "").strip().rstrip(".") for part in parts.groups())
        found[each.name] = (means, allowed, unless or f"`{_default(each.default)}`")
    return found


def _default(value: object) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _options(cls: type[Mechanism]) -> str:
    found = options_of(cls)
    needed = "`weights` must be given: rows of whole numbers, see [use your own table](../../how-to/own-table.md)."
    common = "`domain`, and `epsilon` from 1e-6 to 20."
    if cls.name == "table":
        return f"{common} {needed}"
    rows = [
        (f"`{name}`", inline(means), _typeset(allowed), "must be given" if "must be given" in means else inline(unless))
        for name, (means, allowed, unless) in found.items()
    ]  # fmt: skip
    return f"{common} By keyword:\n\n{table(['option', 'meaning', 'allowed', 'default'], rows)}"


def _typeset(allowed: str) -> str:
    return re.sub(r'"[\w-]+"|\bTrue\b|\bFalse\b', lambda found: f"`{found[0]}`", inline(allowed))


# -- an example --------------------------------------------------------------------------------


_SHARE = "print(sv.estimate(m.tally(reports)).share({}))"
_MEAN = 'print(sv.estimate(m.tally(reports), goal="mean").mean())'
_COORDINATES = """\
for tally in sv.coordinates(m.tally(reports)):
    print(sv.estimate(tally, goal="mean").mean())
"""
_SESSIONS = {
    sv.KeyValues: (
        'sv.KeyValues(["film", "book"], 0, 5, bins=10)',
        '[("film", 4.0)] * 3000 + [("book", 1.5)] * 2000',
        'print(sv.estimate(m.tally(reports), "unbiased").mean("film"))',
    ),
    sv.Vector: (
        "sv.Vector(sv.Interval(0, 24, bins=12), 2)",
        "[[7.5, 20.0]] * 3000 + [[9.5, 16.0]] * 2000",
        _COORDINATES,
    ),
    sv.Record: (
        'sv.Record({"os": sv.Categories(["mac", "linux"]), "vi": sv.Categories(["no", "yes"])})',
        '[{"os": "mac", "vi": "no"}] * 3000 + [{"os": "linux", "vi": "yes"}] * 2000',
        'print(sv.estimate(m.tally(reports)).part("os").share("mac"))',
    ),
    sv.Choices: (
        'sv.Choices(["cat", "dog", "fish"], most=2)',
        '[["cat"]] * 3000 + [["cat", "dog"]] * 1000 + [[]] * 1000',
        _SHARE.format('"dog"'),
    ),
    sv.Counts: ("sv.Counts(20)", "[2] * 3000 + [7] * 2000", _MEAN),
    sv.Interval: ("sv.Interval(0, 100, bins=20)", "[30] * 3000 + [60] * 2000", _MEAN),
    sv.Categories: (
        'sv.Categories(["tea", "coffee", "water"])',
        '["tea"] * 3000 + ["coffee"] * 2000',
        _SHARE.format('"tea"'),
    ),
}
"""A domain, values of people and a question, by kind of domain."""


_SENSITIVE = (
    'sv.Categories(["none", "cold", "HIV", "rather not say"], sensitive=["HIV", "rather not say"])',
    '["cold"] * 4500 + ["HIV"] * 500',
    _SHARE.format('"HIV"'),
)
"""The same where some values alone are sensitive."""


_NEEDED = {"binned": ", report_bins=10", "memoized": ", lifetime=2.0"}
"""What a mechanism must be given besides."""


def _example(name: str, shown: Mechanism) -> list[str]:
    """Randomize, estimate, ask: over the kind of values that the mechanism is for."""
    if name == "table":
        domain, values = 'sv.Categories(["no", "yes"])', '["no"] * 700 + ["yes"] * 300'
        asked, given = _SHARE.format('"yes"'), "weights=[[3, 1], [1, 3]]"
    else:
        kind = sv.Categories if is_oracle(shown) else type(shown.domain)
        partly = shown.domain.sensitive_inputs is not None
        domain, values, asked = _SENSITIVE if partly else _SESSIONS[kind]
        given = "epsilon=1.0" + _NEEDED.get(name, "")
    return [
        "import sottovoce as sv", f"domain = {domain}", f'm = sv.mechanism("{name}", domain, {given})',
        f"reports = m.randomize({values}, source=sv.Seeded(1))", asked,
    ]  # fmt: skip


# -- sizes ----------------------------------------------------------------------------


def _sizes(cls: type[Mechanism]) -> str:
    head = ["over", "fields of a report", "bytes", "words", "cells (blocks)", "certificate"]
    rows = [
        (
            f"{inline(str(m.domain))}, epsilon {m.epsilon:g}{_chosen(m)}", ", ".join(map(_field, m.fields)),
            payload_width(m), m.words_per_report, f"{m.cells:,} ({m.blocks:,})", m.certificate(),
        )
        for m in _instances(cls)
    ]  # fmt: skip
    return (
        "Bytes are those of a stored report, words the random 64-bit words that a device draws at first, and "
        "blocks the cells that one report falls in. The certificate is computed from the integers that are "
        f"drawn with.\n\n{table(head, rows)}"
    )


def _instances(cls: type[Mechanism]) -> Iterator[Mechanism]:
    """The mechanism over some sizes of domain, or its own examples where it takes no categories."""
    first = next(iter(cls.examples()))
    if is_oracle(first):
        for size in SIZES:
            yield cls(sv.Categories(size), 1.0)
    else:
        yield from cls.examples()


def _chosen(mechanism: Mechanism) -> str:
    """Options of an example that are not the defaults."""
    cls = type(mechanism)
    plain: dict[str, Any] = {}
    with contextlib.suppress(sv.SottovoceError, TypeError):
        plain = cls(mechanism.domain, mechanism.epsilon).options()
    told = {
        k: v
        for k, v in mechanism.options().items()
        if plain.get(k) != v and not isinstance(v, dict)
    }
    return "".join(f", {k} = {v}" for k, v in told.items())


def _field(field: Field) -> str:
    if isinstance(field, BitField):
        return f"`{field.name}`: {field.size:,} bits"
    if isinstance(field, IntField):
        size = field.size
        return f"`{field.name}` < {f'2^{size.bit_length() - 1}' if size > 2**40 else f'{size:,}'}"
    return f"`{field.name}`: {field.count:,} numbers < {field.size:,}"


# -- what can be done with its reports --------------------------------------------------------------


def _methods(shown: Mechanism) -> str:
    frame = list(sv.methods(shown))
    fit = [row["method"] for row in frame if row["applies"] != "no"]
    part = {row["method"]: row["applies"] for row in frame if row["applies"] not in ("yes", "no")}
    reasons: dict[str, list[str]] = {}
    for row in frame:
        if row["applies"] == "no":
            reasons.setdefault(row["why"], []).append(row["method"])
    items = [f"Apply, over {inline(str(shown.domain))}: " + ", ".join(
        f"[{name}](../methods/{name}.md)" + (f" ({part[name]})" if name in part else "") for name in fit
    ) + "."]  # fmt: skip
    items += [f"Do not apply: {code(names)}: {why}." for why, names in reasons.items()]
    taken: dict[tuple[str, str], list[str]] = {}
    for goal in GOALS:
        taken.setdefault(_automatic(shown, goal), []).append(goal)
    rows = [(code(goals), *rule) for rule, goals in taken.items()]
    chosen = table(["goal", "`auto` takes, of 100,000 reports", "why"], rows)
    return f"{bullets(items)}\n\n{chosen}"


def _automatic(shown: Mechanism, goal: str) -> tuple[str, str]:
    rule = find_rule(shown, goal, 100_000)
    assert rule is not None, (shown, goal)
    return ", then ".join(f"`{name}`" for name in (rule.method, *rule.then)), rule.why


def _questions(shown: Mechanism) -> str:
    asked = askable(shown)
    each = " of a coordinate, by `sv.coordinates`," if isinstance(shown.domain, sv.Vector) else ""
    others = ""
    if shown.domain.ordered is False and is_oracle(shown):
        over = askable(type(shown)(sv.Interval(0, 1, bins=8), 1.0))
        others = f" Over an `Interval` also {_linked(over - asked)}." if over - asked else ""
    return f"Of its estimates{each} can be asked {_linked(asked)}.{others}"


def _linked(names: set[str]) -> str:
    listed = [each.name for each in registered_questions() if each.name in names]
    return ", ".join(f"[{name}](../questions.md#{name})" for name in listed)
