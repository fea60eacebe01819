"""Talking to the collector as its people do: with a key, over HTTP, in JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from sottovoce.base.errors import SottovoceError
from sottovoce.demo.surveys import Poll
from sottovoce.device.http import exchange

__all__ = ["Caller", "Declined", "close", "publish"]

Query = Iterable[tuple[str, Any]]
_TIMEOUT = 120.0
_LONGEST = 2**28
"""Bytes of an answer: a report of everybody, as Parquet, has far fewer."""


class Declined(SottovoceError):
    """The collector said no, with its reason."""


@dataclass(frozen=True)
class Caller:
    """Somebody with the key of a role."""

    url: str
    key: str

    def get(self, path: str, query: Query = ()) -> Any:
        """The document at an address."""
        pairs = urlencode(list(query))
        return json.loads(self._read(f"{path}?{pairs}" if pairs else path))

    def post(self, path: str, body: Any) -> Any:
        """The document that is answered to another."""
        return json.loads(self._read(path, json.dumps(body).encode()))

    def download(self, path: str, target: Path) -> None:
        """A file of the collector's."""
        target.write_bytes(self._read(path))

    def _read(self, path: str, body: bytes | None = None) -> bytes:
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        method = "GET" if body is None else "POST"
        with exchange(
            self.url + path, method=method, headers=headers, body=body, seconds=_TIMEOUT
        ) as answer:
            data = answer.read(_LONGEST)
        if not 200 <= answer.status < 300:
            told = data.decode(errors="replace")
            raise Declined(f"the collector answered {path} with {answer.status}: {told}")
        return data


def publish(publisher: Caller, poll: Poll) -> None:
    """Have the collector take reports for a survey."""
    body = {"survey": json.loads(poll.survey.to_json()), "rules": {"upload": poll.upload}}
    publisher.post("/surveys", body)


def close(publisher: Caller, poll: Poll) -> None:
    """Have the collector take no more reports for a survey, and show all that it has."""
    publisher.post(f"/surveys/{poll.survey.fingerprint}/close", {})
