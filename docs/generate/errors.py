"""The error to expect of a mechanism, where its channel knows it in advance."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import product

import numpy as np

import sottovoce as sv
from docs.generate.markdown import inline, table
from sottovoce.core.mechanism import Mechanism
from sottovoce.domains.base import Domain
from sottovoce.estimators.cell_means import average_noise, only_the_mean

__all__ = ["SIZES", "errors_to_expect", "is_oracle"]

SIZES = (2, 16, 256, 4096)
_EPSILONS = (0.5, 1.0, 2.0, 4.0)
_PEOPLE = (1_000, 100_000)
_REPORTS = [f"{n:,} reports" for n in _PEOPLE]
_HEAD = ["values", "epsilon", *_REPORTS]


def is_oracle(mechanism: Mechanism) -> bool:
    """Whether it takes values of any kind, not numbers only."""
    try:
        type(mechanism)(sv.Categories(4), 1.0)
    except (sv.SottovoceError, TypeError):
        return False
    return True


def errors_to_expect(cls: type[Mechanism]) -> str:
    """A table of standard errors, or a word on where they come from."""
    first = next(iter(cls.examples()))
    if cls.name in _WORDS:
        return _WORDS[cls.name]
    if cls.name == "table":
        told = "It is the table's own. Of those above, all values equally frequent:"
        return (
            f"{told}\n\n{_of_shares(m for m in cls.examples() if m.channel().inverse is not None)}"
        )
    if first.domain.choices is not None or first.domain.sensitive_inputs is not None:
        return _of_options(cls) if first.domain.choices else _of_sensitive_shares(cls)
    if is_oracle(first):
        told = "The standard error of an unbiased share, all values equally frequent:"
        domains: list[Domain] = [sv.Categories(size) for size in SIZES[1:]]
        return f"{told}\n\n{_of_shares(cls(d, e) for d in domains for e in _EPSILONS)}"
    if only_the_mean(first):
        return _of_the_mean(cls)
    told = (
        "The standard error of the unbiased share of a bin, all equally frequent; a range of many bins "
        "errs less than its bins together:"
    )
    domains = [sv.Interval(0, 1, bins=bins) for bins in SIZES[1:3]]
    return f"{told}\n\n{_of_shares(cls(d, e) for d in domains for e in _EPSILONS)}"


def _of_shares(mechanisms: Iterable[Mechanism]) -> str:
    rows = []
    for m in mechanisms:
        size = m.domain.size
        shares = np.full(size, 1 / size)
        roots = [math.sqrt(float(np.mean(m.variance(shares, n)))) for n in _PEOPLE]
        rows.append((f"{size:,}", f"{m.epsilon:.3g}", *(f"{root:.3g}" for root in roots)))
    return table(_HEAD, rows)


def _of_options(cls: type[Mechanism]) -> str:
    """Errors of the share of an option, over numbers of options and boxes."""
    rows = []
    for (options, most), epsilon in product(((4, 2), (8, 3), (50, 3), (200, 5)), _EPSILONS):
        m = cls(sv.Choices([f"o{i}" for i in range(options)], most), epsilon)
        channel = m.channel().choices
        assert channel is not None
        variance = float(channel.planned_variances(np.full(channel.items, 0.1))[0])
        errors = [f"{math.sqrt(variance / n):.3g}" for n in _PEOPLE]
        rows.append((f"{options:,}, at most {most}", f"{epsilon:.3g}", *errors))
    head = ["options, boxes", "epsilon", *_REPORTS]
    return (
        "The standard error of the unbiased share of an option that a tenth of people tick:\n\n"
        f"{table(head, rows)}"
    )


def _of_sensitive_shares(cls: type[Mechanism]) -> str:
    """Errors of a sensitive and of another share, over sizes that the mechanism takes."""
    rows = []
    for sensitive, epsilon in product((1, 5, 20, 100), _EPSILONS):
        try:
            m = cls(sv.Categories(10 * sensitive, sensitive=range(sensitive)), epsilon)
        except sv.SottovoceError:
            continue
        shares = np.append(
            np.full(sensitive, 0.1 / sensitive), np.full(9 * sensitive, 0.1 / sensitive)
        )
        variances = m.channel().variance(shares)[[0, -1]]
        errors = [f"{math.sqrt(each / n):.3g}" for each in variances for n in _PEOPLE]
        rows.append((f"{sensitive:,} of {10 * sensitive:,}", f"{epsilon:.3g}", *errors))
    head = [
        "sensitive values",
        "epsilon",
        *(f"{of}, {n}" for of in ("sensitive", "other") for n in _REPORTS),
    ]
    return (
        "The standard error of an unbiased share where a tenth of all people hold a sensitive value, of a "
        f"sensitive value and of another one:\n\n{table(head, rows)}"
    )


def _of_the_mean(cls: type[Mechanism]) -> str:
    domain = next(iter(cls.examples())).domain
    shown = domain if isinstance(domain, sv.Counts) else sv.Interval(0, 1, bins=64)
    made = [cls(shown, epsilon) for epsilon in _EPSILONS]
    rows = [(f"{m.epsilon:g}", *(f"{average_noise(m, n):.3g}" for n in _PEOPLE)) for m in made]
    return (
        f"The standard error of the plain average of reports over {inline(str(shown))}, in parts of the "
        "interval, people anywhere in it alike. Distributions come by likelihood, whose error depends on "
        "the data; [plan a survey](../../how-to/plan-a-survey.md) finds it by simulating.\n\n"
        + table(["epsilon", *_REPORTS], rows)
    )


_WORDS = {
    "question-sets": (
        "Those of its oracles, with the part of people who draw the set: n Var = V / r + (1/r - 1) f(1-f), V n "
        "times the variance of the oracle and r the rate of the set. `expected_variances()` of a mechanism has "
        "those of a share of each question and of a cell of each pair, after all sets are made to agree."
    ),
    "memoized": (
        "In one window that of the mechanism inside at `epsilon`: memory costs no accuracy. Several windows "
        "share the noise of the memos; [`sv.trend`](../python/estimating.md) counts that."
    ),
    "binned": (
        "That of its oracle over so many wide bins, and what happens within a wide bin is lost; "
        "[plan a survey](../../how-to/plan-a-survey.md) weighs both."
    ),
    "key-value": (
        "It depends on how frequent a key is; every answer comes with its own standard error, see "
        "[ask about pairs](../../how-to/ask-about-pairs.md)."
    ),
    "sampled-coordinate": (
        "That of the mechanism of one number, from as many reports as there are for a coordinate: a "
        "k-th of all."
    ),
}
"""Mechanisms whose error is that of another, or depends on what is held."""
