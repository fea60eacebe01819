"""The device's face: ``Client(survey).report(value)``.

A device has one duty to its owner, never to tell more than was agreed to, and one to the
collector, never to be counted twice.  So a report is drawn once for a survey and a window,
what it costs is on the disk before it leaves, and from then on only these bytes are sent.

A collector is asked first: one that would refuse the report costs nothing, and one whose log does not
have the survey, or does not continue the log that this device has seen, gets nothing.  Where it does
not answer, the report is drawn and kept, and leaves when the log was checked.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from datetime import date
from fractions import Fraction
from typing import Any

from sottovoce.base.checks import check_pinned
from sottovoce.base.errors import InvalidInput, NotTrusted
from sottovoce.base.randomness import OperatingSystem, Source
from sottovoce.device.http import NoAnswer
from sottovoce.device.ledger import Ledger, Receipt, default_folder
from sottovoce.device.log_check import check_log
from sottovoce.device.memory import DeviceMemory, memory_of
from sottovoce.device.remote_collector import RemoteCollector, check_token, check_url
from sottovoce.device.sending import Patience, check_takes_reports, deliver
from sottovoce.surveys.charges import charge_of
from sottovoce.surveys.limits import Limits
from sottovoce.surveys.repeating import asks, one_in
from sottovoce.surveys.scopes import check_scopes
from sottovoce.surveys.signing import SignedSurvey, check_publisher
from sottovoce.surveys.survey import Survey
from sottovoce.surveys.windows import check_window, first_day, today, window_index, window_name
from sottovoce.wire.uploads import Upload, encode_upload, new_id

__all__ = ["Client", "Receipt"]

_LONGEST_ANSWER = 2**22
"""Bytes of a page of the log, or of what there is to know about a survey."""


class Client:
    """A device that answers a survey.

    Limits on what may be spent are set here, on the device, not by the survey. A survey that would
    exceed one is refused before anything is drawn.

    Parameters
    ----------
    survey : Survey or SignedSurvey
        The survey to answer.
    fingerprint : str, optional
        The fingerprint that the owner of the device agreed to; a survey with another one is refused.
        Pass it wherever the survey comes over a network.
    publisher : str, optional
        The public key of the publisher, 64 hexadecimal digits; a survey that it did not sign is
        refused. It needs a ``SignedSurvey``.
    folder : path, optional
        Folder of the ledger, one for all surveys of the device.
    url : str, optional
        Address of the collector. Without it, reports are drawn and kept, for a program that sends them.
    token : str, optional
        The token, for surveys that ask for one.
    maximum_epsilon, maximum_delta : float
        Limits for one report; of a survey with memory, for all its reports together.
    day_epsilon : float
        Limit for all reports of one day.
    name_epsilon : float
        Limit for all surveys of one name.
    question_epsilon : float
        Limit for one question.
    series_epsilon : float
        Limit for all surveys of one series.
    publisher_epsilon : float
        Limit for all surveys that one key signed.
    total_epsilon : float
        Limit for all reports in the ledger.
    scopes : tuple of str
        What a survey may protect in place of the whole answer: ``("edge",)``, or ``("sensitive answer",)``
        where it protects some answers only. A survey that protects less than the whole answer is refused
        otherwise.
    plain_http : bool
        Whether to send to an ``http://`` address of another machine.
    patience : Patience, optional
        Attempts and timeouts of sending.
    source : Source, optional
        Where random words come from: the operating system.
    clock : callable
        Returns the current date in UTC.

    Raises
    ------
    InvalidInput
        Where a parameter is not allowed.
    Mismatch
        Where the survey has another fingerprint.
    NotTrusted
        Where the survey is not signed by ``publisher``.
    OverBudget
        Where one report of the survey exceeds a limit.

    Examples
    --------
    >>> import sottovoce as sv, tempfile
    >>> drinks = sv.mechanism("olh", sv.Categories(["tea", "coffee", "water"]), 1.0)
    >>> survey = sv.Survey("drinks", "What do you drink in the morning?", drinks, "week")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     client = Client(survey, folder=folder)
    ...     receipt = client.report("tea")
    ...     again = client.report("water")  # the same week: the same report
    ...     receipt == again, receipt.state, float(client.spent)
    (True, 'pending', 1.0)
    """

    def __init__(
        self,
        survey: Survey | SignedSurvey,
        *,
        fingerprint: str | None = None,
        publisher: str | None = None,
        folder: str | os.PathLike[str] | None = None,
        url: str | None = None,
        token: str | None = None,
        maximum_epsilon: float = Limits.maximum_epsilon,
        maximum_delta: float = Limits.maximum_delta,
        day_epsilon: float = Limits.day_epsilon,
        name_epsilon: float = Limits.name_epsilon,
        question_epsilon: float = Limits.question_epsilon,
        series_epsilon: float = Limits.series_epsilon,
        publisher_epsilon: float = Limits.publisher_epsilon,
        total_epsilon: float = Limits.total_epsilon,
        scopes: tuple[str, ...] = (),
        plain_http: bool = False,
        patience: Patience | None = None,
        source: Source | None = None,
        clock: Callable[[], date] = today,
    ) -> None:
        survey, self.publisher = _check_signed(survey, publisher)
        what = f"survey {survey.name!r}"
        check_pinned(fingerprint, survey.fingerprint, "fingerprint", "Client", what)
        self.survey, self._pinned = survey, fingerprint is not None
        self.url = None if url is None else check_url(url, plain_http=plain_http)
        self.token, self.clock = check_token(token), clock
        self.patience = Patience() if patience is None else patience
        self._source = _check_source(OperatingSystem() if source is None else source)
        self.limits = Limits(
            maximum_epsilon,
            maximum_delta,
            day_epsilon,
            name_epsilon,
            question_epsilon,
            series_epsilon,
            publisher_epsilon,
            total_epsilon,
        )
        _check_promise(survey, scopes)
        self.limits.check_report(survey)
        self.ledger = Ledger(default_folder() if folder is None else folder)

    @property
    def spent(self) -> Fraction:
        """The epsilon of all reports in the ledger, of whatever survey, exactly."""
        return self.ledger.spent()[0]

    def report(self, value: Any) -> Receipt:
        """Answer the survey in the present window, and send the report.

        The first answer in a window counts: whatever is given later, the stored report
        is returned, and sent again if the collector has not acknowledged it.  A value
        outside the domain is treated as the survey says; where it says ``refuse`` nothing is
        drawn, spent or sent.  Where the window does not ask this device, nothing is either, whatever
        the value, and the receipt has the state ``"not-asked"``.
        :class:`~sottovoce.base.errors.OverBudget` where the limits of
        this device allow no new report, :class:`~sottovoce.base.errors.Refused` where the collector
        says that it takes none, :class:`~sottovoce.base.errors.NotTrusted` where its log is not in order.
        """
        admitted = self.survey.admit(value)
        day, survey = self.clock(), self.survey
        window = window_name(survey.window, day)
        check_window(survey, window, earliest=day, latest=day)
        if not self._asks(day):
            survey.mechanism.domain.index(admitted)  # refused as in a window that asks
            return Receipt(survey.fingerprint, window, survey.name, "0", "0", b"", b"", "not-asked")
        checked = False
        if self.url is not None and self.ledger.find(survey.fingerprint, window) is None:
            checked = self._check_before_drawing(self._collector(self.url))
        memory = memory_of(survey, day)
        receipt = self.ledger.spend(
            charge_of(survey, window, day, self.publisher),
            self.limits,
            lambda database: self._draw(admitted, window, memory, database),
            pinned=self._pinned,
            memory=memory,
        )
        return self._send(receipt, checked=checked)

    def asked(self) -> bool:
        """Whether the present window asks this device; always so unless the survey has cohorts."""
        return self._asks(self.clock())

    def next_asked(self) -> date | None:
        """The first day of the next window after the present one that asks this device.

        None where the survey closes before it, or is asked once.
        """
        survey, day = self.survey, self.clock()
        if survey.window == "once":
            return None
        opens = date.fromisoformat(survey.opens) if survey.opens else date.min
        index = max(window_index(survey.window, each) for each in (day, opens))
        index += window_index(survey.window, day) == index  # a window after the present one
        cohorts = one_in(survey)
        cohort = 0 if cohorts == 1 else self.ledger.cohort(survey, self._source)
        try:
            first = max(opens, first_day(survey.window, index + (cohort - index) % cohorts))
        except (OverflowError, ValueError):
            return None
        return None if survey.closes and first.isoformat() > survey.closes else first

    def _asks(self, day: date) -> bool:
        if self.survey.ask == "1":
            return True
        return asks(self.survey, self.ledger.cohort(self.survey, self._source), day)

    def send(self) -> list[Receipt]:
        """Send what is pending of this survey again; all its receipts."""
        return [self._send(receipt) for receipt in self.ledger.receipts(self.survey.fingerprint)]

    def acknowledge(self, receipt: Receipt) -> Receipt:
        """Say that the collector has a report, where a program sends by its own means."""
        return self.ledger.settle(receipt, "acknowledged", "")

    def _draw(
        self, value: Any, window: str, memory: DeviceMemory | None, database: sqlite3.Connection
    ) -> tuple[bytes, bytes]:
        """A fresh report under a fresh id, as the bytes that will be sent."""
        if memory is None:
            reports = self.survey.mechanism.randomize(value, source=self._source)
        else:
            reports = memory.report(database, value, self._source)
        number = new_id(self._source)
        return number, encode_upload(Upload.of(self.survey, window, [number], reports))

    def _collector(self, url: str) -> RemoteCollector:
        return RemoteCollector(url, self.token, self.patience.timeout, _LONGEST_ANSWER)

    def _check_before_drawing(self, collector: RemoteCollector) -> bool:
        """Refuse where a report would be in vain; False where nobody answers: it is drawn and kept."""
        try:
            check_takes_reports(collector, self.survey)
            check_log(collector, self.ledger, self.survey)
        except NoAnswer:
            return False
        return True

    def _send(self, receipt: Receipt, *, checked: bool = False) -> Receipt:
        if receipt.state != "pending" or self.url is None:
            return receipt
        collector = self._collector(self.url)
        outcome = deliver(
            self.url,
            receipt.upload,
            token=self.token,
            patience=self.patience,
            check=lambda: None if checked else check_log(collector, self.ledger, self.survey),
        )
        return self.ledger.settle(receipt, outcome.state, outcome.code)


def _check_signed(survey: object, publisher: str | None) -> tuple[Survey, str]:
    """The survey, and the key that signed it, which is the pinned one if there is one."""
    if isinstance(survey, SignedSurvey):
        if publisher is not None:
            survey.check_pinned(publisher)
        return survey.survey, survey.publisher
    if not isinstance(survey, Survey):
        raise InvalidInput("survey", "Client", "a Survey or SignedSurvey", survey)
    if publisher is not None:
        check_publisher(publisher, "Client")
        raise NotTrusted(
            f"survey {survey.name!r} is not signed, and only surveys signed by {publisher} were agreed "
            "to: it is not answered"
        )
    return survey, ""


def _check_source(source: Source) -> Source:
    if getattr(source, "secure", None) is not True:
        hint = "Predictable randomness gives no privacy: Seeded is for simulation."
        raise InvalidInput(
            "source", "Client", "the operating system's randomness", source, hint=hint
        )
    return source


def _check_promise(survey: Survey, scopes: tuple[str, ...]) -> None:
    """Refuse a survey that breaks its promise, or promises something else."""
    mechanism, owner = survey.mechanism, f"survey {survey.name!r}"
    certificate = mechanism.certificate()
    if not certificate.holds(mechanism.epsilon):
        allowed = f"such that no ratio exceeds e^{mechanism.epsilon:g}"
        raise InvalidInput("weights", owner, allowed, str(certificate))
    check_scopes(survey, scopes)
