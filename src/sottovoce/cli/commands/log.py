"""``sottovoce log verify``: every survey that a collector ever published, checked to be one chain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from sottovoce.base.errors import CorruptBytes, NotTrusted
from sottovoce.base.files import write_whole
from sottovoce.cli.shared.collector import LOCAL, Collector, PlainHttp, Url, checked_url
from sottovoce.cli.shared.exits import CHECK_FAILED, guarded
from sottovoce.cli.shared.options import AsJson
from sottovoce.cli.shared.screen import say, show_json, show_table
from sottovoce.device.log_check import check_continues, read_log
from sottovoce.surveys.publications import EMPTY, LogHead

__all__ = ["app", "verify"]

_KEYS = {"head", "size", "url"}


@guarded
def verify(
    *,
    url: Url = LOCAL,
    head: Annotated[
        Path | None,
        typer.Option(
            "--head", metavar="FILE",
            help="Keeps the head of the log: the log must continue the one that is in the file. "
            "The first time it is written.",
        ),
    ] = None,
    plain_http: PlainHttp = False,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Check the log of a collector, and show it: every survey that it ever published.

    Every entry has the hash of the one before, so that a changed or missing one shows. With --head it is
    also checked that nothing was taken back since the last time. Needs no key. Ends with 3 where
    the check fails.

    Two people who compare heads see whether they are shown the same log.
    """
    collector = Collector(checked_url(url, plain_http=plain_http))
    kept = EMPTY if head is None or not head.exists() else _read_head(head, collector.url)
    try:
        entries, now = read_log(collector)
        check_continues(collector.url, kept, EMPTY, entries, now)
    except NotTrusted as error:
        if as_json:
            show_json({"url": collector.url, "in_order": False, "why": str(error)})
        say(f"not in order: {error}")
        raise typer.Exit(CHECK_FAILED) from None
    if head is not None:
        text = json.dumps({"url": collector.url, **vars(now)}, indent=2) + "\n"
        write_whole(head, lambda part: part.write_text(text, encoding="ascii"))
    if as_json:
        documents = [entry.document() for entry in entries]
        show_json({"url": collector.url, "in_order": True, **vars(now), "entries": documents})
        return
    rows = [
        {
            "entry": entry.index,
            "fingerprint": entry.survey[:32],
            "publisher": entry.publisher or "not signed",
        }
        for entry in entries
    ]
    show_table(rows, f"{now.size:,} publications, head {now.head}")
    say("in order" + (f": it continues the {kept.size:,} of last time" if kept.size else ""))


def _read_head(file: Path, url: str) -> LogHead:
    """The head that was kept of a collector."""
    try:
        document = json.loads(file.read_text(encoding="ascii"))
        fits = isinstance(document, dict) and set(document) == _KEYS
        size, head = (document["size"], document["head"]) if fits else (None, None)
    except ValueError:
        size, head = None, None
    if type(size) is not int or not isinstance(head, str):
        raise CorruptBytes(f"{file} is not a head that log verify wrote")
    if document["url"] != url:
        raise CorruptBytes(f"{file} has the head of {document['url']}, not of {url}")
    return LogHead(size, head)


app = typer.Typer(
    name="log",
    help="The log of a collector: every survey that it ever published.",
    no_args_is_help=True,
)
app.command()(verify)
