"""Windows from one to another: by their names, or by days that they lie in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from sottovoce.base.errors import InvalidInput
from sottovoce.surveys.windows import window_days, window_kind

__all__ = ["windows_between"]


def windows_between(
    names: Sequence[str], first: str | None, last: str | None, owner: str, options: tuple[str, str]
) -> list[str]:
    """The names that lie between two, or have a day in between; all where neither is given.

    Names that are not days, weeks or months are taken in the order in which they come, from one name
    to another.  ``options`` are the names of the two parameters, for errors.

    >>> windows_between(["2026-W46", "2026-W47"], "2026-11-16", None, "trend", ("from", "to"))
    ['2026-W47']
    >>> windows_between(["a", "b", "c"], "b", None, "trend", ("from", "to"))
    ['b', 'c']
    """
    days = [_days_of(name) for name in names]
    if all(day is not None for day in days):
        start = date.min if first is None else _read(first, owner, options[0])[0]
        end = date.max if last is None else _read(last, owner, options[1])[1]
        _check_order(start <= end, first, last, owner, options)
        known = [day for day in days if day is not None]
        return [
            name
            for name, day in zip(names, known, strict=True)
            if day[1] >= start and day[0] <= end
        ]
    for option, name in zip(options, (first, last), strict=True):
        if name is not None and name not in names:
            raise InvalidInput(option, owner, f"one of {', '.join(names)}", name)
    begin = 0 if first is None else names.index(first)
    stop = len(names) - 1 if last is None else names.index(last)
    _check_order(begin <= stop, first, last, owner, options)
    return list(names[begin : stop + 1])


def _check_order(
    is_ordered: bool, first: str | None, last: str | None, owner: str, options: tuple[str, str]
) -> None:
    if not is_ordered:
        raise InvalidInput(options[1], owner, f"not before {first}", last)


def _days_of(name: str) -> tuple[date, date] | None:
    """The first and the last day of a window, whichever kind its name is of."""
    kind = window_kind(name)
    return None if kind is None else window_days(kind, name)


def _read(text: str, owner: str, option: str) -> tuple[date, date]:
    found = _days_of(text)
    if found is None:
        allowed = "a day, week or month such as 2026-11-16, 2026-W47 or 2026-11"
        raise InvalidInput(option, owner, allowed, text)
    return found
