"""Charts of the dashboard: geometry, hostile labels, sizes, refusals, and the stylesheet."""

from __future__ import annotations

import itertools
import math
import re
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree as Tree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.base.errors import InvalidInput
from sottovoce.service import pages
from sottovoce.service.pages.charts import (
    Bar,
    Column,
    bars,
    columns,
    compact,
    curve,
    digits_of,
    histogram,
    intervals,
    number,
    percent,
    points,
    ticks,
)
from sottovoce.service.pages.charts.drawing import GRID
from sottovoce.service.pages.charts.labels import cut, plain

SAID = {"name": "chart", "title": "A chart", "description": "What it shows."}
STYLE = (Path(pages.__file__).parent / "style.css").read_text()
TAGS = {"svg", "title", "desc", "g", "text", "tspan", "rect", "line", "path", "circle", "pattern"}
ATTRIBUTES = {
    *(
        "class",
        "role",
        "width",
        "height",
        "aria-labelledby",
        "id",
        "x",
        "y",
        "dx",
        "x2",
        "y1",
        "y2",
    ),
    *("cx", "cy", "r", "d", "fill", "text-anchor", "viewBox", "preserveAspectRatio"),
    *("patternUnits", "patternTransform"),
}
MINUS = "\N{MINUS SIGN}"


def drawn(svg: str) -> Tree.Element:
    """The picture parsed, after the checks that every one must pass."""
    root = Tree.fromstring(svg)  # noqa: S314 - our own text
    for element in root.iter():
        assert element.tag in TAGS
        assert set(element.attrib) <= ATTRIBUTES
        assert "nan" not in (values := " ".join(element.attrib.values()))
        assert "inf" not in values
        assert element.get("fill", "url(#chart-hatch)") == "url(#chart-hatch)"
    assert (root.get("role"), root.get("width")) == ("img", "100%")
    said = [root.find(f"*[@id='{name}']") for name in root.get("aria-labelledby", "").split()]
    assert [element.text for element in said if element is not None] == list(SAID.values())[1:]
    return root


def kinds(root: Tree.Element, tag: str, kind: str) -> list[Tree.Element]:
    return [e for e in root.iter(tag) if kind in e.get("class", "").split()]


def words(root: Tree.Element, kind: str) -> list[str]:
    return ["".join(e.itertext()) for e in kinds(root, "text", kind)]


def share(element: Tree.Element, name: str) -> float:
    value = element.get(name, "")
    assert value.endswith("%")
    return float(value[:-1]) / 100


def places(element: Tree.Element, command: str) -> list[float]:
    """The numbers across that follow M or H in a path, as shares of the width."""
    return [float(x) / GRID for x in re.findall(rf"{command}(-?[\d.]+)", element.get("d", ""))]


# -- numbers ----------------------------------------------------------------------

sizes = st.floats(-1e300, 1e300, allow_nan=False)


@given(sizes, sizes, st.integers(2, 10))
def test_ticks_cover_and_are_round(one, other, about):
    low, high = min(one, other), max(one, other)
    marks = ticks(low, high, about)
    step = Fraction(marks[1]) - Fraction(marks[0])
    assert marks[0] <= low + step / 10**8
    assert marks[-1] >= high - step / 10**8
    assert 2 <= len(marks) <= about + 3
    first = float(step) / 10 ** math.floor(math.log10(step) + 1e-9)
    assert min(abs(first - digit) for digit in (1, 2, 5, 10)) < 1e-3
    assert all(after > before for before, after in itertools.pairwise(marks))


@given(st.floats(0.001, 1000), st.integers(0, 11))
def test_ticks_of_tiny_spans_are_distinct(size, digits):
    marks = ticks(size, size * (1 + 10.0**-digits), 5)
    assert len(set(marks)) == len(marks) >= 3


def test_ticks_ignore_rounding():
    assert ticks(0, 1 + 4e-16) == (0, 0.2, 0.4, 0.6, 0.8, 1)
    assert ticks(0.1 + 0.2, 0.5, 2) == (0.3, 0.4, 0.5)


