"""``python -m sottovoce.demo``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sottovoce.base.errors import SottovoceError
from sottovoce.base.extras import optional
from sottovoce.demo.options import HELP, NEEDED, Options

__all__ = ["main"]

_BAD_INPUT, _INTERRUPTED = 2, 130


def main(arguments: list[str] | None = None) -> int:
    """Run the demo; the exit code, as the command ``sottovoce`` has them."""
    given = _parser().parse_args(arguments)
    try:
        for package in NEEDED:
            optional(package, extra="all", purpose="the demo")
        options = Options(**vars(given))
        from sottovoce.demo.run import run
        from sottovoce.demo.screen import console

        run(options, console())
    except (SottovoceError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return _BAD_INPUT
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return _INTERRUPTED
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m sottovoce.demo",
        description="Two made-up towns answer what they would not say aloud, through a real collector.",
    )
    parser.add_argument(
        "--people", type=int, default=Options.people, metavar="N", help=HELP["people"]
    )
    parser.add_argument("--port", type=int, default=Options.port, metavar="N", help=HELP["port"])
    parser.add_argument("--network", action="store_true", help=HELP["network"])
    parser.add_argument("--once", action="store_true", help=HELP["once"])
    parser.add_argument("--output", type=Path, metavar="DIR", help=HELP["output"])
    parser.add_argument("--picture", type=Path, metavar="FILE", help=HELP["picture"])
    return parser


if __name__ == "__main__":
    sys.exit(main())
