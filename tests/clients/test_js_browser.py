"""The client in Chromium: every vector, tabs that race, a browser that is killed, storage that is denied."""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import sottovoce as sv
from clients.test_js import CLIENT
from support.browsing import FLAGS, browsing
from support.devices import make_survey

pytestmark = pytest.mark.slow
ROOT = CLIENT.parents[1]
TABS = 8
ROUNDS = int(os.environ.get("SOTTOVOCE_ROUNDS", "12"))
KILLS = int(os.environ.get("SOTTOVOCE_KILLS", "6"))

CLIENT_OF = """
    const { Client, Survey, toHex } = await import("/clients/js/dist/sottovoce.js");
    const client = new Client(Survey.parse(given.survey), { clock: () => "2026-11-16", ...given.limits });
"""
REPORT = f"""async (given) => {{
    {CLIENT_OF}
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, given.at - Date.now())));
    try {{
        return toHex((await client.report("tea")).upload);
    }} catch (error) {{
        return error.code;
    }}
}}"""
LOOK = f"""async (given) => {{
    {CLIENT_OF}
    return [await client.spent(), ...(await client.receipts()).map(({{ upload }}) => toHex(upload))];
}}"""
VECTORS = """async ({ files }) => {
    globalThis.process = { env: {} };
    for (const file of files) await import(`/clients/js/test/${file}.test.js`);
    return (await import("/clients/js/test/standin.js")).run();
}"""
PARTS = ", ".join(
    f'"node:{part}": "/clients/js/test/standin.js"'
    for part in ("test", "assert/strict", "fs", "http", "os", "path", "url")
)
PAGE = f'<!doctype html><title>devices</title><script type="importmap">{{"imports": {{{PARTS}}}}}</script>'


TRUST = """async () => {
    const { Survey } = await import("/clients/js/dist/sottovoce.js");
    const { follow } = await import("/clients/js/dist/device/logcheck.js");
    const { readJson } = await import("/clients/js/dist/json.js");
    const cases = async (file) => (await (await fetch(`/vectors/${file}`)).json()).cases;
    const wrong = [];
    for (const { name, text, publisher, taken } of await cases("signed.json")) {
        const found = await Survey.parseSigned(text, { publisher }).then(() => true, (error) => error.code);
        if (taken ? found !== true : !["not-trusted", "invalid-survey"].includes(found)) wrong.push(name);
    }
    for (const { name, kept, entries, head } of await cases("log.json")) {
        let found = kept;
        try {
            for (const entry of readJson(JSON.stringify(entries))) found = follow(found, entry);
        } catch (error) {
            found = null;
        }
        if (found?.size !== head?.size || found?.head !== head?.head) wrong.push(name);
    }
    return wrong;
}"""


class Quiet(SimpleHTTPRequestHandler):
    """Files of the repository, and two empty pages: one of them has no origin, and so no storage."""

    extensions_map = {".js": "text/javascript", ".json": "application/json", "": "text/html"}  # noqa: RUF012

    def do_GET(self) -> None:
        if self.path not in ("/", "/sandboxed"):
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        if self.path == "/sandboxed":
            self.send_header("Content-Security-Policy", "sandbox allow-scripts")
        self.end_headers()
        self.wfile.write(PAGE.encode())
        return None

    def end_headers(self) -> None:
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()

    def log_message(self, *arguments: Any) -> None:
        pass


@contextmanager
def served() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=ROOT))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()


@pytest.fixture
def browser() -> Iterator[tuple[Any, str]]:
    with served() as root, browsing() as started:
        yield started, root


def test_every_vector(browser):
    """The tests of vectors as Node runs them, in Chromium."""
    chromium, root = browser
    page, said = chromium.new_page(), []
    page.on("console", lambda message: said.append(message.text))
    page.goto(root)
    files = ["remembered", "reports", "surveys", "uploads", "values", "windows"]
    assert page.evaluate(VECTORS, {"files": files}) == []
    found = re.findall(r"^([a-z-]+)[.]json: (\d+) of (\d+) cases", "\n".join(said), re.M)
    assert all(int(passed) == int(cases) > 0 for _, passed, cases in found)
    names = {path.stem for path in (ROOT / "vectors").glob("*.json")}
    assert {name for name, _, _ in found} == names - {"signed", "log"}
    print(sum(int(cases) for *_, cases in found), "cases")


def test_cohorts_and_memory(browser):
    """The tests of what a device keeps as Node runs them, on the IndexedDB of Chromium."""
    chromium, root = browser
    page = chromium.new_page()
    page.goto(root)
    assert page.evaluate(VECTORS, {"files": ["cohorts", "memory"]}) == []
    databases = page.evaluate("indexedDB.databases()")
    assert {each["version"] for each in databases} == {3}
    assert len(databases) >= 10


def test_every_vector_of_signed_surveys_and_logs(browser):
    chromium, root = browser
    page = chromium.new_page()
    page.goto(root)
    assert page.evaluate("isSecureContext")
    assert page.evaluate(TRUST) == []