@given(sizes, st.integers(0, 6))
def test_numbers_are_short_and_never_minus_zero(value, digits):
    for text in (number(value), number(value, digits), percent(value, digits), compact(value)):
        assert len(text) <= 30
        assert not re.fullmatch(rf"{MINUS}[0.,]+%?", text)
        assert "-" not in text


def test_numbers_as_people_read_them():
    assert number(1234567.891, 1) == "1,234,567.9"
    assert number(1234567) == "1,234,567"
    assert number(0.5) == "0.5"
    assert number(-12.3456) == f"{MINUS}12.35"
    assert (number(0.00025, 5), number(0, 9)) == ("0.00025", "0")
    assert percent(1e9) == "1\N{MULTIPLICATION SIGN}10¹¹%"
    assert number(2.5e-19) == "2.5\N{MULTIPLICATION SIGN}10⁻¹⁹"
    assert (percent(0.25, 0), percent(-0.5)) == ("25%", f"{MINUS}50.0%")
    assert (points(0.031), points(-0.031), points(0)) == ("+3.1", f"{MINUS}3.1", "0.0")
    assert (compact(999_999), compact(-2_500_000)) == ("999,999", f"{MINUS}2.5M")
    assert [digits_of(w) for w in (30, 3, 0.3, 1e-20)] == [0, 1, 2, 6]


# -- rows -------------------------------------------------------------------------

shares = st.floats(-3, 3)
rows = st.lists(
    st.builds(lambda label, v, a, b: Bar(label, v, min(a, b), max(a, b)), st.text(), *[shares] * 3),
    min_size=1,
    max_size=50,
)


@given(rows)
def test_bars_end_at_their_values_and_whiskers_at_their_intervals(known):
    root = drawn(bars(known, **SAID))
    ends = [0.0, *itertools.chain(*((row.value, row.low, row.high) for row in known))]
    low, high = min(ends), max(ends)
    if high - low < 1e-3:
        return  # the axis is wider than the values then
    for row, bar in zip(known, kinds(root, "rect", "fill"), strict=True):
        start, width = share(bar, "x"), share(bar, "width")
        assert start == pytest.approx((min(row.value, 0) - low) / (high - low), abs=2e-5)
        assert width == pytest.approx(abs(row.value) / (high - low), abs=2e-5)
    (whiskers,) = kinds(root, "path", "whisker")
    expected = [((row.low - low) / (high - low), (row.high - low) / (high - low)) for row in known]
    lines = list(zip(places(whiskers, "M")[::3], places(whiskers, "H"), strict=True))
    np.testing.assert_allclose(lines, expected, atol=2 / GRID)
    (zero,) = kinds(root, "path", "zero")
    np.testing.assert_allclose(places(zero, "M"), -low / (high - low), atol=2 / GRID)


def test_bars_say_their_numbers():
    known = [Bar("tea", 0.4123, 0.40, 0.4246), Bar("gin", -0.004, -0.016, 0.008)]
    root = drawn(bars(known, **SAID))
    assert words(root, "label") == ["tea", "gin"]
    assert words(root, "value") == [
        "41.2% (40.0% to 42.5%)",
        f"{MINUS}0.4% ({MINUS}1.6% to 0.8%)",
    ]
    assert words(root, "tick") == ["0%", "10%", "20%", "30%", "40%"]


@pytest.mark.parametrize("value", [0.0, 0.3, -0.3, 1.0, 1e300, -1e300, 1e-300, 5e-324])
def test_equal_huge_and_tiny_values_are_drawn(value):
    known = [Bar("one", value, value, value)] * 3
    drawn(bars(known, **SAID))
    for zero, form in itertools.product((True, False), ("percent", "number")):
        drawn(intervals(known, zero=zero, form=form, **SAID))
    drawn(bars([Bar("all", value, -1e300, 1e300)], **SAID))
    drawn(columns([Column("one", abs(value), True)], **SAID))
    flat = [value] * 4
    drawn(histogram(np.arange(5), flat, flat, flat, **SAID))
    drawn(histogram([0, 1e-300, 1, 1e299, 1e300], flat, flat, flat, **SAID))
    drawn(curve(np.arange(4), flat, flat, flat, quantiles=[(0.5, 2)], **SAID))
    drawn(curve([1.0, 1.0 + 2.3e-16], [0, 1], [0, 1], [0, 1], **SAID))


