"""Regression through the randomization, against general optimizers, finite differences and plain data."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, NotConverged, Unfit
from sottovoce.estimators.regression.models import Cumulative, Multinomial
from sottovoce.estimators.regression.odds import report_odds

TRUE = np.array([-0.3, 0.8, -0.5])


def people(n, seed=1):
    random = np.random.default_rng(seed)
    x, group = random.normal(size=n), random.random(n) < 0.4
    rows = np.stack([np.ones(n), x, group], axis=1)
    return rows, {"x": x, "group": group}, random


def yes_no(n, seed=1):
    rows, covariates, random = people(n, seed)
    return rows, covariates, random.random(n) < 1 / (1 + np.exp(-rows @ TRUE))


def stars(n, seed=1):
    rows, covariates, random = people(n, seed)
    ends = np.array([-1.5, -0.5, 0.5, 1.5])
    latent = rows[:, 1:] @ TRUE[1:] + random.logistic(size=n)
    return rows, covariates, 1 + (latent > ends[:, None]).sum(axis=0)


def bent(function, at, steps):
    """Second derivatives by differences."""
    units = np.diag(steps)
    found = [
        [
            (
                function(at + a + b)
                - function(at + a - b)
                - function(at - a + b)
                + function(at - a - b)
            )
            for b in units
        ]
        for a in units
    ]
    return np.array(found) / (4 * np.outer(steps, steps))


# -- derivatives and maxima ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        Multinomial(4),
        Cumulative(np.eye(3), False, np.array([-1.0, 0.2, 1.0])),
        Cumulative(np.array([[-0.7], [0.1], [0.9]]), True, np.ones(1)),
    ],
)
def test_derivatives_are_exact(model):
    """Against central differences of the log-likelihood and of the gradient."""
    random = np.random.default_rng(2)
    rows, odds = random.normal(size=(40, 3)), random.uniform(0.2, 3.0, (40, 4))
    at = model.start(rows) + random.normal(size=len(model.start(rows))) * 0.1
    found = model.likelihood(at, rows, odds)
    assert found.value == pytest.approx(np.log((odds * model.shares(at, rows)).sum(axis=1)).sum())
    assert found.value == pytest.approx(model.value(at, rows, odds))
    gradient = found.scores.sum(axis=0)
    for place, unit in enumerate(np.eye(len(at)) * 1e-5):
        up, down = (model.likelihood(at + sign * unit, rows, odds) for sign in (1, -1))
        assert gradient[place] == pytest.approx((up.value - down.value) / 2e-5, abs=1e-6)
        bend = (up.scores.sum(axis=0) - down.scores.sum(axis=0)) / 2e-5
        np.testing.assert_allclose(found.hessian[place], bend, atol=1e-5)
    np.testing.assert_allclose(model.shares(at, rows).sum(axis=1), 1)


def test_thresholds_out_of_order_are_not_possible():
    model = Cumulative(np.eye(2), False, np.array([0.0, 1.0]))
    rows, odds = np.zeros((3, 1)), np.ones((3, 3))
    assert model.likelihood(np.array([1.0, 0.0, 0.0]), rows, odds) is None
    assert model.value(np.array([1.0, 0.0, 0.0]), rows, odds) == -math.inf


def test_the_maximum_is_that_of_a_general_optimizer():
    """The likelihood written out report by report, and its curvature by differences."""
    optimize = pytest.importorskip("scipy.optimize")
    rows, covariates, answers = yes_no(1_500)
    m = sv.mechanism("grr", sv.YesNo(), 1.5)
    reports = m.randomize(answers, source=sv.Seeded(1))
    found = sv.regress(reports, covariates)
    p = math.exp(1.5) / (math.exp(1.5) + 1)
    said = reports.columns["value"] == 1

    def minus(b):
        yes = 1 / (1 + np.exp(-rows @ b))
        return -np.sum(
            np.log(np.where(said, p * yes + (1 - p) * (1 - yes), (1 - p) * yes + p * (1 - yes)))
        )

    best = optimize.minimize(minus, np.zeros(3), method="BFGS", options={"gtol": 1e-8})
    np.testing.assert_allclose(found.values, best.x, atol=2e-5)
    assert found.log_likelihood == pytest.approx(-best.fun)
    null = optimize.minimize(lambda b: minus(np.array([b[0], 0, 0])), np.zeros(1), method="BFGS")
    assert found.null_log_likelihood == pytest.approx(-null.fun)
    curvature = bent(minus, best.x, np.full(3, 1e-4))
    np.testing.assert_allclose(found.covariance, np.linalg.inv(curvature), rtol=1e-3)
    assert found.aic == pytest.approx(6 + 2 * best.fun)


def test_ordinal_and_linear_maxima_are_those_of_a_general_optimizer():
    optimize = pytest.importorskip("scipy.optimize")
    special = pytest.importorskip("scipy.special")
    rows, covariates, answers = stars(1_200)
    m = sv.mechanism("grr", sv.Ratings(1, 5), 3.0)
    reports = m.randomize(answers, source=sv.Seeded(2))
    odds = m.channel().dense()[reports.columns["value"]]
    found = sv.regress(reports, covariates)

    def minus(b):  # slopes, then the first threshold and logarithms of the steps
        ends = np.concatenate([[b[2]], b[2] + np.cumsum(np.exp(b[3:]))])
        up_to = special.expit(ends[None, :] - (rows[:, 1:] @ b[:2])[:, None])
        return -np.log((odds * np.diff(up_to, axis=1, prepend=0, append=1)).sum(axis=1)).sum()

    best = optimize.minimize(minus, [0, 0, -1.4, 0, 0, 0], method="BFGS")
    assert found.model == "ordinal"
    assert found.log_likelihood == pytest.approx(-best.fun, abs=1e-4)
    np.testing.assert_allclose(found.values[:2], best.x[:2], atol=1e-3)
    assert found.names[2:] == ("1|2", "2|3", "3|4", "4|5")
    assert found.values[2] == pytest.approx(best.x[2], abs=2e-3)

    numbers = np.clip(
        50 + 10 * (rows @ TRUE) + np.random.default_rng(5).normal(0, 12, 1_200), 0, 100
    )
    m = sv.mechanism("grr", sv.Interval(0, 100, bins=10), 4.0)
    reports = m.randomize(numbers, source=sv.Seeded(3))
    odds = m.channel().dense()[reports.columns["value"]]
    linear = sv.regress(reports, covariates)

    def away(b):
        up_to = special.ndtr(
            (np.arange(10, 100, 10)[None, :] - (rows @ b[:3])[:, None]) / math.exp(b[3])
        )
        return -np.log((odds * np.diff(up_to, axis=1, prepend=0, append=1)).sum(axis=1)).sum()

    best = optimize.minimize(away, [50, 0, 0, 2.5], method="BFGS")
    assert (linear.model, linear.names) == ("linear", ("intercept", "x", "group", "sigma"))
    assert linear.log_likelihood == pytest.approx(-best.fun, abs=1e-4)
    np.testing.assert_allclose(linear.values[:3], best.x[:3], atol=0.02)
    assert linear.values[3] == pytest.approx(math.exp(best.x[3]), rel=1e-3)
    inverse = np.linalg.inv(bent(away, best.x, np.array([1e-2, 1e-2, 1e-2, 1e-3])))
    errors = np.sqrt(np.append(np.diag(inverse)[:3], inverse[3, 3] * linear.values[3] ** 2))
    np.testing.assert_allclose(linear.stderr, errors, rtol=0.01)


def test_at_epsilon_20_it_is_the_regression_of_the_answers():
    """Against iteratively reweighted least squares on the answers themselves."""
    rows, covariates, answers = yes_no(2_000)
    b = np.zeros(3)
    for _ in range(20):
        p = 1 / (1 + np.exp(-rows @ b))
        information = rows.T @ ((p * (1 - p))[:, None] * rows)
        b = b + np.linalg.solve(information, rows.T @ (answers - p))
    m = sv.mechanism("grr", sv.YesNo(), 20.0)
    found = sv.regress(m.randomize(answers, source=sv.Seeded(1)), covariates)
    np.testing.assert_allclose(found.values, b, atol=1e-5)
    np.testing.assert_allclose(found.covariance, np.linalg.inv(information), rtol=1e-5, atol=1e-9)


# -- which reports ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["olh", "oue", "sue", "ss", "hr", "seeded-hashing", "memoized"])
def test_it_goes_through_every_oracle(name):
    options = {"lifetime": 3.0} if name == "memoized" else {}
    _, covariates, answers = stars(6_000)
    m = sv.mechanism(name, sv.Ratings(1, 5), 2.5, **options)
    found = sv.regress(m.randomize(answers, source=sv.Seeded(4)), covariates)
    assert found.converged
    assert np.all(np.abs(found.values[:2] - TRUE[1:]) < 4.5 * found.stderr[:2])
    assert np.all(found.stderr[:2] < 0.3)


def test_a_square_wave_of_numbers():
    rows, covariates, random = people(5_000)
    numbers = np.clip(50 + 10 * (rows @ TRUE) + random.normal(0, 12, 5_000), 0, 100)
    m = sv.mechanism("sw", sv.Interval(0, 100, bins=25), 2.0)
    found = sv.regress(m.randomize(numbers, source=sv.Seeded(4)), covariates)
    truth = np.array([47, 8, -5, 12])
    assert np.all(np.abs(found.values - truth) < 4.5 * found.stderr)


def test_odds_of_sets_are_rows_of_the_channel():
    """Through a row of the channel and through the values that a report supports: one ratio per report."""
    for name in ("grr", "olh", "ss", "oue"):
        m = sv.mechanism(name, sv.Categories(6), 1.3)
        reports = m.randomize(np.arange(60) % 6, source=sv.Seeded(1))
        odds = report_odds(reports, None).odds
        gain = float(m.certificate().ratio)
        expected = np.stack([np.where(m.supports(reports, v), gain, 1.0) for v in range(6)], axis=1)
        np.testing.assert_allclose(odds / odds.min(axis=1, keepdims=True), expected, rtol=1e-9)


RECORD = sv.Record({"own": sv.YesNo(), "other": sv.Categories(3), "third": sv.Categories(2)})


@pytest.mark.parametrize(
    ("design", "options"),
    [("sample", {}), ("mixed", {}), ("pairs", {"hash_ranges": [0, 0, 0]}), ("joint", {"hash_ranges": [0]})],
)  # fmt: skip
def test_one_question_of_a_record(design, options):
    _, covariates, answers = yes_no(12_000)
    rows = np.stack([answers, np.arange(12_000) % 3, covariates["group"]], axis=1).astype(np.int64)
    m = sv.mechanism("record", RECORD, 3.0, design=design, **options)
    reports = m.randomize_positions(rows, sv.Seeded(2))
    found = sv.regress(reports, covariates, question="own")
    assert np.all(np.abs(found.values - TRUE) < 4.5 * found.stderr)
    if design in ("sample", "mixed"):
        assert "of 12,000 reports are about this question alone" in found.why
        assert found.n < 12_000


def test_margins_of_response_tables_are_exact():
    """By enumeration of the table: a report of a pair is as likely as its row says, whatever the others are."""
    m = sv.mechanism("record", RECORD, 2.0, design="joint", hash_ranges=[0])
    rows = np.stack(np.unravel_index(np.arange(12), (2, 3, 2)), axis=1).repeat(5, axis=0)
    reports = m.randomize_positions(rows, sv.Seeded(1))
    found = report_odds(reports, "other")
    cells = reports.columns["cell"].astype(int)
    own = np.unravel_index(cells, (2, 3, 2))[1]
    matrix = m.channel().dense()
    for row, reported in zip(found.odds, own, strict=True):
        same = [cell for cell in range(12) if np.unravel_index(cell, (2, 3, 2))[1] == reported]
        for value in range(3):
            held = [c for c in range(12) if np.unravel_index(c, (2, 3, 2))[1] == value]
            sums = matrix[np.ix_(same, held)].sum(axis=0)
            np.testing.assert_allclose(row[value], sums, rtol=1e-12)


def test_reports_that_do_not_tell_are_refused():
    _, covariates, _ = yes_no(300)
    wide = sv.Record({"own": sv.Categories(20), "other": sv.Categories(20)})
    m = sv.mechanism("record", wide, 1.0, design="pairs")
    reports = m.randomize_positions(np.zeros((300, 2), np.int64), sv.Seeded(1))
    with pytest.raises(Unfit, match="reports by hashing depend on the other answers"):
        sv.regress(reports, covariates, question="own")
    with pytest.raises(
        InvalidInput, match="question of regress must be one of own, other; got None"
    ):
        sv.regress(reports, covariates)
    with pytest.raises(InvalidInput, match="Did you mean 'own'"):
        sv.regress(reports, covariates, question="owm")
    single = sv.mechanism("grr", sv.YesNo(), 1.0)
    plain = single.randomize([True] * 300)
    with pytest.raises(InvalidInput, match="question of regress must be left out"):
        sv.regress(plain, covariates, question="own")
    with pytest.raises(
        InvalidInput, match="reports of regress must be Reports: a tally has no rows"
    ):
        sv.regress(single.tally(plain), covariates)
    rounds = sv.mechanism("stochastic-rounding", sv.Interval(0, 1, bins=4), 1.0)
    assert sv.regress(rounds.randomize(np.full(300, 0.3)), covariates, model="linear") is not None


# -- models and covariates -----------------------------------------------------------------------------------


def test_several_answers_have_coefficients_each():
    rows, covariates, random = people(20_000)
    scores = np.stack([np.zeros(20_000), rows @ TRUE, rows @ -TRUE], axis=1)
    drawn = np.argmax(scores + random.gumbel(size=scores.shape), axis=1)
    m = sv.mechanism("grr", sv.Categories(["bike", "bus", "car"]), 3.0)
    found = sv.regress(
        m.randomize(np.array(["bike", "bus", "car"])[drawn], source=sv.Seeded(1)), covariates
    )
    assert found.model == "multinomial"
    assert found.names[:3] == ("bus: intercept", "bus: x", "bus: group")
    truth = np.concatenate([TRUE, -TRUE])
    assert np.all(np.abs(found.values - truth) < 4.5 * found.stderr)
    robust = sv.regress(
        m.randomize(np.array(["bike", "bus", "car"])[drawn], source=sv.Seeded(1)), covariates, errors="robust"
    )  # fmt: skip
    np.testing.assert_allclose(robust.stderr, found.stderr, rtol=0.1)


def test_models_that_do_not_fit_are_refused():
    _, covariates, _ = yes_no(50)
    reports = sv.mechanism("grr", sv.Categories(3), 1.0).randomize([0] * 50)
    for model, message in (("logistic", "for two answers"), ("linear", "linear needs numbers")):
        with pytest.raises(Unfit, match=message):
            sv.regress(reports, covariates, model=model)
    with pytest.raises(InvalidInput, match="model of regress"):
        sv.regress(reports, covariates, model="probit")
    with pytest.raises(InvalidInput, match="errors of regress"):
        sv.regress(reports, covariates, errors="hc3")
    one = sv.mechanism("grr", sv.Categories(1), 1.0).randomize([0] * 50)
    with pytest.raises(Unfit, match="at least 2 answers"):
        sv.regress(one, covariates, model="multinomial")


def test_covariates_of_every_kind():
    pandas = pytest.importorskip("pandas")
    _, covariates, answers = yes_no(3_000)
    m = sv.mechanism("grr", sv.YesNo(), 4.0)
    reports = m.randomize(answers, source=sv.Seeded(1))
    plain = sv.regress(reports, covariates)
    city = np.where(covariates["group"], "Rome", "Bern")
    for table in (
        pandas.DataFrame(
            {"x": covariates["x"], "city": pandas.Categorical(city, ["Bern", "Rome"])}
        ),
        {"x": covariates["x"].tolist(), "city": list(city)},
    ):
        found = sv.regress(reports, table)
        assert found.names == ("intercept", "x", "city=Rome")
        np.testing.assert_allclose(found.values, plain.values, rtol=1e-6)
    turned = pandas.DataFrame(
        {"x": covariates["x"], "city": pandas.Categorical(city, ["Rome", "Bern"])}
    )
    assert sv.regress(reports, turned).coefficient("city=Bern").value == pytest.approx(
        -plain.values[2]
    )
    array = np.stack([covariates["x"], covariates["group"]], axis=1)
    np.testing.assert_allclose(sv.regress(reports, array).values, plain.values, rtol=1e-6)
    shifted = sv.regress(reports, {"x": 1e6 + 1e3 * covariates["x"], "group": covariates["group"]})
    assert shifted.coefficient("x").value == pytest.approx(plain.values[1] / 1e3, rel=1e-5)
    assert shifted.log_likelihood == pytest.approx(plain.log_likelihood)


def test_bad_covariates_are_refused():
    m = sv.mechanism("grr", sv.YesNo(), 4.0)
    reports = m.randomize([True, False] * 10)
    x = np.arange(20.0)
    for covariates, message in (
        ({"x": x[:19]}, "a row for each of 20 reports; got"),
        ({"x": x, "y": x[:3]}, "columns of one length"),
        ({}, "columns of one length"),
        ({"x": np.where(x > 3, np.nan, x)}, "covariate x of regress must be finite numbers"),
        ({"x": ["a", None] * 10}, "without missing values"),
        ({"x": np.ones(20)}, "not the same for everybody"),
        ({"x": ["a"] * 20}, "at least 2 different values"),
        ({"x": x, "y": 2 * x + 1}, "covariate y of regress must be not a sum"),
        ({"x": x.reshape(10, 2)}, "covariate x of regress must be a column"),
        (3, "a mapping of names to columns"),
    ):
        with pytest.raises(InvalidInput, match=message):
            sv.regress(reports, covariates)


def test_answers_that_a_covariate_tells_exactly_do_not_converge():
    x = np.linspace(-1, 1, 400)
    m = sv.mechanism("grr", sv.YesNo(), 20.0)
    reports = m.randomize(x > 0, source=sv.Seeded(1))
    with pytest.warns(NotConverged, match="the regression did not converge"):
        found = sv.regress(reports, {"x": x}, max_iterations=8)
    assert not found.converged and "not converged" in repr(found)
    assert np.isfinite(found.values).all()


# -- errors and what is shown -----------------------------------------------------------------------------------


def test_intervals_hold_the_truth():
    """150 surveys of 800: 450 intervals at 95%; below 90% has a chance of 1e-5 even if all of a survey agree."""
    held = []
    m = sv.mechanism("grr", sv.YesNo(), 3.0)
    for seed in range(150):
        _, covariates, answers = yes_no(800, seed)
        frame = sv.regress(m.randomize(answers, source=sv.Seeded(seed)), covariates).frame()
        held += [row["low"] <= b <= row["high"] for row, b in zip(frame, TRUE, strict=True)]
    assert 0.9 < np.mean(held) < 0.99


def test_a_summary_and_predictions():
    _, covariates, answers = yes_no(4_000)
    m = sv.mechanism("grr", sv.YesNo(), 2.0)
    found = sv.regress(m.randomize(answers, source=sv.Seeded(1)), covariates)
    text = str(found)
    for part in ("logistic", "4,000", "likelihood ratio test", "AIC", "intercept", "yes, "):
        assert part in text
    assert "<table>" in found._repr_html_() and "group" in found._repr_html_()
    shares = found.predict({"x": [0.0, 1.0], "group": [0, 1]})
    expected = 1 / (1 + np.exp(-np.array([[1, 0, 0], [1, 1, 1]]) @ found.values))
    np.testing.assert_allclose(shares[:, 1], expected)
    ratio = found.odds_ratio("x")
    assert ratio.value == pytest.approx(math.exp(found.coefficient("x").value))
    assert ratio.low == pytest.approx(math.exp(found.coefficient("x").low))
    assert found.p_value < 1e-6 and 0 < found.pseudo_r2 < 0.2 and found.bic > found.aic
    assert repr(found) == "<logistic regression over Categories(['no', 'yes']) from 4000 reports>"
    with pytest.raises(InvalidInput, match="Did you mean 'group'"):
        found.coefficient("groups")
    with pytest.raises(InvalidInput, match="covariates of predict must be columns"):
        found.predict({"x": [0.0]})


def test_unknown_levels_are_refused_in_predictions():
    city = np.array(["Bern", "Rome"] * 500)
    m = sv.mechanism("grr", sv.Interval(0, 10, bins=20), 4.0)
    found = sv.regress(
        m.randomize(np.where(city == "Rome", 6.25, 4.25), source=sv.Seeded(1)), {"city": city}
    )
    assert found.predict({"city": ["Rome"]}).shape == (1, 20)
    with pytest.raises(InvalidInput, match="covariate city of regress must be among Bern, Rome"):
        found.predict({"city": ["Oslo"]})
    with pytest.raises(InvalidInput, match="model of odds_ratio"):
        found.odds_ratio("city=Rome")
