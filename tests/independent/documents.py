"""Documents: JSON read strictly, written canonically, and hashed."""

from __future__ import annotations

import hashlib
import re

LONGEST = 2**22
LARGEST = 2**53 - 1
DEEPEST = 16
SPACE = re.compile("[ \t\n\r]*")
HEX = re.compile("[0-9a-fA-F]{4}")
NUMBER = re.compile("-?(0|[1-9][0-9]{0,15})")
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
        self.space()
        first = self.peek()
        demand(depth < DEEPEST or first not in ("{", "["), "too many lists in each other")
        if first == "{":
            return self.pairs(depth + 1)
        if first == "[":
            return self.items(depth + 1)
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
            found[key] = self.value(depth)
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
            found.append(self.value(depth))
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
        try:  # halves of surrogate pairs meet, or are alone
            return "".join(found).encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            raise Refused("half a surrogate pair") from None

    def escaped(self) -> str:
        mark = self.peek()
        self.at += 1
        if mark != "u":
            demand(mark in ESCAPES, "an unknown escape")
            return ESCAPES[mark]
        digits = HEX.match(self.text, self.at)
        demand(digits, "not an escape")
        self.at = digits.end()
        return chr(int(digits.group(), 16))

    def number(self) -> int:
        digits = NUMBER.match(self.text, self.at)
        demand(digits and digits.group() != "-0", "not a value")
        self.at, number = digits.end(), int(digits.group())
        demand(abs(number) <= LARGEST, "above 2^53 - 1")
        return number


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
