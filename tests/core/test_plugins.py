"""Mechanisms and methods of other distributions: found by name, listed, refused by name."""

from __future__ import annotations

import numpy as np
import pytest

from support.commands import Real, run
from support.plugins import code_of, command, environment, install, python

DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
OFFERED = """
[sottovoce.mechanisms]
ring-response = ring_plugin:RingResponse

[sottovoce.methods]
james-stein = stein_plugin:method
"""


@pytest.fixture(scope="module")
def offered(tmp_path_factory):
    """The mechanism and the method of the how-to pages, in a distribution of somebody else."""
    folder = tmp_path_factory.mktemp("site")
    ring = code_of("add-a-mechanism.md", before="week = ")
    stein = code_of("add-an-estimator.md", before="colors = ")
    files = {"ring_plugin.py": ring, "stein_plugin.py": stein}
    install(folder, "ring-plugin", files, OFFERED)
    return folder


USED = """
import pickle, sys
import numpy as np
import sottovoce as sv
assert "ring_plugin" not in sys.modules
week = sv.Categories(7)
if %(listed)r:
    from sottovoce.core.registry import registered
    assert "ring-response" in [cls.name for cls in registered()]
ring = sv.mechanism(%(name)r, week, 3.0)
assert type(ring).__name__ == "RingResponse"
assert pickle.loads(pickle.dumps(ring)) == ring
reports = ring.randomize(np.arange(7).repeat(2000))
tally = sv.Tally.from_bytes(ring.tally(reports).to_bytes())
survey = sv.Survey.from_json(sv.Survey("out", "When?", ring, "week").to_json())
assert survey.mechanism == ring
estimate = sv.estimate(tally, "james-stein", then="norm-sub")
assert np.abs(estimate.shares - 1 / 7).max() < 0.05, estimate.shares
assert "james-stein" in list(sv.methods(ring)["method"])
print(estimate.method)
"""


@pytest.mark.parametrize("name", ["ring-response", "Ring"])
@pytest.mark.parametrize("listed", [False, True])
def test_a_mechanism_and_a_method_of_others_work_by_name(offered, name, listed):
    printed = python(offered, USED % {"name": name, "listed": listed})
    assert printed == "james-stein + norm-sub\n"


ASKED = """
import sottovoce as sv
week = sv.Categories(7)
ring = sv.mechanism("ring", week, 3.0)
tally = ring.simulate([500] * 7, source=sv.Seeded(1))
ranked = sv.plan(week, epsilon=3.0, users=10_000)
assert "ring-response" in [row.mechanism.name for row in ranked.prospects], ranked
assert sv.audit(ring, trials=5_000).passed
assert sv.influence(ring, fakes=0.01, values=[0]).how in ("exact", "bound")
compared = sv.compare(tally, replicates=5)
assert "james-stein" in list(compared.frame()["method"])
print("fine")
"""


def test_plans_audits_bounds_and_comparisons_know_them(offered):
    assert python(offered, ASKED) == "fine\n"


READ = "import sottovoce as sv; print(sv.mechanism_from_json(%r))"


def test_a_document_of_a_mechanism_of_others_is_read_in_a_new_process(offered):
    make = "import sottovoce as sv; print(sv.mechanism('ring', sv.Categories(7), 1.0).to_json())"
    document = python(offered, make).strip()
    assert python(offered, READ % document) == "ring-response(Categories(7), epsilon=1)\n"


