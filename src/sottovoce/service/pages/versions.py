"""Which windows a page is about, and what makes a board about them old."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

from sottovoce.base.errors import InvalidInput
from sottovoce.store import Released
from sottovoce.surveys.survey import Survey
from sottovoce.surveys.windows import window_days

__all__ = ["version_of", "windows_wanted"]


def windows_wanted(
    survey: Survey, names: Iterable[str], held: Mapping[str, object]
) -> tuple[str, ...]:
    """The windows named, in order; refused where one is none, or has no reports."""
    found = tuple(sorted(set(names)))
    for name in found:
        window_days(survey.window, name)
        if name not in held:
            owner = f"survey {survey.name!r}"
            raise InvalidInput("window", owner, "one that reports have come for", name)
    return found


def version_of(released: Mapping[str, Released], windows: Iterable[str] = ()) -> Hashable:
    """What changes when the release of one of these windows (of all, if none) moves on."""
    chosen = tuple(windows) or tuple(released)
    return tuple(sorted((name, released[name].step) for name in chosen))
