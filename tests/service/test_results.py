"""Surveys, roles, answers, differences, exports, deletion: everything that is not an upload."""

from __future__ import annotations

import csv
import io
import json
import math
import time
from datetime import UTC, datetime, timedelta

import httpx
import numpy as np
import pytest

import sottovoce as sv
from sottovoce.service.analysis import answering
from sottovoce.service.pages.boards import board_of_vector
from sottovoce.service.refusals import CODES, Declined
from sottovoce.service.routes import ROUTES
from sottovoce.store import Rules, Submission, open_store
from sottovoce.surveys import windows
from sottovoce.surveys.default_limits import default_client, windows_answered
from sottovoce.surveys.survey import Survey
from sottovoce.surveys.wording import doubts
from sottovoce.wire.payloads import payloads_of
from support.loading import colors, load, make, running
from vectors.words import as_if_drawn

WEEKS = ("2026-W45", "2026-W46", "2026-W47")
AFTER = datetime(2026, 12, 1, tzinfo=UTC)


def after():
    """A clock by which all weeks have ended."""
    return AFTER


def analyst_of(store):
    return answering.Analyst(store, AFTER.date)


def fill(store, survey, window, values, seed=1):
    """Put answers into a store: as a collector would, without the way there."""
    reports = as_if_drawn(survey.mechanism.randomize(values, source=sv.Seeded(seed)))
    count = len(reports)
    ids = [seed.to_bytes(8, "big") + n.to_bytes(8, "big") for n in range(count)]
    store.write([Submission(survey.fingerprint, window, ids, payloads_of(reports))])
    return reports


def drinks(name="drinks", **more):
    mechanism = sv.mechanism("olh", sv.Categories(["tea", "coffee", "water"]), 2.0)
    return Survey(name, "What do you drink?", mechanism, "week", 100, **more)


def ages():
    return Survey("ages", "How old?", sv.mechanism("sw", sv.Interval(0, 100, 16), 2.0))


def trips():
    domain = sv.KeyValues(["bus", "train"], 0, 10, 4)
    return Survey("trips", "How far?", sv.mechanism("pckv-pm", domain, 2.0))