@given(rows)
def test_intervals_have_their_dots_within_the_axis(known):
    root = drawn(intervals(known, zero=True, **SAID))
    dots = [share(dot, "cx") for dot in kinds(root, "circle", "dot")]
    assert len(dots) == len(known)
    assert all(-1e-4 <= dot <= 1 + 1e-4 for dot in dots)
    assert np.all(np.diff(dots)[np.diff([row.value for row in known]) > 0] >= 0)


def test_intervals_of_means_lie_on_the_axis_of_their_key():
    known = [Bar("screen", 4.0, 3.5, 4.5), Bar("sound", 1.0, 0.8, 1.2)]
    root = drawn(intervals(known, zero=False, low=0, high=5, form="number", **SAID))
    assert [share(dot, "cx") for dot in kinds(root, "circle", "dot")] == [0.8, 0.2]
    assert words(root, "tick") == ["0", "1", "2", "3", "4", "5"]
    assert words(root, "value") == ["4.00 (3.50 to 4.50)", "1.00 (0.80 to 1.20)"]
    assert not kinds(root, "path", "zero")


def test_differences_are_signed_points_around_zero():
    known = [Bar("tea", 0.03, 0.01, 0.05), Bar("gin", -0.03, -0.05, -0.01)]
    root = drawn(intervals(known, zero=True, **SAID))
    (zero,) = kinds(root, "path", "zero")
    assert places(zero, "M") == [0.5, 0.5]
    assert words(root, "value")[1] == f"{MINUS}3.0 ({MINUS}5.0 to {MINUS}1.0)"
    assert words(root, "tick")[-1] == "percentage points"
    assert "+4" in words(root, "tick")


# -- numbers over an axis -----------------------------------------------------------


def heights(root: Tree.Element, kind: str) -> np.ndarray:
    """Heights of columns in pixels, from a path of M x zero V top H right V zero z."""
    (path,) = kinds(root, "path", kind)
    found = re.findall(r"M[\d.]+ ([\d.]+)V([\d.]+)H", path.get("d", ""))
    return np.array([float(zero) - float(top) for zero, top in found])


def test_histogram_columns_are_as_high_as_their_shares():
    known = np.array([0.1, 0.4, 0.3, -0.05, 0.25])
    root = drawn(histogram(np.arange(6) * 10, known, known - 0.05, known + 0.05, **SAID))
    found = heights(root, "fill")
    np.testing.assert_allclose(found / found.max(), known / 0.4, atol=1e-3)
    (whiskers,) = kinds(root, "path", "whisker")
    np.testing.assert_allclose(places(whiskers, "M"), [0.1, 0.3, 0.5, 0.7, 0.9])
    assert "share" in words(root, "tick")
    assert {"0", "10", "50", "0%", "40%"} <= set(words(root, "tick"))


def test_joined_bins_are_drawn_by_area_and_told():
    known = np.array([0.2, 0.2, 0.6])
    root = drawn(histogram([0, 1, 2, 8], known, known, known, **SAID))
    found = heights(root, "fill")
    np.testing.assert_allclose(found / found[0], [1, 1, 0.5], atol=1e-2)
    assert any("share per 1: areas are shares" in text for text in words(root, "tick"))


@pytest.mark.parametrize("edges", [np.linspace(0, 0.3, 98), np.linspace(1, 1 + 1e-11, 9)])
def test_bins_of_one_width_up_to_rounding_are_drawn_as_shares(edges):
    flat = np.full(len(edges) - 1, 0.1)
    assert "areas are" not in histogram(edges, flat, flat, flat, **SAID)


@pytest.mark.parametrize(("count", "most"), [(1, 5_000), (128, 20_000), (256, 40_000)])
def test_histograms_stay_small(count, most):
    rng = np.random.default_rng(1)
    known = rng.random(count)
    edges = np.cumsum(rng.random(count + 1)) * 1e5 / 3
    svg = histogram(edges, known, known - rng.random(count), known + rng.random(count), **SAID)
    assert len(svg.encode()) < most
    root = drawn(svg)
    assert len(kinds(root, "path", "band")) == (count > 48)
    assert len(heights(root, "area" if count > 48 else "fill")) == count


