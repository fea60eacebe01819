"""The client in TypeScript and the one in Python share one ledger, and say the same in the same words."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import unicodedata
from dataclasses import replace
from datetime import date
from pathlib import Path
from random import Random

import pytest

import sottovoce as sv
from clients.test_js import CLIENT, NODE, needs_node
from sottovoce.base.errors import OverBudget
from sottovoce.device import ledger as python_ledger
from sottovoce.surveys.charges import Charge, _plain, charge_of
from sottovoce.surveys.limits import Limits
from sottovoce.surveys.publications import EMPTY, LogHead, digest_of
from sottovoce.surveys.signing import PublisherKey
from support.devices import client_of, make_survey

DAY = "2026-11-16"


def node_with_sqlite() -> str | None:
    """A Node that has `node:sqlite`: 22.13 or newer, on the path or in SOTTOVOCE_NODE_22."""
    for program in (os.environ.get("SOTTOVOCE_NODE_22"), NODE):
        if program and shutil.which(program):
            asked = "process.exit(process.getBuiltinModule?.('node:sqlite') ? 0 : 1)"
            if subprocess.run([program, "-e", asked], check=False).returncode == 0:
                return program
    return None


NODE_22 = node_with_sqlite()


def run_node(program: str, script: str, given: object = None) -> object:
    """What a module prints as JSON; `given` is its standard input, `DIST` the folder of the client."""
    text = f"const given = JSON.parse((await import('node:fs')).readFileSync(0, 'utf8'));\n{script}"
    done = subprocess.run(
        [program, "--input-type=module", "-e", text.replace("DIST", str(CLIENT / "dist"))],
        input=json.dumps(given), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_both_create_the_same_ledger():
    """What `node:sqlite` is told, compared with what Python tells SQLite."""
    text = (CLIENT / "dist" / "device" / "nodeledger.js").read_text(encoding="utf-8")
    made = python_ledger._FORMAT
    table, logs, extension = re.findall(r"`\\\n(CREATE TABLE .*?)`", text, re.S)
    assert f"{table};\n{logs}".replace("\n;", ";") == ";\n".join(made.tables).replace("\n;", ";")
    assert all(statement in text for statement in made.upgrades[made.version - 1][:2])
    (mark,) = re.findall(r"const MARK = (\w+);", text)
    assert int(mark, 16).to_bytes(4, "big") == made.mark
    assert f"const VERSION = {made.version};" in text
    assert extension.replace("\n;", ";") == ";\n".join(made.extension).replace("\n;", ";")
    assert f"const EXTENDED = {made.version + 1};" in text
    columns = re.findall(r'"(\w+)"', re.findall(r"const COLUMNS = \[(.*?)\]", text, re.S)[0])
    known = re.findall(r'^    "?(\w+)"? (?:TEXT|REAL|BLOB)', table, re.M)
    assert columns == known


@needs_node
def test_both_charge_the_same():
    """The keys by which a ledger knows a survey again: for every character, and for whole surveys."""
    letters = [
        chr(c) for c in range(0x20, 0x2FA20) if unicodedata.category(chr(c)) not in ("Cs", "Cn")
    ]
    surveys = [
        make_survey(name, window=window, question=question, series=series)
        for name, question, series in (
            ("\uff33traße  ΣΑΣ", "\u00c9 \u2460?", ""),
            ("a\u2028b", "x\x85 y\x1f", " \uff33eries\u00a0ẞ  2026"),
        )
        for window in ("once", "day", "week", "month")
    ]
    script = """
        const { plain, chargeOf } = await import("DIST/device/charge.js");
        const { Survey } = await import("DIST/index.js");
        const elapsed = { boot: "", seconds: 0 };
        const charges = given.surveys.map((text) => Survey.parse(text)).map((one) => chargeOf(one, given.day, elapsed));
        console.log(JSON.stringify({ letters: given.letters.map((one) => (/\\p{Cn}/u.test(one) ? null : plain(`a${one}b`))), charges }));
    """
    given = {"letters": letters, "day": DAY, "surveys": [survey.to_json() for survey in surveys]}
    found = run_node(NODE, script, given)
    wrong = [
        letter
        for letter, text in zip(letters, found["letters"], strict=True)
        if text not in (None, _plain(f"a{letter}b"))  # of newer Unicode than this Node's
    ]
    assert not wrong
    for survey, charge in zip(surveys, found["charges"], strict=True):
        window = charge["window"]
        wanted = vars(charge_of(survey, window, date.fromisoformat(DAY)))
        assert charge == {**wanted, "boot": "", "uptime": 0}


def random_charge(random: Random, draws: int) -> Charge:
    """A charge out of so few names, days and keys that many share them."""
    first = random.randrange(1, 25)
    return Charge(
        fingerprint=random.choice("abcd") * 32,
        window=f"{draws}",
        survey="s",
        epsilon=random.choice(["0.1", "0.25", "0.3", "1", "1.5", "2"]),
        delta="0",
        name=random.choice(["drinks", "meals", "sleep", "work", "pets", "rain"]),
        question=random.choice("uvwxyz") * 32,
        first=f"2026-11-{first:02}",
        last=f"2026-11-{first + random.randrange(4):02}",
        day=f"2026-11-{random.randrange(1, 29):02}",
        boot=random.choice(["one", "two"]),
        uptime=float(random.randrange(200_000)),
        series=random.choice(["", "", "p", "q"]),
        publisher=random.choice(["", "11" * 32, "22" * 32]),
    )


def random_limits(random: Random) -> dict[str, float]:
    """Limits of which any may be the one that stops a report."""
    names = ("day", "name", "question", "series", "publisher", "total")
    return {
        f"{name}_epsilon": random.choice([0.0, 0.3, 1.5, 2.0, 2.05, 3.6, 5.0, 99.0, 99.0])
        for name in names
    }


def refusal(limits: Limits, new: Charge, before: list[Charge], pinned: bool) -> str:
    """What stops a report: a limit, or one of the two rules; empty where nothing does."""
    try:
        limits.check(new, before, pinned=pinned)
    except OverBudget as error:
        return reason(str(error))
    return ""


def reason(message: str) -> str:
    found = re.search(
        r"\((\w+?)_?[eE]psilon\), (.*) are spent|in order|one answer|agreed to", message
    )
    assert found, message
    spent = found[2] and f" {float(found[2]):g}"
    return f"{found[1] or found[0]}{spent or ''}"


@needs_node
def test_both_keep_the_same_budget():
    """On random ledgers: the same reports are refused, by the same limit, after the same epsilon."""
    random = Random(20)  # noqa: S311
    cases = []
    for _ in range(1500):
        before = [random_charge(random, draws) for draws in range(random.randrange(8))]
        new = random_charge(random, 99)
        if random.random() < 0.7:  # in order, so that limits decide
            new = replace(new, first="2026-12-01", last="2026-12-02", epsilon="0.1")
        cases.append((random_limits(random), new, before, random.random() < 0.5))
    script = """
        const { refusalOf } = await import("DIST/device/budget.js");
        const found = given.map(([limits, asked, before, pinned]) => refusalOf(limits, asked, before, pinned)?.message ?? "");
        console.log(JSON.stringify(found));
    """
    given = [
        (
            {re.sub(r"_e", "E", name): value for name, value in limits.items()} | {"maxEpsilon": 2},
            vars(new),
            [vars(each) for each in before],
            pinned,
        )
        for limits, new, before, pinned in cases
    ]
    found = [message and reason(message) for message in run_node(NODE, script, given)]
    wanted = [refusal(Limits(**limits), *rest) for limits, *rest in cases]
    assert found == wanted
    kinds = {text.split(" ")[0] for text in wanted}
    assert kinds == {
        "", "in", "one", "agreed", "day", "name", "question", "series", "publisher", "total",
    }  # fmt: skip


@needs_node
def test_both_say_the_same_of_privacy():
    mechanisms = [
        sv.mechanism(name, domain, epsilon)
        for epsilon in (1e-6, 0.1, 1.0, 4.0, 9.5, 20.0)
        for name, domain in (
            ("grr", sv.Categories(5)), ("sw", sv.Interval(0, 1, bins=4)),
            ("record", sv.Record({"a": sv.YesNo(), "b": sv.YesNo()})), ("drawn-option", sv.Choices(["a", "b"])),
            ("urr", sv.Categories(["none", "flu", "HIV"], sensitive=["HIV"])), ("urr", sv.Categories(3000, sensitive=range(1, 2000))),
        )
    ]  # fmt: skip
    surveys = [sv.Survey("a", "b?", mechanism) for mechanism in mechanisms]
    script = """
        const { Survey } = await import("DIST/index.js");
        console.log(JSON.stringify(given.map((text) => Survey.parse(text).privacy())));
    """
    found = run_node(NODE, script, [survey.to_json() for survey in surveys])
    assert found == [survey.privacy() for survey in surveys]


ANSWER = """
    const { Client, Survey, toHex } = await import("DIST/index.js");
    const { NodeLedger } = await import("DIST/device/nodeledger.js");
    const codes = [];
    for (const text of given.surveys) {
      const client = new Client(Survey.parse(text), { ledger: new NodeLedger(given.folder), clock: () => "2026-11-16" });
      codes.push(await client.report("tea").then(({ upload }) => toHex(upload), (error) => error.code));
    }
    console.log(JSON.stringify(codes));
