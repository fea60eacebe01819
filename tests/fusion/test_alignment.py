"""Who is who in several services: by position, by keys in memory, and by keys in files."""

from __future__ import annotations

import hmac

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, Mismatch
from sottovoce.fusion.joining.aligned import align
from sottovoce.fusion.joining.keys import pseudonyms
from sottovoce.fusion.services import Fusion
from support.services import MECHANISMS, SECRET, as_lists, reports_of, single, told

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def brute_force(keys, reports, repeats=1):
    """The same by a dictionary, users in order of key."""
    people = {}
    for j, (column, service) in enumerate(zip(keys, reports, strict=True)):
        for key, report in zip(column, single(service).tolist(), strict=True):
            people.setdefault(key, {}).setdefault(j, []).append(report)
    order = sorted(people)
    return [[people[key].get(j, []) for j in range(len(keys))] for key in order]


# -- by position ---------------------------------------------------------------------------


def test_by_position_row_i_is_user_i():
    reports = [reports_of(m, 50) for m in MECHANISMS]
    aligned = align(MECHANISMS, reports)
    assert aligned.names == ("service 1", "service 2", "service 3", "service 4")
    assert (aligned.n, aligned.rows, aligned.certified) == (50, (None,) * 4, (True,) * 4)
    assert all(one is other for one, other in zip(aligned.reports, reports, strict=True))
    assert align(None, reports).mechanisms == tuple(MECHANISMS)
    assert aligned.frame()["part"] == [1.0] * 4


@pytest.mark.parametrize(
    "change, error, mentions",
    [
        ({"reports": [reports_of(MECHANISMS[0], 5), reports_of(MECHANISMS[1], 6)]}, Mismatch,
         "service 'shop' has 6 reports and service 'bank' has 5.*same person"),
        ({"reports": [reports_of(MECHANISMS[0], 5), reports_of(MECHANISMS[0], 5)]}, Mismatch,
         "service 'shop' was given reports of piecewise.*where square-wave.*said"),
        ({"reports": [reports_of(MECHANISMS[0], 5), np.zeros(5)]}, InvalidInput,
         "reports of service 'shop' must be Reports; got 'ndarray'.*foreign"),
        ({"reports": [reports_of(MECHANISMS[0], 5)[:0], reports_of(MECHANISMS[1], 5)[:0]]}, InvalidInput,
         "reports of service 'bank' must be at least one"),
        ({"reports": [reports_of(MECHANISMS[0], 5)]}, InvalidInput, "names of align must be one for each"),
        ({"names": ["bank", "bank"]}, InvalidInput, "different from each other"),
        ({"names": ["bank", " "]}, InvalidInput, "not blank"),
        ({"mechanisms": MECHANISMS[:1]}, InvalidInput, "mechanisms of align must be one for each"),
        ({"repeats": [2, 1]}, InvalidInput, "repeats of align must be left out without keys"),
    ],
)  # fmt: skip
def test_bad_services_are_named(change, error, mentions):
    given_ = {
        "mechanisms": MECHANISMS[:2], "names": ["bank", "shop"],
        "reports": [reports_of(m, 5) for m in MECHANISMS[:2]],
    } | change  # fmt: skip
    mechanisms, reports = given_.pop("mechanisms"), given_.pop("reports")
    with pytest.raises(error, match=mentions):
        align(mechanisms, reports, **given_)


def test_no_service_and_different_domains():
    with pytest.raises(InvalidInput, match="at least one"):
        align([], [])
    wide = sv.mechanism("sw", sv.Interval(0, 120, bins=16), 1.0)
    pair = [MECHANISMS[0], wide]
    told_ = [reports_of(MECHANISMS[0], 3), wide.randomize([1.0, 2.0, 3.0])]
    with pytest.raises(
        Mismatch, match=r"'shop' reports about Interval\(0, 120.*'bank' about Interval\(-1, 1"
    ):
        align(pair, told_, names=["bank", "shop"])  # fmt: skip


# -- by keys, against a dictionary --------------------------------------------------------------

KEYS = {
    "integer": st.integers(-(2**63), 2**63 - 1),
    "large": st.integers(0, 2**64 - 1),
    "few": st.integers(0, 40),
    "text": st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1),
    "prefixed": st.integers(0, 40).map(lambda i: f"person-number-{i:04d}@example.org"),
    "bytes": st.binary(min_size=1, max_size=20).filter(lambda b: b[-1:] != b"\0"),
}


def sorted_as_we_do(kind, people):
    """Text is in the order of UTF-8; numbers from 2^63 on come before the others."""
    if kind == "large":
        return sorted(people, key=lambda user: (user[0] + 2**63) % 2**64)
    if kind in ("text", "prefixed"):
        return sorted(people, key=lambda user: user[0].encode())
    return sorted(people)


