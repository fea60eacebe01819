"""Surveys, and the windows in which people answer them."""

from __future__ import annotations

import re
from datetime import date, timedelta

import independent.composed
import independent.grids
import independent.key_value
import independent.memory
import independent.noise
import independent.oracles
import independent.records
import independent.sensitive
import independent.sets  # noqa: F401
from independent.decimals import whole
from independent.documents import Refused, canonical, demand, fingerprint, keys_of, read
from independent.domains import Categories, Interval, MayDecline, Record, admit
from independent.draws import Words
from independent.mechanisms import read_mechanism

KEYS = (
    "closes", "mechanism", "minimum_batch", "name", "opens", "outside", "question", "series",
    "survey", "window",
)  # fmt: skip
TEXTS = ("texts",)
MORE = {"ask": "1", "changes": 0, "period": 0}
"""Keys of version 3, and what a survey has that is written as version 2."""
FORMS = {
    "once": "", "day": "[0-9]{4}-[0-9]{2}-[0-9]{2}", "week": "([0-9]{4})-W([0-9]{2})",
    "month": "([0-9]{4})-([0-9]{2})",
}  # fmt: skip


class Survey:
    """The survey in some bytes, or ``Refused``."""

    def __init__(self, data: bytes) -> None:
        document = read(data)
        demand(isinstance(document, dict), "not an object")
        version = whole(document.get("survey"), 2, 4)
        keys_of(document, *KEYS, *(MORE if version > 2 else ()), *TEXTS[: version == 4])
        self.more = MORE if version == 2 else {key: document[key] for key in MORE}
        self.document, self.fingerprint = document, fingerprint(document)
        text_of(document["name"], 200)
        text_of(document["question"], 2000)
        if document["series"] != "":
            text_of(document["series"], 200)
        whole(document["minimum_batch"], 1, 10**9)
        self.window, self.outside = document["window"], document["outside"]
        demand(isinstance(self.window, str) and self.window in FORMS, "window")
        self.opens, self.closes = day_of(document["opens"]), day_of(document["closes"])
        demand(not (self.opens and self.closes) or self.opens <= self.closes, "closes")
        self.mechanism = read_mechanism(document["mechanism"])
        self.check_outside()
        self.check_repeating()
        demand(version != 3 or self.more != MORE, "written as version 2")
        if version == 4:
            self.check_texts()

    def check_texts(self) -> None:
        """What people read in place of the names of questions."""
        demand(isinstance(self.mechanism.domain, Record), "texts without questions")
        texts = self.document["texts"]
        demand(isinstance(texts, list) and any(texts), "texts")
        demand(len(texts) == len(self.mechanism.domain.parts), "a text for each question")
        for text in texts:
            if text != "":
                text_of(text, 2000)

    def check_repeating(self) -> None:
        ask, once = self.more["ask"], self.window == "once"
        demand(isinstance(ask, str), "ask")
        found = re.fullmatch("1(?:/([1-9][0-9]{0,3}))?", ask)
        demand(found, "ask")
        self.one_in = int(found.group(1) or 1)
        demand(ask == "1" or (2 <= self.one_in <= 1000 and not once), "ask")
        changes = whole(self.more["changes"], 0, 1000)
        self.period = whole(self.more["period"], 0, 10_000)
        if not self.mechanism.remembers:
            demand(changes == self.period == 0, "changes and period without memory")
            return
        demand(not once and ask == "1" and self.period != 1, "memory")
        if changes:
            demand(self.period or (self.opens and self.closes), "changes without an end")
            windows = (
                self.period
                or number_of(self.window, self.closes) - number_of(self.window, self.opens) + 1
            )
            demand(changes < windows, "changes")

    def check_outside(self) -> None:
        domain = self.mechanism.domain
        domain = domain.domain if isinstance(domain, MayDecline) else domain
        named = domain.values if isinstance(domain, Categories) else None
        demand(
            self.outside == "refuse"
            or (self.outside == "nearest" and isinstance(domain, Interval))
            or (self.outside == "other" and "other" in (named or [])),
            "outside",
        )

    @property
    def text(self) -> str:
        return canonical(self.document)

    def payload(self, value, words: Words) -> bytes:
        """The report of a person with a value."""
        return self.mechanism.payload(admit(self.mechanism.domain, self.outside, value), words)


def text_of(value: object, longest: int) -> None:
    """Text that people can read."""
    demand(isinstance(value, str) and len(value) <= longest, "text")
    assert isinstance(value, str)
    demand("\0" not in value and max(value, default="") > " ", "text")


def day_of(value: object) -> date | None:
    """A date of four, two and two digits, or none where the text is empty."""
    demand(isinstance(value, str), "a date")
    if value == "":
        return None
    first, _ = days_of("day", value)
    return first


# -- windows -----------------------------------------------------------------------------


def name_of(window: str, day: date) -> str:
    """The name of the window that a day is in."""
    if window == "once":
        return ""
    if window == "week":
        thursday = day - timedelta(day.weekday() - 3)
        week = (thursday - date(thursday.year, 1, 1)).days // 7 + 1
        return f"{thursday.year:04d}-W{week:02d}"
    return f"{day.year:04d}-{day.month:02d}" + (f"-{day.day:02d}" if window == "day" else "")


def number_of(window: str, day: date) -> int:
    """The number of the window that a day is in, from 1970-01-01 on."""
    if window == "month":
        return 12 * day.year + day.month - 12 * 1970 - 1
    days = day.toordinal() - 719_163
    return days if window == "day" else (days + 3) // 7


def days_of(window: str, name: str) -> tuple[date, date]:
    """The first and the last day of a window."""
    found = re.fullmatch(FORMS[window], name)
    demand(found, "not the name of a window")
    try:
        if window == "once":
            return date.min, date.max
        if window == "day":
            return date.fromisoformat(name), date.fromisoformat(name)
        year, number = (int(part) for part in found.groups())
        if window == "week":
            monday = date.fromisocalendar(year, number, 1)
            return monday, monday + timedelta(6)
        first = date(year, number, 1)
        length = 31 if number == 12 else (date(year, number + 1, 1) - first).days
        return first, first + timedelta(length - 1)
    except (ValueError, OverflowError):
        raise Refused("no such day, week or month") from None


def clock(opens: date | None, closes: date | None, days: tuple[date, date], today: date) -> str:
    """What a collector says of a window by its clock: a code, or nothing."""
    first, last = max(opens or date.min, days[0]), min(closes or date.max, days[1])
    if first > last or last < today:
        return "window-closed"
    return "clock-skew" if first > today else ""