"""


@pytest.mark.skipif(NODE_22 is None, reason="needs Node 22.13 or newer (or SOTTOVOCE_NODE_22)")
def test_python_and_node_share_one_ledger(tmp_path):
    """Whoever is first, the other gets the same report and counts it in the same budget."""
    surveys = [make_survey(name) for name in ("drinks", "meals", "sleep")]
    for first in ("python", "node"):
        folder = tmp_path / first
        given = {"folder": str(folder), "surveys": [survey.to_json() for survey in surveys]}
        if first == "python":
            receipt = client_of(folder, surveys[0]).report("tea")
        found = run_node(NODE_22, ANSWER, given)
        if first == "node":
            receipt = client_of(folder, surveys[0]).report("water")
        assert found[0] == receipt.upload.hex()
        assert found[2] == "over-budget"  # the day's 2 are spent
        client = client_of(folder, surveys[1])
        assert client.report("tea").upload.hex() == found[1]
        assert client.spent == 2
        with pytest.raises(OverBudget, match="day_epsilon"):
            client_of(folder, surveys[2]).report("tea")
        (a, b) = client.ledger.receipts()
        assert {a.state, b.state} == {"pending"}


SIGNED = """
    const { Client, Survey } = await import("DIST/index.js");
    const { NodeLedger } = await import("DIST/device/nodeledger.js");
    const survey = await Survey.parseSigned(given.signed, { publisher: given.publisher });
    const ledger = new NodeLedger(given.folder);
    const limits = { seriesEpsilon: 2, dayEpsilon: 9 };
    const client = new Client(survey, { ledger, publisher: given.publisher, clock: () => "2026-11-16", ...limits });
    const code = await client.report("tea").then(({ state }) => state, (error) => error.message);
    for (const receipt of await client.receipts()) await client.acknowledge(receipt);
    const log = { url: given.url, size: 2, head: "ab".repeat(32), surveys: [survey.digest] };
    const logs = await ledger.transact((rows, logs) => ({ write: [], logs: [log], result: logs }));
    console.log(JSON.stringify({ code, logs }));