@pytest.mark.parametrize("kind", KEYS)
@settings(max_examples=25)
@given(data=st.data())
def test_keys_find_who_is_who(kind, data):
    common = data.draw(KEYS[kind])
    columns = []
    for _ in range(data.draw(st.integers(2, 4))):
        some = data.draw(st.lists(KEYS[kind], max_size=12, unique=True))
        columns.append(data.draw(st.permutations([*{*some, common}])))
    mechanisms = MECHANISMS[: len(columns)]
    reports = [
        reports_of(m, len(k), seed=j)
        for j, (m, k) in enumerate(zip(mechanisms, columns, strict=True))
    ]
    aligned = align(mechanisms, reports, keys=columns)
    people = {}
    for j, (column, service) in enumerate(zip(columns, reports, strict=True)):
        for key, report in zip(column, single(service).tolist(), strict=True):
            people.setdefault(key, [-1] * len(columns))[j] = report
    expected = [reports_ for _, reports_ in sorted_as_we_do(kind, people.items())]
    assert told(aligned).tolist() == expected
    assert aligned.n == len(people)


def test_the_order_of_rows_and_services_changes_nothing():
    rng = np.random.default_rng(3)
    people = np.arange(4000)
    columns = [rng.permutation(people)[:size] for size in (3000, 2500, 3500)]
    values = rng.uniform(-1, 1, len(people))
    mechanisms = MECHANISMS[:3]
    reports = [
        m.randomize(values[k], source=sv.Seeded(j))
        for j, (m, k) in enumerate(zip(mechanisms, columns, strict=True))
    ]
    first = align(mechanisms, reports, keys=columns)
    orders = [rng.permutation(len(k)) for k in columns]
    shuffled = [
        sv.Reports(r.mechanism, {name: c[order] for name, c in r.columns.items()})
        for r, order in zip(reports, orders, strict=True)
    ]
    again = align(
        mechanisms[::-1], shuffled[::-1], keys=[k[o] for k, o in zip(columns, orders, strict=True)][::-1]
    )  # fmt: skip
    np.testing.assert_array_equal(told(first), told(again)[:, ::-1])
    one, other = Fusion(first).mean(), Fusion(again).mean()
    assert one.value == pytest.approx(other.value, abs=1e-10)
    assert one.stderr == pytest.approx(other.stderr, abs=1e-10)
    shares = [Fusion(a).distribution("ule", inner="em").shares for a in (first, again)]
    np.testing.assert_allclose(*shares, atol=1e-10)


def test_users_who_are_everywhere_need_no_rows():
    keys = np.array([3, 1, 2])
    reports = [reports_of(m, 3) for m in MECHANISMS[:2]]
    aligned = align(MECHANISMS[:2], reports, keys=[np.sort(keys), keys])
    assert aligned.rows[0] is None
    assert aligned.rows[1].tolist() == [1, 2, 0]


def test_repeats_become_columns():
    keys = [[7, 5, 7, 9, 7], [5, 7]]
    reports = [reports_of(m, len(k)) for m, k in zip(MECHANISMS, keys, strict=False)]
    aligned = align(MECHANISMS[:2], reports, keys=keys, names=["bank", "shop"], repeats={"bank": 3})
    assert aligned.names == ("bank#1", "bank#2", "bank#3", "shop")
    assert as_lists(aligned, ["bank", "shop"]) == brute_force(keys, reports)
    assert [aligned.count(j) for j in range(4)] == [3, 1, 1, 2]
    assert all(rows is not None for rows in aligned.rows)  # fewer users than rows of the bank
    in_order = align(MECHANISMS[:2], reports, keys=keys, names=["bank", "shop"], repeats=[3, 1])
    np.testing.assert_array_equal(told(in_order), told(aligned))
    with pytest.raises(
        InvalidInput,
        match="keys of service 'bank' must be in at most 2 rows each; got 'one key in rows 0, 2, 4'",
    ):
        align(MECHANISMS[:2], reports, keys=keys, names=["bank", "shop"], repeats={"bank": 2})  # fmt: skip
    for wrong, mentions in (
        ({"bnak": 2}, "of services bank, shop"),
        ([2], "one for each"),
        ([0, 1], "at least 1"),
        (3, "one for each"),
    ):
        with pytest.raises(InvalidInput, match=mentions):
            align(MECHANISMS[:2], reports, keys=keys, names=["bank", "shop"], repeats=wrong)  # fmt: skip
    with pytest.raises(InvalidInput, match="names of their own"):
        align(MECHANISMS[:2], reports, keys=keys, names=["bank", "bank#2"], repeats=[3, 1])


