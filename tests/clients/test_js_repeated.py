"""Surveys that ask again, in Python and TypeScript: the same windows, the same memory from the same words, one ledger."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

import sottovoce as sv
from clients.test_js import CLIENT, NODE, needs_node
from clients.test_js_agrees import NODE_22, run_node
from clients.test_js_fuzz import SURVEYS
from sottovoce.base.errors import InvalidInput
from sottovoce.device.ledger import Ledger
from sottovoce.device.memory import KEPT, MEMOS, memory_of
from sottovoce.service.upload.reading import decode_upload
from sottovoce.surveys.charges import question_key
from sottovoce.surveys.repeating import one_in
from sottovoce.wire.payloads import payloads_of
from support.devices import MONDAY, client_of, make_survey
from support.survey_fuzz import random_survey
from support.value_fuzz import random_value
from vectors.report_cases import held
from vectors.words import Stream, as_if_drawn

needs_sqlite = pytest.mark.skipif(
    NODE_22 is None, reason="needs Node 22.13 or newer (or SOTTOVOCE_NODE_22)"
)
WIDE = {f"{name}_epsilon": 1e9 for name in ("maximum", "day", "name", "question", "total")}
WIDE_JS = {f"{name}Epsilon": 1e9 for name in ("max", "day", "name", "question", "total")}

# -- memory, word by word -----------------------------------------------------------------------

HISTORIES = """
    const { memoryOf } = await import("DIST/device/memory.js");
    const { Survey, toHex } = await import("DIST/index.js");
    const { givenWords } = await import("DIST/../test/support.js");
    const text = (value) => (typeof value === "number" ? value : toHex(value));
    const found = given.map((steps) => {
      let known = { kept: [], memos: [] };
      const reports = steps.map(({ survey, day, value, words }) => {
        const source = givenWords(words);
        try {
          const memory = memoryOf(Survey.parse(survey), day);
          const begun = memory.stored(known).length > 0;
          const { payload, kept = [], memos = [], forget = [] } = memory.report(known, value, source);
          known = { kept: [...known.kept, ...kept], memos: [...known.memos.filter((one) => !forget.includes(one)), ...memos] };
          return [toHex(payload), begun, source.left()];
        } catch (error) {
          return error.code;
        }
      });
      const kept = known.kept.map(({ kind, name, value }) => [kind, name, text(value)]);
      const memos = known.memos.map((one) => [one.question, one.memory, one.period, one.ordinal, text(one.tag), text(one.memo)]);
      return { reports, kept, memos };
    });
    console.log(JSON.stringify(found));
"""


def told(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else value


class Device:
    """A device in Python that draws from words that are known."""

    def __init__(self) -> None:
        self.database = sqlite3.connect(":memory:", isolation_level=None)
        for table in (KEPT, MEMOS):
            self.database.execute(table)

    def report(self, survey: sv.Survey, day: date, value: Any, source: Stream) -> Any:
        memory = memory_of(survey, day)
        begun = memory.has_begun(self.database)
        try:
            admitted = survey.admit(held(survey.mechanism.domain, value))
            reports = memory.report(self.database, admitted, source)
        except InvalidInput:
            assert source.count == 0
            return "invalid-value"
        (payload,) = payloads_of(as_if_drawn(reports))
        return [payload.hex(), begun, 0]

    def kept(self) -> dict[str, list[list[Any]]]:
        return {
            table: [[told(each) for each in row] for row in self.database.execute(f"SELECT * FROM {table}")]  # noqa: S608
            for table in ("kept", "memos")
        }  # fmt: skip


def histories(seed: int, count: int) -> tuple[list[Any], list[Any]]:
    """Devices that answer a few surveys with memory on days that mostly go forward, and what becomes of each."""
    rng = Random(seed)  # noqa: S311
    given, wanted = [], []
    for number in range(count):
        surveys = [random_survey(rng, names=["memoized"]) for _ in range(rng.choice([1, 1, 3]))]
        device, steps, reports = Device(), [], []
        day = date(2026, 1, 31)
        for step in range(rng.randint(1, 9)):
            day += timedelta(rng.choice([0, 1, 1, 7, 40, -1]))
            survey = rng.choice(surveys)
            value = random_value(rng, survey.mechanism.domain)
            value = None if isinstance(value, float) and not abs(value) < 1e300 else value
            source = Stream(f"{seed} {number} {step}")
            reports.append(device.report(survey, day, value, source))
            words = source.drawn.hex()
            steps.append(
                {"survey": survey.to_json(), "day": f"{day}", "value": value, "words": words}
            )
        given.append(steps)
        wanted.append({"reports": reports, **device.kept()})
    return given, wanted


def compare_histories(seed: int, count: int) -> Counter[str]:
    given, wanted = histories(seed, count)
    found = run_node(NODE, HISTORIES, given)
    counts: Counter[str] = Counter()
    for steps, theirs, ours in zip(given, found, wanted, strict=True):
        for table in ("kept", "memos"):  # in order of their keys in SQLite, of their draws here
            theirs[table] = sorted(theirs[table])
            ours[table] = sorted(ours[table])
        assert theirs == ours, json.dumps([steps, theirs, ours])[:4000]
        counts += Counter(row[0] for row in ours["kept"])
        counts["memos"] += len(ours["memos"])
        counts["later"] += sum(report[1] is True for report in ours["reports"])
        counts["refused"] += ours["reports"].count("invalid-value")
    return counts


@needs_node
def test_both_remember_the_same():
    counts = compare_histories(11, 150)
    assert min(counts[each] for each in ("hash", "secret", "memos", "later", "refused")) > 15


@needs_node
@pytest.mark.slow
def test_both_remember_the_same_thousands_of_times():
    for seed in range(SURVEYS // 1000):
        print(compare_histories(100 + seed, 250))


# -- windows --------------------------------------------------------------------------------------

ASKED = """
    const { Client, Survey } = await import("DIST/index.js");
    const { MemoryLedger } = await import("DIST/testing.js");
    const found = [];
    for (const { text, name, value, day } of given.cases) {
      const ledger = new MemoryLedger();
      await ledger.transact(() => ({ kept: [{ kind: "cohort", name, value }], result: 0 }));
      const client = new Client(Survey.parse(text), { ...given.limits, ledger, clock: () => day });
      found.push([await client.asked(), (await client.nextAsked()) ?? null]);
    }
    console.log(JSON.stringify(found));