def in_tabs(chromium: Any, root: str, given: list[dict[str, Any]]) -> list[str]:
    """What tabs of one browser report that all begin at the same moment."""
    with chromium.new_context() as context:
        return in_tabs_of(context, root, given)


def in_tabs_of(context: Any, root: str, given: list[dict[str, Any]]) -> list[str]:
    """The same in a browser window that stays open."""
    pages = [context.new_page() for _ in given]
    for page in pages:
        page.goto(root)
    start = pages[0].evaluate("Date.now()") + 1500
    for page, each in zip(pages, given, strict=True):
        text = json.dumps({**each, "at": start})
        page.evaluate(f"() => {{ window.done = ({REPORT})({text}); }}")
    return [page.evaluate("() => window.done") for page in pages]


def test_tabs_that_race_send_one_report(browser):
    survey = make_survey().to_json()
    for _ in range(ROUNDS):
        uploads = in_tabs(*browser, [{"survey": survey}] * TABS)
        assert len(set(uploads)) == 1
        assert len(uploads[0]) > 100


MEMOS = """async () => {
    const { BrowserLedger } = await import("/clients/js/dist/sottovoce.js");
    return new BrowserLedger().transact((rows, logs, { kept, memos }) => ({ result: [kept.length, memos.length] }));
}"""


def test_tabs_that_race_keep_one_permanent_answer(browser):
    """A hash, a permanent answer and a report, whoever draws them."""
    chromium, root = browser
    mechanism = sv.mechanism(
        "memoized", sv.Categories(["tea", *map(str, range(99))]), 1.0, lifetime=2.0
    )
    survey = sv.Survey("kept", "What?", mechanism, "day").to_json()
    for _ in range(max(1, ROUNDS // 4)):
        with chromium.new_context() as context:
            uploads = in_tabs_of(context, root, [{"survey": survey}] * TABS)
            assert len(set(uploads)) == 1
            assert len(uploads[0]) > 100
            page = context.new_page()
            page.goto(root)
            assert page.evaluate(MEMOS) == [1, 1]


def test_tabs_that_race_keep_the_budget(browser):
    surveys = [make_survey(f"survey {i}", 0.5).to_json() for i in range(TABS)]
    given = [{"survey": survey, "limits": {"totalEpsilon": 1.5}} for survey in surveys]
    for _ in range(ROUNDS):
        codes = in_tabs(*browser, given)
        assert codes.count("over-budget") == TABS - 3
        assert len(set(codes)) == 4


def started_chromium(folder: Path) -> tuple[subprocess.Popen[bytes], str]:
    """A browser with a profile of its own, in a process group of its own, and its address."""
    program = shutil.which("chromium") or pytest.skip("needs Chromium")
    written = folder / "DevToolsActivePort"  # the port, and the path of the browser
    written.unlink(missing_ok=True)
    started = subprocess.Popen(
        [program, "--headless", *FLAGS, "--remote-debugging-port=0", f"--user-data-dir={folder}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    while not written.exists() or len(written.read_text().split()) < 2:
        assert started.poll() is None, "Chromium did not start"
        time.sleep(0.05)
    port, path = written.read_text().split()
    return started, f"ws://127.0.0.1:{port}{path}"


def kill(started: subprocess.Popen[bytes]) -> None:
    os.killpg(started.pid, signal.SIGKILL)
    started.wait()


@contextmanager
def chromium_of(folder: Path, playwright: Any) -> Iterator[Any]:
    """A browser that is killed in the end. One that was killed before may not answer at once: it is killed again."""
    for patience in (8000, 8000, 60_000):
        started, address = started_chromium(folder)
        try:
            browser = playwright.chromium.connect_over_cdp(address, timeout=patience)
        except Exception as error:  # playwright's own, which is not imported where it is missing
            kill(started)
            if patience > 8000 or "Timeout" not in str(error):
                raise
            continue
        try:
            yield browser
        finally:
            kill(started)
        return


def test_a_browser_that_is_killed_after_a_report_has_it(tmp_path):
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    uploads: list[str] = []
    wide = {"limits": {"dayEpsilon": 99, "totalEpsilon": 99}}
    with served() as root, playwright.sync_playwright() as started:
        for i in range(KILLS + 1):
            with chromium_of(tmp_path / "profile", started) as browser:
                page = browser.contexts[0].new_page()
                page.goto(root)
                given = [{"survey": make_survey(f"survey {k}").to_json(), **wide} for k in range(i)]
                for each, upload in zip(given, uploads, strict=True):
                    assert page.evaluate(LOOK, each) == [str(i), upload]
                asked = {"survey": make_survey(f"survey {i}").to_json(), "at": 0, **wide}
                uploads.append(page.evaluate(REPORT, asked))
    assert len(set(uploads)) == KILLS + 1
    assert min(map(len, uploads)) > 100


def test_without_storage_nothing_is_drawn(browser):
    chromium, root = browser
    page = chromium.new_page()
    page.goto(root)
    denied = "() => { throw new DOMException('denied', 'SecurityError'); }"
    page.evaluate(f"() => {{ IDBFactory.prototype.open = {denied}; }}")
    assert page.evaluate(REPORT, {"survey": make_survey().to_json(), "at": 0}) == "no-ledger"