class Asking:
    """A collector with answers in it, and what was put there."""

    def __init__(self, running):
        self.running, self.reports = running, {}
        key = running.keys.of_role("read")
        self.http = httpx.Client(
            base_url=running.url, headers={"authorization": f"Bearer {key}"}, timeout=60
        )

    def get(self, path, **parameters):
        return self.http.get(path, params=parameters)

    def told(self, path, **parameters):
        answer = self.get(path, **parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def code(self, path, **parameters):
        answer = self.get(path, **parameters)
        code = answer.json()["code"]
        assert answer.status_code == CODES[code].status
        assert answer.json()["message"]
        return code


@pytest.fixture(scope="module")
def asking(tmp_path_factory):
    weekly, other, numbers, pairs = drinks(), drinks("others"), ages(), trips()
    folder = tmp_path_factory.mktemp("answers")
    with running(folder, weekly, other, numbers, pairs, clock=after) as found:
        asked = Asking(found)
        store = found.store
        plan = {
            (weekly, WEEKS[0]): ["tea"] * 600 + ["coffee"] * 300,
            (weekly, WEEKS[1]): ["tea"] * 300 + ["coffee"] * 600,
            (weekly, WEEKS[2]): ["tea"] * 99,  # below the minimum batch
            (other, WEEKS[0]): ["water"] * 500,
            (numbers, ""): list(np.linspace(20, 60, 2000)),
            (pairs, ""): [("bus", 3.0), ("train", 8.0)] * 1000,
        }
        for seed, ((survey, window), values) in enumerate(plan.items(), start=1):
            asked.reports[survey.name, window] = fill(store, survey, window, values, seed)
        for survey in (numbers, pairs):
            store.close_survey(survey.fingerprint)
        asked.surveys = {s.name: s for s in (weekly, other, numbers, pairs)}
        yield asked
        asked.http.close()
        assert store.check() == []


def at(asking, name, path):
    return f"/surveys/{asking.surveys[name].fingerprint}/{path}"


# -- surveys -----------------------------------------------------------------------------------


def test_surveys_are_listed_and_given_to_devices_word_for_word(asking):
    with httpx.Client(base_url=asking.running.url) as anybody:
        told = anybody.get("/surveys").json()["surveys"]
        assert {each["name"] for each in told} == set(asking.surveys)
        for each in told:
            survey = asking.surveys[each["name"]]
            text = anybody.get(f"/surveys/{each['fingerprint']}").text
            assert text == survey.to_json()
            assert Survey.from_json(text) == survey
        page = anybody.get("/")
        assert page.headers["content-type"].startswith("text/html")
        assert "What do you drink?" in page.text
        for wrong in ("0" * 32, "nonsense", "%00"):
            answer = anybody.get(f"/surveys/{wrong}")
            assert (answer.status_code, answer.json()["code"]) == (404, "unknown-survey")


def test_a_survey_whose_bins_mislead_is_taken_with_a_doubt(tmp_path):
    """It may run elsewhere already, and a collector loses no reports of it."""
    survey = Survey("stars", "?", sv.mechanism("grr", sv.Interval.agreed(1, 5, 5), 3.0))
    with running(tmp_path) as collector:
        key = {"authorization": f"Bearer {collector.keys.of_role('publish')}"}
        body = {"survey": survey.document()}
        told = httpx.post(f"{collector.url}/surveys", json=body, headers=key)
        assert told.status_code == 201
        assert any("its bins do not center on the whole" in each for each in told.json()["doubts"])
        assert told.json()["windows_answered"] == 0
        assert "refuse it: it asks for epsilon 3" in told.json()["default_client"]


def test_publishing_again_changes_nothing_and_other_rules_are_refused(tmp_path):
    survey = drinks()
    with running(tmp_path) as collector:
        key = {"authorization": f"Bearer {collector.keys.of_role('publish')}"}
        where, body = f"{collector.url}/surveys", {"survey": survey.document()}
        first = httpx.post(where, json={**body, "rules": {"retention": 30}}, headers=key)
        assert (first.status_code, first.json()["published"]) == (201, True)
        assert first.json()["fingerprint"] == survey.fingerprint
        assert first.json()["retention"] == 30
        assert first.json()["windows_answered"] == windows_answered(survey) > 0
        assert first.json()["default_client"] == default_client(survey)
        assert first.json()["doubts"] == doubts(survey)
        again = httpx.post(where, json={**body, "rules": {"retention": 30}}, headers=key)
        assert (again.status_code, again.json()["published"]) == (200, False)
        other = httpx.post(where, json=body, headers=key)
        assert (other.status_code, other.json()["code"]) == (409, "mismatch")
        window = windows.window_name("week", windows.today())
        assert load(collector.address, make(survey, 3, window).uploads(3)).stored == 3


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"null", b"{}", b'{"survey": 1}', b'{"survey": {"survey": 1}}',
        b'{"survey": {"survey": 2}}', b'{"survey": {}, "more": 1}', b'{"survey": NaN}', b"\xff",
        b"[" * 100_000, b'{"survey": {"survey": 1, "mechanism": []}}',
        b'{"survey": {"survey": 1, "mechanism": {"mechanism": "grr"}}}',
    ],
)  # fmt: skip
def test_bodies_that_are_no_survey_are_refused(asking, body):
    key = {"authorization": f"Bearer {asking.running.keys.of_role('publish')}"}
    answer = httpx.post(f"{asking.running.url}/surveys", content=body, headers=key)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")


@pytest.mark.parametrize(
    "change",
    [
        {"name": ""}, {"name": 5}, {"window": "year"}, {"minimum_batch": 0}, {"opens": "soon"},
        {"outside": "nearest"}, {"mechanism": None}, {"more": 1}, {"name": "\ud800"},
        {"minimum_batch": 10**400}, {"question": ["?"]},
    ],
)  # fmt: skip
def test_surveys_with_something_wrong_are_refused(asking, change):
    key = {"authorization": f"Bearer {asking.running.keys.of_role('publish')}"}
    document = json.dumps({"survey": {**drinks().document(), **change}})
    answer = httpx.post(f"{asking.running.url}/surveys", content=document, headers=key)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid"), answer.text


@pytest.mark.parametrize("twice", ["name", "retention", "rules"])
def test_a_key_that_is_there_twice_is_refused(asking, twice):
    """Two readers could take one each; which survey was agreed on would depend on the reader."""
    key = {"authorization": f"Bearer {asking.running.keys.of_role('publish')}"}
    body = {"survey": drinks("twice").document(), "rules": {"retention": 5}}
    first = {
        "name": '"name": "other", ',
        "retention": '"retention": 500, ',
        "rules": '"rules": {}, ',
    }
    text = json.dumps(body).replace(f'"{twice}": ', f'{first[twice]}"{twice}": ', 1)
    answer = httpx.post(f"{asking.running.url}/surveys", content=text, headers=key)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert f"the key '{twice}' is there twice" in answer.json()["message"]


@pytest.mark.parametrize(
    "rules", [[], {"upload": "all"}, {"retention": -1}, {"scrub": 1}, {"x": 1}]
)
def test_rules_with_something_wrong_are_refused(asking, rules):
    key = {"authorization": f"Bearer {asking.running.keys.of_role('publish')}"}
    body = {"survey": drinks("new").document(), "rules": rules}
    answer = httpx.post(f"{asking.running.url}/surveys", json=body, headers=key)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")


