"""The element for one's own site: on another origin than the collector, under a policy of its own, in Chromium."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

import sottovoce as sv
from clients.test_js import CLIENT
from sottovoce.store import Rules
from support.answering import kinds
from support.browsing import browsing, open_details, violations
from support.loading import running

pytestmark = pytest.mark.slow
TEA = kinds()["radios"]
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'none'; connect-src {collector}; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
PAGE = """<!doctype html><html lang="en"><title>A site</title><script type="module" src="ask.js"></script>
<script src="site.js"></script><main><h1>Our site</h1><sottovoce-ask src="{src}" {more}></sottovoce-ask></main></html>"""
LISTEN = """window.heard = [];
for (const name of ["report", "withdraw", "refusal"])
  addEventListener(`sottovoce-${name}`, (event) => window.heard.push([name, event.detail]));"""


class Site:
    """A site that holds the element, on its own origin."""

    def __init__(self) -> None:
        self.page, self.policy, self.origin = "", "", ""

    def files(self) -> dict[str, tuple[str, bytes]]:
        script = (CLIENT / "dist" / "ask.js").read_bytes()
        return {
            "/": ("text/html", self.page.encode()),
            "/ask.js": ("text/javascript", script),
            "/site.js": ("text/javascript", LISTEN.encode()),
        }


@contextmanager
def serving() -> Iterator[Site]:
    site = Site()

    class Files(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, data = site.files().get(self.path, ("text/plain", b""))
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Security-Policy", site.policy)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Files)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site.origin = f"http://localhost:{server.server_address[1]}"
    try:
        yield site
    finally:
        server.shutdown()


@pytest.fixture(scope="module")
def browser():
    with browsing() as started:
        yield started


@contextmanager
def shown(
    browser, tmp_path, more="", *, allowed=True, rules=None, survey=TEA.survey
) -> Iterator[tuple[Any, Any]]:
    """A page of the site, with the element for a survey of a collector."""
    with serving() as site:
        origins = {"origins": site.origin} if allowed else {}
        with running(tmp_path, survey, rules=rules, **origins) as collector:
            src = f"{collector.url}/surveys/{survey.fingerprint}"
            site.page = PAGE.format(src=src, more=more)
            site.policy = POLICY.format(collector=collector.url)
            with browser.new_context() as context:
                page = context.new_page()
                page.goto(site.origin)
                yield page, collector


def stored(collector) -> int:
    return sum(collector.store.windows(TEA.survey.fingerprint).values())


def test_the_element_asks_on_another_site(browser, tmp_path):
    with shown(browser, tmp_path) as (page, collector):
        page.get_by_label("tea", exact=True).wait_for()
        assert page.get_by_role("heading", name=TEA.survey.question).count() == 1
        for line in TEA.survey.privacy().splitlines():
            assert page.get_by_text(line).count() == 1
        assert violations(page) == []
        page.get_by_label("tea", exact=True).check()
        page.get_by_role("button", name="Randomize and send").click()
        page.get_by_role("heading", name="Sent").wait_for()
        assert stored(collector) == 1
        page.locator("summary", has_text="byte by byte").click()
        assert page.get_by_text("The report says:").is_visible()
        assert violations(page) == []
        ((name, detail),) = page.evaluate("heard")
        assert name == "report"
        assert set(detail) == {"fingerprint", "window", "epsilon", "state", "code"}
        assert (detail["state"], detail["fingerprint"]) == ("acknowledged", TEA.survey.fingerprint)
        assert "tea" not in json.dumps(detail)

        page.reload()
        page.get_by_role("heading", name="Sent").wait_for()
        page.locator("summary", has_text="Withdraw").click()
        page.get_by_role("button", name="Withdraw this report").click()
        page.get_by_role("heading", name="Withdrawn").wait_for()
        assert stored(collector) == 0
        assert [each[0] for each in page.evaluate("heard")] == ["withdraw"]


@pytest.mark.parametrize("kind", ["memory", "cohorts"])
def test_the_element_asks_again(browser, tmp_path, kind):
    """What is kept and what the series costs, or when this device is asked; in words that fit a phone."""
    grr = TEA.survey.mechanism
    cohorts = sv.Survey("Daily", "What did you drink?", grr, "day", ask="1/1000")
    survey = kinds()["memory"].survey if kind == "memory" else cohorts
    with shown(browser, tmp_path, survey=survey) as (page, collector):
        said = {
            "memory": "Your first report is charged for all that follow: epsilon 2 for all reports, 1 for one.",
            "cohorts": "Your device is not asked in this window, so nothing is sent. It is asked next on ",
        }[kind]
        page.get_by_text(said).or_(page.locator("form")).first.wait_for()
        if (
            kind == "cohorts" and page.locator("form").count()
        ):  # one device in a thousand is asked today
            page.clock.set_fixed_time(datetime.now(UTC) + timedelta(1))
            page.reload()
        page.get_by_text(said).wait_for()
        for line in survey.privacy().splitlines():
            assert page.get_by_text(line).count() == 1
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            for width in (390, 1280):
                page.set_viewport_size({"width": width, "height": 844})
                assert page.evaluate("document.scrollingElement.scrollWidth") <= width
                folder = os.environ.get("SOTTOVOCE_SCREENSHOTS")
                if folder:
                    page.screenshot(
                        path=f"{folder}/ask-{kind}-{scheme}-{width}.png", full_page=True
                    )
        assert violations(page) == []
        assert page.locator("form").count() == (kind == "memory")
        assert collector.store.windows(survey.fingerprint) == {}


def test_its_style_does_not_need_the_policy(browser, tmp_path):
    """A style sheet that is made, not inserted: `style-src 'none'` does not stop it."""
    with shown(browser, tmp_path) as (page, _):
        button = page.get_by_role("button", name="Randomize and send")
        button.wait_for()
        assert button.evaluate("each => getComputedStyle(each).backgroundColor") == "rgb(11, 97, 105)"  # fmt: skip
        page.set_viewport_size({"width": 320, "height": 800})
        assert page.evaluate("document.scrollingElement.scrollWidth") <= 320


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ('max-epsilon="0.5"', "over-budget"), ('total-epsilon="much"', "invalid-argument"),
        ('total-epsilon=""', "invalid-argument"), ('my-epsilon="1"', "invalid-argument"),
    ],
)  # fmt: skip
def test_limits_are_attributes(browser, tmp_path, more, code):
    with shown(browser, tmp_path, more) as (page, collector):
        page.get_by_text("so nothing was drawn or sent.").wait_for()
        ((name, detail),) = page.evaluate("heard")
        assert (name, detail["code"]) == ("refusal", code)
        assert page.locator("form").count() == 0
        assert stored(collector) == 0
        assert violations(page) == []


def test_a_survey_that_the_pinned_key_did_not_sign(browser, tmp_path):
    with shown(browser, tmp_path, f'publisher="{"0" * 64}"') as (page, collector):
        page.get_by_text("so nothing was drawn or sent.").wait_for()
        assert [each[0] for each in page.evaluate("heard")] == ["refusal"]
        assert (page.locator("form").count(), stored(collector)) == (0, 0)


def test_a_site_that_the_collector_does_not_allow(browser, tmp_path):
    with shown(browser, tmp_path, allowed=False) as (page, _):
        page.get_by_text("The collector did not answer, so nothing was drawn or sent.").wait_for()


def test_a_token_is_a_property(browser, tmp_path):
    with shown(browser, tmp_path, rules=Rules(upload="tokens")) as (page, collector):
        token = collector.keys.issue_token(TEA.survey.fingerprint)
        page.get_by_label("tea", exact=True).check()
        page.get_by_role("button", name="Randomize and send").click()
        page.get_by_text("This survey needs the link with a token").wait_for()
        assert stored(collector) == 0
        page.evaluate("""(token) => {
            const old = document.querySelector("sottovoce-ask");
            const made = document.createElement("sottovoce-ask");
            made.setAttribute("src", old.getAttribute("src"));
            made.token = token;
            old.replaceWith(made);
        }""", token)  # fmt: skip
        page.get_by_label("tea", exact=True).check()
        page.get_by_role("button", name="Randomize and send").click()
        page.get_by_role("heading", name="Sent").wait_for()
        open_details(page)
        assert stored(collector) == 1
