"""The page to answer on, as the server sends it: readable without script, and with one script only."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from datetime import UTC, datetime
from html import unescape

import httpx
import pytest

import sottovoce as sv
from clients.test_js import CLIENT
from sottovoce.domains.base import domain_kinds
from sottovoce.service.pages import answer
from sottovoce.store import Rules
from sottovoce.surveys.all_reports import cost_in_words
from sottovoce.surveys.survey import Survey
from support.answering import kinds, questionnaire, unasked
from support.dashboards import HOSTILE, Page
from support.loading import colors, running

KINDS = kinds()
PAGES = CLIENT.parents[1] / "src" / "sottovoce" / "service" / "pages"


class AnswerPage(Page):
    """A page with one script, which has no text; all else is as strict as on the dashboard."""

    def handle_starttag(self, tag, attrs):
        if tag == "script":
            assert dict(attrs).keys() == {"type", "src", "integrity"}
            self.open.append(tag)
            self.links.append(dict(attrs)["src"])
        else:
            super().handle_starttag(tag, attrs)

    def handle_data(self, data):
        assert self.open[-1:] != ["script"] or not data
        super().handle_data(data)


@pytest.fixture(scope="module")
def collector(tmp_path_factory):
    surveys = [*(kind.survey for kind in KINDS.values()), *unasked().values()]
    with running(tmp_path_factory.mktemp("answer"), *surveys) as found:
        yield found


def get(collector, survey):
    return httpx.get(f"{collector.url}/surveys/{survey.fingerprint}/answer")


def read(reply):
    assert reply.status_code == 200, reply.text[:2000]
    page = AnswerPage(reply.text)
    assert page.headings[:2] == [1, 2]
    assert len(set(page.ids)) == len(page.ids)
    assert set(page.refers) <= set(page.ids)
    assert not [link for link in page.links if ":" in link or link.startswith("/")]
    return page


def test_there_is_a_kind_of_question_for_every_kind_of_domain():
    asked = {kind.survey.mechanism.domain.kind for kind in KINDS.values()}
    assert asked == set(domain_kinds())


@pytest.mark.parametrize("name", [*KINDS, *unasked()])
def test_every_survey_has_a_page_that_can_be_read_without_script(collector, name):
    survey = {**{key: kind.survey for key, kind in KINDS.items()}, **unasked()}[name]
    reply = get(collector, survey)
    page = read(reply)
    assert " ".join(survey.question.split()) in unescape(page.words)
    for line in survey.privacy().splitlines():
        assert line in page.words
    assert cost_in_words(survey) in page.words
    assert survey.fingerprint in page.words
    drawn = reply.text.count('class="chart people"')
    if name == "delta":
        assert drawn == 0
        assert "cannot ask this survey" in page.words
        assert "<noscript>" not in reply.text
    else:
        assert drawn == (0 if name == "sensitive" else 2)
        assert "allow JavaScript for this page" in page.words


def test_headers_allow_the_one_script_and_nothing_else(collector):
    reply = get(collector, KINDS["radios"].survey)
    script = httpx.get(f"{collector.url}/answer.js").content
    told = base64.b64encode(hashlib.sha256(script).digest()).decode()
    policy = dict(
        each.strip().split(" ", 1) for each in reply.headers["content-security-policy"].split(";")
    )
    assert policy == {
        "default-src": "'none'", "script-src": f"'sha256-{told}'", "style-src": "'self'",
        "img-src": "'self'", "connect-src": "'self'", "form-action": "'none'", "base-uri": "'none'",
        "frame-ancestors": "'none'", "require-trusted-types-for": "'script'", "trusted-types": "'none'",
    }  # fmt: skip
    assert f'integrity="sha256-{told}"' in reply.text
    assert reply.text.count("<script") == 1
    assert reply.headers["referrer-policy"] == "no-referrer"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["cross-origin-opener-policy"] == "same-origin"
    assert reply.headers["cache-control"] == "no-store"
    assert hashlib.sha256(script).hexdigest() == answer.script_digest()
    assert answer.script_digest() in reply.text


def test_the_script_is_compressed_and_asked_for_once(collector):
    plain = httpx.get(f"{collector.url}/answer.js", headers={"accept-encoding": "identity"})
    assert plain.content == (PAGES / "answer.js").read_bytes()
    assert plain.headers["content-type"].startswith("text/javascript")
    with httpx.stream("GET", f"{collector.url}/answer.js") as packed:
        assert packed.headers["content-encoding"] == "gzip"
        assert gzip.decompress(b"".join(packed.iter_raw())) == plain.content
    known = {"if-none-match": plain.headers["etag"]}
    again = httpx.get(f"{collector.url}/answer.js", headers=known)
    assert (again.status_code, again.content) == (304, b"")


def test_the_script_is_the_one_that_was_built():
    built = (CLIENT / "dist" / "answer.js").read_bytes()
    assert (PAGES / "answer.js").read_bytes() == built, "run make js"


def test_pictures_show_the_survey_s_own_odds(collector):
    """Of randomized response over four values with epsilon 1: e / (e + 3) = 0.475, and 1 / (e + 3) = 0.175."""
    words = read(get(collector, KINDS["radios"].survey)).words
    assert "Of 100 people with one answer, 48 send a report that fits it." in words
    assert "Of 100 with another answer, 17 send one that fits it too." in words
    words = read(get(collector, KINDS["interval"].survey)).words
    assert "a guess between two answers is right 50 times of 100" in words
    assert "After it, at most 73.2 times." in words
    assert "a guess about one edge" in read(get(collector, KINDS["degrees"].survey)).words


def test_what_is_said_of_people_who_are_asked_again(tmp_path, collector):
    words = read(get(collector, KINDS["memory"].survey)).words
    assert "What your reports reveal" in words
    assert "Before your reports, a guess between two answers is right 50 times of 100." in words
    assert "After all of them, at most 88.1 times." in words
    assert "epsilon 2 for all reports, 1 for one" in words
    grr = sv.mechanism("grr", sv.Categories(["tea", "coffee"]), 1.0)
    cohorts = Survey("Daily", "What did you drink?", grr, "day", ask="1/30")
    with running(tmp_path, cohorts) as found:
        words = read(get(found, cohorts)).words
    assert "once in 30 days; each device draws in which" in words
    assert "epsilon 1 in any 30 windows (day) in a row" in words
    assert "Your device draws which one of 30 windows (day) asks you" in words


def test_hostile_text_is_text(collector):
    text = get(collector, KINDS["hostile"].survey).text
    assert HOSTILE not in text
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_the_questions_of_a_record_are_listed(collector):
    survey = kinds()["record"].survey
    words = read(get(collector, survey)).words
    assert "There are 10 questions:" in words
    for name, domain in zip(questionnaire().names, questionnaire().domains, strict=True):
        assert f"{survey.text_of(name)} ({domain.in_words()})" in words
    assert "anybody you live with" in words
    assert "This holds for all your answers together" in words
    assert "Your answers are randomized in this browser" in words


def test_an_unknown_survey_has_no_page(collector):
    for name in ("0" * 32, "nonsense"):
        reply = httpx.get(f"{collector.url}/surveys/{name}/answer")
        assert reply.status_code == 404
        assert "No survey has the fingerprint" in reply.text
        assert "script-src" not in reply.headers["content-security-policy"]


def test_a_survey_that_is_closed_says_so(tmp_path):
    def dated(name, **days):
        return Survey(
            name, f"What about {name}?", sv.mechanism("grr", sv.Categories(2), 1.0), **days
        )

    past, later = dated("past", closes="2026-11-17"), dated("later", opens="2026-11-19")
    open_, shut = dated("open", closes="2026-11-18"), dated("shut")
    now = datetime(2026, 11, 18, 12, tzinfo=UTC)
    with running(tmp_path, past, later, open_, shut, clock=lambda: now) as found:
        found.close(shut)
        for survey in (past, shut):
            assert "This survey is closed." in read(get(found, survey)).words
        assert "This survey opens on 2026-11-19." in read(get(found, later)).words
        reply = get(found, open_)
        assert "closed" not in read(reply).words
        assert "2026-11-18" in reply.text
        assert "data-closed" not in reply.text
        assert "data-closed" in get(found, shut).text


def test_a_survey_with_tokens_says_so(tmp_path):
    with running(tmp_path, colors(), rules=Rules(upload="tokens")) as found:
        reply = get(found, colors())
        assert "people with a token" in read(reply).words
        assert "data-tokens" in reply.text


def test_the_page_can_be_turned_off(tmp_path):
    with running(tmp_path, colors(), answer_page=False, open_reading=True) as found:
        for path in (f"/surveys/{colors().fingerprint}/answer", "/answer.js"):
            assert httpx.get(found.url + path).status_code == 404
        assert "setting answer_page" in get(found, colors()).text
        board = httpx.get(f"{found.url}/dashboard/{colors().fingerprint}").text
        assert "/answer" not in board


def test_the_dashboard_links_to_the_page(tmp_path):
    with running(tmp_path, colors(), open_reading=True) as found:
        board = httpx.get(f"{found.url}/dashboard/{colors().fingerprint}").text
        (link,) = re.findall(r'href="([^"]*/answer)"', board)
        there = httpx.URL(f"{found.url}/dashboard/").join(link)
        assert httpx.get(there).status_code == 200


def test_the_key_of_the_publisher_is_named(tmp_path):
    signing = pytest.importorskip("sottovoce.surveys.signing")
    pytest.importorskip("cryptography")
    signed = signing.PublisherKey.generate().sign(colors())
    with running(tmp_path, signed) as found:
        assert signed.publisher in read(get(found, colors())).words


def test_files_of_the_page_count_for_no_rate(tmp_path):
    """So that a class behind one address can open it: 2 requests per person count, for ``open_rate``."""
    with (
        running(tmp_path, colors(), open_rate=1.0, address_rate=1.0) as found,
        httpx.Client(base_url=found.url) as http,
    ):
        for path in ("/answer.js", "/answer.css", "/style.css", "/icon.svg"):
            assert {http.get(path).status_code for _ in range(8)} == {200}
        page = f"/surveys/{colors().fingerprint}/answer"
        assert {http.get(page).status_code for _ in range(4)} == {200, 429}