def test_a_collector_and_the_command_line_run_them(offered, monkeypatch):
    """From a survey file to answers, through files and through a real collector."""
    monkeypatch.setenv("PYTHONPATH", environment(offered)["PYTHONPATH"])
    rng = np.random.default_rng(1)
    days = rng.choice(DAYS, 4000, p=[0.05, 0.05, 0.05, 0.05, 0.1, 0.4, 0.3])
    (offered / "days.csv").write_text("day\n" + "\n".join(days) + "\n")
    (offered / "days.txt").write_text("\n".join(days) + "\n")
    by_name = ["--values", ",".join(DAYS), "--mechanism", "ring", "-e", 4]
    command(offered, "randomize", "days.csv", "--column", "day", "-o", "r.parquet", *by_name)
    command(offered, "tally", "r.parquet", "-o", "t.svt")
    told = command(offered, "estimate", "t.svt", "--method", "james-stein")
    assert told["method"] == "james-stein"
    command(offered, "survey", "new", "out.toml", *by_name, "--window", "week", "--cohorts", 1)
    real = Real(offered)
    try:
        for role in ("publish", "read"):
            secret = ["--secret-file", offered / "collector.secret"]
            run("keys", *secret, "--role", role, "-o", offered / f"{role}.key")
        at = ["--url", real.url, "--key-file"]
        command(offered, "publish", "out.toml", *at, "publish.key")
        sent = command(offered, "send", "out.toml", "days.txt", "--url", real.url)
        assert (sent["reports"], sent["stored"]) == (4000, 4000)
        command(offered, "publish", "out.toml", *at, "publish.key", "--close")
        answers = command(
            offered, "answers", "out.toml", *at, "read.key", "--method", "james-stein"
        )
    finally:
        real.stop()
    assert answers["method"] == "james-stein"


BROKEN = """
[sottovoce.mechanisms]
broken-response = no_such_module:Broken
not-a-mechanism = faulty_plugin:number
other-name = faulty_plugin:Renamed
randomized-response = faulty_plugin:Taken
two-names = faulty_plugin:PaperName

[sottovoce.methods]
broken-method = faulty_plugin:absent
not-a-method = faulty_plugin:number
norm-sub = faulty_plugin:taken
"""
FAULTY = """
from dataclasses import dataclass, replace
import sottovoce as sv
from sottovoce.estimators.methods import Method
number = 3
taken = Method("norm-sub", "a second of that name")

@dataclass(frozen=True)
class Renamed(sv.RandomizedResponse):
    name = "named-otherwise"
    aka = {}

@dataclass(frozen=True)
class Taken(sv.RandomizedResponse):
    aka = {}

@dataclass(frozen=True)
class PaperName(sv.RandomizedResponse):
    name = "two-names"
    aka = {"olh": {}}
"""


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    folder = tmp_path_factory.mktemp("broken")
    install(folder, "faulty-plugin", {"faulty_plugin.py": FAULTY}, BROKEN)
    ring = code_of("add-a-mechanism.md", before="week = ")
    stein = code_of("add-an-estimator.md", before="colors = ")
    install(folder, "ring-plugin", {"ring_plugin.py": ring, "stein_plugin.py": stein}, OFFERED)
    return folder


MESSAGES = """
import sottovoce as sv
from sottovoce.base.errors import BrokenPlugin
grr = sv.mechanism("grr", sv.Categories(7), 1.0)
tally = grr.simulate([5] * 7, source=sv.Seeded(1))
try:
    sv.estimate(tally, %(name)r) if %(method)r else sv.mechanism(%(name)r, grr.domain, 1.0)
except BrokenPlugin as error:
    print(error)
"""
OF = "plug-in {!r} of faulty-plugin 1.0 (sottovoce.{}) cannot be used: "


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("broken-response", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("not-a-mechanism",
         "InvalidInput: entry point of not-a-mechanism must be a subclass of Mechanism; got 3"),
        ("other-name",
         "InvalidInput: entry point of other-name must be named 'named-otherwise', as its class; "
         "got 'other-name'"),
        ("two-names", "InvalidInput: name of PaperName must be not taken yet; got 'olh'"),
    ],
)  # fmt: skip
def test_a_broken_mechanism_is_an_error_that_names_it(broken, name, reason):
    printed = python(broken, MESSAGES % {"name": name, "method": False})
    assert printed == OF.format(name, "mechanisms") + reason + "\n"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("broken-method", "AttributeError: module 'faulty_plugin' has no attribute 'absent'"),
        ("not-a-method", "InvalidInput: entry point of not-a-method must be a Method; got 3"),
    ],
)
def test_a_broken_method_is_an_error_that_names_it(broken, name, reason):
    printed = python(broken, MESSAGES % {"name": name, "method": True})
    assert printed == OF.format(name, "methods") + reason + "\n"


