"""Reproductions: measures, claims that can fail, loaders, and a small run from end to end."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce import metrics
from sottovoce.base.errors import InvalidInput
from sottovoce.base.progress import silent
from sottovoce.experiments import __main__ as command
from sottovoce.experiments import datasets, measures, papers, reproduce
from sottovoce.experiments.claims import Claim, Reading, judge, read_claims
from sottovoce.experiments.consistency.methods import OURS, PUBLISHED, answers_to
from sottovoce.experiments.consistency.oracle import oracle_shares
from sottovoce.experiments.consistency.run import CLAIMS, measure
from sottovoce.experiments.consistency.sweep import METHODS, sweep
from sottovoce.experiments.curves import Curve, quotient
from sottovoce.experiments.work import in_processes, shown_progress

TRUTH = np.array([0.4, 0.3, 0.2, 0.1, 0.0, 0.0])
SHARES = np.array([0.4, 0.1, 0.1, 0.1, -0.2, -0.1])


# -- measures ------------------------------------------------------------------------


def test_clipping_gain_is_the_mean_over_all_sets():
    rng = np.random.default_rng(1)
    gain = measures.clipping_gain(SHARES, TRUTH, [1, 2], rng, draws=40_000)
    for size, found in zip((1, 2), gain, strict=True):
        sets = [list(chosen) for chosen in combinations(range(6), size)]
        totals = np.array([SHARES[c].sum() for c in sets])
        true = np.array([TRUTH[c].sum() for c in sets])
        wanted = np.mean((np.maximum(totals, 0) - true) ** 2 - (totals - true) ** 2)
        assert wanted < 0
        assert abs(found / wanted - 1) < 0.05


def test_sizes_of_sets():
    assert [measures.set_size(p, 17) for p in (1, 10, 90)] == [1, 2, 15]


# -- numbers with noise -----------------------------------------------------------------


def test_quotient_tells_its_noise():
    rng = np.random.default_rng(2)
    found = []
    for _ in range(400):
        shared = rng.normal(0, 0.3, 30)  # seen by both: cancels
        above, below = 4 + 4 * shared + rng.normal(0, 0.4, 30), 2 + 2 * shared
        found.append(quotient([above], [below]))
    spread = np.std([q.value for q in found])
    assert abs(np.mean([q.value for q in found]) - 2) < 0.01
    assert abs(np.mean([q.stderr for q in found]) / spread - 1) < 0.15
    assert spread < 0.05  # unpaired it would be 0.15


def test_quotient_needs_repeats_and_minds_zeros():
    with pytest.raises(InvalidInput, match="repeats of quotient must be at least 2; got 1"):
        quotient([np.ones(1)], [np.ones(1)])
    assert quotient([np.ones(3)], [np.zeros(3)]).value == np.inf
    assert quotient([np.zeros(3)], [np.ones(3)]).value == 0


# -- claims ---------------------------------------------------------------------------


def judged(*readings, **changes):
    claim = replace(Claim("c", "", "", "", "cells", 0.9, 1.1, table="t"), **changes)
    return judge([claim], {}, {"t": readings})[0].verdict


def test_verdicts_flip():
    right, near = Reading("a", 1.0, 0.01), Reading("b", 1.109, 0.005)
    assert judged(right, near) == "held"
    assert judged(right, near, slack=0.0) == "held partly"
    assert judged(right, replace(near, value=1.111)) == "held partly"
    assert judged(*(replace(r, value=1.5) for r in (right, near))) == "did not hold"
    assert judged(*(replace(r, value=0.5) for r in (right, near))) == "did not hold"
    assert judged() == "not tested"


def test_the_claims_are_well_formed():
    claims = read_claims(CLAIMS)
    assert len({claim.name for claim in claims}) == len(claims) > 30
    for claim in claims:
        assert claim.low < claim.high
        assert set(claim.methods) | set(claim.against) <= set(METHODS)
        assert set(claim.datasets) <= set(datasets.names())
        assert bool(claim.table) == (claim.kind == "cells")
    with pytest.raises(InvalidInput, match="kind of claim odd"):
        Claim("odd", "", "", "", "guess")
    with pytest.raises(InvalidInput, match="pick of claim odd"):
        Claim("odd", "", "", "", "ratio", pick="any")


@pytest.fixture(scope="module")
def curves():
    """Measured on made-up data, and under the names of all other data sets as well."""
    found = sweep(datasets.load(["zipf", "beta"], None)[0], 3, workers=1)
    for name in datasets.names():
        for measure_name in ("mse", "mae", "sets-5", "top-10", "sets", "top"):
            stand_in = found["zipf", measure_name]
            found.setdefault((name, measure_name), replace(stand_in, dataset=name))
        for groups in ("states", "divisions"):
            found[name, groups] = replace(found["zipf", "mse"], dataset=name, measure=groups)
    return found


TESTED = [claim for claim in read_claims(CLAIMS) if claim.kind != "cells"]


@pytest.mark.parametrize("claim", TESTED, ids=lambda claim: claim.name)
def test_every_claim_fails_on_numbers_that_contradict_it(claim, curves):
    assert judge([claim], curves, {})[0].verdict in ("held", "held partly", "did not hold")
    verdicts = set()
    for scale, power in ((1e9, 0), (1e-9, 0), (1, 12), (1, -12)):
        bent = {}
        for key, curve in curves.items():
            values, rows = curve.values.copy(), [curve.methods.index(m) for m in claim.methods]
            values[:, rows] *= scale * np.array(curve.xs)[:, None, None] ** power
            bent[key] = replace(curve, values=values)
        verdicts.add(judge([claim], bent, {})[0].verdict)
    assert "did not hold" in verdicts


def test_a_point_that_was_not_measured_is_refused(curves):
    with pytest.raises(InvalidInput, match="point of curve of mse must be measured"):
        curves["zipf", "mse"].at(0.3, "norm")


def test_prepared_cells_are_judged():
    claim = next(c for c in read_claims(CLAIMS) if c.name == "goal-top")
    right, wrong = Reading("a", 1.01, 0.001), Reading("b", 1.05, 0.001)
    assert judge([claim], {}, {claim.table: [right]})[0].verdict == "held"
    assert judge([claim], {}, {claim.table: [right, wrong]})[0].verdict == "held partly"
    assert judge([claim], {}, {})[0].verdict == "not tested"


# -- data -------------------------------------------------------------------------------


def test_made_up_sets_are_always_there():
    found, skipped = datasets.load(["zipf", "beta", "beta-1024"], None)
    sizes = [(d.name, d.n, d.size) for d in found]
    assert sizes == [("zipf", 10**6, 1024), ("beta", 10**5, 400), ("beta-1024", 10**6, 1024)]
    assert skipped == []
    assert abs(found[0].shares[0] / found[0].shares[1] - 2**1.5) < 0.05


def test_real_sets_are_skipped_with_a_message(tmp_path):
    found, skipped = datasets.load(["retail"], None)
    assert (found, skipped) == ([], ["retail: skipped, no folder with real data was given"])
    found, skipped = datasets.load(["retail"], tmp_path)
    assert skipped == [f"retail: skipped, retail_hist.csv.gz is not in {tmp_path}"]
    with pytest.raises(InvalidInput, match="dataset of load must be one of.*'ipums'"):
        datasets.load(["ipums"], None)


REAL = {
    "cities": (602_325, 915), "kosarak": (36_682, 17_034), "kosarak-short": (505_217, 2_605),
    "retail": (88_162, 16_470), "emoji": (218_477, 1_496), "msnbc": (989_818, 17),
}  # fmt: skip


def test_real_sets_have_the_published_sizes(data_folder):
    found, skipped = datasets.load(REAL, data_folder)
    assert skipped == []
    assert {d.name: (d.n, d.size) for d in found} == REAL
    groups = {name: len(set(of.tolist())) for name, of in found[0].groups.items()}
    assert groups == {"states": 49, "divisions": 9}


# -- methods ----------------------------------------------------------------------------


def test_answers_are_those_of_estimate():
    counts = np.random.default_rng(3).multinomial(50_000, np.ones(150) / 150)
    tally = sv.mechanism("oue", sv.Categories(150), 1.0).simulate(counts, source=sv.Seeded(1))
    answers = answers_to(tally)
    assert answers.methods == PUBLISHED + OURS
    for name, row in zip(answers.methods, answers.shares, strict=True):
        np.testing.assert_allclose(row, sv.estimate(tally, name).shares)
    for goal, row in answers.auto.items():
        np.testing.assert_allclose(row, sv.estimate(tally, goal=goal).shares)
    assert answers.single("top")[answers.clipped].min() >= 0


@pytest.mark.parametrize("name", ["oue", "grr", pytest.param("hr", marks=pytest.mark.slow)])
def test_no_method_beats_the_oracle(name):
    (zipf,), _ = datasets.load(["zipf"], None)
    mechanism, source = sv.mechanism(name, sv.Categories(zipf.size), 2.0), sv.Seeded(4)
    errors = []
    for _ in range(8):
        answers = answers_to(mechanism.simulate(zipf.counts, source=source))
        possible = oracle_shares(answers.raw, zipf.shares)
        assert abs(possible.sum() - 1) < 1e-9
        rows = np.vstack([answers.single("distribution"), possible])
        errors.append(metrics.mean_squared_error(rows, zipf.shares))
    means = np.mean(errors, axis=0)
    assert means[-1] < means[:-1].min()


# -- work -------------------------------------------------------------------------------


def test_results_do_not_depend_on_workers():
    told = []
    one = in_processes(abs, range(-3, 3), what="a", workers=1, progress=lambda w, p: told.append(p))
    assert one == in_processes(abs, range(-3, 3), what="b", workers=2) == [3, 2, 1, 0, 1, 2]
    assert told == pytest.approx([0, *np.arange(1, 7) / 6])


def test_workers_leave_the_other_cores_alone(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    names = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"]
    assert in_processes(os.getenv, names, what="a", workers=2) == ["1", "1"]
    assert os.environ["OMP_NUM_THREADS"] == "3"


def test_no_bar_where_nobody_looks():
    with shown_progress() as progress:
        assert progress is silent


# -- end to end ---------------------------------------------------------------------------


@pytest.mark.slow
def test_a_small_reproduction_writes_page_numbers_and_pictures(tmp_path):
    told = []
    found = reproduce(
        "consistency", output=tmp_path / "out", repeats=2, workers=1,
        progress=lambda what, part: told.append((what, part)),
    )  # fmt: skip
    assert {what for what, _ in told} == {"figures", "against the best method", "coverage", "page"}
    assert all(path.is_file() for path in found.files)
    page = found.page.read_text()
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", page)
    assert page.count("<svg") > 20
    assert "cities: skipped, no folder with real data was given" in page
    ids = re.findall(r'id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    for finding in found.findings:
        assert finding.verdict in page
    numbers = json.loads(found.numbers.read_text())
    assert numbers["repeats"] == 2
    assert len(numbers["claims"]) == len(found.findings)
    assert {curve["dataset"] for curve in numbers["curves"]} == {"zipf", "beta"}
    assert len(found.skipped) == 6
    verdicts = dict(zip(*(found.verdicts()[c] for c in ("claim", "verdict")), strict=True))
    assert verdicts["mle-equals-norm-sub"] == "held"
    assert verdicts["best-on-states"] == "not tested"
    assert len(found.tables["exchangeable"]) == 4 * 2 * 3 * 2
    assert len(found.tables["coverage"]) == 13


def test_what_cannot_be_reproduced_is_refused(tmp_path):
    assert "consistency" in papers()
    with pytest.raises(InvalidInput, match="paper of reproduce must be one of"):
        reproduce("no-such-paper", output=tmp_path)
    with pytest.raises(InvalidInput, match="repeats of reproduce must be .*at least 2"):
        reproduce("consistency", output=tmp_path, repeats=1)
    with pytest.raises(InvalidInput, match="data of reproduce must be a folder"):
        reproduce("consistency", output=tmp_path, data=tmp_path / "nowhere")


@pytest.mark.slow
def test_the_command_line(tmp_path, capsys):
    command.main(["consistency", "--repeats", "2", "--output", str(tmp_path)])
    printed = capsys.readouterr().out
    assert "mle-equals-norm-sub" in printed
    assert f"page:    {tmp_path / 'consistency.html'}" in printed


@pytest.mark.slow
def test_the_paper_on_real_data(data_folder):
    """The verdicts that the docs tell, with fewer repeats."""
    results = measure(data_folder, 6)
    verdicts = {finding.claim.name: finding.verdict for finding in results.findings}
    for name in ("norm-equals-base", "mle-equals-norm-sub", "symmetric-sets", "goal-top"):
        assert verdicts[name] == "held", name
    assert verdicts["norm-sub-is-best"] != "held"
    assert verdicts["guideline-single"] != "held"


def test_curves_tell_means_and_deviations():
    curve = Curve("d", "m", "x", (1.0,), ("a",), np.array([[[1.0, 3.0]]]))
    assert curve.document()["mean"] == {"a": [2.0]}
    np.testing.assert_allclose(curve.deviations, np.sqrt(2))
