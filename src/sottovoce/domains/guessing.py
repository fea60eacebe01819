"""What kind of question a column of answers looks like: a proposal, with the reason, for people to edit.

Bins and values that are chosen from answers depend on them, and a survey is public.  So this is for public
or old data, never for the answers that are to be protected.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sottovoce.domains.base import Domain
from sottovoce.domains.categories import Categories
from sottovoce.domains.choices import NONE, SEPARATOR, Choices
from sottovoce.domains.counts import Counts
from sottovoce.domains.dates import Dates
from sottovoce.domains.interval import Interval
from sottovoce.domains.may_decline import MayDecline
from sottovoce.domains.ratings import Ratings
from sottovoce.domains.yes_no import YesNo

__all__ = ["Guess", "guess_kind"]

_DECLINING = re.compile(
    r"prefer not to (say|answer)|(would )?rather not say|no answer|decline(d)?( to answer)?", re.I
)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?", re.ASCII)
_SCALES = ((1, 5), (1, 7), (0, 10), (1, 10))
"""Whole numbers that are usual ratings, the shortest first."""
_FEW_NUMBERS, _MOST_COUNTS = 11, 30
_MOST_VALUES = 200
_SKEWED = 20.0
"""Times that the 99% quantile is the median, from which amounts get bins on a logarithmic scale."""
_BINS = 25
_SPANS = ((62, "day"), (800, "week"), (4000, "month"), (12_000, "quarter"))
"""Days up to which dates are seen through a step."""
_OUTSIDE = 4


@dataclass(frozen=True)
class Guess:
    """A domain for a column, or None where no kind fits; and why."""

    domain: Domain | None
    why: str


def guess_kind(cells: Iterable[Any]) -> Guess:
    """The kind of question that these answers look like.

    >>> guess_kind(["yes", "no", "yes"])
    Guess(domain=Categories(['no', 'yes']), why='2 values: yes and no')
    >>> guess_kind(["3", "5", "Prefer not to say"]).domain
    MayDecline(Ratings(1, 5), 'Prefer not to say')
    """
    texts = ["" if cell is None else str(cell).strip() for cell in cells]
    known = [text for text in texts if text and text.lower() != "nan"]
    if not known:
        return Guess(None, "no answers")
    empty = len(texts) - len(known)
    note = f"; {empty:,} empty cells, which are refused as answers" if empty else ""
    declining = sorted({text for text in known if _DECLINING.fullmatch(text)})
    rest = [text for text in known if text not in declining]
    if len(declining) == 1 and rest:
        inner = _guess(rest)
        if inner.domain is not None:
            found = MayDecline(inner.domain, declining[0])
            return Guess(found, f"{inner.why}; {declining[0]!r} declines{note}")
    guess = _guess(known)
    return Guess(guess.domain, f"{guess.why}{note}")


def _guess(texts: Sequence[str]) -> Guess:
    distinct = sorted(set(texts))
    if set(distinct) <= {"yes", "no", "true", "false", "True", "False"}:
        return Guess(YesNo(), f"{_few(distinct)}: yes and no")
    if all(_DATE.fullmatch(text) for text in distinct):
        return _dates(distinct)
    numbers = [_number(text) for text in texts]
    if all(number is not None for number in numbers):
        return _numbers(sorted(number for number in numbers if number is not None))
    return _words(texts, distinct)


def _few(distinct: Sequence[str]) -> str:
    return f"{len(distinct):,} values" if len(distinct) > 1 else "1 value"


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _dates(distinct: Sequence[str]) -> Guess:
    try:
        days = [date.fromisoformat(text[:10]) for text in distinct]
    except ValueError:
        return Guess(None, "dates, some of which do not exist")
    first, last = min(days), max(days)
    step = next((step for most, step in _SPANS if (last - first).days <= most), "year")
    start, stop = date(first.year, 1, 1), date(last.year, 12, 31)
    if step == "day":
        step = "week"
    why = f"dates from {first} to {last}: whole years, by {step}"
    return Guess(Dates(start, stop, step=step), why)


def _numbers(numbers: Sequence[float]) -> Guess:
    low, high = numbers[0], numbers[-1]
    if all(number.is_integer() for number in numbers):
        first, last = int(low), int(high)
        for least, most in _SCALES:
            if least <= first and last <= most:
                return Guess(Ratings(least, most), f"whole numbers from {first} to {last}")
        if last - first < _FEW_NUMBERS and last > first:
            return Guess(Ratings(first, last), f"whole numbers from {first} to {last}")
        if first >= 0 and last <= _MOST_COUNTS:
            most = int(_round_up(last))
            return Guess(Counts(most), f"whole numbers from {first} to {last}: how many")
    median, far = _quantile(numbers, 0.5), _quantile(numbers, 0.99)
    if low >= 0 and median > 0 and far > _SKEWED * median:
        return _skewed(numbers)
    step = _round_up((high - low) / _BINS) if high > low else max(1.0, abs(high))
    start, stop = step * math.floor(low / step), step * math.ceil(high / step)
    if stop <= start:
        stop = start + step
    bins = round((stop - start) / step)
    if Interval.agreed(start, stop, bins).misleads:
        bins *= 2
    why = f"numbers from {low:g} to {high:g}: bins of {(stop - start) / bins:g}"
    return Guess(Interval(start, stop, bins), why)


def _skewed(numbers: Sequence[float]) -> Guess:
    """Bins on a logarithmic scale, from a hundredth part of all on, with an open end."""
    positive = [number for number in numbers if number > 0]
    start = 10.0 ** math.floor(math.log10(_quantile(positive, 0.01)))
    high = 10.0 ** math.ceil(math.log10(_quantile(positive, 0.99)))
    steps = round(math.log10(high / start)) * _OUTSIDE
    found = Interval(0, high, steps + 2, scale="log", start=start, open_end=True)
    why = (
        f"numbers from {numbers[0]:g} to {numbers[-1]:g}, a few far above most: bins on a logarithmic scale, "
        f"the last one {high:,g} or more"
    )
    return Guess(found, why)


def _words(texts: Sequence[str], distinct: Sequence[str]) -> Guess:
    for mark in (SEPARATOR, "|"):
        lists = [[part.strip() for part in text.split(mark)] for text in texts]
        options = sorted({part for ticked in lists for part in ticked} - {"", NONE})
        several = sum(len(ticked) > 1 for ticked in lists)
        if several >= len(texts) / 10 and len(options) <= _MOST_VALUES:
            return _choices(mark, lists, options)
    if len(distinct) > _MOST_VALUES or 2 * len(distinct) > len(texts) > _BINS:
        return Guess(None, f"{len(distinct):,} different texts: free text, or names of people")
    if len(distinct) == 1:
        return Guess(Categories([distinct[0], "other"]), "1 value, and other")
    return Guess(Categories(distinct), f"{len(distinct)} different texts")


def _choices(mark: str, lists: Sequence[Sequence[str]], options: Sequence[str]) -> Guess:
    why = f"lists separated by {mark!r}, of {len(options)} options: tick all that apply"
    if mark != SEPARATOR:
        return Guess(None, f"{why}; they are read with {SEPARATOR!r} between options")
    return Guess(Choices(options, most=max(map(len, lists))), why)


def _quantile(ordered: Sequence[float], q: float) -> float:
    return ordered[min(len(ordered) - 1, int(q * len(ordered)))]


def _round_up(number: float) -> float:
    """The next of 1, 2 and 5 times a power of ten.

    >>> _round_up(3.2), _round_up(12), _round_up(0.07)
    (5.0, 20.0, 0.1)
    """
    power = 10.0 ** math.floor(math.log10(number))
    return next(
        times * power for times in (1.0, 2.0, 5.0, 10.0) if times * power >= number * (1 - 1e-9)
    )
