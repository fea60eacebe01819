"""Refusals over HTTP: a code, its status, words that say what is wrong, sometimes a position.

Those of uploads are the wire's (:data:`sottovoce.wire.uploads.REFUSALS`); here are the others.
Their JSON is :class:`sottovoce.service.documents.Refusal`.
"""

from __future__ import annotations

import math
from typing import Any

from sottovoce.base.errors import (
    CorruptBytes,
    InvalidInput,
    Mismatch,
    MissingExtra,
    NotIdentified,
    NotTrusted,
    Refused,
    SottovoceError,
    Unfit,
)
from sottovoce.store import Scrubbed, StoreDown, StoreFull
from sottovoce.wire.uploads import REFUSALS, Refusal

__all__ = ["CODES", "RETRY_SECONDS", "Declined", "declined_by"]

RETRY_SECONDS = 5
"""When to come back to a store that cannot write."""

OTHERS = {
    "too-slow": Refusal(408, False, "the body did not come in time"),
    "head-too-large": Refusal(
        431,
        True,
        "more than 32 KiB, 100 headers or 1,000 chunks in addition to the body of a request",
    ),
    "too-long": Refusal(422, True, "a calculation that takes longer than is allowed"),
    "no-key": Refusal(401, False, "the key of a role is needed, as Authorization: Bearer KEY"),
    "wrong-role": Refusal(403, True, "the key of another role"),
    "foreign-origin": Refusal(403, True, "sent by a browser for a page of another site"),
    "wrong-host": Refusal(421, True, "a host name that is not this collector's"),
    "wrong-media-type": Refusal(
        415, True, "a body that is not application/msgpack or application/json, uncompressed"
    ),
    "no-such-route": Refusal(404, True, "nothing is at this address"),
    "not-signed": Refusal(404, True, "no publisher signed this survey"),
    "not-trusted": Refusal(
        422, True, "a signature that is not that key's signature of this survey"
    ),
    "no-such-report": Refusal(404, True, "no report of this survey has this id"),
    "wrong-method": Refusal(405, True, "this address takes other methods"),
    "invalid": Refusal(400, True, "a parameter or a body outside what is allowed"),
    "unfit": Refusal(422, True, "a question or method that does not apply to this survey"),
    "mismatch": Refusal(409, True, "things that must belong together do not"),
    "below-minimum-batch": Refusal(409, False, "fewer reports than the survey's minimum batch"),
    "scrubbed": Refusal(409, True, "the report is counted and no longer kept apart"),
    "disk-full": Refusal(507, False, "the store has no space; nothing of the request is stored"),
    "store-down": Refusal(
        503,
        False,
        "the store does not answer; nothing is acknowledged, and whether it was written is not known",
    ),
    "stopping": Refusal(503, False, "the collector is about to stop"),
    "not-installed": Refusal(501, True, "an optional dependency of the collector is missing"),
    "failed": Refusal(500, False, "internal error"),
}
"""What a collector says beside the wire's codes."""

CODES = {**REFUSALS, **OTHERS}
"""Every code that a collector answers with."""

_KINDS: tuple[tuple[type[SottovoceError], str], ...] = (
    (StoreFull, "disk-full"),
    (StoreDown, "store-down"),
    (Scrubbed, "scrubbed"),
    (MissingExtra, "not-installed"),
    (Unfit, "unfit"),
    (NotIdentified, "unfit"),
    (Mismatch, "mismatch"),
    (NotTrusted, "not-trusted"),
    (InvalidInput, "invalid"),
    (CorruptBytes, "invalid"),
)
_AGAIN = {"disk-full", "store-down", "stopping"}


class Declined(Exception):
    """A request that is refused, with a code of :data:`CODES`.

    ``more`` are further fields of :class:`sottovoce.service.documents.Refusal`.
    """

    def __init__(
        self,
        code: str,
        message: str = "",
        *,
        position: int | None = None,
        retry: float | None = None,
        **more: Any,
    ) -> None:
        self.code, self.position, self.more = code, position, more
        self.message = message or CODES[code].meaning
        self.retry = RETRY_SECONDS if retry is None and code in _AGAIN else retry
        super().__init__(f"{code}: {self.message}")

    @property
    def status(self) -> int:
        """The HTTP status."""
        return CODES[self.code].status

    @property
    def headers(self) -> dict[str, str]:
        """Headers that say when to come back, or what to bring."""
        found = {}
        if self.retry is not None:
            found["retry-after"] = str(max(1, math.ceil(self.retry)))
        if self.code == "no-key":
            found["www-authenticate"] = "Bearer"
        return found


def declined_by(error: Exception) -> Declined:
    """The refusal that an error of ours is told as; any other is the collector's mistake.

    It has no traceback: whoever holds it would be held by it in turn, and with it the body of the
    request, until the garbage collector comes round.
    """
    if isinstance(error, Declined):
        return error.with_traceback(None)
    if isinstance(error, Refused):
        message = str(error).removeprefix(f"{error.code}: ")
        return Declined(error.code, message, position=error.position)
    for kind, code in _KINDS:
        if isinstance(error, kind):
            # What the store says may name hosts and files: that is for the log.
            told = "" if code in _AGAIN else str(error)
            return Declined(code, told)
    return Declined("failed")