@pytest.mark.parametrize(
    "keys, error, mentions",
    [
        ([[1, 2, 1], [1, 2, 3]], InvalidInput, "keys of service 'bank' must be different in every row; got 'one key in rows 0, 2'. Declare repeats"),
        ([[1, 2, 3], [4, 5, 6]], Mismatch, "no user is in common between any of the services 'bank', 'shop'.*one secret"),
        ([[1, 2, 3], ["1", "2", "3"]], Mismatch, "keys of service 'shop' are text, those of service 'bank' are whole numbers"),
        ([["a", "b", "c"], [b"a", b"b", b"c"]], Mismatch, "'shop' are bytes, those of service 'bank' are text"),
        ([[1, "2", 3], [1, 2, 3]], InvalidInput, "row 1 of the keys of service 'bank' must be of one type: the first is int; got 'str'"),
        ([["a", None, "c"], ["a", "b", "c"]], InvalidInput, "row 1 of the keys of service 'bank' must be a whole number, bytes or text; got 'NoneType'"),
        ([[1.0, 2.0, 3.0], [1, 2, 3]], InvalidInput, "row 0 of the keys of service 'bank'.*got 'float'"),
        ([np.array([1.0, 2.0, 3.0]), [1, 2, 3]], InvalidInput, "keys of service 'bank' must be whole numbers, bytes or text; got 'a column of float64'"),
        ([[True, False, True], [1, 2, 3]], InvalidInput, "keys of service 'bank' must be whole numbers.*got 'bool'"),
        ([["a", "", "c"], ["a", "b", "c"]], InvalidInput, "row 1 of the keys of service 'bank' must be not empty"),
        ([["a", "\ud800", "c"], ["a", "b", "c"]], InvalidInput, "row 1 of the keys of service 'bank' must be text; got 'half"),
        ([[1, 2], [1, 2, 3]], InvalidInput, "keys of service 'bank' must be as many as its 3 reports; got '2 keys'"),
        ([[1, 2, 3]], InvalidInput, "keys of align must be a column for each of the 2 services; got '1 columns'"),
        (["abc", "abc"], InvalidInput, "keys of service 'bank' must be a column; got 'str'"),
        ("ab", InvalidInput, "keys of align must be a column for each of the 2 services; got 'str'"),
        ([np.zeros((3, 1), dtype=int), [1, 2, 3]], InvalidInput, "keys of service 'bank' must be a flat column"),
        ([[-1, 2, 3], [1, 2, 2**63]], Mismatch, "keys of service 'bank' go below 0 and those of service 'shop' beyond"),
        ([[-1, 2, 2**64], [1, 2, 3]], InvalidInput, "keys of service 'bank' must be whole numbers of 64 bits"),
    ],
)  # fmt: skip
def test_bad_keys_are_named_and_not_shown(keys, error, mentions):
    reports = [reports_of(m, 3) for m in MECHANISMS[:2]]
    with pytest.raises(error, match=mentions):
        align(MECHANISMS[:2], reports, keys=keys, names=["bank", "shop"])


def test_an_error_does_not_show_the_key():
    reports = [reports_of(m, 2) for m in MECHANISMS[:2]]
    with pytest.raises(InvalidInput) as caught:
        align(None, reports, keys=[["ann@example.org"] * 2, ["ann@example.org", "ben"]])
    assert "ann" not in str(caught.value)


def test_a_service_alone_is_named_among_many():
    reports = [reports_of(m, 2) for m in MECHANISMS[:3]]
    with pytest.raises(Mismatch, match="service 'c' has no user in common"):
        align(None, reports, keys=[[1, 2], [2, 3], [8, 9]], names=["a", "b", "c"])
    assert align(None, reports[:1], keys=[[1, 2]]).n == 2


# -- pseudonyms -------------------------------------------------------------------------------


def test_pseudonyms_are_the_hmac_of_any_other_program():
    ids = ["ann", "Ann", "zoë", "1"]
    found = pseudonyms(ids, SECRET)
    expected = [hmac.digest(SECRET, text.encode(), "sha256")[:16] for text in ids]
    assert found.tolist() == expected
    assert pseudonyms([text.encode() for text in ids], SECRET).tolist() == expected
    assert pseudonyms(np.array(ids), SECRET).tolist() == expected
    assert (
        pseudonyms(np.array([1, -7]), SECRET).tolist() == pseudonyms(["1", "-7"], SECRET).tolist()
    )
    assert pseudonyms(ids, SECRET[::-1]).tolist() != expected
    assert len(pseudonyms([], SECRET)) == 0


def test_pseudonyms_tell_their_progress_and_join(monkeypatch):
    monkeypatch.setattr("sottovoce.fusion.joining.keys._CHUNK", 3)
    done = []
    found = pseudonyms(list(range(8)), SECRET, progress=lambda *told: done.append(told))
    assert done == [("pseudonyms", 3 / 8), ("pseudonyms", 6 / 8), ("pseudonyms", 1.0)]
    assert len(set(found.tolist())) == 8
    order = np.array([5, 2, 7])
    reports = [reports_of(MECHANISMS[0], 8), reports_of(MECHANISMS[1], 3)]
    by_name = align(None, reports, keys=[np.arange(8), order])
    by_pseudonym = align(None, reports, keys=[found, pseudonyms(order, SECRET)])
    assert sorted(told(by_name).tolist()) == sorted(told(by_pseudonym).tolist())


@pytest.mark.parametrize("secret", [b"short", "text of more than sixteen letters", None])
def test_a_secret_is_long_and_never_shown(secret):
    with pytest.raises(
        InvalidInput, match="secret of pseudonyms must be at least 16 bytes"
    ) as caught:
        pseudonyms(["a"], secret)
    assert "short" not in str(caught.value) and "letters" not in str(caught.value)


def test_pseudonyms_of_what_is_no_key():
    with pytest.raises(InvalidInput, match="row 1 of the keys of pseudonyms"):
        pseudonyms(["a", None], SECRET)
