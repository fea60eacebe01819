"""A collector at an address: asked with a key or a token, it answers in JSON or refuses.

Commands, the demo and the sending of uploads (:mod:`sottovoce.device.sending`) make their
requests here; :mod:`sottovoce.device.http` carries them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlencode, urlsplit

from sottovoce.base.errors import InvalidInput, Mismatch, SottovoceError
from sottovoce.device.http import LOOPBACK, Answer, NoAnswer, exchange
from sottovoce.surveys.signing import SignedSurvey
from sottovoce.surveys.survey import Survey

__all__ = [
    "JSON",
    "Declined",
    "Query",
    "RemoteCollector",
    "check_token",
    "check_url",
    "read_object",
]

JSON = "application/json"
_LONGEST_REFUSAL = 2**16
_VISIBLE = re.compile(r"[!-~]+")

Query = Iterable[tuple[str, Any]]


class Declined(SottovoceError):
    """The collector refused; ``code`` is its code, or ``status-NNN`` where it gave none."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(f"{code}: {message}" if message else code)


@dataclass(frozen=True)
class RemoteCollector:
    """A collector at an address, asked with the key of a role or a token, or with neither.

    ``seconds`` is the time for an exchange, ``longest`` the most bytes of a document.  A download
    may take longer while it brings ``slowest`` bytes per second.
    """

    url: str
    key: str | None = None
    seconds: float = 120.0
    longest: int = 2**28
    slowest: float = 2.0**14

    def get(self, path: str, query: Query = ()) -> Any:
        """The document at a path."""
        return self._document(path, query, None)

    def post(self, path: str, body: Any) -> Any:
        """The document that another one is answered with."""
        return self._document(path, (), json.dumps(body).encode())

    def survey(self, fingerprint: str) -> Survey:
        """A survey that is published there."""
        text = self._text(f"/surveys/{fingerprint}", (), None)
        survey = Survey.from_json(text.decode(errors="replace"))
        if survey.fingerprint != fingerprint:
            raise Mismatch(f"{self.url} gives {survey.fingerprint} where {fingerprint} is wanted")
        return survey

    def signed_survey(self, fingerprint: str) -> SignedSurvey:
        """A survey that is published there, with the signature of its publisher, verified."""
        signed = SignedSurvey.from_json(self._text(f"/surveys/{fingerprint}/signed", (), None))
        found = signed.survey.fingerprint
        if found != fingerprint:
            raise Mismatch(f"{self.url} gives {found} where {fingerprint} is wanted")
        return signed

    def download(self, path: str, query: Query, target: Path) -> list[str]:
        """Write a file of the collector's, complete or an error; the windows that are not in it."""
        with self._accepted(path, query, None) as answer, target.open("wb") as file:
            for piece in answer.pieces(self.slowest):
                file.write(piece)
            if answer.missing:
                raise NoAnswer(f"it broke off before the end of {path}")
            left_out = answer.headers.get("Sottovoce-Left-Out") or ""
        return left_out.split(",") if left_out else []

    @contextmanager
    def request(
        self, path: str, query: Query = (), body: bytes | None = None, media: str = JSON
    ) -> Iterator[Answer]:
        """The answer of any status to a request: a POST where it has a body, else a GET."""
        pairs = urlencode(list(query))
        headers = {} if self.key is None else {"Authorization": f"Bearer {self.key}"}
        if body is not None:
            headers["Content-Type"] = media
        with exchange(
            f"{self.url}{path}?{pairs}" if pairs else f"{self.url}{path}",
            method="GET" if body is None else "POST",
            headers=headers,
            body=body,
            seconds=self.seconds,
        ) as answer:
            yield answer

    def _text(self, path: str, query: Query, body: bytes | None) -> bytes:
        with self._accepted(path, query, body) as answer:
            return answer.read(self.longest)

    def _document(self, path: str, query: Query, body: bytes | None) -> Any:
        text = self._text(path, query, body)
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise Declined("no-collector", f"{self.url} does not answer as a collector") from None

    @contextmanager
    def _accepted(self, path: str, query: Query, body: bytes | None) -> Iterator[Answer]:
        """The answer to a request, if the collector does not refuse it."""
        try:
            with self.request(path, query, body) as answer:
                if not 200 <= answer.status < 300:
                    raise self._declined(answer)
                yield answer
        except NoAnswer as error:
            raise NoAnswer(f"no answer from {self.url}: {error}") from error

    def _declined(self, answer: Answer) -> Declined:
        try:
            document = read_object(answer, _LONGEST_REFUSAL)
            return Declined(str(document["code"]), str(document["message"]))
        except (OSError, KeyError):
            return Declined(f"status-{answer.status}", f"{self.url} does not answer as a collector")


def read_object(answer: Answer, longest: int) -> dict[str, Any]:
    """The JSON object that an answer holds; an empty one where it holds anything else."""
    try:
        document = json.loads(answer.read(longest))
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def check_url(url: str, *, plain_http: bool = False) -> str:
    """The collector's address; unencrypted only on this machine, unless ``plain_http`` allows it."""
    parts = _parts(url)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidInput("url", "Client", "such as https://collector.example", url)
    if parts.scheme == "http" and parts.hostname not in LOOPBACK and not plain_http:
        hint = "plain_http=True lets anyone on the network path read who sends what."
        raise InvalidInput("url", "Client", "https, or on this machine", url, hint=hint)
    return url.rstrip("/")


def _parts(url: object) -> SplitResult | None:
    """The parts of an address that a path can be added to; None where it is not one."""
    if not isinstance(url, str) or not _VISIBLE.fullmatch(url) or "?" in url or "#" in url:
        return None
    try:
        parts = urlsplit(url)
        _ = parts.port  # a number, or an error
    except ValueError:
        return None
    return parts


def check_token(token: object) -> str | None:
    """A token fit for a header, or none."""
    if token is None or (isinstance(token, str) and _VISIBLE.fullmatch(token)):
        return token
    raise InvalidInput("token", "Client", "visible ASCII characters without spaces", "another")
