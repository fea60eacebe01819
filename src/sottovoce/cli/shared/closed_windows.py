"""Closed windows of a survey, from a collector or from its store, to hand over to a lake."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

from sottovoce.base.errors import InvalidInput, Mismatch
from sottovoce.base.files import part_of
from sottovoce.base.parquet import open_parquet
from sottovoce.cli.shared.collector import Collector
from sottovoce.cli.shared.screen import Advance
from sottovoce.cli.shared.stores import open_beside
from sottovoce.core.reports import Reports
from sottovoce.engines.handover import hand_over, is_handed_over
from sottovoce.surveys.survey import Survey
from sottovoce.surveys.windows import today, window_days

__all__ = ["AtCollector", "ClosedWindows", "HandedOver", "in_store", "write_windows"]


class ClosedWindows(Protocol):
    """Where closed windows come from."""

    survey: Survey
    closed: dict[str, int]
    """Windows that are complete, and how many reports each has."""
    others: tuple[str, ...]
    """Windows that are not."""

    def reports(self, window: str, folder: Path) -> Iterator[Reports]:
        """The reports of a closed window; what has to be on disk meanwhile goes in ``folder``."""


class AtCollector:
    """Windows of a running collector."""

    def __init__(self, collector: Collector, fingerprint: str) -> None:
        self._collector, self._path = collector, f"/surveys/{fingerprint}"
        self.survey = collector.survey(fingerprint)
        windows = collector.get(f"{self._path}/status")["windows"]
        self.closed = {each["window"]: each["reports"] for each in windows if each.get("closed")}
        self.others = tuple(each["window"] for each in windows if not each.get("closed"))

    def reports(self, window: str, folder: Path) -> Iterator[Reports]:
        part, mechanism = part_of(folder / "download"), self.survey.mechanism
        try:
            self._collector.download(f"{self._path}/reports.parquet", [("window", window)], part)
            with open_parquet(part) as file:
                if file.metadata.num_rows != self.closed[window]:
                    raise Mismatch(f"window {window!r}: its reports changed meanwhile; run again")
                for batch in file.iter_batches():
                    yield Reports.from_arrow(batch, mechanism)
        finally:
            part.unlink(missing_ok=True)


@contextmanager
def in_store(url: str, fingerprint: str) -> Iterator[ClosedWindows]:
    """Windows of a store, which may be in use by a collector."""
    with open_beside(url) as store:
        if fingerprint not in store.surveys():
            allowed = "a survey that is published in this store"
            raise InvalidInput("SURVEY", "export", allowed, fingerprint)
        yield _InStore(store, fingerprint)


class _InStore:
    def __init__(self, store: Any, fingerprint: str) -> None:
        from sottovoce.service.settings import load_settings

        self._store, self._fingerprint = store, fingerprint
        self.survey = store.surveys()[fingerprint].survey
        ended = today() - timedelta(load_settings().patience_days)
        self.closed = store.closed_windows(fingerprint, ended)
        self.others = tuple(each for each in store.windows(fingerprint) if each not in self.closed)

    def reports(self, window: str, folder: Path) -> Iterator[Reports]:
        yield from self._store.hand_out(self._fingerprint, window)


@dataclass(frozen=True)
class HandedOver:
    """What was written now, what was there before, and what is not closed."""

    written: dict[str, int]
    before: tuple[str, ...]
    left_out: tuple[str, ...]


def write_windows(
    source: ClosedWindows, wanted: Collection[str], folder: Path, advance: Advance
) -> HandedOver:
    """Hand over all closed windows, or those wanted, that the folder does not have yet."""
    for name in wanted:
        window_days(source.survey.window, name)
    chosen = sorted(set(wanted) or {*source.closed, *source.others})
    closed = [name for name in chosen if name in source.closed]
    if not closed:
        least = source.survey.minimum_batch
        allowed = f"windows that have ended, complete, with at least {least} reports"
        raise InvalidInput("--window", "export", allowed, chosen)
    folder.mkdir(exist_ok=True)
    written: dict[str, int] = {}
    for name in closed:
        if not is_handed_over(folder, source.survey, name):
            parts = source.reports(name, folder)
            count = hand_over(folder, source.survey, name, parts, source.closed[name])
            if count is not None:
                written[name] = count
        advance(1)
    before = tuple(name for name in closed if name not in written)
    return HandedOver(written, before, tuple(name for name in chosen if name not in source.closed))