"""


@needs_node
def test_both_ask_in_the_same_windows(tmp_path):
    rng, cases, wanted = Random(12), [], []  # noqa: S311
    for _ in range(400):
        window = rng.choice(["day", "week", "month"])
        opens, closes = (
            rng.choice(["", "2026-01-31", "2026-11-16", "9999-12-31", "0001-01-01"])
            for _ in range(2)
        )
        if closes < opens:
            closes = ""
        ask = f"1/{rng.choice([2, 3, 7, 30, 1000])}"
        survey = make_survey(window=window, ask=ask, opens=opens, closes=closes)
        value = rng.randrange(one_in(survey))
        day = date(2026, 1, 1) + timedelta(rng.randint(-30_000, 30_000))
        day = rng.choice([day, day, day, date.max, date.min])
        client = client_of(tmp_path, survey, clock=lambda day=day: day)
        client.ledger.cohort = lambda *_, value=value: value
        following = client.next_asked()
        wanted.append([client.asked(), following and following.isoformat()])
        name = f"{question_key(survey)} {one_in(survey)}"
        cases.append(
            {"text": survey.to_json(), "name": name, "value": value, "day": day.isoformat()}
        )
    assert run_node(NODE, ASKED, {"cases": cases, "limits": WIDE_JS}) == wanted
    assert len({asked for asked, _ in wanted}) == 2
    assert sum(following is None for _, following in wanted) > 20


# -- one ledger -----------------------------------------------------------------------------------

ANSWER = """
    const { Client, Survey, toHex } = await import("DIST/index.js");
    const { NodeLedger } = await import("DIST/device/nodeledger.js");
    const found = [];
    for (const { text, value, day } of given.asked) {
      const client = new Client(Survey.parse(text), { ...given.limits, ledger: new NodeLedger(given.folder), clock: () => day });
      found.push(await client.report(value).then(({ upload, state, epsilon }) => [state, epsilon, toHex(upload)], (error) => error.message));
    }
    console.log(JSON.stringify(found));
