"""Documents: canonical JSON, its strict reader, and fingerprints.

A document holds whole numbers, text, lists and objects, and ``true``, ``false`` and ``null``.
Its canonical form is that of RFC 8785 (JCS): keys sorted, no white space, UTF-8, only the
escapes that JSON demands.  Two restrictions make it read alike by every parser:

* There are no fractions.  A real number is text, the shortest decimal that stands for it.
* A whole number is at most 2^53 - 1 in size, so that a parser that knows only doubles
  reads it exactly.  A field that *can* exceed this (weights, ratios) is always text.

A reader refuses every document that it would write otherwise.  So the fingerprint of what
was read is always the hash of what was written.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sottovoce.base.checks import first_repeated
from sottovoce.base.errors import CorruptBytes, InvalidInput, shown

__all__ = [
    "LARGEST_INTEGER",
    "LONGEST_DOCUMENT",
    "canonical_json",
    "check_same",
    "fingerprint_of",
    "integers_of",
    "read_document",
    "text_of_integers",
]

LARGEST_INTEGER = 2**53 - 1
"""The largest whole number of a document that is not text: every double below it is exact."""
LONGEST_DOCUMENT = 2**22
"""Bytes of JSON that are read at most: 4 MiB, which is 200,000 named categories."""
_DEEPEST = 16
"""Lists and objects in each other; a survey needs seven."""
_LONGEST_WEIGHT = 40
"""Digits of a weight at most: ratios of noise are integers up to 2^128."""
_WEIGHT = re.compile("0|[1-9][0-9]*", re.ASCII)


def canonical_json(document: Any) -> str:
    """The canonical form of a document; what has none (a float, a long integer) is refused.

    >>> canonical_json({"b": [1, "2"], "a": None})
    '{"a":null,"b":[1,"2"]}'
    """
    for leaf in _leaves(document):
        _check_leaf(leaf)
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def fingerprint_of(document: Any) -> str:
    """The first 16 bytes of the SHA-256 of the canonical JSON, as 32 hexadecimal digits."""
    return hashlib.sha256(canonical_json(document).encode()).hexdigest()[:32]


def _leaves(document: Any, depth: int = 0) -> Iterator[Any]:
    """Everything in a document that holds nothing else, keys included."""
    if depth == _DEEPEST and isinstance(document, (Mapping, list, tuple)):
        allowed = f"of at most {_DEEPEST} lists and objects in each other"
        raise InvalidInput("document", "canonical JSON", allowed, "more")
    if isinstance(document, Mapping):
        for key, value in document.items():
            yield key
            yield from _leaves(value, depth + 1)
    elif isinstance(document, (list, tuple)):
        for value in document:
            yield from _leaves(value, depth + 1)
    else:
        yield document


def _check_leaf(leaf: Any) -> None:
    if leaf is None or isinstance(leaf, bool):
        return
    if isinstance(leaf, str):
        try:
            leaf.encode()
        except UnicodeEncodeError:
            raise InvalidInput("text", "canonical JSON", "valid Unicode", leaf) from None
        return
    if not isinstance(leaf, int):
        allowed = "made of whole numbers, text, true, false and null"
        raise InvalidInput("document", "canonical JSON", allowed, leaf)
    if abs(leaf) > LARGEST_INTEGER:
        allowed = f"from -{LARGEST_INTEGER} to {LARGEST_INTEGER}, or text"
        raise InvalidInput("whole number", "canonical JSON", allowed, leaf)


# -- reading ---------------------------------------------------------------------------------


def read_document(text: str | bytes, what: str, *, longest: int = LONGEST_DOCUMENT) -> Any:
    """The document that a JSON text holds.  White space and the order of keys are free.

    Refused are: a key that is there twice, fractions and exponents, ``-0``, integers above
    2^53 - 1, text that is not valid Unicode, and more than ``longest`` bytes, 4 MiB.

    >>> read_document('{"a": 1.0}', "the survey")
    Traceback (most recent call last):
    ...
    sottovoce.base.errors.CorruptBytes: the survey is not valid: 1.0 is not a whole number
    """
    size = len(text) if isinstance(text, bytes) else len(text.encode(errors="surrogatepass"))
    if size > longest:
        raise CorruptBytes(f"{what} is longer than {longest} bytes: {size}")
    try:
        document = json.loads(
            text.decode() if isinstance(text, bytes) else text,
            object_pairs_hook=_distinct,
            parse_int=_whole,
            parse_float=_no_fraction,
            parse_constant=_no_fraction,
        )
        for leaf in _leaves(document):
            _check_leaf(leaf)
    except json.JSONDecodeError as error:
        raise CorruptBytes(f"{what} is not JSON: {error}") from error
    except RecursionError as error:
        raise CorruptBytes(f"{what} is nested too deeply") from error
    except ValueError as error:
        raise CorruptBytes(f"{what} is not valid: {error}") from error
    return document


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        repeated = first_repeated(key for key, _ in pairs)
        raise ValueError(f"the key {shown(repeated)} is there twice")
    return found


def _whole(digits: str) -> int:
    if digits == "-0":
        raise ValueError("-0 is written 0")
    return int(digits) if len(digits) <= 17 else LARGEST_INTEGER + 1  # refused as a leaf


def _no_fraction(digits: str) -> Any:
    raise ValueError(f"{digits} is not a whole number")


def check_same(given: Any, written: Any, what: str) -> None:
    """Refuse a document that would be written otherwise; the message names the first difference."""
    for path, before, after in _differences(given, written, ""):
        place = f" at {path}" if path else ""
        raise CorruptBytes(f"{what} is not in canonical form: {before}{place} must be {after}")


_ABSENT = object()


def _differences(given: Any, written: Any, path: str) -> Iterator[tuple[str, str, str]]:
    """Where two documents differ: the path, and both sides in words.  ``True`` is not 1."""
    if isinstance(given, Mapping) and isinstance(written, Mapping):
        for key in sorted({*given, *written}):
            here = f"{path}.{key}" if path else key
            yield from _differences(given.get(key, _ABSENT), written.get(key, _ABSENT), here)
    elif isinstance(given, (list, tuple)) and isinstance(written, (list, tuple)):
        if len(given) != len(written):
            yield path, f"a list of {len(given)}", f"a list of {len(written)}"
        for index, (before, after) in enumerate(zip(given, written, strict=False)):
            yield from _differences(before, after, f"{path}[{index}]")
    elif type(given) is not type(written) or given != written:
        yield path, _in_words(given), _in_words(written)


def _in_words(value: Any) -> str:
    return "a key that is absent" if value is _ABSENT else shown(value)


# -- weights ---------------------------------------------------------------------------------


def text_of_integers(weights: Any) -> Any:
    """Weights as documents carry them: every integer in decimal text, lists and objects as they are.

    >>> text_of_integers({"keep": 2**62, "rows": [1, 2]})
    {'keep': '4611686018427387904', 'rows': ['1', '2']}
    """
    if isinstance(weights, Mapping):
        return {key: text_of_integers(value) for key, value in weights.items()}
    if isinstance(weights, (list, tuple)):
        return [text_of_integers(value) for value in weights]
    return str(weights)


def integers_of(weights: Any, what: str) -> Any:
    """The weights that a document carries as decimal text, without sign or leading zeros.

    >>> integers_of({"keep": "4611686018427387904", "rows": ["1", "2"]}, "a mechanism")
    {'keep': 4611686018427387904, 'rows': [1, 2]}
    """
    if isinstance(weights, Mapping):
        return {key: integers_of(value, what) for key, value in weights.items()}
    if isinstance(weights, (list, tuple)):
        return [integers_of(value, what) for value in weights]
    if (
        not isinstance(weights, str)
        or len(weights) > _LONGEST_WEIGHT
        or not _WEIGHT.fullmatch(weights)
    ):
        allowed = f"whole numbers as decimal text of at most {_LONGEST_WEIGHT} digits"
        raise InvalidInput("weights", what, allowed, weights)
    return int(weights)
