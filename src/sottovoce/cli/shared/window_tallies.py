"""Tallies of windows, from files: each of one window, or reports with a column of windows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sottovoce.base.errors import InvalidInput, Mismatch
from sottovoce.cli.shared.inputs import Groups, check_distinct, read_groups, read_tally
from sottovoce.cli.shared.outputs import INDEX, read_folder
from sottovoce.cli.shared.tables import STDIN
from sottovoce.core.tally import Tally

__all__ = ["read_windows"]


def read_windows(inputs: Sequence[str], by: str | None) -> Groups:
    """The tally of every window: of the groups of a column, or of a tally or folder of tallies each.

    A tally is of the window that it is labelled with, else of the name of its file.
    """
    if by is not None:
        return read_groups(inputs, by)
    check_distinct(inputs)
    found: Groups = {}
    for given in inputs:
        for window, tally in _windows_of(given).items():
            _add(found, window, tally)
    return found


def _windows_of(given: str) -> Groups:
    path = Path(given)
    if given != STDIN and (path / INDEX).exists():
        return read_folder(path)[1]
    if path.is_dir() or path.suffix in (".parquet", ".pq", ".arrow"):
        hint = "--by names the column of windows, such as --by window."
        raise InvalidInput("INPUT", "trend", "tallies, or reports with --by", given, hint=hint)
    tally = read_tally([given])
    name = tally.window or ("" if given == STDIN else path.stem)
    return {name: tally}


def _add(found: Groups, window: str, tally: Tally) -> None:
    if window in found:
        raise Mismatch(f"two inputs are of window {window}: merge them first, with sottovoce tally")
    found[window] = tally
