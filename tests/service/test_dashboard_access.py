"""Who may see what on the dashboard, and how much at once."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from sottovoce.service.api.visitors import SESSION
from sottovoce.service.auth.sessions import _MOST, SESSION_TIME, Sessions
from sottovoce.service.pages import surveys as pages
from support.dashboards import check, fill, filled, settled, surveys
from support.loading import running


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    with filled(tmp_path_factory.mktemp("board")) as found:
        yield found


@pytest.fixture
def closed(tmp_path):
    survey = surveys()["drinks"]
    moment = [datetime(2026, 11, 16, 12, tzinfo=UTC)]
    with running(tmp_path, survey, clock=lambda: moment[0]) as collector:
        fill(collector.store, survey, "2026-W47", ["tea"] * 500)
        yield collector, survey, moment


def test_readers_sign_in_with_their_key(closed):
    collector, survey, moment = closed
    here, key = f"/dashboard/{survey.fingerprint}", collector.keys.of_role("read")
    with httpx.Client(base_url=collector.url) as http:
        page = check(http.get("/"))
        assert "Sign in" in page.words and "500" not in page.words
        form = check(http.get(here), 401)
        hidden = next(given for tag, given in form.tags if given.get("name") == "to")
        assert hidden["value"] == here.lstrip("/")
        assert (
            "not the key of a reader"
            in check(http.post("/sign-in", data={"key": "guess"}), 403).words
        )
        assert "A key is needed" in check(http.post("/sign-in", data={}), 403).words
        publisher = collector.keys.of_role("publish")
        assert http.post("/sign-in", data={"key": publisher}).status_code == 403
        assert not http.cookies
        done = http.post("/sign-in", data={"key": f" {key} ", "to": hidden["value"]})
        assert done.status_code == 303 and done.headers["location"] == "./" + hidden["value"]
        cookie = done.headers["set-cookie"].lower()
        assert all(word in cookie for word in ("httponly", "samesite=strict"))
        assert "path=" not in cookie  # the page's own, also behind a prefix
        assert key.lower() not in cookie and "secure" not in cookie
        assert "tea" in check(settled(http, here)).words
        assert http.get(f"/surveys/{survey.fingerprint}/estimate.csv").status_code == 200
        assert "500" in check(http.get("/")).words
        assert http.post(f"/surveys/{survey.fingerprint}/close").status_code == 401
        moment[0] += SESSION_TIME - timedelta(seconds=1)
        assert http.get(here).status_code == 200
        moment[0] += timedelta(seconds=2)
        assert http.get(here).status_code == 401


def test_signing_out_ends_it(closed):
    collector, survey, _ = closed
    with httpx.Client(base_url=collector.url) as http:
        http.post("/sign-in", data={"key": collector.keys.of_role("read")})
        assert http.cookies
        assert http.post("/sign-out").status_code == 303
        assert not http.cookies
        assert http.get(f"/dashboard/{survey.fingerprint}").status_code == 401


def test_signing_out_ends_a_copy_of_the_cookie_and_no_other_session(closed):
    collector, survey, _ = closed
    here, key = f"/dashboard/{survey.fingerprint}", {"key": collector.keys.of_role("read")}
    with (
        httpx.Client(base_url=collector.url) as http,
        httpx.Client(base_url=collector.url) as other,
    ):
        http.post("/sign-in", data=key)
        other.post("/sign-in", data=key)
        stolen = {SESSION: http.cookies[SESSION]}
        assert httpx.get(collector.url + here, cookies=stolen).status_code == 200
        http.post("/sign-out")
        assert httpx.get(collector.url + here, cookies=stolen).status_code == 401
        assert other.get(here).status_code == 200
        assert httpx.post(f"{collector.url}/sign-out").status_code == 303, "without a session too"


@pytest.mark.parametrize(
    "told, secure",
    [("https", True), ("HTTPS", True), ("https, http", True), ("https ,http", True),
     ("http", False), ("http, https", False), ("httpss", False), ("", False)],
)  # fmt: skip
def test_the_cookie_is_secure_where_the_browser_came_by_https(closed, told, secure):
    collector, *_ = closed
    headers, key = {"x-forwarded-proto": told}, {"key": collector.keys.of_role("read")}
    for path in ("/sign-in", "/sign-out"):
        done = httpx.post(collector.url + path, data=key, headers=headers)
        assert ("; secure" in done.headers["set-cookie"].lower()) is secure


def test_the_oldest_of_very_many_sessions_ends(closed):
    _, _, moment = closed
    sessions = Sessions()
    first, *_, last = [sessions.issue(moment[0]) for _ in range(_MOST + 1)]
    assert not sessions.holds(first, moment[0])
    assert sessions.holds(last, moment[0])


def test_sessions_cannot_be_made_up_nor_lead_elsewhere(closed):
    collector, survey, moment = closed
    sessions = collector.app.collector_state.sessions
    session = sessions.issue(moment[0])
    for wrong in ("", "AAAA", session[:-2], session[4:], session.swapcase(), "é" * 20, "\ud800"):
        assert not sessions.holds(wrong, moment[0])
    assert sessions.holds(session, moment[0])
    key = collector.keys.of_role("read")
    for to in (
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "dashboard/../x",
        "x\r\ny: z",
    ):
        done = httpx.post(f"{collector.url}/sign-in", data={"key": key, "to": to})
        assert done.headers["location"] == "./"
    cookies = {SESSION: "AAAA"}
    answer = httpx.get(f"{collector.url}/dashboard/{survey.fingerprint}", cookies=cookies)
    assert answer.status_code == 401


def test_too_much_at_once_is_refused_and_lookups_go_on(board, monkeypatch):
    state, go = board.running.app.collector_state, threading.Event()
    board.page("drinks")
    monkeypatch.setattr(state, "_asked", 31)
    monkeypatch.setattr(pages, "asked", lambda *_: go.wait(60) and pages.Asked())
    at = f"/dashboard/{board.surveys['drinks'].fingerprint}"
    with ThreadPoolExecutor(1) as others:
        slow = others.submit(
            httpx.get, f"{board.running.url}{at}", params={"text": "tea"}, timeout=60
        )
        while state._asked < 32:
            time.sleep(0.01)
        refused = board.http.get(f"/surveys/{board.surveys['drinks'].fingerprint}/estimate")
        assert (refused.status_code, refused.json()["code"]) == (429, "rate-limited")
        assert refused.headers["retry-after"]
        assert (
            board.http.get(f"/surveys/{board.surveys['drinks'].fingerprint}/status").status_code
            == 200
        )
        go.set()
        assert slow.result().status_code == 200
