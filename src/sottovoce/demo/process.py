"""``python -m sottovoce.demo.process FOLDER HOST PORT DAYS``: the collector of the demo, in its own process.

It is the collector of ``sottovoce serve``, told three things: where to listen, to
take reports of so many days ago, and to show answers to whoever reaches it, so that
the dashboard opens without a key.  Variables of the environment are left alone: the demo must not
write into a store that somebody has set up for earnest.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

from sottovoce.base.errors import SottovoceError
from sottovoce.service.serve import serve
from sottovoce.service.settings import Settings

__all__ = ["main"]


def main(folder: str, host: str, port: str, days: str) -> None:
    """Serve until told to stop, or until whoever started this is gone."""
    settings = Settings(
        store=str(Path(folder) / "collector.db"), secret_file=str(Path(folder) / "collector.secret"),
        host=host, port=int(port), patience_days=int(days), open_reading=True,
    )  # fmt: skip
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        serve(settings, announce=lambda address: print(address, flush=True))
    except (SottovoceError, OSError) as error:
        sys.exit(f"error: {error}")


def _end_with_parent() -> None:
    """Standard input ends when the demo does, however it ended."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    signal.raise_signal(signal.SIGTERM)


if __name__ == "__main__":
    main(*sys.argv[1:])
