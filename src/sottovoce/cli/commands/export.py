"""``sottovoce export``: the reports of a survey as a file or folders, from a collector or its store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sottovoce.base.errors import InvalidInput
from sottovoce.base.extras import optional
from sottovoce.base.files import write_whole
from sottovoce.cli.shared.closed_windows import (
    AtCollector,
    ClosedWindows,
    in_store,
    write_windows,
)
from sottovoce.cli.shared.collector import (
    COLLECTOR,
    LOCAL,
    Collector,
    PlainHttp,
    SurveyOrFingerprint,
    Url,
    Windows,
    find_survey,
    say_left_out,
)
from sottovoce.cli.shared.exits import guarded
from sottovoce.cli.shared.options import AsJson, Force
from sottovoce.cli.shared.outputs import check_file, check_output, format_of, refuse_format
from sottovoce.cli.shared.screen import progress, say, show_json
from sottovoce.cli.shared.stores import open_beside
from sottovoce.core.reports import Reports
from sottovoce.surveys.windows import window_days
from sottovoce.wire.files import FILE_FORMS, write_reports

if TYPE_CHECKING:
    from sottovoce.store import Published, Store

__all__ = ["export"]


@guarded
def export(
    *,
    survey: SurveyOrFingerprint,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="PATH",
            help="A .parquet file, which tally and estimate read, or a .csv file; with --partitioned a folder.",
        ),
    ],
    window: Windows = None,
    url: Url = LOCAL,
    key_file: Annotated[
        Path | None,
        typer.Option(
            "--key-file", metavar="FILE", rich_help_panel=COLLECTOR,
            help="A file with the read key; needed without --store.",
        ),
    ] = None,
    plain_http: PlainHttp = False,
    store: Annotated[
        str | None,
        typer.Option(
            "--store", metavar="URL",
            help="Read the store itself and ask no collector: a SQLite file, or a postgresql:// address.",
        ),
    ] = None,
    partitioned: Annotated[
        bool,
        typer.Option(
            "--partitioned",
            help="Write closed windows in folders survey=.../window=..., which tally, Spark and others read. Windows "
            "that were written before are left as they are, so that it can be run again.",
        ),
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Write the reports of a survey to a file: randomized, without ids, in no order.

    Windows below the survey's minimum batch are left out and named. A collector hands out windows that have
    ended; --store reads those of open windows too, but for --partitioned. Reports that retention or scrubbing
    removed are not there any more; their tallies are, in `answers`. Deletion and retention do not reach what was
    written.
    """
    if (store is None) == (key_file is None):
        given = "none of them" if store is None else "both"
        raise InvalidInput("--key-file, --store", "export", "one of the two", given)
    if partitioned:
        _check_folder(output, force)
        with _closed_windows(find_survey(survey), url, key_file, plain_http, store) as source:
            _export_windows(source, window or (), output, as_json)
        return
    form = format_of(output, tuple(FILE_FORMS))
    check_output(output, force=force, inputs=[survey])
    check_file(output)
    fingerprint = find_survey(survey)
    left_out: list[str] = []
    written = 0
    with progress("exporting"):

        def fill(part: Path) -> None:
            nonlocal left_out, written
            if store is not None:
                taken = _Export(store, fingerprint, window or (), form)
                left_out = taken.write(part)
            elif key_file is not None:
                collector = Collector.at(url, key_file, plain_http=plain_http)
                query = [("window", name) for name in window or ()]
                path = f"/surveys/{fingerprint}/reports.{form}"
                left_out = collector.download(path, query, part)
            written = _count(part, form)

        write_whole(output, fill)
    say_left_out(left_out)
    if as_json:
        told = {"fingerprint": fingerprint, "reports": written, "left_out": left_out}
        show_json({**told, "output": output})
    else:
        say(f"{written:,} reports in {output}")


def _check_folder(output: str, force: bool) -> None:
    refuse_format(output, "with --partitioned it is a folder")
    if force:
        allowed = "left out with --partitioned, which replaces nothing"
        raise InvalidInput("--force", "export", allowed, force)
    path = Path(output)
    if not path.is_dir():
        check_output(output, force=False)


@contextmanager
def _closed_windows(
    fingerprint: str, url: str, key_file: Path | None, plain_http: bool, store: str | None
) -> Iterator[ClosedWindows]:
    if key_file is not None:
        yield AtCollector(Collector.at(url, key_file, plain_http=plain_http), fingerprint)
    elif store is not None:
        with in_store(store, fingerprint) as source:
            yield source


def _export_windows(
    source: ClosedWindows, wanted: Sequence[str], output: str, as_json: bool
) -> None:
    with progress("exporting", len(source.closed)) as advance:
        done = write_windows(source, wanted, Path(output), advance)
    if done.left_out:
        say(f"left out, not closed or not complete: {', '.join(done.left_out)}")
    total = sum(done.written.values())
    if as_json:
        windows = [{"window": name, "reports": count} for name, count in done.written.items()]
        told = {"fingerprint": source.survey.fingerprint, "reports": total, "windows": windows}
        show_json({**told, "before": done.before, "left_out": done.left_out, "output": output})
    else:
        there = f"; {len(done.before)} were there" if done.before else ""
        say(f"{total:,} reports of {len(done.written)} windows in {output}{there}")


@dataclass(frozen=True)
class _Export:
    """What is read of a store, and the form it is written in."""

    url: str
    fingerprint: str
    windows: Sequence[str]
    form: str

    def write(self, part: Path) -> list[str]:
        """Write the reports; the windows that are left out."""
        with open_beside(self.url) as store:
            published = store.surveys().get(self.fingerprint)
            if published is None:
                allowed = "a survey that is published in this store"
                raise InvalidInput("SURVEY", "export", allowed, self.fingerprint)
            shown, left_out = self._windows(store, published)
            parts = self._parts(store, shown)
            with part.open("wb") as file:
                write_reports(file, self.form, published.survey.mechanism, parts)
        return list(left_out)

    def _windows(
        self, store: Store, published: Published
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Windows of which at least the minimum batch is kept, and others; of all, or those wanted."""
        survey, kept = published.survey, store.kept(self.fingerprint)
        for name in self.windows:
            window_days(survey.window, name)
        chosen = sorted(set(self.windows) or store.windows(self.fingerprint))
        shown = tuple(name for name in chosen if survey.shows(kept.get(name, 0)))
        if not shown:
            allowed = f"windows that keep at least {survey.minimum_batch} reports"
            raise InvalidInput("--window", "export", allowed, chosen)
        if survey.mechanism.remembers and len(shown) > 1:
            allowed = (
                "one window where devices keep memos: a file pools them; --partitioned does not"
            )
            raise InvalidInput("--window", "export", allowed, shown)
        return shown, tuple(name for name in chosen if name not in shown)

    def _parts(self, store: Store, windows: Sequence[str]) -> Iterator[Reports]:
        for window in windows:
            for _, reports in store.reports(self.fingerprint, window):
                yield reports


def _count(part: Path, form: str) -> int:
    """The reports in a file; one that broke off has no footer and is refused."""
    if form == "csv":
        with part.open("rb") as file:
            return sum(1 for _ in file) - 1
    parquet = optional("pyarrow.parquet", extra="analyse", purpose="reading Parquet")
    return int(parquet.read_metadata(part).num_rows)
