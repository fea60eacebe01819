"""Uploads over HTTP: every vector, every refusal with its status, body and counter, limits."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
from collections import Counter
from datetime import UTC, datetime

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sottovoce as sv
from conftest import EXAMPLES
from independent.golden import load as load_vectors
from independent.golden import upload_bytes
from sottovoce.base.errors import Refused
from sottovoce.core.fields import IntField
from sottovoce.device.client import Client
from sottovoce.device.sending import Patience
from sottovoce.service.refusals import CODES
from sottovoce.service.upload.counting import reports_in
from sottovoce.service.upload.intake import Intake, take_carefully, take_quickly
from sottovoce.service.upload.reading import decode_upload
from sottovoce.store import Published, Rules
from sottovoce.wire.msgpack import pack
from sottovoce.wire.payloads import payload_checker, payloads_of, reports_from_payloads
from sottovoce.wire.uploads import FORMS, REFUSALS
from support.loading import Load, colors, load, make, request, running

FILES = load_vectors()
NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
MSGPACK, JSON = FORMS["msgpack"], FORMS["json"]


def takers_of(surveys) -> dict[bytes, Intake]:
    return {bytes.fromhex(s.fingerprint): Intake(Published(s, Rules())) for s in surveys}


def surveys_of(name):
    """Those that a collector of these vectors knows."""
    return [sv.Survey.from_json(text) for text in FILES[name]["surveys"].values()]


# -- quick and careful reading ------------------------------------------------------------------


def test_quick_and_careful_reading_agree_on_every_vector():
    seen = 0
    for told in FILES.values():
        for each in told["surveys"] if "mechanism" in told else ():
            survey = sv.Survey.from_json(each["survey"])
            intakes = takers_of([survey])
            for case in each["cases"]:
                if case["msgpack"].startswith("sha256"):
                    continue
                data = bytes.fromhex(case["msgpack"])
                quick = take_quickly(data, intakes, 10)
                assert quick == take_carefully(data, "msgpack", intakes, 10)
                if "json" in case:
                    careful = take_carefully(case["json"].encode(), "json", intakes, 10)
                    assert (quick.ids, quick.rows) == (careful.ids, careful.rows)
                assert list(quick.rows) == payloads_of(decode_upload(data, survey).reports)
                seen += 1
    assert seen > 4000


def test_quick_reading_gives_up_on_what_the_wire_refuses():
    surveys = surveys_of("uploads-refused")
    intakes = takers_of(surveys)
    for case in FILES["uploads-refused"]["cases"]:
        data, form = upload_bytes(case), case["form"]
        if form == "json":
            continue
        try:
            quick = take_quickly(data, intakes, 10_000)
        except Refused as refused:
            assert refused.code == case["code"] == "unknown-survey"
            continue
        if quick is not None:
            with pytest.raises(Refused, match="window of"):  # looked at afterwards
                take_carefully(data, form, intakes, 10_000)


@st.composite
def payloads(draw):
    """A mechanism and bytes that are nearly always of the right length, sometimes in range."""
    mechanism = draw(st.sampled_from(EXAMPLES))
    parts = []
    for each in mechanism.fields:
        width = each.width
        near = [st.binary(min_size=width, max_size=width), st.just(bytes(width))]
        near += [st.just(b"\xff" * width)]
        if isinstance(each, IntField):
            ends = st.sampled_from([0, each.size - 1, min(each.size, 256**width - 1)])
            near += [ends.map(lambda number, width=width: number.to_bytes(width, "little"))]
        parts.append(draw(st.one_of(*near)))
    payload = b"".join(parts)
    change = draw(st.sampled_from(["", "", "", "short", "long"]))
    return mechanism, payload[:-1] if change == "short" else payload + b"\0" * (change == "long")


@settings(max_examples=30)
@given(st.lists(payloads(), min_size=10, max_size=20))
def test_payloads_checked_in_plain_python_are_those_of_arrays(cases):
    for mechanism, payload in cases:
        fits = payload_checker(mechanism)(payload)
        try:
            expected = payloads_of(reports_from_payloads(mechanism, [payload]))
        except Refused:
            assert not fits, (mechanism, payload)
        else:
            assert fits, (mechanism, payload)
            assert [payload] == expected


@given(st.binary(max_size=60), st.integers(0, 60), st.sampled_from(["msgpack", "json"]))
def test_reports_are_counted_in_anything(noise, place, form):
    made = make(colors(), 2)
    (upload,) = made.uploads(2)
    intakes = takers_of([made.survey])
    assert reports_in(upload, "msgpack", intakes) == (made.survey.fingerprint, 2)
    found, count = reports_in(upload[:place] + noise + upload[place:], form, intakes)
    assert found in ("", made.survey.fingerprint)
    assert count >= 1


# -- over HTTP ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def vectors_collector(tmp_path_factory):
    """A collector that knows every survey of the vectors, on a day when they are open."""
    surveys = {}
    for name, told in FILES.items():
        if "mechanism" in told:
            for each in told["surveys"]:
                surveys[each["fingerprint"]] = sv.Survey.from_json(each["survey"])
        elif "surveys" in told:
            surveys |= {survey.fingerprint: survey for survey in surveys_of(name)}
    with running(
        tmp_path_factory.mktemp("vectors"), *surveys.values(), clock=lambda: NOON
    ) as found:
        yield found


def counted(collector):
    counts = collector.store.counts()
    return counts.stored, counts.duplicates, dict(counts.refused)


def test_every_vector_that_is_taken_is_stored(vectors_collector):
    before = counted(vectors_collector)
    sent = []
    for told in FILES.values():
        for each in told["surveys"] if "mechanism" in told else ():
            for number, case in enumerate(each["cases"][:8]):
                if number % 2 and "json" in case:
                    sent.append((case["window"], JSON, case["json"].encode()))
                elif not case["msgpack"].startswith("sha256"):
                    sent.append((case["window"], MSGPACK, bytes.fromhex(case["msgpack"])))
    requests = [(k, request(data, kind=kind)) for k, (_, kind, data) in enumerate(sent)]
    outcome = Load(vectors_collector.address, requests, connections=8, keep=True).run()
    late = [k for k, status, body in outcome.bodies if status != 200]
    codes = {sent[k][0] for k in late}
    assert set(outcome.statuses) <= {200, 409, 410}
    assert "" not in codes, "only windows of other weeks than this may be refused"
    after = counted(vectors_collector)
    assert outcome.stored + outcome.duplicates + len(late) == len(sent)
    assert after[0] - before[0] == outcome.stored > 600
    assert vectors_collector.store.check() == []


def test_uploads_in_longer_forms_are_taken(vectors_collector):
    with httpx.Client(base_url=vectors_collector.url) as http:
        for case in FILES["uploads-taken"]["cases"]:
            kind = FORMS[case["form"]]
            answer = http.post(
                "/reports", content=upload_bytes(case), headers={"content-type": kind}
            )
            told = answer.json()
            assert answer.status_code == 200, (case["why"], told)
            if case["shortest"].startswith("sha256"):
                continue
            again = http.post(
                "/reports",
                content=bytes.fromhex(case["shortest"]),
                headers={"content-type": MSGPACK},
            ).json()
            assert again == {"stored": 0, "duplicates": sum(told.values())}, case["why"]


def test_every_vector_that_is_refused_is_refused_with_its_code_and_counted(vectors_collector):
    with httpx.Client(base_url=vectors_collector.url) as http:
        for case in FILES["uploads-refused"]["cases"]:
            before = counted(vectors_collector)
            answer = http.post(
                "/reports",
                content=upload_bytes(case),
                headers={"content-type": FORMS[case["form"]]},
            )
            told, code = answer.json(), case["code"]
            assert (told["code"], told.get("position")) == (code, case["position"]), case["why"]
            assert answer.status_code == REFUSALS[code].status
            assert told["message"]
            after = counted(vectors_collector)
            assert after[:2] == before[:2], "nothing is stored"
            assert sum(after[2].values()) > sum(before[2].values())
            assert after[2][code] > before[2].get(code, 0), case["why"]


# -- refusals that depend on the day, the survey, the token -----------------------------------------


@pytest.fixture
def week(tmp_path):
    """A weekly survey, on a Monday at noon."""
    survey = colors("week")
    with running(tmp_path, survey, clock=lambda: NOON) as found:
        yield survey, found


def post(collector, body, token=None, **headers):
    told = {"content-type": MSGPACK, **headers}
    if token:
        told["authorization"] = f"Bearer {token}"
    return httpx.post(f"{collector.url}/reports", content=body, headers=told)


WINDOWS = {
    "2026-W47": None,
    "2026-W46": None,  # ended yesterday: waited for
    "2026-W45": "window-closed",
    "2026-W48": "clock-skew",
    "2026-W99": "malformed",
    "": "malformed",
    "2026-11-16": "malformed",
}


def test_windows_by_the_clock(week):
    survey, collector = week
    expected: Counter[str] = Counter()
    for window, code in WINDOWS.items():
        answer = post(collector, make(survey, 3, window).uploads(3)[0])
        if code is None:
            assert answer.json() == {"stored": 3, "duplicates": 0}
        else:
            expected[code] += 3
            assert (answer.status_code, answer.json()["code"]) == (REFUSALS[code].status, code)
    assert collector.store.counts(survey.fingerprint).refused == expected


def test_skew_and_patience_are_settings(tmp_path):
    survey = colors("day")
    late = datetime(2026, 11, 16, 23, 50, tzinfo=UTC)
    with running(tmp_path, survey, clock=lambda: late, skew_minutes=5, patience_days=0) as found:
        codes = {
            day: post(found, make(survey, 1, f"2026-11-{day}").uploads()[0]).status_code
            for day in (15, 16, 17)
        }
        assert codes == {15: 410, 16: 200, 17: 409}
    with running(tmp_path, survey, clock=lambda: late, skew_minutes=11, patience_days=1) as found:
        days = [make(survey, 1, f"2026-11-{day}").uploads()[0] for day in (14, 15, 17)]
        assert [post(found, upload).status_code for upload in days] == [410, 200, 200]


def test_a_closed_survey_takes_no_more(week):
    survey, collector = week
    key = {"authorization": f"Bearer {collector.keys.of_role('publish')}"}
    upload = make(survey, 1, "2026-W47").uploads()[0]
    assert post(collector, upload).status_code == 200
    closed = httpx.post(f"{collector.url}/surveys/{survey.fingerprint}/close", headers=key)
    assert closed.json()["closed"] is True
    answer = post(collector, make(survey, 1, "2026-W47").uploads()[0])
    assert (answer.status_code, answer.json()["code"]) == (410, "window-closed")


def test_forms_and_media_types(week):
    survey, collector = week
    upload = make(survey, 1, "2026-W47").uploads()[0]
    for told in ("Application/MsgPack; charset=binary", MSGPACK):
        assert post(collector, upload, **{"content-type": told}).status_code == 200
    answer = post(collector, upload, **{"content-type": JSON})
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed")
    for path, method in (("/reports", "GET"), ("/reports/", "POST"), ("/nowhere", "POST")):
        answer = httpx.request(method, collector.url + path)
        assert answer.json()["code"] in ("wrong-method", "no-such-route")
        assert answer.status_code == CODES[answer.json()["code"]].status


# -- tokens ------------------------------------------------------------------------------------


@pytest.fixture
def guarded(tmp_path):
    survey = colors("week")
    clock = [NOON]
    with running(tmp_path, survey, rules=Rules(upload="tokens"), clock=lambda: clock[0]) as found:
        yield survey, found, clock


def test_without_a_token_of_the_survey_nothing_is_taken(guarded):
    survey, collector, _ = guarded
    upload = make(survey, 2, "2026-W47").uploads(2)[0]
    other = colors("week", name="others")
    wrong = [None, "nonsense", collector.keys.of_role("publish")]
    wrong += [collector.keys.issue_token(other.fingerprint, 2)]
    for token in wrong:
        answer = post(collector, upload, token)
        assert (answer.status_code, answer.json()["code"]) == (403, "not-allowed")
    assert collector.store.counts().refused == {"not-allowed": 2 * len(wrong)}
    assert collector.store.counts().stored == 0


def test_a_token_is_good_for_one_report_a_window_and_resending_costs_nothing(guarded):
    survey, collector, clock = guarded
    token = collector.keys.issue_token(survey.fingerprint)
    first, second = (make(survey, 1, "2026-W47").uploads()[0] for _ in "ab")
    assert post(collector, first, token).json() == {"stored": 1, "duplicates": 0}
    assert post(collector, first, token).json() == {"stored": 0, "duplicates": 1}
    assert post(collector, second, token).json()["code"] == "not-allowed"
    clock[0] = datetime(2026, 11, 24, tzinfo=UTC)
    assert post(collector, make(survey, 1, "2026-W48").uploads()[0], token).status_code == 200


def test_a_relays_token_is_good_for_its_allowance(guarded):
    survey, collector, _ = guarded
    token = collector.keys.issue_token(survey.fingerprint, 5)
    made = make(survey, 6, "2026-W47")
    assert post(collector, made.uploads(4)[0], token).json() == {"stored": 4, "duplicates": 0}
    answer = post(collector, make(survey, 2, "2026-W47").uploads(2)[0], token)
    assert answer.json()["code"] == "not-allowed"
    assert post(collector, made.uploads(5)[0], token).json() == {"stored": 1, "duplicates": 4}


def test_tokens_are_issued_to_publishers(guarded):
    survey, collector, _ = guarded
    where = f"{collector.url}/surveys/{survey.fingerprint}/tokens"
    key = {"authorization": f"Bearer {collector.keys.of_role('publish')}"}
    answer = httpx.post(where, json={"count": 3, "allowance": 2}, headers=key)
    assert answer.status_code == 201
    assert answer.json()["allowance"] == 2
    tokens = answer.json()["tokens"]
    assert len(set(tokens)) == 3
    upload = make(survey, 2, "2026-W47").uploads(2)[0]
    assert post(collector, upload, tokens[0]).status_code == 200
    assert httpx.post(where, headers=key).json()["allowance"] == 1
    for wrong in (
        {"count": 0},
        {"count": 10_001},
        {"allowance": 0},
        {"allowance": "1"},
        {"n": 1},
        [1],
    ):
        assert httpx.post(where, json=wrong, headers=key).json()["code"] == "invalid"


def races(collector, survey, token, count, connections):
    """So many uploads of different reports with one token: how many are stored."""
    uploads = make(survey, count, "2026-W47").uploads()
    requests = [(k, request(body, token)) for k, body in enumerate(uploads)]
    outcome = Load(collector.address, requests, connections=connections).run()
    assert outcome.statuses == {200: 1, 403: count - 1}
    return outcome.stored


def test_races_with_one_token_store_one_report(guarded):
    survey, collector, _ = guarded
    for _ in range(3):
        token = collector.keys.issue_token(survey.fingerprint)
        assert races(collector, survey, token, 200, 32) == 1
    counts = collector.store.counts()
    assert (counts.stored, counts.refused) == (3, {"not-allowed": 3 * 199})


@pytest.mark.slow
def test_ten_thousand_races_with_one_token_store_one_report(guarded):
    survey, collector, _ = guarded
    token = collector.keys.issue_token(survey.fingerprint)
    assert races(collector, survey, token, 10_000, 64) == 1
    counts = collector.store.counts()
    assert (counts.stored, counts.refused) == (1, {"not-allowed": 9_999})


# -- limits ------------------------------------------------------------------------------------


def test_beyond_the_rate_uploads_are_refused_with_a_time_to_come_back(tmp_path):
    survey = colors()
    with running(tmp_path, survey, rate=5) as collector:
        made = make(survey, 40)
        requests = [(k, request(body)) for k, body in enumerate(made.uploads(2))]
        outcome = Load(collector.address, requests, connections=4, keep=True).run()
        assert outcome.statuses[200] >= 5
        assert outcome.statuses[429] >= 5
        assert outcome.codes == {"rate-limited": outcome.statuses[429]}
        answer = post(collector, made.uploads()[0])
        if answer.status_code == 429:
            assert int(answer.headers["retry-after"]) >= 1
        counts = collector.store.counts(survey.fingerprint)
        refused = 2 * outcome.statuses[429] + (answer.status_code == 429)
        assert counts.refused == {"rate-limited": refused}
        assert counts.stored + counts.duplicates + refused == 41


def test_one_address_may_be_limited_and_is_only_in_memory(tmp_path):
    survey = colors()
    with running(tmp_path, survey, address_rate=3) as collector:
        outcome = load(collector.address, make(survey, 20).uploads(), connections=2)
        assert outcome.statuses[200] < 10 < outcome.statuses[429] + 1
        assert len(collector.app.collector_state.addresses) == 1


def test_behind_a_proxy_addresses_are_those_it_tells(tmp_path):
    survey = colors()
    with running(tmp_path, survey, address_rate=2, proxies="127.0.0.1") as collector:
        requests = [
            (k, request(body, headers=f"X-Forwarded-For: 203.0.113.{k}\r\n"))
            for k, body in enumerate(make(survey, 20).uploads())
        ]
        assert Load(collector.address, requests, connections=2).run().statuses == {200: 20}
        again = [(0, requests[0][1])] * 5
        assert Load(collector.address, again, connections=1).run().statuses[429] >= 3


def test_a_full_queue_is_429_and_counted(tmp_path):
    survey = colors()
    with running(tmp_path, survey, queue=2, gather_seconds=0.0) as collector:
        database = collector.store.database
        with database.lock:  # the writer waits
            loading = threading.Thread(
                target=lambda: results.append(
                    load(collector.address, make(survey, 40).uploads(), connections=20)
                )
            )
            results: list = []
            loading.start()
            time.sleep(0.7)
        loading.join(30)
        (outcome,) = results
        assert set(outcome.statuses) == {200, 429}
        counts = collector.store.counts()
        assert counts.refused == {"rate-limited": outcome.statuses[429]}
        assert counts.stored == outcome.stored == outcome.statuses[200]
        assert counts.sent == 40


def test_bodies_that_are_too_large_with_and_without_a_length(tmp_path):
    survey = colors()
    with running(tmp_path, survey, body_bytes=2000, upload_reports=30) as collector:
        made = make(survey, 100)
        answer = post(collector, made.uploads(100)[0])
        assert (answer.status_code, answer.json()["code"]) == (413, "too-large")
        answer = post(collector, made.uploads(31)[0])
        assert (answer.status_code, answer.json()["code"]) == (413, "too-large")
        assert post(collector, made.uploads(30)[0]).status_code == 200

        def pieces():
            for _ in range(30):
                yield b"\x00" * 100

        answer = httpx.post(
            f"{collector.url}/reports", content=pieces(), headers={"content-type": MSGPACK}
        )
        assert (answer.status_code, answer.json()["code"]) == (413, "too-large")
        assert collector.store.counts().refused == {"too-large": 1 + 31 + 1}
        huge = f"POST /reports HTTP/1.1\r\nHost: x\r\nContent-Length: {10**30}\r\n\r\n"
        with socket.create_connection(collector.address) as raw:
            raw.sendall(huge.encode())
            assert raw.recv(9000).startswith(b"HTTP/1.1 4")


def test_bytes_under_way_are_limited(tmp_path):
    survey = colors()
    with running(tmp_path, survey, waiting_bytes=2000) as collector:
        answer = post(collector, make(survey, 100).uploads(100)[0])
        assert (answer.status_code, answer.json()["code"]) == (429, "rate-limited")
        assert post(collector, make(survey, 10).uploads(10)[0]).status_code == 200
        assert collector.app.collector_state.bytes_taken == 0


def test_slow_bodies_and_silent_connections_end(tmp_path):
    survey = colors()
    with running(tmp_path, survey, body_seconds=0.3, idle_seconds=0.4) as collector:
        body = make(survey, 1).uploads()[0]
        whole = request(body)
        with (
            socket.create_connection(collector.address) as half,
            socket.create_connection(collector.address) as silent,
            socket.create_connection(collector.address) as dripping,
        ):
            half.sendall(whole[:-3])
            began = time.perf_counter()
            answer = b""
            while not answer.endswith(b"}"):
                answer += half.recv(9000)
            assert answer.startswith(b"HTTP/1.1 408")
            assert json.loads(answer.partition(b"\r\n\r\n")[2])["code"] == "too-slow"
            for byte in whole[:60]:
                if time.perf_counter() - began > 3:
                    break
                try:
                    dripping.sendall(bytes([byte]))
                except OSError:
                    break
                time.sleep(0.02)
            silent.settimeout(5)
            dripping.settimeout(5)
            assert silent.recv(10) == b""
            with contextlib.suppress(ConnectionError):
                assert dripping.recv(10) == b""
        assert collector.store.counts().refused == {"too-slow": 1}
        assert post(collector, body).status_code == 200
        assert collector.app.collector_state.bytes_taken == 0


def test_who_hangs_up_is_not_counted_and_does_no_harm(tmp_path):
    survey = colors()
    with running(tmp_path, survey) as collector:
        whole = request(make(survey, 1).uploads()[0])
        for cut in (5, 40, len(whole) - 1):
            with socket.create_connection(collector.address) as raw:
                raw.sendall(whole[:cut])
        with socket.create_connection(collector.address) as raw:
            raw.sendall(whole)  # and does not wait
        for _ in range(500):
            if collector.store.counts().stored and not collector.app.collector_state.bytes_taken:
                break
            time.sleep(0.01)
        counts = collector.store.counts()
        assert (counts.stored, counts.refused) == (1, {})
        assert collector.app.collector_state.bytes_taken == 0


# -- the device client ----------------------------------------------------------------------------


def test_the_device_client_reports_once_through_the_collector(tmp_path):
    survey = colors("week")
    with running(tmp_path, survey, rules=Rules(upload="tokens")) as collector:
        found = httpx.get(f"{collector.url}/surveys/{survey.fingerprint}").text
        for person in range(5):
            client = Client(
                sv.Survey.from_json(found),
                folder=tmp_path / f"device-{person}",
                url=collector.url,
                token=collector.keys.issue_token(survey.fingerprint),
                patience=Patience(attempts=2),
            )
            assert client.report("green").state == "acknowledged"
            assert client.report("red").state == "acknowledged"
        assert collector.store.counts().stored == 5
        unknown = colors("week", name="unknown")
        for asked, code in ((survey, "not-allowed"), (unknown, "unknown-survey")):
            client = Client(asked, folder=tmp_path / code, url=collector.url)
            with pytest.raises(Refused) as refused:
                client.report("green")
            assert (refused.value.code, client.spent) == (code, 0)


def test_an_upload_of_several_surveys_of_one_mechanism_goes_to_the_right_one(tmp_path):
    one, two = colors(name="one"), colors(name="two")
    with running(tmp_path, one, two) as collector:
        assert load(collector.address, make(one, 7).uploads(7)).stored == 7
        assert load(collector.address, make(two, 9).uploads(3)).stored == 9
        held = [collector.store.windows(s.fingerprint) for s in (one, two)]
        assert held == [{"": 7}, {"": 9}]
        mixed = pack([2, os.urandom(16), "", [[bytes(16), b"\0"]]])
        assert post(collector, mixed).json()["code"] == "unknown-survey"
        assert collector.store.counts(one.fingerprint).refused == {}
