"""Keys that tell people apart: read into words that sort, and made pseudonymous.

A key is a whole number, a text or bytes.  Inside, a column of keys is one or several columns of
64-bit words whose order, word by word, is the order of the keys: text and bytes by their bytes
(text in UTF-8), zero bytes at the end not counting.

**The join is the risk.** A report by itself tells little of its person.  Reports of several services
joined by person tell as much as all budgets together, and whoever can join them can also join
what else is known under the same key.  :func:`pseudonyms` keeps names and numbers out of the
joined files.  It does not make people anonymous towards anybody who holds the secret: identifiers are
few, and all of them can be tried.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidInput
from sottovoce.base.progress import Counted, Progress, silent

__all__ = ["PSEUDONYM_BYTES", "Keys", "Kind", "fixed_width", "pseudonyms", "read_keys"]

Words = NDArray[np.uint64]

PSEUDONYM_BYTES = 16
"""Two of 10^9 people share a pseudonym of 128 bits with a chance of 10^-21."""
_LEAST_SECRET = 16
_CHUNK = 2**16
_OFFSET = np.uint64(2**63)


@dataclass(frozen=True)
class Kind:
    """Of what type keys are: ``whole numbers``, ``bytes`` or ``text``."""

    name: str
    negative: bool = False
    beyond: bool = False
    """Whether there are numbers below 0, and of 2^63 and more: words cannot tell these apart."""

    def __or__(self, other: Kind) -> Kind:
        """That of more keys of one type."""
        return Kind(self.name, self.negative or other.negative, self.beyond or other.beyond)


@dataclass(frozen=True, eq=False)
class Keys:
    """A column of keys as ``words``, the most significant first."""

    kind: Kind
    words: tuple[Words, ...]

    def __len__(self) -> int:
        return len(self.words[0])


def read_keys(column: Any, owner: str, first_row: int = 0) -> Keys:
    """A flat column of whole numbers, bytes or text; anything else is refused with its row.

    ``owner`` is whom an error names; ``first_row`` is the number of the column's first row.
    """
    array = column if isinstance(column, np.ndarray) else _as_array(column, owner)
    if array.ndim != 1:
        raise _refused(owner, "a flat column", f"an array of shape {array.shape}")
    if array.dtype.kind in "iu":
        return _whole_numbers(array)
    if array.dtype.kind == "O":
        return _objects(array, owner, first_row)
    if array.dtype.kind == "U":
        return _texts(array.tolist(), owner, first_row)
    if array.dtype.kind in "SV" and array.dtype.names is None:
        return fixed_width("bytes", _bytes_of(array), owner, first_row)
    allowed = "whole numbers, bytes or text"
    raise _refused(owner, allowed, f"a column of {array.dtype}")


def _as_array(column: Any, owner: str) -> NDArray[Any]:
    """A list as a column of objects: numpy would make text of numbers beside text."""
    if isinstance(column, (str, bytes)) or not isinstance(column, Iterable):
        raise _refused(owner, "a column", type(column).__name__)
    items = list(column)
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def _objects(array: NDArray[Any], owner: str, first_row: int) -> Keys:
    items = array.tolist()
    kinds = {type(item) for item in items}
    if kinds <= {str, np.str_}:
        return _texts(items, owner, first_row)
    if kinds <= {bytes, np.bytes_}:
        width = max(map(len, items), default=0)
        return fixed_width(
            "bytes", _bytes_of(np.array(items, f"S{max(width, 1)}")), owner, first_row
        )
    if all(issubclass(kind, (int, np.integer)) and kind is not bool for kind in kinds):
        try:
            whole = np.array(items, dtype=np.int64 if min(items) < 0 else np.uint64)
        except OverflowError:
            allowed = "whole numbers of 64 bits; larger ones as text"
            raise _refused(owner, allowed, "a larger number") from None
        return _whole_numbers(whole)
    first = type(items[0])
    for row, item in enumerate(items, start=first_row):
        if item is None or isinstance(item, float):
            allowed = "a whole number, bytes or text"
            raise InvalidInput(f"row {row} of the keys", owner, allowed, type(item).__name__)
        if type(item) is not first:
            allowed = f"of one type: the first is {first.__name__}"
            raise InvalidInput(f"row {row} of the keys", owner, allowed, type(item).__name__)
    raise _refused(owner, "whole numbers, bytes or text", first.__name__)


def _whole_numbers(array: NDArray[Any]) -> Keys:
    """Numbers from -2^63 on, moved up by it; those of 2^63 and more wrap around."""
    negative = bool(array.dtype.kind == "i" and len(array) and array.min() < 0)
    beyond = bool(array.dtype.kind == "u" and len(array) and array.max() >= _OFFSET)
    wide = array.astype(np.int64 if array.dtype.kind == "i" else np.uint64)
    return Keys(Kind("whole numbers", negative, beyond), (wide.view(np.uint64) + _OFFSET,))


def _texts(items: Sequence[str], owner: str, first_row: int) -> Keys:
    try:
        encoded = [item.encode() for item in items]
    except UnicodeEncodeError:
        row = next(row for row, item in enumerate(items, start=first_row) if not _is_text(item))
        raise InvalidInput(f"row {row} of the keys", owner, "text", "half a character") from None
    width = max(map(len, encoded), default=0)
    return fixed_width("text", _bytes_of(np.array(encoded, f"S{max(width, 1)}")), owner, first_row)


def _is_text(item: str) -> bool:
    return not any(0xD800 <= ord(letter) < 0xE000 for letter in item)


def _bytes_of(array: NDArray[Any]) -> NDArray[np.uint8]:
    """Fixed-size bytes as rows."""
    flat = np.ascontiguousarray(array)
    return flat.view(np.uint8).reshape(len(flat), flat.dtype.itemsize)


def fixed_width(kind: str, rows: NDArray[np.uint8], owner: str, first_row: int = 0) -> Keys:
    """Keys of rows of bytes, filled up with zeros; a row without any other byte is refused."""
    count, width = rows.shape
    padded = np.zeros((count, max(8, -(-width // 8) * 8)), dtype=np.uint8)
    padded[:, :width] = rows
    words = padded.view(">u8")
    empty = np.flatnonzero(~words.any(axis=1))
    if len(empty):
        where = f"row {first_row + int(empty[0])} of the keys"
        raise InvalidInput(where, owner, "not empty", "an empty key")
    return Keys(Kind(kind), tuple(words[:, j].astype(np.uint64) for j in range(words.shape[1])))


def _refused(owner: str, allowed: str, given: object) -> InvalidInput:
    return InvalidInput("keys", owner, allowed, given)


def pseudonyms(ids: Any, secret: bytes, *, progress: Progress = silent) -> NDArray[np.void]:
    """Replace identifiers by pseudonyms: the first 16 bytes of HMAC-SHA256 under a shared secret.

    Hashed are the bytes of an identifier: its UTF-8 if it is text, its decimal digits if it is a
    whole number. Any other program computes the same. Services that are to be joined use one secret
    and write identifiers in one way; letter case matters.

    Anyone who knows the secret can try all identifiers. Keep it with those who hold the identifiers,
    never with those who join. Use a new one for every join: with two joins under one secret, people
    can be followed from one to the other.

    Parameters
    ----------
    ids : array of str, bytes or int
        The identifiers.
    secret : bytes
        The shared secret, at least 16 bytes.
    progress : callable
        Called with a text and the part that is done, after every 65,536 identifiers.

    Returns
    -------
    array of 16-byte values
        One pseudonym per identifier; about 2 microseconds each.

    Raises
    ------
    InvalidInput
        Where the secret is short, or an identifier is of another type.

    Examples
    --------
    >>> import secrets
    >>> keys = pseudonyms(["ann", "ben", "ann"], secrets.token_bytes(32))
    >>> keys.dtype, bool(keys[0] == keys[2]), bool(keys[0] == keys[1])
    (dtype('V16'), True, False)
    """
    owner = "pseudonyms"
    if not isinstance(secret, bytes) or len(secret) < _LEAST_SECRET:
        given = f"{len(secret)} bytes" if isinstance(secret, bytes) else type(secret).__name__
        hint = "Make one with secrets.token_bytes(32)."
        raise InvalidInput("secret", owner, f"at least {_LEAST_SECRET} bytes", given, hint=hint)
    array = ids if isinstance(ids, np.ndarray) else _as_array(ids, owner)
    counted = Counted(progress, "pseudonyms", len(array))
    base = hmac.new(secret, digestmod="sha256")
    found = np.empty(len(array), dtype=f"V{PSEUDONYM_BYTES}")
    for start in range(0, len(array), _CHUNK):
        part = array[start : start + _CHUNK]
        read_keys(part, owner, start)  # refuses what is no key
        digests = [_digest(base, item) for item in _messages(part)]
        found[start : start + len(part)] = np.frombuffer(b"".join(digests), dtype=found.dtype)
        counted.add(len(part))
    return found


def _messages(part: NDArray[Any]) -> list[bytes]:
    items = part.tolist()
    if isinstance(items[0], bytes):
        return items
    return [str(item).encode() for item in items]


def _digest(base: hmac.HMAC, message: bytes) -> bytes:
    keyed = base.copy()
    keyed.update(message)
    return keyed.digest()[:PSEUDONYM_BYTES]
