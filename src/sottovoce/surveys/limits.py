"""What a device may spend: limits, and whether one more report keeps within them.

A survey comes from outside, so none of its parts sets a limit.  Seven amounts of epsilon do: for
one report, one day, one name, one question, one series, one publisher, and all reports of a device
together.  Three rules guard them against surveys that are forged and clocks that are wrong:

1. *Windows are answered in order.*  A window must begin after the last day of every window that
   was answered for the same name or question, under any fingerprint.  So a copy of a survey with
   another fingerprint, or with other windows, gets no second answer for the same days, and a
   clock that goes back opens no window.
2. *A known survey does not become dearer.*  Under a new fingerprint, a name or question that was
   answered before may not cost more than it did, unless the new fingerprint is pinned.
3. *A day is a day by date and by elapsed time.*  By date, a report that was drawn on a later date
   counts as drawn today: the clock went back, and that refills nothing.  By elapsed time, any
   24 hours touch at most two dates, so that reports drawn in them may cost at most twice
   ``day_epsilon``: a clock that is set forward, window by window, is stopped there.  Elapsed time
   is that since the machine started; it is not known across a restart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from fractions import Fraction

from sottovoce.base.checks import check_real
from sottovoce.base.errors import InvalidInput, OverBudget
from sottovoce.base.exact import decimal_text
from sottovoce.surveys.charges import Charge
from sottovoce.surveys.repeating import report_cost
from sottovoce.surveys.survey import Survey

__all__ = ["Limits"]

_DAY = 86_400.0
"""Seconds."""


@dataclass(frozen=True)
class Limits:
    """The most that a device gives, each a number of at least 0.

    ``maximum_epsilon`` and ``maximum_delta`` are for one report; where devices remember, for what its first
    report is charged with, which pays for all that follow.  ``day_epsilon`` is for all
    reports drawn on one day, ``name_epsilon`` for all reports to surveys of one name,
    ``question_epsilon`` for all reports on one question, ``series_epsilon`` for all reports to
    surveys of one series, ``publisher_epsilon`` for all reports to surveys that one key signed,
    ``total_epsilon`` for all reports.  All of them hold at once: a series or a key puts surveys
    together, and takes none of them out of another limit.  By default one name, question or series
    cannot use up more than half of the total.

    >>> Limits().answers(1.5)
    (3, 'name_epsilon')
    """

    maximum_epsilon: float = 2.0
    maximum_delta: float = 0.0
    day_epsilon: float = 2.0
    name_epsilon: float = 5.0
    question_epsilon: float = 5.0
    series_epsilon: float = 5.0
    publisher_epsilon: float = 10.0
    total_epsilon: float = 10.0

    def __post_init__(self) -> None:
        allowed = "a number of at least 0"
        for each in fields(self):
            value = getattr(self, each.name)
            if check_real(value, each.name, "Client", allowed) < 0:
                raise InvalidInput(each.name, "Client", allowed, value)

    def exact(self, name: str) -> Fraction:
        """A limit as the decimal that it is written as."""
        return Fraction(Decimal(repr(float(getattr(self, name)))))

    def answers(self, epsilon: float) -> tuple[int, str]:
        """How many windows of a survey are answered if nothing else is, and by which limit."""
        cost = Fraction(decimal_text(epsilon))
        if cost > min(self.exact("maximum_epsilon"), self.exact("day_epsilon")):
            return 0, min(("maximum_epsilon", "day_epsilon"), key=self.exact)
        name = min(("name_epsilon", "question_epsilon", "total_epsilon"), key=self.exact)
        return int(self.exact(name) / cost), name

    def check_report(self, survey: Survey) -> None:
        """Refuse a survey of which one report costs too much, whatever was spent before."""
        mechanism, cost = survey.mechanism, report_cost(survey)
        if Fraction(decimal_text(cost)) > self.exact("maximum_epsilon"):
            what = "for all its reports" if mechanism.remembers else "per report"
            raise OverBudget(
                f"survey {survey.name!r} asks for epsilon {cost:g} {what}; "
                f"this device gives at most {self.maximum_epsilon:g} (maximum_epsilon)"
            )
        delta = mechanism.certificate().delta
        if delta > self.exact("maximum_delta"):
            raise OverBudget(
                f"survey {survey.name!r} asks for delta {float(delta):.3g} per report; "
                f"this device gives at most {self.maximum_delta:g} (maximum_delta)"
            )

    def check(self, new: Charge, before: Sequence[Charge], *, pinned: bool) -> None:
        """Refuse a report that breaks a rule or exceeds a limit, after those ``before``."""
        same = [each for each in before if each.asks_like(new)]
        _check_order(new, same)
        if not pinned:
            _check_price(new, [each for each in same if each.fingerprint != new.fingerprint])
        today = [each for each in before if each.day >= new.day]
        recent = [e for e in before if e.boot == new.boot and new.uptime - e.uptime < _DAY]
        self._check_sum(new, today, "day_epsilon", "per day")
        self._check_sum(new, recent, "day_epsilon", "per 24 hours since the machine started", 2)
        named = [each for each in before if each.name == new.name]
        self._check_sum(new, named, "name_epsilon", "on surveys of one name")
        asked = [each for each in before if each.question == new.question]
        self._check_sum(new, asked, "question_epsilon", "on one question")
        if new.series:
            together = [each for each in before if each.series == new.series]
            self._check_sum(new, together, "series_epsilon", "on surveys of one series")
        if new.publisher:
            signed = [each for each in before if each.publisher == new.publisher]
            self._check_sum(new, signed, "publisher_epsilon", "on surveys signed by one key")
        self._check_sum(new, before, "total_epsilon", "in all")

    def _check_sum(
        self, new: Charge, before: Iterable[Charge], name: str, what: str, times: int = 1
    ) -> None:
        charged = (each.cost for each in before if each.epsilon != "0")  # memory has thousands of 0
        spent, most = sum(charged, Fraction(0)), times * self.exact(name)
        if spent + new.cost > most:
            raise OverBudget(
                f"survey {new.survey!r} asks for epsilon {new.epsilon}; of the {float(most):g} that "
                f"this device may spend {what} ({name}), {float(spent):g} are spent"
            )


def _check_order(new: Charge, same: Sequence[Charge]) -> None:
    """Rule 1."""
    last = max(same, key=lambda each: each.last, default=None)
    if last is None or new.first > last.last:
        return
    if last.fingerprint == new.fingerprint:
        raise OverBudget(
            f"survey {new.survey!r} was answered for the window {last.window!r}, so {new.window!r} "
            "gets no answer: windows are answered in order. Check the clock of this device"
        )
    raise OverBudget(
        f"survey {new.survey!r} has the name or question of {last.survey!r} (fingerprint "
        f"{last.fingerprint}), which was answered for the same days or later ones: one window "
        "gets one answer"
    )


def _check_price(new: Charge, same: Sequence[Charge]) -> None:
    """Rule 2."""
    dearest = max(same, key=lambda each: each.cost, default=None)
    if dearest is not None and new.cost > dearest.cost:
        raise OverBudget(
            f"survey {new.survey!r} asks for epsilon {new.epsilon}; under the fingerprint "
            f"{dearest.fingerprint} it asked for {dearest.epsilon}. If the new one is agreed to, "
            f"say so with fingerprint={new.fingerprint!r}"
        )