HOSTILE = [
    "<script>alert(1)</script>", "=cmd|' /C calc'!A0", "'; DROP TABLE reports; --", "../../etc/passwd",
    "\r\nSet-Cookie: x=1", "\u202eevil", "😀" * 50, "%s%n{0}", "x" * 200, "\u2028\x1b[31m",
]  # fmt: skip


def test_hostile_names_are_names(tmp_path):
    with running(tmp_path) as collector:
        publish = {"authorization": f"Bearer {collector.keys.of_role('publish')}"}
        read = {"authorization": f"Bearer {collector.keys.of_role('read')}"}
        with httpx.Client(base_url=collector.url) as http:
            for name in HOSTILE:
                mechanism = sv.mechanism("grr", sv.Categories([name, "b"]), 2.0)
                survey = Survey(name, name, mechanism, "once", 10)
                answer = http.post("/surveys", json={"survey": survey.document()}, headers=publish)
                assert answer.status_code == 201, answer.text
                assert load(collector.address, make(survey, 20).uploads(20)).stored == 20
                where = f"/surveys/{survey.fingerprint}"
                assert http.get(where).text == survey.to_json()
                assert http.get(f"{where}/status", headers=read).json()["name"] == name
                asked = {"share": name, "top": "2"}
                told = http.get(f"{where}/answers", params=asked, headers=read).json()
                assert told["answers"][0]["label"] == name
                table = http.get(f"{where}/answers.csv", params=asked, headers=read).text
                labels = [row[1] for row in csv.reader(io.StringIO(table, newline=""))][1:]
                assert not any(label.startswith(("=", "+", "@")) for label in labels)
                assert http.post(f"{where}/close", headers=publish).status_code == 200
                assert http.get(f"{where}/reports.parquet", headers=read).status_code == 200
            page = http.get("/").text
            assert "<script>" not in page
            assert "&lt;script&gt;" in page
            assert "set-cookie" not in http.get("/").headers
        assert collector.store.check() == []


# -- roles -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "route", [r for r in ROUTES if r.role], ids=lambda r: f"{r.method} {r.path}"
)
def test_roles_are_asked_for_before_anything_else(asking, route):
    url = asking.running.url + route.path.replace("{fingerprint}", "0" * 32)
    keys = asking.running.keys
    other = {"publish": "read", "read": "publish"}[route.role]
    for header, status, code in (
        (None, 401, "no-key"),
        ("Bearer wrong", 401, "no-key"),
        (f"Basic {keys.of_role(route.role)}", 401, "no-key"),
        (f"Bearer {keys.of_role(other)}", 403, "wrong-role"),
    ):
        headers = {"authorization": header} if header else {}
        answer = httpx.request(route.method, url, headers=headers)
        assert answer.status_code == status
        if route.gives == "text/html":
            assert (status, "Key of a reader" in answer.text) in ((401, True), (403, False))
        else:
            assert answer.json()["code"] == code
        if status == 401:
            assert answer.headers["www-authenticate"] == "Bearer"
    headers = {"authorization": f"Bearer {keys.of_role(route.role)}"}
    answer = httpx.request(route.method, url, headers=headers)
    assert answer.status_code not in (401, 403)


# -- numbers -----------------------------------------------------------------------------------


def test_status_counts_by_window(asking):
    told = asking.told(at(asking, "drinks", "status"))
    assert told["windows"] == [
        {"window": WEEKS[0], "reports": 900, "released": 900, "shown": True, "closed": True},
        {"window": WEEKS[1], "reports": 900, "released": 900, "shown": True, "closed": True},
        {"window": WEEKS[2], "reports": 99, "released": 99, "shown": False, "closed": False},
    ]
    assert (told["stored"], told["duplicates"], told["refused"]) == (1899, 0, {})


def test_estimates_are_those_of_the_library(asking):
    told = asking.told(at(asking, "drinks", "estimate"), window=WEEKS[0])
    survey, reports = asking.surveys["drinks"], asking.reports["drinks", WEEKS[0]]
    expected = sv.estimate(survey.mechanism.tally(reports))
    assert [row["value"] for row in told["answers"]] == pytest.approx(list(expected.shares))
    assert [row["stderr"] for row in told["answers"]] == pytest.approx(list(expected.stderr))
    assert (told["method"], told["why"], told["reports"]) == (expected.method, expected.why, 900)
    assert told["windows"] == [WEEKS[0]]


