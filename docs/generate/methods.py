"""A page for every method: what it does and keeps, its options, where it applies, when it is taken."""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sottovoce as sv
from docs.generate.errors import is_oracle
from docs.generate.examples import session
from docs.generate.markdown import (
    bullets,
    code,
    fence,
    option_clauses,
    prose,
    split_doctest,
    table,
)
from sottovoce.base.errors import Unfit
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import registered
from sottovoce.core.tally import Tally
from sottovoce.estimators import catalogue
from sottovoce.estimators import unbiased as raw
from sottovoce.estimators.catalogue import METHODS
from sottovoce.estimators.choose import RULES, Rule
from sottovoce.estimators.consistency import power
from sottovoce.estimators.consistency import projections as consistency
from sottovoce.estimators.methods import Method

__all__ = ["kept_by", "method_pages", "options_of_method"]

_ELSEWHERE: dict[str, Any] = {
    "unbiased": raw.unbiased_shares,
    "post-pos": consistency.base_pos,
    "power-ns": power.power,
    "hh-ci": sv.Hierarchy,
    "haar": sv.Haar,
}
"""Where a method is told about that has no function of its own."""

_SHOWN = (
    ('sv.mechanism("oue", sv.Categories(["a", "b", "c", "d"]), 1.0)', "[600, 300, 90, 10]"),
    ('sv.mechanism("sw", sv.Interval(0, 1, bins=4), 2.0)', "[100, 200, 400, 300]"),
    ('sv.mechanism("hh", sv.Interval(0, 1, bins=4), 2.0)', "[100, 200, 400, 300]"),
    ('sv.mechanism("haar", sv.Interval(0, 1, bins=4), 2.0)', "[100, 200, 400, 300]"),
    ('sv.mechanism("oue", sv.Interval(0, 1, bins=4), 1.0)', "[100, 200, 400, 300]"),
    ('sv.mechanism("grr", sv.Categories(["a", "b", "c", "d"]), 3.0)', "[60000, 30000, 9000, 1000]"),
)
"""Mechanisms and true counts for examples; the first to which a method applies is taken."""


def method_pages() -> Iterator[tuple[str, str]]:
    """Path and text of every page."""
    for method in METHODS:
        yield f"reference/methods/{method.name}.md", _page(method)


def _page(method: Method) -> str:
    parts = [f"# {method.name}", _first(method), _words(method)]
    if (function := _function(method)) and _background(function):
        parts += ["## How it works", _background(function)]
    parts += [
        "## Options", _options(method), "## What it keeps", _keeps(method), "## Where it applies",
        _where(method), "## When `auto` takes it", _taken(method), "## Example",
        fence("pycon", session(_example(method))),
    ]  # fmt: skip
    return "\n\n".join(filter(None, parts)) + "\n"


def _function(method: Method) -> Callable[..., Any] | None:
    found = method.step or method.fit or method.mean
    return None if found is None or method.name in _ELSEWHERE else found


def _first(method: Method) -> str:
    also = f" Also called {code(method.aka)}." if method.aka else ""
    advice = f" Its authors recommend it for: {method.guideline}." if method.guideline else ""
    first, _, rest = method.summary.partition(" ")
    name = first.rstrip(",:")
    is_name = name in {each.name for each in METHODS}
    begins = f"`{name}`{first[len(name) :]}" if is_name else first[0].upper() + first[1:]
    summary = f"{begins} {rest}"
    overview = "How it compares with others is in the [overview](../methods.md)."
    return f"{summary}.{also}{advice} {overview}"


def _words(method: Method) -> str:
    function = _function(method)
    if method.mean is not None:
        return ""
    if function is not None:
        told = [
            each
            for each in split_doctest(inspect.getdoc(function) or "")[0].split("\n\n")
            if not _only_options(each, function)
        ]
        return prose("\n\n".join(told))
    owner = _ELSEWHERE[method.name]
    if inspect.isclass(owner) and issubclass(owner, Mechanism):
        name = owner.name
        return f"It is what the reports of [{name}](../mechanisms/{name}.md) say; the formulas are in their [proof](../../explanation/proofs/{name}.md)."  # fmt: skip
    if method.name == "unbiased":
        return prose(inspect.getdoc(owner) or "") + "\n\n" + _UNBIASED
    return f"See [{'base-pos](base-pos.md), which changes the shares themselves' if method.name == 'post-pos' else 'power](power.md) and [norm-sub](norm-sub.md)'}."  # fmt: skip


_UNBIASED = (
    "Shares may be negative or above 1, and need not sum to 1; [methods](../methods.md#unbiased) has the "
    "formula, and [error bars](../../explanation/error-bars.md) where its errors come from."
)


def _only_options(paragraph: str, function: Callable[..., Any]) -> bool:
    """Whether a paragraph speaks of options from its first word, as the table does."""
    first = re.match(r"``(\w+)", paragraph)
    named = first is not None and first[1] in inspect.signature(function).parameters
    return named or paragraph.startswith("The options are")


@cache
def _background(function: Callable[..., Any]) -> str:
    module = sys.modules[function.__module__]
    return "" if module is catalogue else prose(module.__doc__ or "")


# -- options --------------------------------------------------------------------------------


def options_of_method(method: Method) -> dict[str, tuple[str, str]]:
    """Default and meaning of every option, from the signature and the docstring."""
    function = method.step or method.fit
    if function is None:
        return {}
    parameters = list(inspect.signature(function).parameters.values())[1:]
    names = [each.name for each in parameters]
    told = _clauses(function, names)
    return {each.name: (_default(each.default), told[each.name]) for each in parameters}


