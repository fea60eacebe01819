"""Pictures: files of a few known kinds, written whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sottovoce.base.errors import InvalidInput
from sottovoce.base.files import write_whole
from sottovoce.cli.shared.outputs import check_file, check_output

__all__ = ["check_picture", "write_picture"]

_PICTURES = ("png", "pdf", "svg")


def _ending(plot: str) -> str:
    return Path(plot).suffix.lower().removeprefix(".")


def check_picture(plot: str, owner: str, *, force: bool) -> None:
    """Refuse, before any work, what cannot be drawn into."""
    if _ending(plot) not in _PICTURES:
        raise InvalidInput("--plot", owner, f"a file named .{', .'.join(_PICTURES)}", plot)
    check_output(plot, force=force, option="--plot")
    check_file(plot, "--plot")


def write_picture(figure: Any, plot: str) -> None:
    """A matplotlib figure into its file."""
    write_whole(plot, lambda part: figure.savefig(part, format=_ending(plot), dpi=144))