def test_windows_are_merged_and_those_below_the_minimum_batch_are_named(asking):
    told = asking.told(at(asking, "drinks", "estimate"))
    assert (told["windows"], told["left_out"]) == ([WEEKS[0], WEEKS[1]], [WEEKS[2]])
    mechanism = asking.surveys["drinks"].mechanism
    tallies = [mechanism.tally(asking.reports["drinks", week]) for week in WEEKS[:2]]
    expected = sv.estimate(tallies[0] + tallies[1])
    assert [row["value"] for row in told["answers"]] == pytest.approx(list(expected.shares))


@pytest.mark.parametrize(
    "path", ["estimate", "answers", "answers.csv", "reports.csv", "reports.parquet"]
)
def test_below_the_minimum_batch_there_are_no_numbers(asking, path):
    asked = {"top": "1"} if path.startswith("answers") else {}
    for window in (WEEKS[2], "2020-W01"):
        answer = asking.get(at(asking, "drinks", path), window=window, **asked)
        assert answer.status_code == 409
        told = answer.json()
        assert (told["code"], told["windows"]) == ("below-minimum-batch", [window])
        assert set(told) == {"code", "message", "windows"}


def test_one_more_report_and_the_window_is_shown(tmp_path):
    """One that is open has twice the minimum batch, and shows all but the newest batch."""
    survey = colors(minimum_batch=20)
    with running(tmp_path, survey) as collector:
        asked = Asking(collector)
        where = f"/surveys/{survey.fingerprint}"
        load(collector.address, make(survey, 39).uploads())
        refused = asked.get(f"{where}/estimate").json()
        assert refused["code"] == "below-minimum-batch"
        assert "ended from 20 reports on, and one that is open from 40" in refused["message"]
        load(collector.address, make(survey, 1).uploads())
        assert asked.told(f"{where}/estimate")["reports"] == 20
        key = {"authorization": f"Bearer {collector.keys.of_role('publish')}"}
        assert httpx.post(f"{collector.url}{where}/close", headers=key).status_code == 200
        assert asked.told(f"{where}/estimate")["reports"] == 40
        asked.http.close()


PATHS = (
    "/surveys/{}/estimate", "/surveys/{}/answers?top=2", "/surveys/{}/estimate.csv",
    "/surveys/{}/reports.csv", "/dashboard/{}?wait=1",
    "/differences?first={}&second={}&first_window=2026-W47&second_window=2026-W46",
    "/dashboard/{}/differences?wait=1&first_window=2026-W46&second_window=2026-W47",
)  # fmt: skip


def answers_in(text):
    """What there is to learn from a page: the rows of its tables, without counts of reports."""
    rows = [line for line in text.splitlines() if line.startswith('<tr><th scope="row" dir=')]
    return "\n".join(rows) if "<html" in text else text


def test_a_reader_who_asks_before_and_after_every_report_sees_none_by_itself(tmp_path):
    """The attack that recovered every report: now answers change once in a batch of 20."""
    survey = Survey("drinks", "What?", drinks().mechanism, "week", 20)
    now = datetime(2026, 11, 18, tzinfo=UTC)
    with running(tmp_path, survey, clock=lambda: now) as collector:
        asked, store, f = Asking(collector), collector.store, survey.fingerprint
        for seed, week in enumerate(WEEKS[1:], start=1):
            fill(store, survey, week, ["tea"] * 60, seed)
        releases, seen = [], {path: set() for path in PATHS}
        for n in range(30):
            fill(store, survey, WEEKS[2], ["coffee"], seed=100 + n)
            for path, answers in seen.items():
                answer = asked.get(path.format(f, f))
                if "refresh" not in answer.headers:  # else it has no answers yet
                    answers.add(answers_in(answer.text))
            windows = asked.told(f"/surveys/{f}/status")["windows"]
            releases.append(windows[1]["released"])
        assert windows[1]["reports"] == 90
        assert releases == [41] * 20 + [61] * 10
        assert {path: len(answers) for path, answers in seen.items() if len(answers) > 2} == {}
        assert len(seen[PATHS[0]]) == 2  # those that are seen at once
        asked.http.close()


def test_a_reader_who_asks_before_and_after_a_deletion_sees_nothing(tmp_path):
    survey = drinks()
    with running(tmp_path, survey, clock=after) as collector:
        asked, store, f = Asking(collector), collector.store, survey.fingerprint
        fill(store, survey, WEEKS[0], ["tea"] * 300, seed=7)
        where = [f"/surveys/{f}/{path}" for path in ("estimate", "estimate.csv", "reports.csv")]
        before = [asked.get(path) for path in where]
        assert [answer.status_code for answer in before] == [200, 200, 200]
        for n in range(3):
            number = (7).to_bytes(8, "big") + n.to_bytes(8, "big")
            deleted = httpx.delete(f"{collector.url}/surveys/{f}/reports/{number.hex()}")
            assert deleted.json() == {"deleted": True}
            again = [asked.get(path) for path in where]
            assert [answer.text for answer in again[:2]] == [answer.text for answer in before[:2]]
            assert again[2].json()["code"] == "below-minimum-batch"  # one line would be missing
        assert store.tally(f).n == 297
        asked.http.close()


