"""Reports that are drawn and sent by the client in TypeScript arrive, and their answers are right."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import sottovoce as sv
from clients.test_js import CLIENT, NODE, needs_node
from clients.test_js_agrees import run_node
from sottovoce.core.registry import registered
from sottovoce.surveys.signing import PublisherKey
from support.devices import make_survey
from support.goodness_of_fit import p_value
from support.loading import running
from vectors.report_cases import held

PAIRS = [["a", 2.0], ["a", 2.0], ["a", 8.0], ["b", 5.0]]
"""Half a with 2, a quarter a with 8, a quarter b."""
SETS = [[["a", 2.0]], [["a", 2.0], ["b", 5.0]], [["a", 8.0]], [["b", 5.0]]]
WORDS = ["tea", "tea", "coffee", "water"]
NUMBERS = [0.1875, 0.3125, 0.3125, 0.4375, 0.4375, 0.5625, 0.5625, 0.6875]
"""Centers of eight bins; their mean is 0.4375, also on a ring."""
WIDE = {f"{name}Epsilon": 20 for name in ("max", "day", "name", "question", "total")}
SIGMAS = 6.0
"""Of a normal error 2e-9 are farther away: with 40 surveys, one false alarm in 12 million runs."""
UNLIKELY = 1e-9
"""The law of a tally is rejected below: with 40 surveys, one false alarm in 25 million runs."""
PEOPLE = 10_000
"""For each of 40 surveys."""
WRONG = 10
"""One report in so many is drawn for another answer: a law that is slightly wrong, and must be rejected."""


class Case(NamedTuple):
    """A mechanism, what people answer, a question, its true answer, and one that is wrong."""

    name: str
    domain: Any
    values: list[Any]
    question: Callable[[sv.Tally], sv.Answer]
    truth: float
    wrong: float
    options: dict[str, Any] = {}  # noqa: RUF012

    @property
    def label(self) -> str:
        """The name of its survey."""
        return " ".join([self.name, *map(str, self.options.values())])[:100]

    @property
    def held(self) -> list[Any]:
        """The values as Python takes them."""
        return [held(self.domain, value) for value in self.values]


def share(value: Any) -> Callable[[sv.Tally], sv.Answer]:
    return lambda tally: sv.estimate(tally).share(value)


def mean(tally: sv.Tally) -> sv.Answer:
    return sv.estimate(tally).mean()


def first(tally: sv.Tally) -> sv.Answer:
    return sv.estimate(sv.coordinates(tally)[0]).mean()


def second(tally: sv.Tally) -> sv.Answer:
    return sv.estimate(tally).part("b").share("y")


def holders(tally: sv.Tally) -> sv.Answer:
    return sv.estimate(tally).frequency("a")


DRINKS = sv.Categories(["tea", "coffee", "water", "juice", "milk"])
UNIT = sv.Interval(0, 1, bins=8)
LIVES = sv.KeyValues(["a", "b"], 0, 10, bins=10)
MANY = sv.KeyValues(["a", "b"], 0, 10, bins=10, pairs=2)
PETS = sv.Choices(["cat", "dog", "fish"], most=2)
TICKED = [["cat"], ["cat", "dog"], [], ["fish", "dog"]]
ILLNESS = sv.Categories(["none", "flu", "HIV", "B", "C"], sensitive=["HIV", "B", "C"])
ILL = ["HIV", "none", "HIV", "flu"]
ANSWERS = sv.Record({"a": DRINKS, "b": sv.Categories(["x", "y"])})
RECORDS = [
    {"a": "tea", "b": "y"},
    {"a": "tea", "b": "x"},
    {"a": "water", "b": "y"},
    {"a": "milk", "b": "y"},
]
ROWS = [[0.1875, 0.9375], [0.1875, 0.0625]]
TABLE = [[10 if row == column else 1 for column in range(5)] for row in range(5)]
CASES = [
    *(
        Case(name, DRINKS, WORDS, share("tea"), 0.5, 0.25, options)
        for name, options in (
            ("randomized-response", {}), ("local-hashing", {}), ("local-hashing", {"hash_range": 3}),
            ("unary-encoding", {}), ("unary-encoding", {"variant": "symmetric"}),
            ("subset-selection", {}), ("subset-selection", {"subset_size": 3}),
            ("hadamard-response", {}), ("seeded-hashing", {}),
            ("fixed-hashing", {"hash_count": 6, "hash_range": 4}), ("table", {"weights": TABLE}),
        )
    ),
    *(
        Case(name, UNIT, NUMBERS, mean, 0.4375, 0.6, options)
        for name, options in (
            ("square-wave", {}), ("square-wave", {"wrap": True}), ("piecewise", {}),
            ("stochastic-rounding", {}), ("laplace", {}), ("haar", {}), ("wave", {}),
            ("hierarchy", {}), ("hierarchy", {"split": "budget"}), ("binned", {"report_bins": 4}),
        )
    ),
    *(
        Case("memoized", DRINKS, WORDS, share("tea"), 0.5, 0.25, {"lifetime": 4.0, "inner": inner})
        for inner in ("randomized-response", "local-hashing")
    ),
    Case("degree-noise", sv.Counts(20), [3, 5, 5, 7], mean, 5.0, 8.0),
    *(
        Case("key-value", LIVES, PAIRS, holders, 0.75, 0.3, {"keys": keys, "numbers": numbers})
        for keys, numbers in (
            ("unary", "rounding"), ("unary", "piecewise"), ("response", "piecewise"),
        )
    ),
    Case("key-value", MANY, SETS, holders, 0.75, 0.3, {"keys": "response", "numbers": "rounding"}),
    *(
        Case(name, PETS, TICKED, share("cat"), 0.5, 0.25)
        for name in ("choice-response", "choice-subsets", "drawn-option")
    ),
    *(
        Case(f"sensitive-{name}", ILLNESS, ILL, share("HIV"), 0.5, 0.25)
        for name in ("response", "hashing", "subsets")
    ),
    *(
        Case("question-sets", ANSWERS, RECORDS, second, 0.75, 0.3, {"design": design})
        for design in ("sample", "pairs", "mixed", "joint")
    ),
    *(
        Case("sampled-coordinate", sv.Vector(UNIT, 2), ROWS, first, 0.1875, 0.5, {"inner": inner})
        for inner in ("square-wave", "local-hashing")
    ),
]  # fmt: skip


def survey_of(case: Case) -> sv.Survey:
    mechanism = sv.mechanism(case.name, case.domain, 3.0, **case.options)
    window = "month" if mechanism.remembers else "once"
    return sv.Survey(case.label, f"What about {case.label}?", mechanism, window, minimum_batch=1)


def send(folder, cases: list[Case], people: int, clients: int) -> dict[str, sv.Tally]:
    """Have people answer in JavaScript, the first ones each with a client; what the collector has then."""
    surveys = {case.label: survey_of(case) for case in cases}
    with running(folder, *surveys.values()) as collector:
        asked = []
        for case in cases:
            values = case.values * (people // len(case.values))
            asked.append({
                "fingerprint": surveys[case.label].fingerprint, "limits": WIDE,
                "one_by_one": values[:clients], "all_at_once": values[clients:],
            })  # fmt: skip
        done = subprocess.run(
            [NODE, str(CLIENT / "test" / "population.js")],
            input=json.dumps({"url": collector.url, "asked": asked}),
            capture_output=True, text=True, timeout=500, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert set(json.loads(done.stdout).values()) == {people}
        return {name: collector.store.tally(survey.fingerprint) for name, survey in surveys.items()}


def wrong_tally(case: Case, mechanism: sv.Mechanism, people: int) -> sv.Tally:
    """The same people, but one report in ten is drawn for another answer: the last one, or a large number."""
    values = case.held * (people // len(case.held))
    other = 0.9375 if case.domain == UNIT else case.held[-1]
    values[::WRONG] = [other] * len(values[::WRONG])
    return mechanism.tally(mechanism.randomize(values, source=sv.Seeded(6)))


def check(cases: list[Case], tallies: dict[str, sv.Tally], people: int) -> None:
    """Every tally follows its law, and every answer is within its error of the truth, and of nothing else."""
    for case in cases:
        tally = tallies[case.label]
        assert tally.n == people
        likely = p_value(tally, case.held, seed=7)
        unlikely = p_value(wrong_tally(case, tally.mechanism, people), case.held, seed=7)
        assert likely > UNLIKELY > unlikely, (case.label, likely, unlikely)
        answer = case.question(tally)
        assert answer.stderr is not None
        print(
            f"{case.label}: {answer.value:.4f} +- {answer.stderr:.4f}, truth {case.truth}; p = {likely:.2g}, {unlikely:.2g}"
        )
        assert abs(answer.value - case.truth) < SIGMAS * answer.stderr, (case.label, answer)
        assert abs(case.truth - case.wrong) > SIGMAS * answer.stderr, (case.label, answer)


def test_every_mechanism_without_delta_is_asked():
    asked = {case.name for case in CASES}
    assert asked == {cls.name for cls in registered()} - {"gaussian"}
    assert len(CASES) == len({case.label for case in CASES}) <= 40


@needs_node
def test_reports_from_javascript_arrive_and_their_answers_are_right(tmp_path):
    some = [case for case in CASES if case.label in ("randomized-response", "local-hashing")]
    check(some, send(tmp_path, some, people=2000, clients=60), people=2000)


@needs_node
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sottovoce.base.errors.NotConverged", "ignore:all values are")
def test_every_mechanism_from_javascript(tmp_path):
    check(CASES, send(tmp_path, CASES, PEOPLE, clients=40), PEOPLE)


TRUST = """
    const { Client, Survey } = await import("DIST/index.js");
    const { MemoryLedger } = await import("DIST/testing.js");
    const ledger = new MemoryLedger();
    const found = [];
    for (const { url, fingerprint, publisher } of given.asked) {
        const answered = Survey.fetch(`${url}/surveys/${fingerprint}`, { publisher })
            .then((survey) => new Client(survey, { publisher, ledger, dayEpsilon: 9 }).report("tea"));
        found.push(await answered.then(({ state }) => state, (error) => error.message));
        // From here on, the next collector answers under the address of the first.
        await ledger.transact((rows, logs) => ({ write: [], logs: logs.map((log) => ({ ...log, url: given.moved })), result: 0 }));
    }
    console.log(JSON.stringify(found));
"""


@needs_node
def test_javascript_pins_publishers_and_follows_the_log_of_a_collector(tmp_path):
    """Signed surveys are answered; one that another key signed, and a collector with another log, are not."""
    pytest.importorskip("cryptography")
    key, other = PublisherKey.generate(), PublisherKey.generate()
    names = ("first", "second", "third")
    first, second, third = (key.sign(make_survey(name, window="once")) for name in names)
    forged = other.sign(make_survey("forged", window="once"))
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    with (
        running(folders[0], first, second, forged) as collector,
        running(folders[1], second, first, third) as hostile,
    ):
        asked = [
            {"url": where.url, "fingerprint": each.survey.fingerprint, "publisher": key.public}
            for where, each in ((collector, first), (collector, forged), (hostile, third))
        ]
        found = run_node(NODE, TRUST, {"asked": asked, "moved": hostile.url})
    assert found[0] == "acknowledged"
    assert f"was signed by the key {other.public}, not by {key.public}" in found[1]
    assert "its first 3 entries are not those that were there before" in found[2]
