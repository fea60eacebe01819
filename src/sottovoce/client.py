"""The device's face: ``Client(survey).report(value)``.

A device has one duty to its owner, never to tell more than was agreed to, and one to the
collector, never to be counted twice.  So a report is drawn once for a survey and a window,
what it costs is on the disk before it leaves, and from then on only these bytes are sent.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sottovoce.core.checks import check_real
from sottovoce.core.errors import InvalidInput, OverBudget
from sottovoce.core.exact import decimal_text
from sottovoce.core.odds import round_up
from sottovoce.core.randomness import OperatingSystem, Source
from sottovoce.core.survey import Survey
from sottovoce.core.windows import check_window, today, window_name
from sottovoce.core.wire import Upload, encode_upload, new_id
from sottovoce.ledger import Ledger, Receipt, default_folder
from sottovoce.sending import Patience, check_token, check_url, deliver

__all__ = ["Client", "Receipt"]


class Client:
    """A device that takes part in a survey.

    ``folder`` holds the ledger, one for all surveys of this device.  ``url`` is the collector;
    without one, reports are made and kept, for a program that sends them its own way.

    What may be spent is said here, on the device, and not by who asks: ``maximum_epsilon`` and
    ``maximum_delta`` are the most that one report may cost, ``total_epsilon`` is the most that
    all reports together may, over all surveys and windows in the ledger.  ``scopes`` names what
    may be hidden in the place of the whole answer, such as ``("edge",)``: a survey that
    hides only that is refused otherwise.

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
        survey: Survey,
        *,
        folder: str | os.PathLike[str] | None = None,
        url: str | None = None,
        token: str | None = None,
        maximum_epsilon: float = 2.0,
        total_epsilon: float = 10.0,
        maximum_delta: float = 0.0,
        scopes: tuple[str, ...] = (),
        plain_http: bool = False,
        patience: Patience | None = None,
        source: Source | None = None,
        clock: Callable[[], date] = today,
    ) -> None:
        if not isinstance(survey, Survey):
            raise InvalidInput("survey", "Client", "a Survey", survey)
        self.survey = survey
        self.url = None if url is None else check_url(url, plain_http=plain_http)
        self.token, self.clock = check_token(token), clock
        self.patience = Patience() if patience is None else patience
        self._source = _check_source(OperatingSystem() if source is None else source)
        self._total = _exact(total_epsilon, "total_epsilon")
        self._check_privacy(
            _exact(maximum_epsilon, "maximum_epsilon"),
            _exact(maximum_delta, "maximum_delta"),
            scopes,
        )
        self.ledger = Ledger(default_folder() if folder is None else folder)

    def _check_privacy(self, most: Fraction, most_delta: Fraction, scopes: tuple[str, ...]) -> None:
        """Refuse a survey that breaks its promise, promises something else, or costs too much."""
        mechanism, name = self.survey.mechanism, self.survey.name
        certificate = mechanism.certificate()
        if not certificate.holds(mechanism.epsilon):
            allowed = f"such that no ratio exceeds e^{mechanism.epsilon:g}"
            raise InvalidInput("weights", f"survey {name!r}", allowed, str(certificate))
        if certificate.scope is not None and certificate.scope.hidden not in scopes:
            allowed = f"private between any two answers, not only between {certificate.between}"
            hint = f"scopes=({certificate.scope.hidden!r},) takes part all the same."
            raise InvalidInput("mechanism", f"survey {name!r}", allowed, str(mechanism), hint=hint)
        if Fraction(decimal_text(mechanism.epsilon)) > most:
            raise OverBudget(
                f"survey {name!r} asks for epsilon {mechanism.epsilon:g} a report; "
                f"this device gives at most {float(most):g}"
            )
        if certificate.delta > most_delta:
            raise OverBudget(
                f"survey {name!r} asks for delta {float(certificate.delta):.3g} a report; "
                f"this device gives at most {float(most_delta):g}"
            )

    @property
    def spent(self) -> Fraction:
        """The epsilon of all reports in the ledger, of whatever survey, exactly."""
        return self.ledger.spent()[0]

    def report(self, value: Any) -> Receipt:
        """Answer the survey in the present window, and send the report.

        The first answer in a window counts: whatever is given later, the stored report
        is returned, and sent again if the collector has not acknowledged it.  A value
        outside the domain is treated as the survey says; where it says ``refuse`` nothing is
        drawn, spent or sent.
        """
        admitted = self.survey.admit(value)
        day = self.clock()
        window = window_name(self.survey.window, day)
        check_window(self.survey, window, earliest=day, latest=day)
        receipt = self.ledger.spend(
            self._draft(window), self._total, lambda: self._draw(admitted, window)
        )
        return self._send(receipt)

    def send(self) -> list[Receipt]:
        """Send what is pending of this survey again; all its receipts."""
        return [self._send(receipt) for receipt in self.ledger.receipts(self.survey.fingerprint)]

    def acknowledge(self, receipt: Receipt) -> Receipt:
        """Say that the collector has a report, where a program sends by its own means."""
        return self.ledger.settle(receipt, "acknowledged", "")

    def _draft(self, window: str) -> Receipt:
        """What a report of this window costs, before it is drawn."""
        mechanism = self.survey.mechanism
        delta = mechanism.certificate().delta
        cost = decimal_text(mechanism.epsilon), decimal_text(round_up(delta)) if delta else "0"
        return Receipt(self.survey.fingerprint, window, self.survey.name, *cost, b"", b"")

    def _draw(self, value: Any, window: str) -> tuple[bytes, bytes]:
        """A fresh report under a fresh id, as the bytes that will be sent."""
        reports = self.survey.mechanism.randomize(value, source=self._source)
        number = new_id(self._source)
        return number, encode_upload(Upload.of(self.survey, window, [number], reports))

    def _send(self, receipt: Receipt) -> Receipt:
        if receipt.state != "pending" or self.url is None:
            return receipt
        outcome = deliver(self.url, receipt.upload, token=self.token, patience=self.patience)
        return self.ledger.settle(receipt, outcome.state, outcome.code)


def _check_source(source: Source) -> Source:
    if getattr(source, "secure", None) is not True:
        hint = "What can be predicted protects nobody: Seeded is for simulation."
        raise InvalidInput(
            "source", "Client", "the operating system's randomness", source, hint=hint
        )
    return source


def _exact(limit: float, parameter: str) -> Fraction:
    """A limit as the decimal that it is written as; 0 and more."""
    allowed = "a number of at least 0"
    number = check_real(limit, parameter, "Client", allowed)
    if number < 0:
        raise InvalidInput(parameter, "Client", allowed, limit)
    return Fraction(Decimal(repr(number)))
