"""What a survey of a few hundred bytes may cost a collector: 50 MB to publish, take, fold and read."""

from __future__ import annotations

import json
import tracemalloc

import pytest

import sottovoce as sv
from sottovoce.base.errors import SottovoceError
from sottovoce.store import Submission, open_store
from sottovoce.wire.payloads import payloads_of
from sottovoce.wire.uploads import new_id

MOST_MEGABYTES = 50


def interval(bins):
    return sv.Interval(0, 1, bins=bins)


LARGEST = {
    "local hashing": lambda: sv.mechanism("olh", sv.Categories(1_000_000), 1.0),
    "local hashing, large epsilon": lambda: sv.mechanism("olh", sv.Categories(1_000_000), 4.0),
    "randomized response": lambda: sv.mechanism("grr", sv.Categories(2_500_000), 1.0),
    "unary encoding": lambda: sv.mechanism("oue", sv.Categories(2**18), 1.0),
    "subset selection": lambda: sv.mechanism("ss", sv.Categories(2**18), 1.0),
    "seeded hashing": lambda: sv.mechanism("olh-seeded", sv.Categories(1_250_000), 1.0),
    "fixed hashing": lambda: sv.mechanism("flh", sv.Categories(33_000), 1.0),
    "Hadamard response": lambda: sv.mechanism("hr", sv.Categories(2**20), 1.0),
    "hierarchy": lambda: sv.mechanism("hh", interval(2**18), 1.0),
    "Haar": lambda: sv.mechanism("haar", interval(2**20), 1.0),
    "wide bins": lambda: sv.mechanism("olh", interval(2_500_000), 1.0, report_bins=1024),
    "pairs": lambda: sv.mechanism("pckv-pm", sv.KeyValues(9_000, 0, 1, bins=4), 2.0),
}


def value_of(domain):
    if isinstance(domain, sv.KeyValues):
        return 0, 0.5
    return 0.5 if isinstance(domain, sv.Interval) else 0


def cost_of_collecting(text, folder):
    """Megabytes at most, from the JSON of a survey to the tally of its reports in a store."""
    tracemalloc.start()
    try:
        survey = sv.Survey.from_json(text)
        value = value_of(survey.mechanism.domain)
        with open_store(str(folder / "collector.db")) as store:
            store.publish(survey)
            for _ in range(3):
                rows = payloads_of(survey.mechanism.randomize(value))
                store.write([Submission(survey.fingerprint, "", [new_id()], rows)])
                store.fold(survey.fingerprint)
            assert store.tally(survey.fingerprint).n == 3
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "name", [next(iter(LARGEST)), *(pytest.param(n, marks=pytest.mark.slow) for n in LARGEST)]
)
def test_surveys_at_their_limits_cost_a_collector_little(name, tmp_path):
    text = sv.Survey("s", "?", LARGEST[name]()).to_json()
    assert len(text) <= 1200
    assert cost_of_collecting(text, tmp_path) < MOST_MEGABYTES


def documents_out_of_proportion():
    """Surveys of 300 to 500 bytes that took gigabytes: each is larger than what is allowed."""
    small = json.loads(sv.Survey("s", "?", sv.mechanism("oue", sv.Categories(4), 1.0)).to_json())
    small["mechanism"]["domain"]["size"] = 2**28
    yield small
    numbers = json.loads(sv.Survey("s", "?", sv.mechanism("grr", interval(4), 1.0)).to_json())
    numbers["mechanism"]["domain"]["bins"] = 2**26
    yield numbers
    noise = sv.mechanism("gaussian", interval(4), 1.0, delta=0.1, reach=4)
    far = json.loads(sv.Survey("s", "?", noise).to_json())
    far["mechanism"]["options"]["reach"] = 2**22
    yield far


def test_what_is_out_of_proportion_is_refused_before_it_costs_anything():
    for document in documents_out_of_proportion():
        tracemalloc.start()
        with pytest.raises(SottovoceError):
            sv.Survey.from_json(json.dumps(document))
        assert tracemalloc.get_traced_memory()[1] < 1e6
        tracemalloc.stop()