"""


@pytest.mark.skipif(NODE_22 is None, reason="needs Node 22.13 or newer (or SOTTOVOCE_NODE_22)")
def test_python_and_node_keep_series_publishers_and_logs(tmp_path):
    """What one writes of them the other reads, and leaves as it is."""
    pytest.importorskip("cryptography")
    key = PublisherKey.generate()
    signed = [key.sign(make_survey(name, series="Meals  2026")) for name in ("a", "b", "c")]
    limits = {"series_epsilon": 2, "day_epsilon": 9}
    client_of(tmp_path, signed[0], publisher=key.public, **limits).report("tea")
    ledger = python_ledger.Ledger(tmp_path)
    ours, theirs = "https://one.example", "https://two.example"
    assert ledger.keep_log(ours, EMPTY, LogHead(1, "cd" * 32), digest_of(signed[0].survey))

    given = {"folder": str(tmp_path), "publisher": key.public, "url": theirs}
    found = run_node(NODE_22, SIGNED, {**given, "signed": signed[1].to_json()})
    kept = {"url": ours, "size": 1, "head": "cd" * 32, "surveys": [digest_of(signed[0].survey)]}
    assert found == {"code": "pending", "logs": [kept]}
    for _ in range(2):  # Node rewrites the second row, and then Python does
        charges = [charge for charge, _ in ledger.reported()]
        assert {(each.series, each.publisher) for each in charges} == {("meals 2026", key.public)}
        for receipt in ledger.receipts():
            ledger.settle(receipt, "acknowledged", "")
    assert ledger.log_head(ours) == LogHead(1, "cd" * 32)
    assert ledger.log_head(theirs) == LogHead(2, "ab" * 32)
    assert ledger.is_logged(theirs, digest_of(signed[1].survey))

    with pytest.raises(OverBudget, match="series_epsilon"):
        client_of(tmp_path, signed[2], publisher=key.public, **limits).report("tea")
    found = run_node(NODE_22, SIGNED, {**given, "signed": signed[2].to_json()})
    assert "(seriesEpsilon), 2 are spent" in found["code"]
    assert found["logs"][1] == {
        "url": theirs, "size": 2, "head": "ab" * 32, "surveys": [digest_of(signed[1].survey)],
    }  # fmt: skip


@pytest.mark.skipif(NODE_22 is None, reason="needs Node 22.13 or newer (or SOTTOVOCE_NODE_22)")
def test_python_and_node_race_for_one_report(tmp_path):
    survey = make_survey()
    given = json.dumps({"folder": str(tmp_path), "surveys": [survey.to_json()]})
    node = (
        "const given = JSON.parse((await import('node:fs')).readFileSync(0, 'utf8'));\n"
        + ANSWER.replace("DIST", str(CLIENT / "dist"))
    )
    python = (
        "import json, sys\nfrom datetime import date\nimport sottovoce as sv\n"
        "given = json.load(sys.stdin)\nsurvey = sv.Survey.from_json(given['surveys'][0])\n"
        "client = sv.Client(survey, folder=given['folder'], clock=lambda: date(2026, 11, 16))\n"
        "print(json.dumps([client.report('tea').upload.hex()]))\n"
    )
    commands = [[NODE_22, "--input-type=module", "-e", node], [sys.executable, "-c", python]] * 3
    racing = [
        subprocess.Popen(each, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for each in commands
    ]
    for each in racing:
        each.stdin.write(given)
        each.stdin.close()
    uploads = {each.stdout.read().strip().replace(" ", "") for each in racing}
    assert [each.wait(60) for each in racing] == [0] * len(racing)
    assert len(uploads) == 1
    assert Path(tmp_path / python_ledger.FILE).exists()
