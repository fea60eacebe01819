"""Signed surveys and logs, in plain integers: Ed25519 by the equations of RFC 8032, slowly."""

from __future__ import annotations

import hashlib
import re

from independent.documents import Refused, canonical, demand, keys_of, read
from independent.surveys import Survey

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT = pow(2, (P - 1) // 4, P)
Point = tuple[int, int]


def add(one: Point, other: Point) -> Point:
    """The sum of two points of the curve -x^2 + y^2 = 1 + d x^2 y^2."""
    (a, b), (c, d) = one, other
    both = D * a * b * c * d % P
    x = (a * d + c * b) * pow(1 + both, -1, P) % P
    return x, (b * d + a * c) * pow(1 - both, -1, P) % P


def times(number: int, point: Point) -> Point:
    total = (0, 1)
    for bit in f"{number:b}":
        total = add(total, total)
        if bit == "1":
            total = add(total, point)
    return total


def decoded(data: bytes) -> Point:
    """A point of its y and the sign of its x."""
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * ROOT % P
    demand(y < P and x * x % P == square and (x or not sign), "not a point")
    return (P - x if x & 1 != sign else x), y


BASE = decoded((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def verify(key: bytes, signature: bytes, message: bytes) -> None:
    start, s = decoded(signature[:32]), int.from_bytes(signature[32:], "little")
    demand(s < ORDER, "s is not below the order")
    mixed = hashlib.sha512(signature[:32] + key + message).digest()
    challenge = int.from_bytes(mixed, "little") % ORDER
    demand(times(s, BASE) == add(start, times(challenge, decoded(key))), "the signature is wrong")


def hexadecimal(text: object, digits: int) -> str:
    fits = isinstance(text, str) and re.fullmatch(f"[0-9a-f]{{{digits}}}", text)
    demand(fits, f"not {digits} hexadecimal digits")
    return str(text)


def signed_message(text: str, pinned: str) -> str:
    """What was signed, if the pinned key signed it; else ``Refused``."""
    document = keys_of(read(text.encode()), "publisher", "signature", "signed", "survey")
    demand(type(document["signed"]) is int and document["signed"] == 1, "version")
    survey = Survey(canonical(document["survey"]).encode())
    key, signature = hexadecimal(document["publisher"], 64), hexadecimal(document["signature"], 128)
    demand(key == pinned, "another key")
    message = f"sottovoce survey 1\n{hashlib.sha256(survey.text.encode()).hexdigest()}\n"
    verify(bytes.fromhex(key), bytes.fromhex(signature), message.encode())
    return message


def head_after(kept: dict, entries: list) -> dict | None:
    """The head after some entries; None where they do not continue the kept one."""
    size, head = kept["size"], kept["head"]
    try:
        for entry in entries:
            keys_of(entry, "fingerprint", "index", "log", "previous", "publisher", "survey")
            numbers = (entry["log"], entry["index"])
            demand(all(type(each) is int for each in numbers) and numbers == (1, size), "place")
            demand(entry["previous"] == head, "previous")
            demand(hexadecimal(entry["survey"], 64)[:32] == entry["fingerprint"], "fingerprint")
            demand(entry["publisher"] == "" or hexadecimal(entry["publisher"], 64), "publisher")
            size, head = size + 1, hashlib.sha256(canonical(entry).encode()).hexdigest()
    except Refused:
        return None
    return {"size": size, "head": head}
