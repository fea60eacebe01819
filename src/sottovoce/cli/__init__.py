"""The command line, ``sottovoce``: the stages of the data's way as commands that pipe.

Only this file may be imported without the ``cli`` extra: it says what to install.
"""

from __future__ import annotations

import sys

from sottovoce.base.errors import MissingExtra
from sottovoce.base.extras import optional

__all__ = ["main"]


def main() -> None:
    """What the command ``sottovoce`` runs."""
    try:
        for package in ("typer", "rich"):
            optional(package, extra="cli", purpose="the command line")
    except MissingExtra as missing:
        print(f"error: {missing}", file=sys.stderr)
        raise SystemExit(2) from None
    from sottovoce.cli.app import run

    run()
