"""The first survey as a picture, truth beside answers, from the reports that anybody may export."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from sottovoce.base.files import write_whole
from sottovoce.core.reports import Reports
from sottovoce.demo.surveys import Poll
from sottovoce.device.remote_collector import RemoteCollector
from sottovoce.estimators import estimate

__all__ = ["draw"]


def draw(reader: RemoteCollector, poll: Poll, target: Path) -> None:
    """Download the reports, estimate from them, and draw."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "reports.parquet"
        path = f"/surveys/{poll.survey.fingerprint}/reports.parquet"
        reader.download(path, (), file)
        reports = Reports.read(file)
    mechanism = poll.survey.mechanism
    places = mechanism.domain.indices(poll.values)
    truth = np.bincount(places, minlength=mechanism.domain.size) / len(places)
    figure = estimate(mechanism.tally(reports)).plot(truth=truth, title=poll.survey.question)
    kind = target.suffix.removeprefix(".")
    write_whole(target, lambda part: figure.savefig(part, dpi=144, format=kind))
