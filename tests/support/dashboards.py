"""Dashboards to test with: surveys of every kind, a collector with answers, and pages read strictly."""

from __future__ import annotations

import re
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from html.parser import HTMLParser

import httpx
import numpy as np

import sottovoce as sv
from sottovoce.store import Submission
from sottovoce.surveys.survey import Survey
from sottovoce.wire.payloads import payloads_of
from support.loading import running
from vectors.words import as_if_drawn

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
"""The middle of 2026-W47; the weeks before have ended."""
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{ 7*7 }}</title>"
VOID = {"meta", "link", "input", "br", "img"}


def now():
    """The clock of dashboards to test with."""
    return NOW


class Page(HTMLParser):
    """A page's elements, text and tables; what may not be in any page is refused while reading."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.refers, self.open, self.text = [], [], [], [], []
        self.links, self.headings, self.tables, self.row = [], [], [], None
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        assert tag not in ("script", "style", "iframe", "object", "embed", "img", "base")
        assert not [name for name in given if name.startswith("on") or name == "style"]
        self.tags.append((tag, given))
        self.ids += [given["id"]] if "id" in given else []
        self.refers += given.get("aria-labelledby", "").split() + given.get("for", "").split()
        self.links += [given[name] for name in ("href", "action", "src") if name in given]
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.row = []
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if tag == "tr":
            self.tables[-1].append(self.row)
            self.row = None

    def handle_data(self, data):
        self.text.append(data)
        if self.row is not None and self.open[-1] in ("th", "td", "span"):
            self.row.append(data)

    @property
    def words(self):
        return " ".join(" ".join(self.text).split())


def check(answer, status=200):
    """A page in order: escaped, whole, accessible in its structure, and nothing from elsewhere."""
    assert answer.status_code == status, answer.text[:2000]
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert len(answer.content) < 200_000
    page = Page(answer.text)
    assert len(set(page.ids)) == len(page.ids)
    assert set(page.refers) <= set(page.ids)
    assert page.headings[0] == 1 and page.headings.count(1) == 1
    assert all(
        later - earlier <= 1
        for earlier, later in zip(page.headings, page.headings[1:], strict=False)
    )
    assert not [link for link in page.links if ":" in link or link.startswith(("//", "/"))]
    named = {given["for"] for tag, given in page.tags if tag == "label"}
    for tag, given in page.tags:
        if tag in ("select", "textarea") or (tag == "input" and given.get("type") != "hidden"):
            assert given["id"] in named
        if tag == "svg" and given.get("role") == "img":
            assert given["aria-labelledby"]
    return page


def fill(store, survey, window, values, seed=1):
    reports = as_if_drawn(survey.mechanism.randomize(values, source=sv.Seeded(seed)))
    ids = [seed.to_bytes(8, "big") + n.to_bytes(8, "big") for n in range(len(reports))]
    store.write([Submission(survey.fingerprint, window, ids, payloads_of(reports))])


def surveys():
    """One survey of every kind, by a short name."""
    drinks, pairs = (
        sv.Categories(["tea", "coffee", "water"]),
        sv.KeyValues(["bus", "train"], 0, 10, 4),
    )
    olh, sw = sv.mechanism("olh", drinks, 2.0), sv.mechanism("sw", sv.Interval(0, 100, 60), 2.0)
    hostile = sv.mechanism("grr", sv.Categories([HOSTILE, "اختبار", "x" * 5000]), 2.0)
    vector = sv.mechanism("sampled-coordinate", sv.Vector(sv.Interval(0, 24, 12), 2), 2.0)
    return {
        "drinks": Survey("drinks", "What do you drink?", olh, "week", 100),
        "others": Survey("others", "What do others drink?", olh, "week", 100),
        "ages": Survey("ages", "How old are you?", sw),
        "trips": Survey("trips", "How far, by what?", sv.mechanism("pckv-grr", pairs, 2.0)),
        "mean": Survey("mean", "A mean?", sv.mechanism("sr", sv.Interval(0, 1, 10), 2.0)),
        "habits": Survey("habits", "Sleep and screens?", vector),
        "friends": Survey("friends", "How many?", sv.mechanism("degree-noise", sv.Counts(20), 2.0)),
        "single": Survey("single", "A choice?", sv.mechanism("grr", sv.Categories(["only"]), 1.0)),
        "none": Survey("none", "Nobody?", sv.mechanism("grr", sv.Categories(2), 1.0)),
        "few": Survey("few", "Too few?", sv.mechanism("grr", sv.Categories(2), 1.0), "once", 1000),
        "hostile": Survey(HOSTILE, HOSTILE + "y" * 1900, hostile),
        "scripts": Survey("調査 مسح Опрос", "あなたは \N{RIGHT-TO-LEFT OVERRIDE}بيت", sv.mechanism("oue", sv.Categories(["お茶", "قهوة"]), 1.0)),
    }  # fmt: skip


def settled(http, path, **parameters):
    """A page once it has its answers."""
    for _ in range(600):
        answer = http.get(path, params=parameters)
        if "refresh" not in answer.headers:
            return answer
        time.sleep(0.1)
    raise AssertionError(f"{path} was never worked out")


class Board:
    def __init__(self, running, told):
        self.running, self.surveys = running, told
        self.http = httpx.Client(base_url=running.url, timeout=60)

    def get(self, name, path="", **parameters):
        return settled(
            self.http, f"/dashboard/{self.surveys[name].fingerprint}{path}", **parameters
        )

    def page(self, name, path="", status=200, **parameters):
        return check(self.get(name, path, **parameters), status)


@contextmanager
def filled(folder):
    """A collector whose answers anybody may read, with some of every kind."""
    told = surveys()
    with running(folder, *told.values(), open_reading=True, clock=now) as collector:
        store = collector.store
        for week, (name, part) in enumerate(
            (("2026-W45", 0.2), ("2026-W46", 0.5), ("2026-W47", 0.5))
        ):
            values = np.array(["coffee", "tea"])[(np.arange(4000) < 4000 * part).astype(int)]
            fill(store, told["drinks"], name, values, seed=week + 1)
        fill(store, told["drinks"], "2026-W44", ["tea"] * 50, seed=9)
        fill(store, told["others"], "2026-W47", ["water"] * 3000)
        fill(store, told["ages"], "", np.linspace(20, 60, 4000))
        fill(store, told["trips"], "", [("bus", 2.0)] * 2000 + [("train", 8.0)] * 1000)
        fill(store, told["mean"], "", np.full(2000, 0.5))
        fill(store, told["habits"], "", np.tile([7.0, 3.0], (2000, 1)))
        fill(store, told["friends"], "", np.full(2000, 5))
        fill(store, told["single"], "", ["only"] * 200)
        fill(store, told["few"], "", [0] * 200)
        fill(store, told["hostile"], "", [HOSTILE] * 1500 + ["اختبار"] * 1000)
        fill(store, told["scripts"], "", ["お茶"] * 1500)
        found = Board(collector, told)
        yield found
        found.http.close()


def figure(cell):
    """The number in a cell, whatever its sign and unit look like."""
    return float(cell.strip("%").replace("\N{MINUS SIGN}", "-"))


def rows(page, head, place=0):
    """The rows of a table whose head begins so, by their first cell."""
    table = [each for each in page.tables if each[0][0] == head][place]
    return {row[0]: row[1:] for row in table[1:]}