def test_curve_goes_through_its_points_and_marks_quantiles():
    at, known = [0, 10, 20, 40], [0, 0.25, 0.5, 1]
    root = drawn(curve(at, known, known, known, quantiles=[(0.5, 20), (0.99, 39.6)], **SAID))
    (line,) = kinds(root, "path", "line")
    found = np.array([pair.split() for pair in line.get("d", "M")[1:].split("L")], float)
    np.testing.assert_allclose(found[:, 0] / GRID, [0, 0.25, 0.5, 1])
    np.testing.assert_allclose((found[0, 1] - found[:, 1]) / (found[0, 1] - found[-1, 1]), known)
    first, last = kinds(root, "circle", "dot")
    assert (share(first, "cx"), float(first.get("cy", ""))) == (0.5, found[2, 1])
    assert share(last, "cx") == pytest.approx(0.99)
    assert words(root, "mark-label") == ["50%: 20.0", "99%: 39.6"]


@pytest.mark.parametrize("shift", [0.0, 0.9])
def test_words_of_near_quantiles_stand_below_each_other(shift):
    near = [(q, shift + q / 20) for q in (0.5, 0.01, 0.02, 0.03, 0.97, 0.98, 0.99)]
    root = drawn(curve([0, 1], [0, 1], [0, 1], [0, 1], quantiles=near, **SAID))
    places = sorted(float(e.get("y", "")) for e in kinds(root, "text", "mark-label"))
    assert len(places) == 7
    assert min(np.diff(places)) >= 14
    assert places[0] > 10
    assert places[-1] < float(root.get("height", "")) - 20


def test_a_curve_may_end_a_rounding_above_one():
    known = [0, 0.6, 1 + 4e-16]
    root = drawn(curve([0, 1, 2], known, known, [0, 0.6, 1.0], **SAID))
    assert "120%" not in words(root, "tick")


# -- windows ------------------------------------------------------------------------


def test_suppressed_windows_are_hatched_marked_and_labelled():
    known = [Column("May", 900, True), Column("June", 3, False), Column("July", 0, False)]
    root = drawn(columns(known, **SAID))
    held = [e for e in root.iter("rect") if e.get("fill") == "url(#chart-hatch)"]
    assert len(held) == 4  # legend, two columns, one mark under both
    assert share(held[-1], "x") == pytest.approx(1 / 3, abs=1e-4)
    assert share(held[-1], "width") == pytest.approx(2 / 3, abs=1e-4)
    assert float(held[-1].get("height", "")) >= 4
    assert any("suppressed" in text for text in words(root, "tick"))
    assert "June: 3 reports, suppressed" in [e.text for e in root.iter("title")]
    assert not list(drawn(columns(known[:1], **SAID)).iter("pattern"))


def test_columns_are_as_high_as_their_counts():
    root = drawn(columns([Column(str(n), n, True) for n in (0, 50, 100)], **SAID))
    found = [float(e.get("height", "")) for e in kinds(root, "rect", "fill")]
    assert found == [0, 80, 160]


@pytest.mark.parametrize("every", [1, 2, 7, 1000])
def test_four_hundred_windows_have_few_labels_and_bytes(every):
    known = [Column(f"2026-01-{n:03}", n % 90, n % every > 0) for n in range(400)]
    svg = columns(known, **SAID)
    root = drawn(svg)
    labels = [text for text in words(root, "tick") if text.startswith("2026")]
    assert 3 <= len(labels) <= 7
    assert len(svg.encode()) < 60_000


def test_counts_have_no_half_ticks():
    assert "0.5" not in words(drawn(columns([Column("now", 1, True)], **SAID)), "tick")


# -- any label ----------------------------------------------------------------------