def test_answers_to_questions(asking):
    told = asking.told(
        at(asking, "drinks", "answers"), window=WEEKS[0], share="tea", total="tea,coffee", top="2",
        confidence="0.9",
    )  # fmt: skip
    rows = told["answers"]
    assert [row["question"] for row in rows] == ["share", "total", "top", "top"]
    assert told["confidence"] == 0.9
    for row in rows:
        assert 0 <= row["low"] < row["value"] < row["high"] <= 1
        assert row["high"] - row["low"] <= 1.2 * 2 * 1.6449 * row["stderr"]
    numbers = asking.told(
        at(asking, "ages", "answers"),
        range="20:60",
        cdf="40",
        quantile="0.5",
        mean="1",
        variance="1",
    )["answers"]
    by_question = {row["question"]: row["value"] for row in numbers}
    assert by_question["mean"] == pytest.approx(40, abs=8)
    assert by_question["quantile"] == pytest.approx(40, abs=10)
    assert by_question["range"] > 0.7
    pairs = asking.told(at(asking, "trips", "answers"), key="bus", quantile="0.5", top_keys="1")
    labels = [(row["question"], row["label"]) for row in pairs["answers"]]
    assert labels[0] == ("frequency", "bus")
    assert any(label.startswith("bus: ") for _, label in labels if isinstance(label, str))
    everything = asking.told(at(asking, "trips", "estimate"))["answers"]
    assert [row["question"] for row in everything] == ["frequency", "frequency", "mean", "mean"]


def test_methods_may_be_named(asking):
    told = asking.told(at(asking, "drinks", "estimate"), method="unbiased", then="norm-sub")
    assert told["method"] == "unbiased + norm-sub"
    assert told["why"] == "asked for by name"


@pytest.mark.parametrize(
    ("name", "asked", "code"),
    [
        ("drinks", {}, "invalid"),
        ("drinks", {"share": "beer"}, "invalid"),
        ("drinks", {"total": "tea,tea"}, "invalid"),
        ("drinks", {"top": "0"}, "invalid"),
        ("drinks", {"top": "many"}, "invalid"),
        ("drinks", {"top": "1e400"}, "invalid"),
        ("drinks", {"mean": "1"}, "unfit"),
        ("drinks", {"top": "1", "method": "magic"}, "unfit"),
        ("drinks", {"top": "1", "goal": "fun"}, "invalid"),
        ("drinks", {"top": "1", "confidence": "2"}, "invalid"),
        ("drinks", {"top": "1", "confidence": "nan"}, "invalid"),
        ("drinks", {"top": "1", "window": "tomorrow"}, "invalid"),
        ("drinks", {"top": "1", "about": "people"}, "invalid"),
        ("drinks", {"top": "1", "anytime": "yes"}, "invalid"),
        ("drinks", {"top": "1", "planned": "1000"}, "invalid"),
        ("drinks", {"top": "1", "anytime": "1", "planned": "0"}, "invalid"),
        ("drinks", {"top": "1", "anytime": "1", "planned": "-5"}, "invalid"),
        ("drinks", {"top": "1", "same_people": "1"}, "invalid"),
        ("ages", {"variance": "1", "anytime": "1"}, "unfit"),
        ("drinks", {"key": "tea"}, "unfit"),
        ("drinks", {"sahre": "tea"}, "invalid"),
        ("ages", {"range": "20"}, "invalid"),
        ("ages", {"range": "60:20"}, "invalid"),
        ("ages", {"range": "a:b"}, "invalid"),
        ("ages", {"quantile": "2"}, "invalid"),
        ("ages", {"mean": "yes"}, "invalid"),
        ("ages", {"cdf": "inf"}, "invalid"),
        ("trips", {"mean": "1"}, "invalid"),
        ("trips", {"key": "plane"}, "invalid"),
    ],
)
def test_questions_with_something_wrong_are_refused(asking, name, asked, code):
    assert asking.code(at(asking, name, "answers"), **asked) == code


def test_differences_between_windows_and_between_surveys(asking):
    one, two = (asking.surveys[name].fingerprint for name in ("drinks", "others"))
    told = asking.told(
        "/differences", first=one, first_window=WEEKS[0], second=one, second_window=WEEKS[1]
    )
    values = {row["label"]: row for row in told["answers"]}
    assert values["coffee"]["value"] == pytest.approx(1 / 3, abs=0.2)
    assert values["coffee"]["p_value"] < 0.01
    assert told["first"]["windows"] == [WEEKS[0]]
    between = asking.told("/differences", first=one, second=two, share="water", top="1")
    assert between["answers"][0]["value"] > 0.5
    estimates = [
        asking.told(at(asking, name, "answers"), share="water", method="unbiased")
        for name in ("drinks", "others")
    ]
    first, second = (told["answers"][0] for told in estimates)
    assert between["answers"][0]["value"] == pytest.approx(second["value"] - first["value"])


