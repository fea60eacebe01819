"""A running collector: the options that name it, keys in files, requests to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from sottovoce.base.errors import InvalidInput
from sottovoce.cli.shared.exits import outlive_pipes
from sottovoce.cli.shared.screen import say
from sottovoce.device.http import Answer
from sottovoce.device.remote_collector import (
    JSON,
    Query,
    RemoteCollector,
    check_token,
    check_url,
)
from sottovoce.surveys.toml import read_survey

__all__ = [
    "COLLECTOR", "LOCAL", "Collector", "KeyFile", "PlainHttp", "SurveyOrFingerprint", "Url", "Windows",
    "checked_url", "find_survey", "read_word", "say_left_out",
]  # fmt: skip

LOCAL = "http://127.0.0.1:8000"
"""Where `sottovoce serve` listens if it is told nothing."""
COLLECTOR = "Which collector"

Url = Annotated[
    str,
    typer.Option(
        "--url", metavar="URL", rich_help_panel=COLLECTOR, envvar="SOTTOVOCE_URL",
        help="The address of the collector. SOTTOVOCE_URL says it too.",
    ),
]  # fmt: skip
PlainHttp = Annotated[
    bool,
    typer.Option(
        "--plain-http", rich_help_panel=COLLECTOR,
        help="Allow an unencrypted http:// address that is not this machine: anyone on the network path can read it.",
    ),
]  # fmt: skip
KeyFile = Annotated[
    Path,
    typer.Option(
        "--key-file", metavar="FILE", rich_help_panel=COLLECTOR,
        help="A file with the key, as `sottovoce keys` writes it.",
    ),
]  # fmt: skip
SurveyOrFingerprint = Annotated[
    str,
    typer.Argument(
        metavar="SURVEY", help="A survey file (TOML or JSON), or the fingerprint of a survey."
    ),
]

Windows = Annotated[
    list[str] | None,
    typer.Option(
        "--window", metavar="NAME",
        help="A window, such as 2026-W47. Repeatable; all that have enough reports if not given.",
    ),
]  # fmt: skip


class Collector(RemoteCollector):
    """A collector that a command asks: a connection that it closes does not end the command."""

    @classmethod
    def at(cls, url: str, key_file: Path, *, plain_http: bool) -> Collector:
        """The collector that the options name."""
        return cls(checked_url(url, plain_http=plain_http), read_word(key_file, "--key-file"))

    @contextmanager
    def request(
        self, path: str, query: Query = (), body: bytes | None = None, media: str = JSON
    ) -> Iterator[Answer]:
        with outlive_pipes(), super().request(path, query, body, media) as answer:
            yield answer


def checked_url(url: str, *, plain_http: bool) -> str:
    """The address, if uploads and keys may go there."""
    try:
        return check_url(url, plain_http=plain_http)
    except InvalidInput as error:
        hint = "--plain-http allows it, and anyone on the network path can read it." * bool(
            error.hint
        )
        raise InvalidInput("--url", "the command", error.allowed, url, hint=hint) from None


def read_word(path: Path, option: str) -> str:
    """The key or token that a file holds, alone on its line; it is never shown."""
    try:
        word = check_token(path.read_text(encoding="ascii").strip())
    except (UnicodeDecodeError, InvalidInput):
        word = None
    if word is None:
        allowed = "a file that holds one word and nothing else"
        raise InvalidInput(option, "the command", allowed, str(path))
    return word


def find_survey(given: str) -> str:
    """The fingerprint of a survey, from its file if it is not one already."""
    if len(given) == 32 and set(given) <= set("0123456789abcdef"):
        return given
    if not Path(given).exists():
        allowed = "a survey file that exists, or a fingerprint of 32 hexadecimal digits"
        raise InvalidInput("SURVEY", "the command", allowed, given)
    return read_survey(given).fingerprint


def say_left_out(windows: Sequence[str]) -> None:
    """Name the windows that are not shown, if there are any."""
    if windows:
        say(f"left out, below the minimum batch: {', '.join(windows)}")
