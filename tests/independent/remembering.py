"""A device that remembers: its hashes, its secret, its permanent answers, and what the first of them costs."""

from __future__ import annotations

import hmac
import unicodedata
from collections.abc import Callable
from datetime import date
from decimal import Context, Decimal
from math import inf, nextafter

from independent.decimals import plain
from independent.documents import fingerprint
from independent.domains import admit
from independent.draws import Words
from independent.surveys import Survey, number_of

DIGITS = Context(prec=90)


class Device:
    """What it keeps, by the keys of the tables of a ledger."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], int | bytes] = {}
        self.memos: dict[tuple[str, str, int, int], tuple[bytes, int | bytes]] = {}

    def report(self, survey: Survey, day: date, value: object, words: Words) -> tuple[str, bytes]:
        """What a report is charged with, and its payload."""
        m, changes = survey.mechanism, survey.more["changes"]
        inside = m.inside
        position = m.locate(admit(m.domain, survey.outside, value))
        period = number_of(survey.window, day) // survey.period if survey.period else 0
        question, memory = question_of(survey), memory_of(survey)
        number = 0
        if hasattr(inside, "hashes"):
            number = self.once("hash", family_of(inside), lambda: words.below(inside.hashes))
        entry = m.kind.entry(inside, number, position)
        tag = b""
        if changes:
            key = self.once("secret", "", lambda: words.joined(4).to_bytes(32, "little"))
            message = f"{question} {memory} {period} {entry}".encode()
            tag = hmac.digest(key, message, "sha256")[:16]
        stored = [row for row in sorted(self.memos) if row[:3] == (question, memory, period)]
        known = [self.memos[row][1] for row in stored if self.memos[row][0] == tag]
        if not known and len(stored) == changes + 1:
            known = [self.memos[stored[-1]][1]]
        if not known:
            for row in [r for r in self.memos if r[:2] == (question, memory) and r[2] < period]:
                del self.memos[row]
            known = [m.kind.remember(entry, words)]
            self.memos[question, memory, period, len(stored)] = tag, known[0]
        told = m.kind.tell(number, known[0], m.fresh, words)
        payload = b"".join(f.write(a) for f, a in zip(m.fields(), told, strict=True))
        return "0" if stored else plain(cost(survey)), payload

    def once(self, kind: str, name: str, draw: Callable[[], int | bytes]) -> int | bytes:
        if (kind, name) not in self.kept:
            self.kept[kind, name] = draw()
        return self.kept[kind, name]


def family_of(inside) -> str:
    """The range of the hashes, and the least number of digits that tells all values apart."""
    g, digits = inside.g, 1
    while g**digits < inside.d:
        digits += 1
    return f"{g}^{digits}"


def question_of(survey: Survey) -> str:
    text = unicodedata.normalize("NFKC", survey.document["question"]).casefold()
    return fingerprint([" ".join(text.split()), survey.document["mechanism"]["domain"]])


def memory_of(survey: Survey) -> str:
    terms = [survey.mechanism.fingerprint, survey.more["changes"]]
    if survey.period:
        terms += [survey.window, survey.period]
    elif survey.more["changes"]:
        terms += [survey.window, survey.document["opens"], survey.document["closes"]]
    return fingerprint(terms)


def cost(survey: Survey) -> float:
    """``min(k L + (T - ceil(T/k)) e, T e)`` in doubles, a little above."""
    m, k = survey.mechanism, survey.more["changes"] + 1
    lifetime = float(m.o["lifetime"])
    if k == 1:
        return lifetime
    windows = survey.period
    if not windows:
        opens, closes = (number_of(survey.window, day) for day in (survey.opens, survey.closes))
        windows = closes - opens + 1
    ratio, power = m.kind.fresh_ratio(m.fresh)
    each = 0.0
    if ratio > 1:
        log = DIGITS.ln(DIGITS.divide(Decimal(ratio.numerator), Decimal(ratio.denominator)))
        each = nextafter(float(DIGITS.multiply(log, Decimal(power))), inf)
    moved = k * lifetime + (windows - -(-windows // k)) * each
    return min(moved, windows * each) * (1 + 2.0**-50)