def test_answers_say_whom_they_are_about(asking):
    where, drinks = at(asking, "drinks", "answers"), asking.surveys["drinks"]
    usual = asking.told(where, share="tea")
    wide = asking.told(where, share="tea", about="population")
    assert (usual["about"], usual["looks"], wide["about"]) == ("respondents", "one", "population")
    assert wide["answers"][0]["stderr"] > usual["answers"][0]["stderr"]
    every = asking.told(where, share="tea", anytime="1")
    tally = asking.running.store.released_tally(drinks.fingerprint, every["windows"])
    expected = sv.estimate(tally).anytime(minimum_batch=drinks.minimum_batch).share("tea")
    assert every["looks"] == "any" and every["method"] == "unbiased"
    assert every["answers"][0]["low"] == pytest.approx(expected.low)
    planned = asking.told(where, share="tea", anytime="1", planned="1000000")
    assert planned["answers"][0]["low"] < every["answers"][0]["low"]
    table = asking.http.get(at(asking, "drinks", "answers.csv"), params={"share": "tea"}).text
    assert table.splitlines()[0].endswith("high,about")
    assert table.splitlines()[1].endswith(",respondents")


def test_differences_are_about_the_population_unless_asked(asking):
    one = asking.surveys["drinks"].fingerprint
    sides = {"first": one, "first_window": WEEKS[0], "second": one, "second_window": WEEKS[1]}
    usual = asking.told("/differences", **sides)
    same = asking.told("/differences", same_people="1", **sides)
    assert (usual["about"], same["about"]) == ("population", "respondents")
    assert usual["why"] == "compares unbiased estimates" and usual["looks"] == "one"
    for wide, narrow in zip(usual["answers"], same["answers"], strict=True):
        assert wide["stderr"] > narrow["stderr"] and wide["adjusted"] >= wide["p_value"]
    every = asking.told("/differences", anytime="1", **sides)
    assert every["looks"] == "any"
    assert all(
        a["p_value"] >= b["p_value"]
        for a, b in zip(every["answers"], usual["answers"], strict=True)
    )
    named = asking.told("/differences", share="tea", total="coffee,water", **sides)
    assert all(row["adjusted"] >= row["p_value"] for row in named["answers"])


def test_differences_that_mean_nothing_are_refused(asking):
    one, numbers = (asking.surveys[name].fingerprint for name in ("drinks", "ages"))
    assert asking.code("/differences", first=one, second=one) == "mismatch"
    assert asking.code("/differences", first=one, second=numbers) == "mismatch"
    assert asking.code("/differences", first=one) == "invalid"
    assert asking.code("/differences", first=one, second="0" * 32) == "unknown-survey"
    asked = {"first": one, "first_window": WEEKS[0], "second": one, "second_window": WEEKS[2]}
    assert asking.code("/differences", **asked) == "below-minimum-batch"


def test_estimates_are_remembered_until_a_release_moves_on(asking, monkeypatch):
    runs = []
    original = answering.estimate
    monkeypatch.setattr(answering, "estimate", lambda *a, **k: runs.append(1) or original(*a, **k))
    where = at(asking, "others", "estimate")
    before = asking.told(where)
    runs.clear()
    assert asking.told(where) == before
    assert runs == []
    survey = asking.surveys["others"]
    fill(asking.running.store, survey, WEEKS[0], ["tea"] * 99, seed=99)
    assert asking.told(where) == before
    assert runs == []
    fill(asking.running.store, survey, WEEKS[0], ["tea"], seed=98)
    assert asking.told(where)["reports"] == 600
    assert runs == [1]


def habits(store, counts, minimum_batch):
    """A survey of vectors with so many reports of each coordinate, in a store."""
    vector = sv.Vector(sv.Interval(0, 24, 12), len(counts))
    mechanism = sv.mechanism("sampled-coordinate", vector, 2.0)
    survey = Survey("habits", "Sleep, screens?", mechanism, "once", minimum_batch)
    reports = mechanism.randomize(np.full((5000, len(counts)), 7.0), source=sv.Seeded(1))
    drawn = np.asarray(reports.columns["coordinate"])
    chosen = np.concatenate(
        [np.flatnonzero(drawn == place)[:count] for place, count in enumerate(counts)]
    )
    assert len(chosen) == sum(counts)
    ids, rows = [int(n).to_bytes(16, "big") for n in chosen], payloads_of(as_if_drawn(reports))
    store.publish(survey)
    store.write([Submission(survey.fingerprint, "", ids, [rows[n] for n in chosen])])
    store.close_survey(survey.fingerprint)
    return store.surveys()[survey.fingerprint]