def _clauses(function: Callable[..., Any], names: list[str]) -> dict[str, str]:
    """What is said of options, by the function or by the one that its docstring points to."""
    docstring = inspect.getdoc(function) or ""
    found = option_clauses(docstring, names)
    for other in re.findall(r":func:`(\w+)`", docstring):
        elsewhere = getattr(sys.modules[function.__module__], other)
        for name, text in option_clauses(inspect.getdoc(elsewhere) or "", names).items():
            if name not in found or found[name].startswith("as in"):
                found[name] = text
    return found


def _default(value: object) -> str:
    if value is None:
        return ""
    return f"`{json.dumps(value) if isinstance(value, str) else repr(value)}`"


def _options(method: Method) -> str:
    rows = [(f"`{name}`", *told) for name, told in options_of_method(method).items()]
    return table(["option", "default", "meaning"], rows) if rows else "None."


# -- what it keeps, measured ----------------------------------------------------------------------


@cache
def _surveys() -> tuple[Tally, ...]:
    """Small surveys with much noise, so that what a method does not keep shows."""
    made = [
        sv.mechanism(name, domain, 0.5)
        for name in ("oue", "grr", "olh", "sw", "hh", "haar")
        for domain in (sv.Categories(8), sv.Interval(0, 1, bins=8))
        if name not in ("sw", "hh", "haar") or isinstance(domain, sv.Interval)
    ]
    counts = np.array([400, 200, 100, 50, 20, 10, 0, 0])
    noisy = [m.simulate(counts, source=sv.Seeded(seed)) for m in made for seed in range(2)]
    clearer = sv.mechanism("grr", sv.Categories(len(counts)), 2.0)
    return (*noisy, *(clearer.simulate(counts, source=sv.Seeded(seed)) for seed in range(6)))


def _keeps(method: Method) -> str:
    total, sign, surveys = kept_by(method)
    if not surveys:
        return "It gives no shares: only the mean can be asked."
    return f"{total}; {sign}. (Looked at in {surveys} simulated surveys of eight values.)"


def kept_by(method: Method) -> tuple[str, str, int]:
    """What its shares sum to, whether some are negative, and in how many surveys that was seen."""
    fits = [tally for tally in _surveys() if not method.why_not(tally.mechanism)]
    if method.fit is not None:  # slower, and a distribution whatever the noise
        fits = fits[::3]
    shares = [each for each in (_shares(tally, method) for tally in fits) if each is not None]
    if not shares:
        return "", "", 0
    sums = np.array([each.sum() for each in shares])
    least = min(float(each.min()) for each in shares)
    if np.allclose(sums, 1.0, atol=1e-6):
        total = "Shares sum to 1"
    elif sums.max() <= 1 + 1e-6:
        total = "Shares sum to at most 1"
    else:
        total = "The sum of shares is free"
    sign = "none is negative" if least >= -1e-12 else "some may be negative"
    return total, sign, len(shares)


def _shares(tally: Tally, method: Method) -> NDArray[np.float64] | None:
    """Those it finds, if any; a survey with too much noise for it is refused."""
    try:
        return sv.estimate(tally, method.name).shares
    except Unfit:
        return None


# -- where and when ------------------------------------------------------------------------------


@cache
def _examples() -> tuple[tuple[Mechanism, Mechanism | None], ...]:
    """For every mechanism its first example; for an oracle of any values also one over numbers."""
    numbers = sv.Interval(0, 1, bins=8)
    firsts = [next(iter(cls.examples())) for cls in registered()]
    return tuple((m, type(m)(numbers, 1.0) if is_oracle(m) else None) for m in firsts)


def _where(method: Method) -> str:
    fits: list[str] = []
    reasons: dict[str, list[str]] = {}
    for mechanism, over_numbers in _examples():
        where = f"[{mechanism.name}](../mechanisms/{mechanism.name}.md)"
        only = "" if method.mean else method.tells_only(mechanism)
        reason = method.why_not(mechanism)
        if not reason:
            fits.append(where + (f" ({only} only)" if only else ""))
        elif over_numbers is not None and not method.why_not(over_numbers):
            fits.append(f"{where} (over numbers)")
        else:
            reasons.setdefault(reason, []).append(where)
    items = [f"Applies to {', '.join(fits)}."]
    items += [f"Not to {', '.join(names)}: {reason}." for reason, names in reasons.items()]
    return bullets(items)


def _taken(method: Method) -> str:
    rows = [_row(rule) for rule in RULES if rule.method == method.name]
    after = [rule.method for rule in RULES if method.name in rule.then]
    told = ""
    if rows:
        told = "Rules are asked in order and the first that fits wins; those that name it:\n\n"
        told += table(["goal", "because"], rows)
        follows = [rule for rule in RULES if rule.method == method.name and rule.then]
        told += "".join(
            f"\n\nFor {code(rule.goals)} {code(rule.then)} follows." for rule in follows
        )
    if after:
        told += ("\n\n" if told else "") + f"It follows {code(dict.fromkeys(after))} there."
    return told or "Never by rule: ask for it by name, or let `sv.compare` try it on your reports."


def _row(rule: Rule) -> tuple[str, str]:
    return code(rule.goals), rule.why


# -- an example -------------------------------------------------------------------------------------


def _example(method: Method) -> list[str]:
    for made, counts in _SHOWN:
        mechanism = eval(made, {"sv": sv})  # noqa: S307  # our own lines
        if method.why_not(mechanism) or (method.tells_only(mechanism) and not method.mean):
            continue
        shown = "print(estimate.mean())" if method.mean else "print(estimate.shares.round(3))"
        return [
            "import sottovoce as sv", f"m = {made}", f"tally = m.simulate({counts}, source=sv.Seeded(1))",
            f'estimate = sv.estimate(tally, "{method.name}")', shown,
        ]  # fmt: skip
    raise LookupError(f"no example for {method.name}: add a mechanism to which it applies")
