"""Reports as files: Parquet, which :meth:`sottovoce.Reports.read` reads, and CSV.

They come in the order of their ids, which says nothing about when they came, and without
the ids: who has an id may delete the report.  Windows of which fewer reports than the minimum
batch are still kept apart are left out: what was scrubbed or has expired is in their tallies
only.  A file is made whole before its first byte is sent.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from sottovoce.core.report_files import write_reports
from sottovoce.core.reports import Reports
from sottovoce.service.answering import no_longer_kept
from sottovoce.service.desk import Desk
from sottovoce.store import Published

__all__ = ["reports_csv", "reports_parquet"]

_PIECE = 2**18


async def reports_parquet(desk: Desk, request: Request) -> Response:
    """All reports that may be shown, as Parquet."""
    return await _download(desk, request, "parquet", "application/vnd.apache.parquet")


async def reports_csv(desk: Desk, request: Request) -> Response:
    """All reports that may be shown, as CSV: numbers as they are, bytes in hexadecimal."""
    return await _download(desk, request, "csv", "text/csv; charset=utf-8")


async def _download(desk: Desk, request: Request, form: str, media: str) -> Response:
    published = desk.published(request.path_params["fingerprint"])
    wanted = request.query_params.getlist("window")
    shown, left_out = await desk.aside(desk.analyst.windows_kept, published, wanted)
    file = await desk.aside(_written, form, desk, published, shown)
    name = f"{published.survey.fingerprint}.{form}"
    headers = {
        "content-disposition": f'attachment; filename="{name}"',
        "content-length": str(file.seek(0, 2)),
        "cache-control": "no-store",
        "sottovoce-left-out": ",".join(left_out),
    }
    return StreamingResponse(_pieces(file), 200, headers, media)


def _written(form: str, desk: Desk, published: Published, windows: Sequence[str]) -> BinaryIO:
    file: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115  (closed when it is sent)
    try:
        mechanism = published.survey.mechanism
        write_reports(file, form, mechanism, _reports(desk, published, windows))
    except BaseException:
        file.close()
        raise
    return file


def _reports(desk: Desk, published: Published, windows: Sequence[str]) -> Iterator[Reports]:
    survey = published.survey
    for window in windows:
        written = 0
        for _, reports in desk.store.reports(survey.fingerprint, window):
            written += len(reports)
            yield reports
        if not survey.shows(written):  # scrubbed or expired since they were counted
            raise no_longer_kept(survey, [window])


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    with file:
        file.seek(0)
        while piece := file.read(_PIECE):
            yield piece
