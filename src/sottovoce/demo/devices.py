"""The devices: what people's phones do, and what relays do for many.

Every value is randomized by the mechanism of its survey with the operating system's
randomness; only reports leave.  Everybody is asked on one of the days.  Some devices run the
real :class:`~sottovoce.Client`, each with a ledger of its own, in which it keeps the day that it drew, and
a request for its one report.  Of all others the simulation knows the day; their reports are drawn
the same way and carried by relays, a hundred a request or a thousand: a town of phones would be
slow to simulate one connection at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from threading import Event
from typing import Any

from sottovoce.base.errors import SottovoceError
from sottovoce.base.progress import Counted, Progress
from sottovoce.demo.surveys import Poll
from sottovoce.device.client import Client, Receipt
from sottovoce.device.remote_collector import RemoteCollector
from sottovoce.device.sending import Outcome, Patience, deliver
from sottovoce.surveys.windows import today
from sottovoce.wire.uploads import Upload, encode_upload, new_id

__all__ = ["CLIENTS", "Devices", "NotTaken", "Sent"]

CLIENTS = 28
"""Devices with the real client, a survey: on average four a day."""


class NotTaken(SottovoceError):
    """A report that the collector did not take."""


class Calendar:
    """The day that simulated devices take it for."""

    day = date.min

    def today(self) -> date:
        """For the clock of a client."""
        return self.day


@dataclass(frozen=True)
class Sent:
    """Whose report it was, and what the device has to show for it."""

    value: Any
    receipt: Receipt


@dataclass(frozen=True)
class Devices:
    """All devices of a survey.  ``home`` is where those with a client keep their ledgers."""

    poll: Poll
    url: str
    home: Path
    stopped: Event

    def send(self, publisher: RemoteCollector, progress: Progress) -> list[Sent]:
        """Everybody's report, day after day; what the devices with a client did is returned."""
        wants_token = self.poll.upload == "tokens"
        most = max(map(len, self.poll.days.values()))
        own = self._tokens(publisher, CLIENTS, 1) if wants_token else [None] * CLIENTS
        (relay,) = self._tokens(publisher, 1, most) if wants_token else [None]
        sent: list[Sent] = []
        counted, calendar = Counted(progress, self.poll.name, self.poll.people), Calendar()
        clients = [self._client(calendar, number, token) for number, token in enumerate(own)]
        for window, values in self.poll.days.items():
            calendar.day = date.fromisoformat(window) if window else today()
            asked = [client for client in clients if client.asked()]
            for client, value in zip(asked, values, strict=False):
                sent.append(self._by_client(client, value))
                counted.add(1)
            for some in _parts(values[len(asked) :], self.poll.relayed):
                if self.stopped.is_set():
                    return sent
                self._by_relay(window, some, relay)
                counted.add(len(some))
        return sent

    def send_again(self, sent: Sent) -> Outcome:
        """What a device does whose acknowledgement got lost: the same bytes once more."""
        return deliver(self.url, sent.receipt.upload, token=None, patience=Patience())

    def _tokens(self, publisher: RemoteCollector, count: int, allowance: int) -> list[str]:
        """So many, each good for so many reports a day."""
        path = f"/surveys/{self.poll.survey.fingerprint}/tokens"
        told = publisher.post(path, {"count": count, "allowance": allowance})
        return list(told["tokens"])

    def _client(self, calendar: Calendar, number: int, token: str | None) -> Client:
        """One person's own device."""
        folder = self.home / self.poll.name / str(number)
        return Client(
            self.poll.survey, folder=folder, url=self.url, token=token, clock=calendar.today
        )

    def _by_client(self, client: Client, value: Any) -> Sent:
        """What it does on the day that asks it."""
        receipt = client.report(value)
        _check(receipt.state, receipt.code, self.poll)
        return Sent(value, receipt)

    def _by_relay(self, window: str, values: Sequence[Any], token: str | None) -> None:
        """Many people's reports, each drawn by itself, in one request."""
        survey = self.poll.survey
        reports = survey.mechanism.randomize(values)
        ids = [new_id() for _ in values]
        upload = encode_upload(Upload.of(survey, window, ids, reports))
        outcome = deliver(self.url, upload, token=token, patience=Patience(), reports=len(values))
        _check(outcome.state, outcome.code, self.poll)


def _parts(values: Sequence[Any], most: int) -> Iterator[Sequence[Any]]:
    for start in range(0, len(values), most):
        yield values[start : start + most]


def _check(state: str, code: str, poll: Poll) -> None:
    if state != "acknowledged":
        raise NotTaken(f"a report of {poll.name} is {state}: {code}")
