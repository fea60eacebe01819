"""The demo from beginning to end."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event
from typing import Any

from rich.console import Console

from sottovoce.demo import messages as telling
from sottovoce.demo.analyst import all_findings
from sottovoce.demo.collector import Collector, collector
from sottovoce.demo.devices import Devices, Sent
from sottovoce.demo.findings import Findings
from sottovoce.demo.options import Options
from sottovoce.demo.population import COMMUTES, DAYS
from sottovoce.demo.screen import bars, show
from sottovoce.demo.shutdown import no_proxy, stoppable
from sottovoce.demo.stored import held
from sottovoce.demo.surveys import polls, visitors
from sottovoce.device.remote_collector import RemoteCollector
from sottovoce.surveys.windows import today

__all__ = ["Shown", "run"]


@dataclass(frozen=True)
class Shown:
    """What was found."""

    people: int
    url: str
    findings: list[Findings]

    @property
    def inside(self) -> tuple[int, int]:
        """How many intervals hold the truth, and how many there are."""
        told = [each.inside for findings in self.findings for each in findings.findings]
        return sum(told), len(told)

    def document(self) -> dict[str, Any]:
        """Everything, for JSON."""
        inside, of = self.inside
        found = [asdict(each) for each in self.findings]
        return {"people": self.people, "inside": inside, "of": of, "findings": found}


def run(options: Options, console: Console) -> Shown:
    """Show everything, then stay until Ctrl-C unless told ``once``.

    A ``KeyboardInterrupt`` before the end of the show goes on to the caller.
    """
    with (
        stoppable(),
        no_proxy(),
        _folder(options) as folder,
        tempfile.TemporaryDirectory(prefix="sottovoce-devices-") as home,
        collector(folder, options.port, DAYS, network=options.network) as running,
    ):
        shown = _show(options, console, running, Path(home))
        if not options.once:
            _stay(console, running)
    if options.output is not None:
        telling.kept(console, options.output)
    return shown


@contextmanager
def _folder(options: Options) -> Iterator[Path]:
    """Where the collector has its files: one to keep, or one that goes at the end."""
    if options.output is not None:
        options.output.mkdir(parents=True, exist_ok=True)
        yield options.output.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="sottovoce-demo-") as folder:
        yield Path(folder)


def _show(options: Options, console: Console, running: Collector, home: Path) -> Shown:
    publisher = RemoteCollector(running.url, running.keys.of_role("publish"))
    reader = RemoteCollector(running.url, running.keys.of_role("read"))
    asked = polls(options.people, today())
    telling.beginning(console, running.url, asked)
    for poll in asked:
        body = {"survey": poll.survey.document(), "rules": {"upload": poll.upload}}
        publisher.post("/surveys", body)
    stopped = Event()
    devices = [Devices(poll, running.url, home, stopped) for poll in asked]
    sent = _send(console, publisher, devices, stopped)
    one = min(sent[0], key=lambda each: COMMUTES[each.value])  # who has most to hide
    telling.sending(console, sum(map(len, sent)), devices[0].send_again(one))
    telling.report(console, one, held(running.store, one))
    with console.status("asking the collector"):
        for poll in asked:
            publisher.post(f"/surveys/{poll.survey.fingerprint}/close", {})
        shown = Shown(options.people, running.url, all_findings(reader, asked))
    for findings in shown.findings:
        show(console, findings)
    telling.ending(console, asked, *shown.inside)
    if options.picture is not None:
        from sottovoce.demo.picture import draw

        draw(reader, asked[0], options.picture)
        telling.drawn(console, options.picture)
    return shown


def _send(
    console: Console, publisher: RemoteCollector, devices: Sequence[Devices], stopped: Event
) -> list[list[Sent]]:
    """All surveys at once, a thread each; where one fails or Ctrl-C comes, the others end too."""
    totals = {each.poll.name: each.poll.people for each in devices}
    with bars(console, totals) as progress, ThreadPoolExecutor(len(devices)) as threads:
        work = [threads.submit(each.send, publisher, progress) for each in devices]
        try:
            wait(work, return_when=FIRST_EXCEPTION)
        finally:
            stopped.set()
        return [each.result() for each in work]


def _stay(console: Console, running: Collector) -> None:
    """Keep the collector, with a survey that is open, until Ctrl-C."""
    survey = visitors(today())
    publisher = RemoteCollector(running.url, running.keys.of_role("publish"))
    publisher.post("/surveys", {"survey": survey.document()})
    try:
        telling.staying(console, running, survey)
        running.stay()
    except KeyboardInterrupt:
        telling.stopped(console)