def test_a_coordinate_is_shown_from_the_minimum_batch_on(tmp_path):
    with open_store(tmp_path / "store.db") as store:
        published = habits(store, [300, 49, 0, 50], 50)
        told = analyst_of(store).coordinates(published, ())
        assert list(told.estimated) == [0, 3]
        assert (told.left_out, told.reports) == ((1, 2), 399)
        assert [each.estimate.n for each in told.estimated.values()] == [300, 50]
        assert {each.estimate.about for each in told.estimated.values()} == {"population"}
        (panel,) = board_of_vector(*told).panels
        assert [row[0] for row in panel.rows] == ["coordinate 0", "coordinate 3"]
        assert "The mean of 2 of 4 numbers" in panel.told
        assert "fewer than 50 reports each: coordinates 1, 2." in panel.told


def test_without_a_coordinate_of_enough_reports_nothing_is_shown(tmp_path):
    with open_store(tmp_path / "store.db") as store:
        published = habits(store, [49, 49, 49], 50)
        with pytest.raises(Declined, match="none of its 3 coordinates") as caught:
            analyst_of(store).coordinates(published, ())
        assert caught.value.code == "below-minimum-batch"


def test_only_coordinates_that_are_listed_are_estimated_and_none_is_remembered(
    tmp_path, monkeypatch
):
    runs = []
    original = answering.estimate
    monkeypatch.setattr(answering, "estimate", lambda *a, **k: runs.append(1) or original(*a, **k))
    monkeypatch.setattr(answering, "MOST_COORDINATES", 3)
    monkeypatch.setattr(answering, "_MOST_REMEMBERED", 2)
    with open_store(tmp_path / "store.db") as store:
        published = habits(store, [60, 40, 60, 60, 60, 60], 50)
        other = drinks()
        store.publish(other)
        fill(store, other, WEEKS[0], ["tea"] * 200, seed=7)
        analyst, way = analyst_of(store), answering.EstimateOptions()
        analyst.estimate(store.surveys()[other.fingerprint], (), way)
        runs.clear()
        told = analyst.coordinates(published, ())
        assert (list(told.estimated), told.left_out, len(runs)) == ([0, 2, 3], (1,), 3)
        assert "the first 3 of 6 numbers" in board_of_vector(*told).panels[0].told
        analyst.estimate(store.surveys()[other.fingerprint], (), way)
        assert len(runs) == 3


# -- files -------------------------------------------------------------------------------------


def test_exports_hold_the_reports_and_nothing_else(asking, tmp_path):
    survey = asking.surveys["drinks"]
    answer = asking.get(at(asking, "drinks", "reports.parquet"))
    assert answer.headers["sottovoce-left-out"] == WEEKS[2]
    file = tmp_path / "reports.parquet"
    file.write_bytes(answer.content)
    reports = sv.Reports.read(file, survey.mechanism)
    tally = survey.mechanism.tally(reports)
    expected = [survey.mechanism.tally(asking.reports["drinks", week]) for week in WEEKS[:2]]
    np.testing.assert_array_equal(tally.cells, (expected[0] + expected[1]).cells)
    for name in ("drinks", "trips", "ages"):
        table = asking.get(at(asking, name, "reports.csv")).text
        names, *rows = csv.reader(io.StringIO(table))
        assert names == [each.name for each in asking.surveys[name].mechanism.fields]
        shown = [n for (survey_name, _), r in asking.reports.items() if survey_name == name
                 for n in [len(r)] if n >= 100]  # fmt: skip
        assert len(rows) == sum(shown)


FORMS = ("csv", "parquet")


def test_a_report_that_came_after_the_others_were_scrubbed_is_not_handed_out(tmp_path):
    survey, (first, second) = colors("day", 50), ("2026-11-16", "2026-11-17")
    with running(tmp_path, survey, rules=Rules(scrub=True), clock=after) as collector:
        asked, store = Asking(collector), collector.store
        where = f"/surveys/{survey.fingerprint}"
        values = [survey.mechanism.domain.label(0)]
        fill(store, survey, first, values * 60, seed=1)
        assert len(asked.get(f"{where}/reports.csv").text.splitlines()) == 61
        assert store.scrub(datetime(2026, 11, 17, tzinfo=UTC).date()) == 60
        fill(store, survey, first, values, seed=2)
        assert asked.told(f"{where}/estimate")["reports"] == 60
        for form in FORMS:
            answer = asked.get(f"{where}/reports.{form}")
            told = answer.json()
            assert (answer.status_code, told["code"]) == (409, "below-minimum-batch")
            assert "none deleted since, scrubbed or expired" in told["message"]
            assert told["windows"] == [first]
        fill(store, survey, second, values * 50, seed=3)
        answer = asked.get(f"{where}/reports.csv")
        assert len(answer.text.splitlines()) == 51
        assert answer.headers["sottovoce-left-out"] == first
        asked.http.close()


