"""The client in Chromium when something is wrong: the report is kept, one sentence says so, and it counts once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import sottovoce as sv
from clients.test_js_browser import TABS, in_tabs, served
from support.browsing import browsing
from support.devices import DRINKS, make_survey
from support.loading import Running, running

pytestmark = pytest.mark.slow
NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
TODAY = NOON.date()
CLIENT = """
    const { Client, Survey, toHex } = await import("/clients/js/dist/sottovoce.js");
    const waits = [];
    const patience = { attempts: 2, timeout: 5, sleep: async (seconds) => void waits.push(seconds) };
    const survey = given.text === undefined ? await Survey.fetch(given.url) : Survey.parse(given.text);
    const client = new Client(survey, { patience, ...given.options });
    const said = async ({ state, code, upload, ...rest }) => ({
        state, code, upload: toHex(upload), waits, spent: await client.spent(),
        status: client.explain({ state, code, upload, ...rest }).status,
    });
"""
REPORT = f"""async (given) => {{
    try {{
        {CLIENT}
        return await said(await client.report("tea"));
    }} catch (error) {{
        return {{ error: error.code, message: error.message }};
    }}
}}"""
SEND = f"""async (given) => {{
    {CLIENT}
    const [receipt] = await client.send();
    return await said(receipt);
}}"""
SPENT = f"async (given) => {{ {CLIENT} return await client.spent(); }}"


class Fault(NamedTuple):
    """What happens to uploads on their way, the code and attempts after it, and what is said."""

    upload: Callable[[Any], None]
    code: str
    attempts: int
    status: str
    wait: float = 0


def answer(status: int, body: str = "", **headers: str) -> Callable[[Any], None]:
    """An answer that is not the collector's, though it lets any page read it."""
    allowed = {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "Retry-After"}
    return lambda route: route.fulfill(status=status, body=body, headers={**allowed, **headers})


def lost(route: Any) -> None:
    """The upload arrives, and its answer does not."""
    route.fetch()
    route.abort("connectionreset")


FAULTS = {
    "nobody listens": Fault(lambda route: route.abort("connectionrefused"), "no-answer", 2, "did not answer"),
    "an answer that is lost": Fault(lost, "no-answer", 2, "did not answer"),
    "429": Fault(answer(429, '{"code": "rate-limited"}', **{"Retry-After": "7"}), "rate-limited", 2, "is busy", 7),
    "503": Fault(answer(503), "status-503", 2, "is busy"),
    "a page of a gateway": Fault(answer(200, "<html>Welcome</html>"), "no-acknowledgement", 1, "Something other than the collector"),
    "a redirection": Fault(answer(302, Location="/elsewhere"), "status-0", 1, "Something other than the collector"),
}  # fmt: skip


def survey_of(name: str, **more: Any) -> sv.Survey:
    mechanism = sv.mechanism("olh", DRINKS, 1.0)
    return sv.Survey(name, f"What about {name}?", mechanism, "day", minimum_batch=1, **more)


class Setting(NamedTuple):
    """A browser, the address of its pages, and a collector."""

    chromium: Any
    root: str
    collector: Running

    def page(self, day: date = TODAY, **options: Any) -> Any:
        """A page in a window of its own, on a device where it is some day."""
        page = self.chromium.new_context(**options).new_page()
        page.clock.set_fixed_time(f"{day}T12:00:00Z")
        page.goto(self.root)
        return page

    def given(self, survey: sv.Survey, **options: Any) -> dict[str, Any]:
        """What a page needs to answer a survey."""
        return {"url": f"{self.collector.url}/surveys/{survey.fingerprint}", "options": options}

    def counted(self, survey: sv.Survey) -> int:
        return self.collector.store.tally(survey.fingerprint).n


@contextmanager
def setting(folder: Path, *surveys: sv.Survey, flags: tuple[str, ...] = ()) -> Iterator[Setting]:
    with served() as root, browsing(*flags) as chromium:
        origins = root.rstrip("/")
        with running(folder, *surveys, clock=lambda: NOON, origins=origins) as collector:
            yield Setting(chromium, root, collector)


def one_sentence(status: str) -> bool:
    return status.endswith(".") and ". " not in status


def test_a_report_is_kept_whatever_becomes_of_its_upload(tmp_path):
    surveys = {name: survey_of(name) for name in FAULTS}
    with setting(tmp_path, *surveys.values()) as there:
        for name, fault in FAULTS.items():
            survey, page, sent = surveys[name], there.page(), []
            page.on("request", lambda asked, sent=sent: sent.append(asked.post_data_buffer))
            page.route("**/reports", fault.upload)
            receipt = page.evaluate(REPORT, there.given(survey))
            uploads = [body.hex() for body in sent if body is not None]
            assert (receipt["state"], receipt["code"]) == ("pending", fault.code), (name, receipt)
            assert uploads == [receipt["upload"]] * fault.attempts, name
            assert fault.status in receipt["status"], receipt
            assert one_sentence(receipt["status"]), receipt
            assert not fault.wait or receipt["waits"] == [fault.wait], receipt
            page.unroute("**/reports")
            again = page.evaluate(SEND, there.given(survey))
            assert (again["state"], again["upload"]) == ("acknowledged", receipt["upload"]), name
            assert again["spent"] == "1"
            assert there.counted(survey) == 1, name