LISTED = """
import warnings
import sottovoce as sv
from sottovoce.core.registry import registered
from sottovoce.estimators.methods import registered_methods
with warnings.catch_warnings(record=True) as given:
    warnings.simplefilter("always")
    names = {cls.name: cls for cls in registered()}
    methods = [method.name for method in registered_methods()]
    assert [*registered()] and registered_methods()
assert names["randomized-response"] is sv.RandomizedResponse
assert sv.mechanism("olh", sv.Categories(3), 1.0).name == "local-hashing"
assert "ring-response" in names and "james-stein" in methods
assert methods.count("norm-sub") == 1 and "two-names" not in names
for each in given:
    print(each.category.__name__, each.message)
"""


def test_broken_ones_are_warned_of_once_and_do_not_hide_the_others(broken):
    lines = python(broken, LISTED).splitlines()
    assert all(line.startswith("BrokenPlugin plug-in ") for line in lines)
    named = [line.split("'")[1] for line in lines]
    assert named == [
        "broken-response", "not-a-mechanism", "other-name", "randomized-response", "two-names",
        "broken-method", "norm-sub", "not-a-method",
    ]  # fmt: skip
    taken = [line for line in lines if "not taken yet" in line]
    assert [line.rpartition("got ")[2] for line in taken] == [
        "'randomized-response'",
        "'olh'",
        "'norm-sub'",
    ]


TWICE = """
import warnings
import sottovoce as sv
with warnings.catch_warnings(record=True) as given:
    warnings.simplefilter("always")
    ring = sv.mechanism("ring-response", sv.Categories(7), 1.0)
print(type(ring).__module__, *(each.message for each in given))
"""


def test_of_two_plugins_with_one_name_the_first_in_order_is_used(tmp_path):
    ring = code_of("add-a-mechanism.md", before="week = ")
    offer = "[sottovoce.mechanisms]\nring-response = {}:RingResponse\n"
    install(tmp_path, "b-ring", {"b_ring.py": ring}, offer.format("b_ring"))
    install(tmp_path, "a-ring", {"a_ring.py": ring}, offer.format("a_ring"))
    assert python(tmp_path, TWICE) == (
        "a_ring plug-in 'ring-response' of b-ring 1.0 (sottovoce.mechanisms) cannot be used: "
        "InvalidInput: name of RingResponse must be not taken yet; got 'ring-response'\n"
    )


# -- questions ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def questions(tmp_path_factory):
    """The question of its how-to page, offered together with one that is not a question."""
    folder = tmp_path_factory.mktemp("questions")
    code = code_of("add-a-question.md", before="from sottovoce.answers.questions import read_q")
    lines = ["[sottovoce.questions]", "at_least = asking:question", "number = asking:NUMBER"]
    install(folder, "asking", {"asking.py": code}, "\n".join(lines))
    return folder


def test_a_question_of_others_is_asked_by_command_and_over_http(questions, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", environment(questions)["PYTHONPATH"])
    hours = np.linspace(4, 10, 2000)
    (questions / "hours.csv").write_text("hours\n" + "\n".join(map(str, hours)) + "\n")
    over = ["--low", 0, "--high", 14, "--bins", 28, "--mechanism", "sw", "-e", 2]
    command(questions, "randomize", "hours.csv", "--column", "hours", "-o", "r.parquet", *over)
    command(questions, "tally", "r.parquet", "-o", "t.svt")
    told = command(questions, "estimate", "t.svt", "--at-least", 7)
    assert [row["label"] for row in told["answers"]] == ["at least 7"]
    listed = python(
        questions,
        "from sottovoce.service.openapi import openapi_document as document\n"
        "from sottovoce.service.routes import ROUTES\n"
        "print([p['name'] for p in document(ROUTES, '')['paths']['/differences']['get']['parameters']][-1])",
    )
    assert listed == "at_least\n"
