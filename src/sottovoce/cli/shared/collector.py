"""Talking to a running collector: its address, keys in files, answers or a refusal in its words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

import typer

from sottovoce.base.errors import InvalidInput, Mismatch, SottovoceError
from sottovoce.cli.shared.exits import outlive_pipes
from sottovoce.cli.shared.screen import Advance, say
from sottovoce.device.http import Answer, NoAnswer, exchange
from sottovoce.device.sending import check_token, check_url
from sottovoce.surveys.survey import Survey
from sottovoce.surveys.toml import read_survey

__all__ = [
    "COLLECTOR", "LOCAL", "Collector", "Declined", "KeyFile", "PlainHttp", "SurveyOrFingerprint", "Url", "Windows",
    "checked_url", "find_survey", "read_word", "say_left_out",
]  # fmt: skip

LOCAL = "http://127.0.0.1:8000"
"""Where `sottovoce serve` listens if it is told nothing."""
COLLECTOR = "Which collector"
_PATIENCE = 120.0
"""Seconds for an answer: an estimate over many values takes a while."""
_LONGEST_ANSWER = 2**28
"""Bytes: a million answers of 256 bytes each."""
_LONGEST_REFUSAL = 2**16
_SLOWEST = 2**14
"""Bytes per second below which a download is given up."""

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


class Declined(SottovoceError):
    """The collector said no; ``code`` is its word for why, or its status."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(f"{code}: {message}" if message else code)


@dataclass(frozen=True)
class Collector:
    """A collector at an address, asked with a key."""

    url: str
    key: str

    @classmethod
    def at(cls, url: str, key_file: Path, *, plain_http: bool) -> Collector:
        """The collector that the options name."""
        return cls(checked_url(url, plain_http=plain_http), read_word(key_file, "--key-file"))

    def ask(
        self,
        path: str,
        query: Iterable[tuple[str, Any]] = (),
        *,
        method: str = "GET",
        body: Any = None,
    ) -> Any:
        """The document that the collector answers with."""
        data = None if body is None else json.dumps(body).encode()
        with self._asked(path, query, method, data) as answer:
            text = answer.read(_LONGEST_ANSWER)
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise Declined("no-collector", f"{self.url} does not answer as a collector") from None

    def survey(self, fingerprint: str) -> Survey:
        """A survey that is published there."""
        found = Survey.from_json(json.dumps(self.ask(f"/surveys/{fingerprint}")))
        if found.fingerprint != fingerprint:
            raise Mismatch(f"{self.url} gives {found.fingerprint} where {fingerprint} is wanted")
        return found

    def download(
        self, path: str, query: Iterable[tuple[str, Any]], target: Path, advance: Advance
    ) -> list[str]:
        """A file of the collector's, complete or an error; the windows that are not in it."""
        with self._asked(path, query, "GET", None) as answer, target.open("wb") as file:
            for piece in answer.pieces(_SLOWEST):
                file.write(piece)
                advance(len(piece))
            if answer.missing:
                raise NoAnswer(f"it broke off before the end of {path}")
            left_out = answer.headers.get("Sottovoce-Left-Out") or ""
        return left_out.split(",") if left_out else []

    @contextmanager
    def _asked(
        self, path: str, query: Iterable[tuple[str, Any]], method: str, data: bytes | None
    ) -> Iterator[Answer]:
        """The answer to a request, if the collector does not decline it."""
        pairs = urlencode(list(query))
        address = f"{self.url}{path}?{pairs}" if pairs else f"{self.url}{path}"
        headers = {"Authorization": f"Bearer {self.key}"}
        if data is not None:
            headers["Content-Type"] = "application/json"
        try:
            with (
                outlive_pipes(),
                exchange(
                    address, method=method, headers=headers, body=data, seconds=_PATIENCE
                ) as answer,
            ):
                if not 200 <= answer.status < 300:
                    raise self._declined(answer)
                yield answer
        except NoAnswer as error:
            raise NoAnswer(f"no answer from {self.url}: {error}") from error

    def _declined(self, answer: Answer) -> Declined:
        try:
            document = json.loads(answer.read(_LONGEST_REFUSAL))
            return Declined(str(document["code"]), str(document["message"]))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return Declined(f"status-{answer.status}", f"{self.url} does not answer as a collector")


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