"""


def remembering(name: str = "colors", domain: Any = None, **more: Any) -> sv.Survey:
    options = {key: more.pop(key) for key in ("lifetime", "inner") if key in more}
    made = sv.mechanism(
        "memoized", domain or sv.Categories(["red", "green", "blue"]), more.pop("epsilon", 1.0), **{"lifetime": 2.0, **options}
    )  # fmt: skip
    return sv.Survey(name, f"What about {name}?", made, "day", **more)


def kept(folder: Path, table: str) -> list[Any]:
    with Ledger(folder)._transaction() as database:
        return database.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608


def in_node(folder: Path, *asked: tuple[sv.Survey, Any, int], **limits: float) -> Any:
    """What Node reports: a survey, a value, and how many days after Monday."""
    steps = [
        {"text": survey.to_json(), "value": value, "day": (MONDAY + timedelta(step)).isoformat()}
        for survey, value, step in asked
    ]
    return run_node(NODE_22, ANSWER, {"folder": str(folder), "limits": WIDE_JS, "asked": steps})


def in_python(folder: Path, survey: sv.Survey, value: Any, step: int) -> list[str]:
    client = client_of(folder, survey, clock=lambda: MONDAY + timedelta(step), **WIDE)
    receipt = client.report(value)
    return [receipt.state, receipt.epsilon, receipt.upload.hex()]


BITS = {"mechanism": "unary-encoding", "options": {"variant": "optimized"}}


@needs_sqlite
@pytest.mark.parametrize("first", ["python", "node"])
@pytest.mark.parametrize(
    ("domain", "inner", "value"),
    [(None, None, "red"), (sv.Categories(1024), None, 700), (sv.Categories(12), BITS, 7), (sv.Interval(0, 1, bins=9), None, 0.5)],
)  # fmt: skip
def test_memory_of_one_goes_on_in_the_other(tmp_path, first, domain, inner, value):
    """Who comes later draws from the same memo, with the same hash, and is charged nothing."""
    survey = remembering(domain=domain, inner=inner)
    order = [in_python, lambda *step: in_node(tmp_path, step[1:])[0]]
    if first == "node":
        order.reverse()
    one = order[0](tmp_path, survey, value, 0)
    memos, hashes = kept(tmp_path, "memos"), kept(tmp_path, "kept")
    two, three = order[1](tmp_path, survey, value, 1), order[0](tmp_path, survey, value, 2)
    assert [each[:2] for each in (one, two, three)] == [
        ["pending", "2"],
        ["pending", "0"],
        ["pending", "0"],
    ]
    assert (kept(tmp_path, "memos"), kept(tmp_path, "kept")) == (memos, hashes)
    assert [type(row[5]) for row in memos] == [bytes if inner else int]
    reports = [
        decode_upload(bytes.fromhex(each[2]), survey).reports.columns for each in (one, two, three)
    ]
    if hashes:
        assert [type(row[2]) for row in hashes] == [int]
        assert {int(each["hash"][0]) for each in reports} == {hashes[0][2]}


@needs_sqlite
def test_both_know_an_answer_again(tmp_path):
    """A tag of one is a tag of the other: with a lifetime of 20 a report is the memo."""
    dates = {"opens": "2026-11-16", "closes": "2026-12-15"}
    survey = remembering(epsilon=19.9, lifetime=20.0, changes=1, **dates)
    told = []
    for step, value in enumerate(["green", "red", "green", "red", "blue", "green"]):
        answer = in_python if step % 2 else lambda *given: in_node(tmp_path, given[1:])[0]
        upload = bytes.fromhex(answer(tmp_path, survey, value, step)[2])
        told.append(int(decode_upload(upload, survey).reports.columns["value"][0]))
    assert told == [1, 0, 1, 0, 0, 1]
    assert [row[3] for row in kept(tmp_path, "memos")] == [0, 1]
    assert [row[0] for row in kept(tmp_path, "kept")] == ["secret"]


@needs_sqlite
def test_one_cohort_for_both(tmp_path):
    survey = make_survey("daily", window="day", ask="1/3")
    for folder, node_first in ((tmp_path / "a", True), (tmp_path / "b", False)):
        found = []
        for step in range(6):
            node = (step % 2 == 0) == node_first
            answer = (
                in_node(folder, (survey, "tea", step))[0]
                if node
                else in_python(folder, survey, "tea", step)
            )
            found.append(answer[0])
        asked = [step for step, state in enumerate(found) if state == "pending"]
        assert len(asked) == 2
        assert asked[1] - asked[0] == 3
        assert [(row[0], type(row[2])) for row in kept(folder, "kept")] == [("cohort", int)]


@needs_sqlite
def test_both_race_for_one_memo(tmp_path):
    survey = remembering()
    step = {"text": survey.to_json(), "value": "red", "day": MONDAY.isoformat()}
    given = json.dumps({"folder": str(tmp_path), "limits": {}, "asked": [step]})
    node = (
        "const given = JSON.parse((await import('node:fs')).readFileSync(0, 'utf8'));\n"
        + ANSWER.replace("DIST", str(CLIENT / "dist"))
    )
    python = (
        "import json, sys\nfrom datetime import date\nimport sottovoce as sv\n"
        "given = json.load(sys.stdin)\nsurvey = sv.Survey.from_json(given['asked'][0]['text'])\n"
        f"client = sv.Client(survey, folder=given['folder'], clock=lambda: date.fromisoformat('{MONDAY}'))\n"
        "receipt = client.report('blue')\nprint(json.dumps([[receipt.state, receipt.epsilon, receipt.upload.hex()]]))\n"
    )
    commands = [[NODE_22, "--input-type=module", "-e", node], [sys.executable, "-c", python]] * 3
    racing = [
        subprocess.Popen(each, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for each in commands
    ]
    for each in racing:
        each.stdin.write(given)
        each.stdin.close()
    found = {each.stdout.read().strip().replace(" ", "") for each in racing}
    assert [each.wait(60) for each in racing] == [0] * len(racing)
    assert len(found) == 1
    assert len(kept(tmp_path, "memos")) == 1