def test_tabs_that_race_are_counted_once(tmp_path):
    survey = make_survey("raced")
    with setting(tmp_path, survey) as there:
        given = {"survey": survey.to_json(), "limits": {"url": there.collector.url}}
        uploads = in_tabs(there.chromium, there.root, [given] * TABS)
        assert len(set(uploads)) == 1
        assert there.counted(survey) == 1


def test_a_device_that_is_offline_sends_later(tmp_path):
    survey = survey_of("offline")
    with setting(tmp_path, survey) as there:
        page = there.page()
        given = {"text": survey.to_json(), "options": {"url": there.collector.url}}
        page.evaluate('() => import("/clients/js/dist/sottovoce.js")')
        page.context.set_offline(True)
        receipt = page.evaluate(REPORT, given)
        assert (receipt["state"], receipt["code"]) == ("pending", "no-answer")
        page.context.set_offline(False)
        assert page.evaluate(SEND, given)["state"] == "acknowledged"
        assert there.counted(survey) == 1


def test_a_clock_that_is_a_day_off(tmp_path):
    early, late = survey_of("early"), survey_of("late")
    with setting(tmp_path, early, late) as there:
        page = there.page(date(2026, 11, 19))
        receipt = page.evaluate(REPORT, there.given(early))
        assert (receipt["state"], receipt["code"]) == ("pending", "clock-skew")
        assert receipt["status"].startswith("The date of this device is ahead of the collector's")
        assert one_sentence(receipt["status"])
        page.clock.set_fixed_time(f"{TODAY}T12:00:00Z")
        second = page.evaluate(REPORT, there.given(early))
        assert second["error"] == "over-budget", second  # windows are answered in order
        assert "Check the clock of this device" in second["message"]

        page = there.page(date(2026, 11, 17))
        receipt = page.evaluate(REPORT, there.given(late))
        assert receipt["state"] == "acknowledged"  # yesterday is still taken
        assert one_sentence(receipt["status"])
        assert there.counted(early) == 0
        assert there.counted(late) == 1


def test_a_survey_that_is_closed_meanwhile(tmp_path):
    before, between = survey_of("before"), survey_of("between")
    with setting(tmp_path, before, between) as there:
        page = there.page()
        page.route("**/about", lambda route: route.abort())  # the client is not told
        there.collector.close(between)
        receipt = page.evaluate(REPORT, there.given(between))
        assert (receipt["state"], receipt["code"]) == ("refused", "window-closed"), receipt
        assert "the time to answer is over" in receipt["status"]
        assert one_sentence(receipt["status"])
        page.unroute("**/about")
        there.collector.close(before)
        refused = page.evaluate(REPORT, there.given(before))
        assert refused == {"error": "survey-closed", "message": 'survey "before" is closed'}
        assert page.evaluate(SPENT, there.given(before)) == "1"  # of the other survey


def test_an_insecure_page(tmp_path):
    """Plain HTTP has no WebCrypto but random numbers, and IndexedDB; sending in the clear must be asked for."""
    survey = survey_of("plain")
    with served() as root, browsing(f"--host-resolver-rules=MAP plain.example {root[7:-1]}") as it:
        page = it.new_page()
        page.goto("http://plain.example/")
        assert page.evaluate("[isSecureContext, typeof crypto.subtle]") == [False, "undefined"]
        given = {"text": survey.to_json(), "options": {"url": "http://nowhere.example"}}
        refused = page.evaluate(REPORT, given)
        assert refused["error"] == "invalid-argument"
        assert "plainHttp: true lets anyone on the network path read" in refused["message"]
        given["options"]["plainHttp"] = True
        receipt = page.evaluate(REPORT, given)  # where nobody is
        assert (receipt["state"], receipt["spent"]) == ("pending", "1")
        assert page.evaluate(REPORT, given)["upload"] == receipt["upload"]


def test_a_private_window_forgets(tmp_path):
    survey = survey_of("private")
    with setting(tmp_path, survey) as there:
        uploads = set()
        for _ in range(2):
            page = there.page()
            assert page.evaluate(SPENT, there.given(survey)) == "0"
            uploads |= {page.evaluate(REPORT, there.given(survey))["upload"] for _ in range(2)}
            page.context.close()
        assert len(uploads) == 2


DENIALS = {
    "a sandboxed page": ("sandboxed", None),
    "a full disk": ("", "Storage.overrideQuotaForOrigin"),
}


@pytest.mark.parametrize("denial", DENIALS)
def test_without_storage_nothing_is_drawn_or_sent(tmp_path, denial):
    path, command = DENIALS[denial]
    survey = survey_of("denied")
    with setting(tmp_path, survey) as there:
        page, sent = there.page(), []
        page.goto(there.root + path)
        if command is not None:
            origin = there.root.rstrip("/")
            session = page.context.new_cdp_session(page)
            session.send(command, {"origin": origin, "quotaSize": 1})
        page.on("request", lambda asked: sent.append(asked.method))
        refused = page.evaluate(
            REPORT, {"text": survey.to_json(), "options": {"url": there.collector.url}}
        )
        assert refused["error"] == "no-ledger", refused
        assert "so nothing is drawn or sent" in refused["message"]
        assert "POST" not in sent
        assert there.counted(survey) == 0
