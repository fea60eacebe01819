"""From the store to estimates, behind every page and route that shows numbers.

Numbers come from releases only (:mod:`sottovoce.store.releasing`), which move on in steps of the
minimum batch.  Windows with fewer reports released than that are left out and named, and where
none is left there is no answer.  Estimates are remembered by what went into them, the tally
above all.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from threading import Lock
from typing import Any, NamedTuple, TypeVar

from sottovoce.answers.about import whole_of
from sottovoce.answers.difference import Difference
from sottovoce.answers.estimate import Estimate
from sottovoce.answers.questions.parts import reports_about
from sottovoce.answers.tables import Table
from sottovoce.answers.trend import Trend
from sottovoce.answers.view import View
from sottovoce.core.tally import Tally
from sottovoce.estimators import estimate
from sottovoce.estimators.coordinates import coordinates
from sottovoce.estimators.trend import trend
from sottovoce.service.analysis.trends import (
    SurveyTrend,
    TrendOptions,
    check_size,
    windows_from_to,
)
from sottovoce.service.refusals import Declined
from sottovoce.store import Published, Released, Store
from sottovoce.surveys.survey import Survey
from sottovoce.surveys.windows import window_days

__all__ = [
    "MOST_COORDINATES",
    "Analyst",
    "Coordinates",
    "SurveyEstimate",
    "EstimateOptions",
    "check_reports",
    "check_one_window",
    "nothing_yet",
]

MOST_COORDINATES = 500
"""Coordinates of a vector that are estimated, the first that may be shown."""
_MOST_REMEMBERED = 64
T = TypeVar("T")


@dataclass(frozen=True)
class EstimateOptions:
    """How to estimate: the arguments of :func:`sottovoce.estimate`."""

    method: str = "auto"
    goal: str = "distribution"
    then: tuple[str, ...] = ()
    part: str | None = None
    """The question of a record; its estimate is made of the reports about it."""


@dataclass(frozen=True)
class SurveyEstimate:
    """An estimate, of which survey, from which windows, and those below the minimum batch."""

    survey: Survey
    windows: tuple[str, ...]
    left_out: tuple[str, ...]
    estimate: Estimate
    part: str | None = None
    """The question of a record that it is of."""
    reports_about: int | None = None
    """Reports about that question."""

    @property
    def whole(self) -> str:
        """What shares are of: respondents, reports of several windows, or the population."""
        return whole_of(self.estimate.about, len(self.windows))


class Coordinates(NamedTuple):
    """What is told of a vector: estimates by coordinate, which have too few reports, and n."""

    estimated: Mapping[int, SurveyEstimate]
    left_out: tuple[int, ...]
    reports: int


def nothing_yet(survey: Survey) -> str:
    """Why nothing is shown of a survey yet, and when something will be."""
    batch = survey.minimum_batch
    if batch == 1:
        return f"survey {survey.name!r} has no report yet"
    return (
        f"survey {survey.name!r} shows a window that has ended from {batch:,} reports on, "
        f"and one that is open from {2 * batch:,}, without its newest {batch:,}"
    )


def check_one_window(survey: Survey, windows: Sequence[str]) -> None:
    """Refuse to pool windows where devices have memos: their reports share noise."""
    if survey.mechanism.remembers and len(windows) > 1:
        raise Declined(
            "mismatch",
            f"survey {survey.name!r} keeps a memo on each device, so that reports of several windows "
            f"share noise and cannot be pooled; choose one window, or ask for the trend over them "
            f"at /surveys/{survey.fingerprint}/trend",
        )


def check_reports(survey: Survey, estimate: Estimate, *questions: str) -> int:
    """How many reports are about some questions of a record together; too few are refused."""
    reports = reports_about(estimate, *questions)
    if not survey.shows(reports):
        what = " and ".join(map(repr, questions))
        both = "both of " if len(questions) > 1 else ""
        raise Declined(
            "below-minimum-batch",
            f"survey {survey.name!r} shows nothing from fewer than {survey.minimum_batch:,} reports, and "
            f"{reports:,} are about {both}{what}",
        )
    return reports


def _digest(*tallies: Tally) -> str:
    found = hashlib.sha256()
    for tally in tallies:
        found.update(tally.to_bytes())
    return found.hexdigest()


def _trend(tallies: Sequence[Tally], way: TrendOptions) -> Trend:
    return trend(
        tallies,
        overlap=way.overlap,
        about=way.about,
        same_people=way.same_people,
        method=way.method,
    )


class Analyst:
    """Answers questions about what a store holds; may be used by several threads.

    ``ended`` says before which last day windows have ended, now.
    """

    def __init__(self, store: Store, ended: Callable[[], date]) -> None:
        self._store, self._ended = store, ended
        self._remembered: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock, self._work = Lock(), Lock()

    def released(self, published: Published) -> dict[str, Released]:
        """What may be seen of every window that reports have come for, moved on where it may."""
        fingerprint = published.survey.fingerprint
        self._store.release(fingerprint, self._ended())
        return self._store.released(fingerprint)

    def windows(
        self, published: Published, wanted: Sequence[str] = ()
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Windows that may be shown, and those below the minimum batch; all, or those wanted."""
        survey = published.survey
        for name in wanted:
            window_days(survey.window, name)
        released = self.released(published)
        chosen = sorted(set(wanted) or released)
        shown = tuple(
            name for name in chosen if name in released and survey.shows(released[name].reports)
        )
        left_out = tuple(name for name in chosen if name not in shown)
        if not shown:
            raise Declined("below-minimum-batch", nothing_yet(survey), windows=list(left_out))
        return shown, left_out

    def windows_to_hand_out(
        self, published: Published, wanted: Sequence[str] = ()
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Windows whose reports may be handed out one by one, and those left out."""
        survey = published.survey
        shown, below = self.windows(published, wanted)
        whole = set(self._store.windows_to_hand_out(survey.fingerprint)).intersection(shown)
        left_out = tuple(sorted({*shown, *below} - whole))
        check_one_window(survey, sorted(whole))
        if not whole:
            raise Declined(
                "below-minimum-batch",
                f"reports of survey {survey.name!r} are handed out of windows that have ended, "
                "with all their reports: none deleted since, scrubbed or expired; "
                "estimates can be asked for",
                windows=list(left_out),
            )
        return tuple(sorted(whole)), left_out

    def estimate(
        self, published: Published, wanted: Sequence[str], way: EstimateOptions
    ) -> SurveyEstimate:
        """The estimate from some windows of a survey together."""
        tally, shown, left_out = self._tally(published, wanted)
        whole = self._estimated(tally, way)
        if way.part is None:
            return SurveyEstimate(published.survey, shown, left_out, whole)
        reports = check_reports(published.survey, whole, way.part)

        def work() -> Estimate:
            return whole.part(str(way.part), way.method, goal=way.goal, then=way.then)

        part = self._kept((_digest(tally), way, "part"), work)
        return SurveyEstimate(published.survey, shown, left_out, part, way.part, reports)

    def table(
        self, published: Published, wanted: Sequence[str], pair: tuple[str, str], view: View
    ) -> tuple[SurveyEstimate, Table]:
        """The table of two questions of a record, if there are enough reports about both."""
        told = self.estimate(published, wanted, EstimateOptions())
        seen = replace(told, estimate=view.of(told.estimate))
        found = seen.estimate.table(*pair)
        check_reports(published.survey, told.estimate, *pair)
        return seen, found

    def trend(
        self, published: Published, first: str | None, last: str | None, way: TrendOptions
    ) -> SurveyTrend:
        """The trend over the windows from one to another; those below the minimum batch are left out."""
        survey = published.survey
        names = windows_from_to(survey, sorted(self.released(published)), first, last, "a request")
        if not names:
            raise Declined("below-minimum-batch", f"survey {survey.name!r} has no reports there")
        shown, left_out = self.windows(published, names)
        check_size(survey, len(shown))
        tallies = self._store.released_tallies(survey.fingerprint, shown)
        if not tallies:  # deleted in between
            raise Declined("below-minimum-batch")
        way = way.for_survey(survey)
        key = _digest(*tallies.values()), way
        every = way if way.part is None else replace(way, method="auto")
        whole = self._kept(key, lambda: _trend(list(tallies.values()), every))
        if way.part is None:
            return SurveyTrend(survey, whole, left_out)
        few = [
            name
            for name, each in zip(whole.windows, whole.estimates, strict=True)
            if not survey.shows(reports_about(each, way.part))
        ]
        if len(few) == len(whole.windows):
            check_reports(survey, whole.estimates[-1], way.part)
        enough = [tally for name, tally in tallies.items() if name not in few]

        def work() -> Trend:
            return (_trend(enough, every) if few else whole).part(str(way.part), way.method)

        found = self._kept((*key, "part"), work)
        return SurveyTrend(survey, found, tuple(sorted({*left_out, *few})))

    def coordinates(
        self, published: Published, wanted: Sequence[str], *, population: bool = False
    ) -> Coordinates:
        """Estimates of a vector's coordinates, to read means from: those with enough reports.

        Where devices drew the coordinate that they reported, each coordinate has the reports
        of those who drew it, and the errors are about the population.  None is remembered: they
        would drive out all that is, and pages keep what they show.
        """
        tally, shown, below = self._tally(published, wanted)
        survey, parts = published.survey, coordinates(tally)
        enough = [place for place, part in enumerate(parts) if survey.shows(part.n)]
        left_out = tuple(sorted({*range(len(parts))} - {*enough}))
        if not enough:
            raise Declined(
                "below-minimum-batch",
                f"survey {survey.name!r} shows nothing from fewer than {survey.minimum_batch} "
                f"reports of a coordinate, and none of its {len(parts)} coordinates has that many",
            )
        drawn = any(part.n < tally.n for part in parts)
        estimated = {}
        for place in enough[:MOST_COORDINATES]:
            with self._work:
                found = estimate(parts[place], goal="mean")
            found = found.for_population() if drawn or population else found
            estimated[place] = SurveyEstimate(survey, shown, below, found)
        return Coordinates(estimated, left_out, tally.n)

    def _tally(
        self, published: Published, wanted: Sequence[str]
    ) -> tuple[Tally, tuple[str, ...], tuple[str, ...]]:
        survey = published.survey
        shown, left_out = self.windows(published, wanted)
        check_one_window(survey, shown)
        tally = self._store.released_tally(survey.fingerprint, shown)
        if not survey.shows(tally.n):  # deleted in between
            raise Declined("below-minimum-batch")
        return tally, shown, left_out

    def _estimated(self, tally: Tally, way: EstimateOptions) -> Estimate:
        if tally.mechanism.domain.record is not None:  # methods are for its questions
            way = EstimateOptions()

        def work() -> Estimate:
            return estimate(tally, way.method, goal=way.goal, then=way.then)

        return self._kept((_digest(tally), way), work)

    def _kept(self, key: Hashable, work: Callable[[], T]) -> T:
        """What is remembered under a key, or else what the work gives."""
        found: T | None = self._recall(key)
        if found is None:
            with self._work:  # one at a time: uploads need the processor too
                found = self._recall(key)
                if found is None:
                    found = work()
                    self._remember(key, found)
        return found

    def _recall(self, key: Hashable) -> Any:
        with self._lock:
            found = self._remembered.get(key)
            if found is not None:
                self._remembered.move_to_end(key)
            return found

    def _remember(self, key: Hashable, found: Any) -> None:
        with self._lock:
            self._remembered[key] = found
            if len(self._remembered) > _MOST_REMEMBERED:
                self._remembered.popitem(last=False)

    def difference(
        self,
        first: tuple[Published, Sequence[str]],
        second: tuple[Published, Sequence[str]],
        way: EstimateOptions,
        view: View | None = None,
    ) -> tuple[SurveyEstimate, SurveyEstimate, Difference]:
        """How the second side differs from the first: windows of a survey, or surveys.

        The sides must have no report in common.  They come as they were estimated; ``view`` is
        that of the difference.
        """
        sides = [self.estimate(*side, way) for side in (first, second)]
        same = sides[0].survey.fingerprint == sides[1].survey.fingerprint
        both = set(sides[0].windows) & set(sides[1].windows)
        if same and both:
            raise Declined("mismatch", "the two sides of a difference have windows in common")
        change = (view or View()).between(sides[0].estimate, sides[1].estimate)
        return sides[0], sides[1], change
