"""Documents: JSON read strictly, written canonically, and hashed."""

from __future__ import annotations

import hashlib
import re

LONGEST = 2**22
DEEPEST = 16
LARGEST = 2**53 - 1
SPACE = re.compile("[ \t\n\r]*")
ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class Refused(Exception):
    """A document that a reader must not take."""


def demand(condition: object, why: str) -> None:
    """Refuse unless."""
    if not condition:
        raise Refused(why)


def read(data: bytes) -> object:
    """The document in some bytes; everything that would be written otherwise is refused."""
    demand(len(data) <= LONGEST, "too long")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise Refused("not UTF-8") from None
    reader = Reader(text)
    value = reader.value(0)
    reader.space()
    demand(reader.at == len(text), "something follows the document")
    return value


class Reader:
    """A text and a place in it."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def space(self) -> None:
        self.at = SPACE.match(self.text, self.at).end()

    def take(self, wanted: str) -> None:
        demand(self.text.startswith(wanted, self.at), f"{wanted} is missing")
        self.at += len(wanted)

    def value(self, depth: int) -> object:
        demand(depth <= DEEPEST, "too deep")
        self.space()
        first = self.peek()
        if first == "{":
            return self.pairs(depth)
        if first == "[":
            return self.items(depth)
        if first == '"':
            return self.string()
        for word, meant in (("true", True), ("false", False), ("null", None)):
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return meant
        return self.number()

    def pairs(self, depth: int) -> dict[str, object]:
        found: dict[str, object] = {}
        self.take("{")
        self.space()
        while self.peek() != "}":
            if found:
                self.take(",")
                self.space()
            key = self.string()
            demand(key not in found, f"{key} is there twice")
            self.space()
            self.take(":")
            found[key] = self.value(depth + 1)
            self.space()
        self.take("}")
        return found

    def items(self, depth: int) -> list[object]:
        found: list[object] = []
        self.take("[")
        self.space()
        while self.peek() != "]":
            if found:
                self.take(",")
            found.append(self.value(depth + 1))
            self.space()
        self.take("]")
        return found

    def string(self) -> str:
        self.take('"')
        found = []
        while (mark := self.peek()) != '"':
            demand(mark >= " ", "a text does not end, or has a control character in it")
            self.at += 1
            found.append(self.escaped() if mark == "\\" else mark)
        self.take('"')
        return "".join(found)

    def escaped(self) -> str:
        mark = self.peek()
        self.at += 1
        if mark != "u":
            demand(mark in ESCAPES, "an unknown escape")
            return ESCAPES[mark]
        unit = self.unit()
        if 0xD800 <= unit < 0xDC00:
            self.take("\\u")
            second = self.unit()
            demand(0xDC00 <= second < 0xE000, "half a surrogate pair")
            return chr(0x10000 + (unit - 0xD800 << 10) + second - 0xDC00)
        demand(not 0xDC00 <= unit < 0xE000, "half a surrogate pair")
        return chr(unit)

    def unit(self) -> int:
        digits = self.text[self.at : self.at + 4]
        demand(len(digits) == 4 and set(digits) <= set("0123456789abcdefABCDEF"), "no \\u escape")
        self.at += 4
        return int(digits, 16)

    def number(self) -> int:
        start = self.at
        if self.peek() == "-":
            self.at += 1
        while self.peek() and self.peek() in "0123456789":
            self.at += 1
        digits = self.text[start : self.at]
        unsigned = digits.removeprefix("-")
        demand(unsigned and (unsigned == "0" or unsigned[0] != "0"), "no value")
        demand(digits != "-0", "-0")
        demand(len(unsigned) < 17 and int(unsigned) <= LARGEST, "above 2^53 - 1")
        demand(self.peek() not in (".", "e", "E"), "a fraction")
        return int(digits)


def canonical(document: object) -> str:
    """The one form of a document that is hashed."""
    if document is None:
        return "null"
    if document is True or document is False:
        return "true" if document else "false"
    if isinstance(document, int):
        return str(document)
    if isinstance(document, str):
        return '"' + "".join(map(_shown, document)) + '"'
    if isinstance(document, list):
        return "[" + ",".join(map(canonical, document)) + "]"
    assert isinstance(document, dict)
    keys = sorted(document)
    return "{" + ",".join(f"{canonical(key)}:{canonical(document[key])}" for key in keys) + "}"


def _shown(mark: str) -> str:
    for short, meant in ESCAPES.items():
        if mark == meant and mark != "/":
            return "\\" + short
    return mark if mark >= " " else f"\\u{ord(mark):04x}"


def fingerprint(document: object) -> str:
    """32 hexadecimal digits that stand for a document."""
    return hashlib.sha256(canonical(document).encode()).digest()[:16].hex()


def keys_of(document: object, *names: str) -> dict[str, object]:
    """An object with exactly these keys."""
    demand(isinstance(document, dict) and set(document) == set(names), f"keys {names}")
    assert isinstance(document, dict)
    return document
