"""Values one a line, from a file or a pipe, a bounded number of lines at a time."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TextIO

from sottovoce.base.errors import CorruptBytes, InvalidInput
from sottovoce.cli.shared.screen import Advance, progress
from sottovoce.cli.shared.tables import CHUNK, PARQUET_MAGIC, STDIN, open_file

__all__ = ["read_lines"]


def read_lines(given: str) -> Iterator[tuple[int, list[str]]]:
    """The number of the first line, and some lines; blank ones may only end the input."""
    if given == STDIN:
        text = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig")
        with progress("drawing") as advance:
            yield from _some_at_a_time(text, "standard input", lambda: 0, advance)
        text.detach()  # else the wrapper would close standard input
        return
    with open_file(given, "a file") as file:
        if file.begins(PARQUET_MAGIC):
            allowed = "given for a Parquet file; without it, INPUT has one value a line"
            raise InvalidInput("--column", "the command", allowed, None)
        with progress("drawing", file.size) as advance:
            text = io.TextIOWrapper(file.stream, encoding="utf-8-sig")
            yield from _some_at_a_time(text, given, file.position, advance)


def _some_at_a_time(
    text: TextIO, name: str, position: Callable[[], int], advance: Advance
) -> Iterator[tuple[int, list[str]]]:
    line, done, blank = 1, 0, 0
    while True:
        try:
            some = [read.rstrip("\n") for read in islice(text, CHUNK)]
        except UnicodeDecodeError as error:
            raise CorruptBytes(f"{name}, after line {line - 1}: not UTF-8 text") from error
        if not some:
            break
        filled = [place for place, value in enumerate(some) if value.strip()]
        kept = filled[-1] + 1 if filled else 0
        if filled and (blank or len(filled) < kept):
            wrong = blank or line + next(p for p, value in enumerate(some) if not value.strip())
            raise InvalidInput(f"line {wrong}", name, "a value; lines must not be blank", "")
        if kept:
            yield line, some[:kept]
        if kept < len(some):
            blank = blank or line + kept
        line += len(some)
        done, before = position(), done
        advance(done - before)
    if line == 1 or blank == 1:
        raise InvalidInput("INPUT", "the command", "not empty: one value a line", name)