HOSTILE = [
    "<script>alert(1)</script>",
    "</text></svg><img src=x onerror=alert(1)>",
    "\"' onload='alert(1)' style='color:red",
    "]]><!--&amp;&#0;<![CDATA[",
    "javascript:alert(1)",
    "\u202egnp.exe",
    "\u2069\u2069\u2066",
    "مرحبا بالعالم " * 30,
    "e" + "\u0301" * 4999,
    "\u0301\u0301",
    "👩‍👩‍👧‍👦" * 700,
    "x" * 5000,
    "日本" * 2500,
    "line\r\nbreak\ttab\x00\x1b\ud800\ufffe",
    "",
    " \u200b ",
]


def every_chart(label: str) -> list[str]:
    row = [Bar(label, 0.5, 0.4, 0.6)]
    return [
        bars(row, **SAID),
        intervals(row, zero=True, **SAID),
        columns([Column(label, 5, True), Column(label, 5, False)], **SAID),
    ]


@pytest.mark.parametrize("label", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_labels_stay_text(label):
    for svg in every_chart(label):
        check_label(svg, label)


@given(st.text(st.characters(), max_size=200))
def test_any_label_stays_text(label):
    for svg in every_chart(label):
        check_label(svg, label)


def check_label(svg: str, label: str) -> None:
    root = drawn(svg)
    titles = [e.text or "" for e in root.iter("title")][1:]
    assert titles and all(title.startswith(plain(label)) for title in titles)
    for shown in words(root, "label"):
        assert len(shown) <= 4 * 56 + 6
    svg.encode()
    assert "<script" not in svg and "<img" not in svg


@given(st.text(max_size=300))
def test_titles_and_descriptions_stay_text(text):
    svg = bars([Bar("a", 1, 1, 1)], name="chart", title=text, description=text)
    root = Tree.fromstring(svg)  # noqa: S314 - our own text
    assert [root[0].text, root[1].text] == [plain(text)] * 2


@given(st.text(max_size=200), st.integers(1, 20), st.integers(0, 20))
def test_a_cut_keeps_the_start_and_says_if_more_was_there(text, narrow, more):
    head, rest, shortened = cut(text, narrow, narrow + more)
    assert text.startswith(head + rest)
    assert shortened == (head + rest != text)


def test_a_cut_parts_no_accents_nor_joined_signs():
    assert cut("ae\u0301i", 2, 2).head == "ae\u0301"
    assert cut("a👩‍👧b", 2, 9).head == "a"


def test_names_from_right_to_left_stay_at_the_left_and_are_isolated():
    greeting = "\u05e9\u05dc\u05d5\u05dd (1)"
    root = drawn(bars([Bar(greeting, 0.5, 0.4, 0.6)], **SAID))
    assert words(root, "label") == [f"\u2067{greeting}\u2069"]


# -- refusals -----------------------------------------------------------------------

FINE = Bar("tea", 0.5, 0.4, 0.6)
NO_NUMBERS = [math.nan, math.inf, -math.inf, 1.1e300]


@pytest.mark.parametrize("bad", NO_NUMBERS)
def test_what_is_no_number_is_refused(bad):
    message = "must be a finite number up to 1e300 in size"
    for row in (Bar("a", bad, 0, 1), Bar("a", 0, bad, 1), Bar("a", 0, 0, bad)):
        for draw in (bars, lambda rows, **said: intervals(rows, zero=True, **said)):
            with pytest.raises(InvalidInput, match=f"of chart (bars|intervals) {message}"):
                draw([row], **SAID)
    with pytest.raises(InvalidInput, match=f"low and high of chart intervals {message}"):
        intervals([FINE], zero=False, low=bad, high=1, **SAID)
    with pytest.raises(InvalidInput, match=f"count of chart columns {message}"):
        columns([Column("a", bad, True)], **SAID)
    good = [[0, 1, 2], [0.5, 0.5], [0.4, 0.4], [0.6, 0.6]]
    for position, name in enumerate(("edges", "shares", "low", "high")):
        series = [
            [*values[:-1], bad] if at == position else values for at, values in enumerate(good)
        ]
        with pytest.raises(InvalidInput, match=f"{name} of chart histogram {message}"):
            histogram(*series, **SAID)
    with pytest.raises(InvalidInput, match=f"quantiles of chart curve {message}"):
        curve([0, 1], [0, 1], [0, 1], [0, 1], quantiles=[(0.5, bad)], **SAID)


def test_wrong_lengths_and_orders_are_refused():
    for wrong, message in (
        (lambda: bars([], **SAID), "rows of chart bars must be 1 to 50 rows; got '0 rows'"),
        (lambda: bars([FINE] * 51, **SAID), "must be 1 to 50 rows; got '51 rows'"),
        (lambda: bars([Bar("a", 0, 1, 0.5)], **SAID), "low of chart bars must be at most high"),
        (lambda: intervals([], zero=True, **SAID), "rows of chart intervals must be 1 to 50"),
        (lambda: columns([], **SAID), "rows of chart columns must be 1 to 400 windows"),
        (lambda: columns([Column("a", -1, True)], **SAID), "count of chart columns must be at lea"),
        (lambda: histogram([], [], [], [], **SAID), "edges of chart histogram must be 2 to 257"),
        (lambda: histogram([0, 1], [], [], [], **SAID), "shares of chart histogram must be 1 numb"),
        (lambda: histogram([0, 0], [1], [1], [1], **SAID), "edges of chart histogram must be risi"),
        (lambda: histogram([0, 1], [1], [1], [0], **SAID), "low of chart histogram must be at mos"),
        (lambda: curve([0], [1], [1], [1], **SAID), "points of chart curve must be 2 to 2049 num"),
        (lambda: curve([0, 1], [1], [1], [1], **SAID), "values of chart curve must be 2 numbers"),
        (
            lambda: curve(*[[0, 1]] * 4, quantiles=[(0.5, 0.5)] * 13, **SAID),
            "quantiles of chart curve must be at most 12; got '13 quantiles'",
        ),
        (lambda: bars([FINE], **{**SAID, "name": "a b"}), "name of chart bars must be 1 to 64"),
    ):
        with pytest.raises(InvalidInput, match=re.escape(message)):
            wrong()


# -- the stylesheet -----------------------------------------------------------------


def variables(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{3,8});", block))


LIGHT = variables(STYLE[: STYLE.index("@media")])
DARK = variables(STYLE[STYLE.index("prefers-color-scheme: dark") : STYLE.index("/* -- page")])


def luminance(color: str) -> float:
    digits = color[1:] if len(color) == 7 else "".join(2 * digit for digit in color[1:])
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_text_and_graphics_have_contrast(colors):
    assert contrast("#000", "#fff") == pytest.approx(21)
    for text, ground in itertools.product(
        ("ink", "muted", "accent"), ("paper", "surface", "tint", "info", "warn")
    ):
        assert contrast(colors[text], colors[ground]) >= 4.5, (text, ground)
    assert contrast(colors["accent-ink"], colors["accent"]) >= 4.5
    for shape, ground in (
        *itertools.product(("fill", "edge", "accent", "ink"), ("paper", "surface")),
        ("ink", "fill"),
        ("warn-edge", "warn"),
        ("accent", "info"),
    ):
        assert contrast(colors[shape], colors[ground]) >= 3, (shape, ground)


def test_the_stylesheet_is_small_alone_and_knows_every_class():
    assert len(STYLE.encode()) < 20_000
    assert not re.search(r"@import|@font-face|url\(|https?:", STYLE)
    for needed in ("prefers-color-scheme", "prefers-reduced-motion", "forced-colors", "print"):
        assert f"@media ({needed}" in STYLE or f"@media {needed}" in STYLE
    edges = np.arange(60.0)
    flat = np.full(59, 0.01)
    every = [
        *every_chart("a name that no phone has the room to show"),
        histogram(edges, flat, flat, flat, **SAID),
        histogram(edges[:3], flat[:2], flat[:2], flat[:2], **SAID),
        curve([0, 1], [0, 1], [0, 1], [0, 1], quantiles=[(0.5, 0.5)], **SAID),
    ]
    used = {name for svg in every for e in drawn(svg).iter() for name in e.get("class", "").split()}
    assert {"rest", "dots", "held", "band", "foot"} <= used
    neutral = {"bars", "histogram", "columns", "curve"}  # hooks, styled as every chart
    assert {name for name in used if not re.search(rf"\.{name}\b", STYLE)} <= neutral