def test_after_retention_there_are_no_files_but_estimates(tmp_path):
    survey = colors("day", 50)
    with running(tmp_path, survey, rules=Rules(retention=3), clock=after) as collector:
        asked, where = Asking(collector), f"/surveys/{survey.fingerprint}"
        fill(collector.store, survey, "2026-11-16", [survey.mechanism.domain.label(0)] * 60)
        collector.store.expire(datetime(2026, 11, 30, tzinfo=UTC).date())
        assert asked.told(f"{where}/estimate")["reports"] == 60
        for form in FORMS:
            assert asked.code(f"{where}/reports.{form}") == "below-minimum-batch"
        asked.http.close()


def test_answers_as_a_table(asking):
    text = asking.get(at(asking, "ages", "answers.csv"), mean="1", quantile="0.5").text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["question"] for row in rows] == ["mean", "quantile"]
    assert all(math.isfinite(float(row["value"])) for row in rows)


# -- deletion ----------------------------------------------------------------------------------


def test_who_knows_an_id_may_delete_the_report(tmp_path):
    survey = colors(minimum_batch=5)
    with running(tmp_path, survey) as collector:
        made = make(survey, 10)
        load(collector.address, made.uploads(10))
        where = f"{collector.url}/surveys/{survey.fingerprint}/reports/"
        gone = made.ids[3].hex()
        assert httpx.delete(where + gone).json() == {"deleted": True}
        again = httpx.delete(where + gone)
        assert (again.status_code, again.json()["code"]) == (404, "no-such-report")
        assert load(collector.address, made.uploads(10)).duplicates == 10
        assert collector.store.tally(survey.fingerprint).n == 9
        for wrong in ("00", "G" * 32, gone.upper() + "x"):
            assert httpx.delete(where + wrong).json()["code"] == "invalid"
        assert collector.store.check() == []


def test_a_scrubbed_report_cannot_be_deleted_and_says_so(tmp_path):
    clock = [datetime(2026, 11, 16, tzinfo=UTC)]
    survey = colors("day", 1)
    with running(tmp_path, survey, rules=Rules(scrub=True), clock=lambda: clock[0]) as collector:
        made = make(survey, 3, "2026-11-16")
        load(collector.address, made.uploads(3))
        collector.store.scrub(datetime(2026, 12, 30, tzinfo=UTC).date())
        answer = httpx.delete(
            f"{collector.url}/surveys/{survey.fingerprint}/reports/{made.ids[0].hex()}"
        )
        assert (answer.status_code, answer.json()["code"]) == (409, "scrubbed")


# -- the collector itself ------------------------------------------------------------------------


def test_metrics_and_health(asking):
    text = httpx.get(f"{asking.running.url}/metrics").text
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    values = {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines}
    assert values["sottovoce_reports_stored_total"] == asking.running.store.counts().stored
    assert values["sottovoce_ready"] == 1
    assert values["sottovoce_surveys"] == 4
    assert 'sottovoce_upload_seconds_bucket{le="+Inf"}' in values
    kinds = [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")]
    assert len(kinds) == len(set(kinds))
    assert values["sottovoce_upkeep_failing"] == 0
    assert values["sottovoce_clock_trusted"] == 1
    assert httpx.get(f"{asking.running.url}/health/live").json() == {"live": True}
    assert httpx.get(f"{asking.running.url}/health/ready").json() == {
        "ready": True, "upkeep": {"failing": [], "clock_trusted": True},
    }  # fmt: skip


def test_retention_and_folding_go_on_by_themselves(tmp_path):
    clock = [datetime(2026, 11, 16, tzinfo=UTC)]
    survey = colors("day", 1)
    rules = Rules(retention=3)
    with running(
        tmp_path,
        survey,
        rules=rules,
        clock=lambda: clock[0],
        expire_seconds=0.05,
        fold_seconds=0.05,
    ) as collector:
        load(collector.address, make(survey, 30, "2026-11-16").uploads(30))
        time.sleep(0.2)
        assert collector.store.counts().expired == 0
        for _ in range(100):
            if collector.store.counts().expired == 30:
                break
            clock[0] += timedelta(1)
            time.sleep(0.1)
        assert collector.store.counts().expired == 30
        assert clock[0] > datetime(2026, 11, 19, tzinfo=UTC)
        assert collector.store.tally(survey.fingerprint).n == 30
        late = load(collector.address, make(survey, 1, "2026-11-16").uploads())
        assert late.codes == {"window-closed": 1}
