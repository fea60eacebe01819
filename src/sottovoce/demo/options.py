"""What the demo can be told, for its two command lines: ``python -m`` and ``sottovoce demo``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.base.extras import optional

__all__ = ["HELP", "LEAST_PEOPLE", "NEEDED", "Options"]

LEAST_PEOPLE = 1000
"""With fewer, a day would have less than the minimum batch, and nothing could be shown of it."""

NEEDED = (
    "rich", "starlette", "uvicorn", "httptools", "msgspec", "jinja2", "sqlalchemy", "alembic",
)  # fmt: skip
"""Packages that a base install does not have."""

HELP = {
    "people": "People who answer each survey; of the second town half as many.",
    "port": "The port of the collector on this machine; a free one if not given.",
    "network": "Let other devices on the network reach the collector, such as a phone to answer on.",
    "once": "End after the answers, without waiting for Ctrl-C.",
    "output": "Keep the collector's files in this folder, new or empty; none are kept if not given.",
    "picture": "Also draw the first survey with the truth: .png, .svg or .pdf.",
}
"""Every option, in words."""

_OWNER = "the demo"
_PICTURES = (".png", ".svg", ".pdf")


@dataclass(frozen=True)
class Options:
    """The options, checked before anything is started.

    >>> Options(people=5000, once=True).port
    0
    """

    people: int = 60_000
    port: int = 0
    network: bool = False
    once: bool = False
    output: Path | None = None
    picture: Path | None = None

    def __post_init__(self) -> None:
        check_int(self.people, "--people", _OWNER, LEAST_PEOPLE)
        check_int(self.port, "--port", _OWNER, 0, 65_535)
        if self.output is not None:
            _check_output(self.output)
        if self.picture is not None:
            _check_picture(self.picture)


def _check_output(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise InvalidInput("--output", _OWNER, "a folder; this is a file", str(folder))
    if folder.is_dir() and any(folder.iterdir()):
        allowed = "a folder that is new or empty"
        raise InvalidInput("--output", _OWNER, allowed, str(folder))


def _check_picture(file: Path) -> None:
    if file.suffix not in _PICTURES:
        allowed = f"a file that ends in {', '.join(_PICTURES)}"
        raise InvalidInput("--picture", _OWNER, allowed, str(file))
    if not file.parent.is_dir():
        raise InvalidInput("--picture", _OWNER, "in a folder that exists", str(file))
    for package in ("matplotlib", "pyarrow"):
        optional(package, extra="all", purpose="the picture of the demo")
