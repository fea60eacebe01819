"""The words of the demo."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sottovoce.demo.collector import Collector
from sottovoce.demo.devices import Sent
from sottovoce.demo.stored import Held
from sottovoce.demo.surveys import Poll
from sottovoce.device.sending import Outcome
from sottovoce.surveys.survey import Survey

__all__ = ["beginning", "drawn", "ending", "kept", "report", "sending", "staying", "stopped"]


def beginning(console: Console, url: str, asked: Sequence[Poll]) -> None:
    """What is about to happen."""
    console.print(Text("Two towns answer what they would not say aloud", "bold"))
    console.print(
        f"\nA collector listens on {url}. Five surveys. Four are over the seven days up to today; each "
        "person is asked on one of them, which their device draws. The fifth has ten questions, and each "
        "report is about one or two, which the device draws too:\n"
    )
    listed = _pairs()
    for poll in asked:
        mechanism = poll.survey.mechanism
        sends = "with tokens" if poll.upload == "tokens" else "open to anybody"
        how = f"{poll.people:,} people, {mechanism.name}, epsilon {mechanism.epsilon:g}, {sends}"
        told = Text.assemble(f"{poll.survey.question}\n", (how, "dim"))
        listed.add_row(Text(poll.name, "cyan"), told)
    console.print(listed)
    console.print(
        "\nEvery person has a true answer. It is randomized on their device, with the randomness of "
        "the operating system, and only the report is sent, over HTTP:\n"
    )


def sending(console: Console, clients: int, again: Outcome) -> None:
    """How the reports came."""
    console.print(
        f"\n{clients} of these devices ran the library's client: a ledger of their own, one day, one report, "
        "one request. Relays carried the others, a hundred reports a request or a thousand. One device "
        f"missed its acknowledgement and sent its report again: {again.stored} stored, "
        f"{again.duplicates} there already. Duplicates, counted once.\n"
    )


def report(console: Console, sent: Sent, held: Held) -> None:
    """One report as it lies in the database."""
    console.print(Text("One report, and all that the collector has of it", "bold"))
    listed = _pairs()
    listed.add_row("window", held.window)
    listed.add_row("hash of its id", f"{held.id_hash.hex()}, random")
    listed.add_row("report", f"{held.row.hex(' ')}, which names {_listed(held.named)}")
    console.print("", listed, "")
    console.print(
        f'Its owner\'s answer was "{sent.value}", and any other could have led to the same '
        f"{len(held.row)} bytes. Who sent it, from where and at what hour is not kept.\n"
    )


def _pairs() -> Table:
    """Words and what they mean, side by side."""
    return Table(box=None, show_header=False, pad_edge=False, padding=(0, 0, 0, 2))


def _listed(words: Sequence[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def ending(console: Console, asked: Sequence[Poll], inside: int, of: int) -> None:
    """What to make of it."""
    console.print(
        f"[bold]{inside} of {of} true values lie in their 95% interval.[/] About {0.95 * of:.0f} "
        "should, a few more or less. The collector never had a true answer.\n"
    )
    console.print(Text("What a report can reveal about a person, at most", "bold"))
    promises = {poll.survey.mechanism.epsilon: poll.survey.privacy() for poll in asked}
    listed = _pairs()
    for epsilon, privacy in promises.items():
        listed.add_row(f"epsilon {epsilon:g}", privacy.replace("\n", " "))
    console.print("", listed)


def staying(console: Console, running: Collector, survey: Survey) -> None:
    """What to do and where to look now."""
    there = f"{running.public}/surveys/{survey.fingerprint}/answer"
    console.print(f"\nAnswer it yourself: {survey.question}\n[bold]{there}[/]", soft_wrap=True)
    if running.public == running.url:
        console.print("With --network, a phone on the same network can open it too.")
    counted = f"{running.url}/dashboard/{survey.fingerprint}"
    console.print(f"\nIts reports are counted on\n{counted}", soft_wrap=True)
    console.print(f"\nThe dashboard: [bold]{running.url}/[/]   (Ctrl-C ends the demo)")


def stopped(console: Console) -> None:
    """The end."""
    console.print("\nStopped.")


def drawn(console: Console, picture: Path) -> None:
    """Where the picture is."""
    console.print(Text(f"\nPicture: {picture}"), soft_wrap=True)


def kept(console: Console, folder: Path) -> None:
    """What is left, and how to look at it again."""
    store, secret = (shlex.quote(str(folder / f"collector.{end}")) for end in ("db", "secret"))
    again = f"SOTTOVOCE_OPEN_READING=true sottovoce serve --store {store} --secret-file {secret}"
    console.print(
        Text(f"\nKept in {folder}. To start its collector again:\n\n{again}"), soft_wrap=True
    )
