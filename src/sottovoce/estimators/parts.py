"""The answers to one question of a record, by any method for a survey of that question alone.

Where a set of questions holds this one alone, its reports are those of an oracle over the question's
answers: its tally is that of such a survey.  Reports about several questions together say less of each,
and with linear hashing what they say depends on the other answers.  What all of them say is then put as
a survey by randomized response among as many people, whose shares are the pooled unbiased ones and
whose variances are theirs on average: with counts ``n (1/d + h (f - 1/d))`` of d values,

    sum of Var = [1 - 1/d - h^2 sum (f - 1/d)^2] / (n h^2),

which gives h, and by it the epsilon of that survey.  For randomized response on the cells of one table it
is the margin of the counts itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.answers.estimate import Estimate
from sottovoce.answers.pooled_sets import PartErrors, PooledSets
from sottovoce.answers.records.asked import AskedErrors
from sottovoce.channels.base import Floats
from sottovoce.core.registry import mechanism as make_mechanism
from sottovoce.core.tally import Tally
from sottovoce.domains.base import Domain

__all__ = ["part_estimate", "question_tally"]

_LEAST_EPSILON, _MOST_EPSILON = 1e-6, 20.0


def part_estimate(
    run: Callable[..., Estimate], tally: Tally, question: str, method: str = "auto", **options: Any
) -> Estimate:
    """The estimate of a question: ``run`` is what estimates a tally."""
    record = tally.mechanism.domain.record
    assert record is not None  # it is asked of records only
    place, sets = record.question(question), _sets(tally)
    single, exact = question_tally(tally, place)
    of_question = partial(part_estimate, run, tally, question, "unbiased")
    if method == "unbiased" and not exact:
        shares = sets.shares(place)
        errors = PartErrors(sets, place, shares)
        why = _why(tally, single, len(sets.mixture(place)))
        return Estimate(record.domains[place], shares, single.n, method, why, errors)
    found = run(single, method, **options)
    return replace(
        found,
        why=f"{_why(tally, single, len(sets.mixture(place)))}; {found.why}",
        error_model=_about_all(found, single.n / tally.n),
        unbiased_source=of_question if found.unbiased_source or not exact else None,
    )


def _about_all(found: Estimate, part: float) -> Any:
    """The errors of an estimate, about all respondents where only a part of them was asked."""
    if part == 1 or found.shares is None:
        return found.error_model
    return AskedErrors(found.error_model, found.shares, part)


def _why(tally: Tally, single: Tally, sets: int) -> str:
    asked = f"{single.n:,} of {tally.n:,} respondents were asked"
    return f"{asked}, in {sets} sets of questions" if sets > 1 else asked


def _sets(tally: Tally) -> PooledSets:
    channel = tally.mechanism.channel().record
    assert channel is not None  # that of a record
    return PooledSets(channel, tally.n, tally.cells / tally.n)


def question_tally(tally: Tally, question: int) -> tuple[Tally, bool]:
    """The tally of one question, and whether it holds the reports as they are."""
    record, sets = tally.mechanism.domain.record, _sets(tally)
    asked = sets.mixture(question)  # refused where nobody was asked
    mechanism = tally.mechanism.of_question(question)
    first = min(asked)
    if mechanism is not None and len(asked) == 1 and sets.channel.sets[first] == (question,):
        cells = tally.cells[slice(*sets.channel.bounds[first : first + 2])]
        return Tally(mechanism, int(cells.sum()), cells, tally.window), True
    assert record is not None
    return _equivalent(record.domains[question], question, sets).of_window(tally.window), False


def _equivalent(domain: Domain, question: int, sets: PooledSets) -> Tally:
    """Counts of the survey by randomized response that says as much."""
    shares, size = sets.shares(question), domain.size
    n = round(sum(sets.counts[number] for number in sets.mixture(question)))
    noise = float(np.sum(PartErrors(sets, question, shares).stderr("population") ** 2))
    uneven = float(np.sum((shares - 1 / size) ** 2))
    kept = min(math.sqrt((1 - 1 / size) / (n * noise + uneven)), 1 - np.finfo(float).eps)
    epsilon = math.log((1 + (size - 1) * kept) / (1 - kept))
    epsilon = min(max(epsilon, _LEAST_EPSILON), _MOST_EPSILON)
    mechanism = make_mechanism("randomized-response", domain, epsilon)
    return Tally(mechanism, n, _rounded(mechanism.channel().forward(shares), n))


def _rounded(frequencies: Floats, n: int) -> NDArray[np.int64]:
    """Counts of sum n, the largest remainders rounded up."""
    positive = np.maximum(frequencies, 0.0)
    wanted = n * positive / positive.sum()
    counts = np.floor(wanted).astype(np.int64)
    short = n - int(counts.sum())
    counts[np.argsort(counts - wanted, kind="stable")[:short]] += 1
    return counts
