"""Floats collected elsewhere: sorted into our cells they have the law that our channel says."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, Mismatch, Unfit
from sottovoce.fusion.external_reports import Foreign, foreign
from sottovoce.fusion.joining.aligned import align
from sottovoce.fusion.joining.files import ServiceFile, file_mechanism
from sottovoce.fusion.joining.join import join

stats = pytest.importorskip("scipy.stats")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

PEOPLE = 400_000
ALARM = 1e-6


# -- the mechanisms of the textbooks, on floats ---------------------------------------------------


def textbook_sr(v, epsilon, rng):
    """On [-1, 1]: Duchi, Jordan, Wainwright 2018."""
    E = math.exp(epsilon)
    high = rng.random(len(v)) < (E - 1) / (2 * E + 2) * v + 0.5
    return np.where(high, 1, -1) * (E + 1) / (E - 1)


def textbook_pm(v, epsilon, rng):
    """On [-1, 1]: Wang et al. 2019, algorithm 2."""
    s = math.exp(epsilon / 2)
    C = (s + 1) / (s - 1)
    left = (C + 1) / 2 * v - (C - 1) / 2
    right = left + C - 1
    near = left + (right - left) * rng.random(len(v))
    far = -C + (C + 1) * rng.random(len(v))
    far = np.where(far < left, far, far + (right - left))
    return np.where(rng.random(len(v)) < s / (s + 1), near, far)


def textbook_sw(v, epsilon, rng):
    """On [0, 1]: Li et al. 2020."""
    E = math.exp(epsilon)
    b = (epsilon * E - E + 1) / (2 * E * (E - 1 - epsilon))
    near = v + b * (2 * rng.random(len(v)) - 1)
    far = rng.random(len(v)) - b
    far = np.where(far < v - b, far, far + 2 * b)
    return np.where(rng.random(len(v)) < 2 * b * E / (2 * b * E + 1), near, far)


def textbook_laplace(v, epsilon, rng):
    """On [-1, 1]."""
    return v + rng.laplace(0, 2 / epsilon, len(v))


def sigma_of(epsilon):
    """Enough for a delta of 0.01."""
    return 4 / epsilon


def textbook_gaussian(v, epsilon, rng):
    """On [0, 1]."""
    return v + rng.normal(0, sigma_of(epsilon), len(v))


LAWS = {
    "sr": (textbook_sr, (-1, 1)),
    "pm": (textbook_pm, (-1, 1)),
    "sw": (textbook_sw, (0, 1)),
    "laplace": (textbook_laplace, (-1, 1)),
    "gaussian": (textbook_gaussian, (0, 1)),
}
AGE = sv.Interval(10, 90, bins=32)


def options_of(name, epsilon, wider=1.0):
    """What is told of a service; ``wider`` is a factor of its noise that is wrong."""
    if name != "gaussian":
        return {"epsilon": epsilon / wider, "units": LAWS[name][1]}
    sigma = wider * sigma_of(epsilon)
    return {"epsilon": epsilon, "units": (0, 1), "delta": 1e-2, "sigma": sigma, "reach": 150}


def population(rng, bins=AGE.bins):
    """A skewed histogram, and numbers in parts of the interval, anywhere in their bin alike."""
    shares = stats.beta(2, 5).cdf(np.arange(1, bins + 1) / bins)
    shares = np.diff(shares, prepend=0.0)
    counts = rng.multinomial(PEOPLE, shares)
    who = np.repeat(np.arange(bins), counts)
    return counts / PEOPLE, (who + rng.random(PEOPLE)) / bins


def collected(name, epsilon, seed=1):
    law, (low, high) = LAWS[name]
    rng = np.random.default_rng(seed)
    shares, parts = population(rng)
    return shares, parts, law(low + parts * (high - low), epsilon, rng)


def chance(reports, mechanism, shares):
    """How often cells would differ that much from what the channel expects, or more."""
    expected = mechanism.channel().forward(shares) * len(reports)
    seen = reports.mechanism.tally(reports).cells
    # Shares are those of these very people: the noise of cells is at most multinomial.
    statistic = float(((seen - expected) ** 2 / expected).sum())
    return float(stats.chi2.sf(statistic, len(expected) - 1))


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_floats_have_the_law_of_our_channel(name, epsilon):
    shares, _, values = collected(name, epsilon)
    reports = foreign(values, name, AGE, **options_of(name, epsilon))
    assert reports.mechanism.epsilon == epsilon
    assert not reports.certified
    assert chance(reports, reports.mechanism, shares) > ALARM
    # The test has power: a law that is a little off is rejected.
    wrong = Foreign.make(name, AGE, **options_of(name, epsilon, wider=1.2))
    assert chance(reports, wrong.mechanism, shares) < ALARM


def exact_table(name, epsilon, mechanism, inner=500):
    """The probability of every cell from every bin, by the continuous law; cells by their edges."""
    within = (np.arange(inner) + 0.5) / inner
    v = ((np.arange(AGE.bins)[:, None] + within) / AGE.bins).ravel()[
        :, None
    ]  # parts of the interval
    E, s = math.exp(epsilon), math.exp(epsilon / 2)
    if name == "sr":
        upper = (1 + v[:, 0] * (E - 1)) / (E + 1)
        table = np.stack([1 - upper, upper], axis=1)
    else:
        if name in ("sw", "pm"):
            b = (epsilon * E - E + 1) / (2 * E * (E - 1 - epsilon))
            beyond = b if name == "sw" else 1 / (s - 1)
            edges = -beyond + mechanism.cell_edges / mechanism.outputs * (1 + 2 * beyond)
            half = b if name == "sw" else 1 / (s - 1) / 2
            middle = v if name == "sw" else 0.5 + (v - 0.5) * s / (s - 1)
            covered = np.clip(edges - (middle - half), 0, 2 * half)
            cumulative = ((edges + beyond) + (E - 1) * covered) / (
                1 + 2 * beyond + (E - 1) * 2 * half
            )
        else:
            beyond = (mechanism.cells - AGE.bins) // 2
            edges = (np.arange(mechanism.cells + 1) - beyond) / AGE.bins
            law = (
                stats.laplace(scale=1 / epsilon)
                if name == "laplace"
                else stats.norm(scale=sigma_of(epsilon))
            )
            cumulative = law.cdf(edges - v)
            cumulative[:, 0], cumulative[:, -1] = 0.0, 1.0
        table = np.diff(cumulative, axis=1)
    return table.reshape(AGE.bins, inner, -1).mean(axis=1).T


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_the_channel_is_the_continuous_law_but_for_rounding(name, epsilon):
    made = Foreign.make(name, AGE, **options_of(name, epsilon)).mechanism
    exact, ours = exact_table(name, epsilon, made), made.channel().dense()
    np.testing.assert_allclose(ours.sum(axis=0), 1, atol=1e-12)
    off = np.abs(ours - exact).max()
    assert off < allowed_error(name, epsilon, made)
    if name in ("sw", "pm"):
        finer = Foreign.make(
            name, AGE, epsilon, units=LAWS[name][1], steps=16 * made.steps
        ).mechanism
        assert np.abs(finer.channel().dense() - exact_table(name, epsilon, finer)).max() < off / 4
    if name == "laplace":  # the same noise with a bin less to fall over is farther off
        house = sv.mechanism("laplace", AGE, epsilon).channel().dense()
        assert np.abs(house - exact).max() > 2 * off


def allowed_error(name, epsilon, made):
    """What the module says: the weight of a position, or a part of a bin's."""
    a = epsilon / AGE.bins
    if name == "laplace":
        return a**2 / 6 + 1e-9
    if name == "gaussian":
        return 2e-6 + 1 / made.sigma**3  # sigma is met to a millionth
    if name == "sr":
        return 1 / made.positions
    _, low, unit = made.weights
    return (low + unit) / made.total


@pytest.mark.parametrize("name", LAWS)
def test_means_of_floats_are_unbiased(name):
    _, parts, values = collected(name, 1.0, seed=4)
    reports = foreign(values, name, AGE, **options_of(name, 1.0))
    answer = sv.estimate(reports, "unbiased").mean()
    truth = AGE.low + parts.mean() * (AGE.high - AGE.low)
    assert abs(answer.value - truth) < 5 * answer.stderr
    assert 10 * answer.stderr < AGE.high - AGE.low


def test_units_are_where_floats_live():
    v = np.random.default_rng(2).uniform(-1, 1, 1000)
    told = textbook_pm(v, 1.0, np.random.default_rng(3))
    signed = foreign(told, "pm", AGE, 1.0, units=(-1, 1))
    unit = foreign((told + 1) / 2, "pm", AGE, 1.0, units=(0, 1))
    own = foreign(50 + 40 * told, "pm", AGE, 1.0)
    single = foreign(told.astype(np.float32), "pm", AGE, 1.0, units=(-1, 1))
    assert signed == unit
    outputs = [r.columns["output"].astype(int) for r in (signed, own, single)]
    assert max(np.abs(outputs[0] - other).max() for other in outputs[1:]) <= 1  # by rounding only


def test_the_ends_of_what_a_law_gives_are_its_end_cells():
    C = (math.exp(0.5) + 1) / (math.exp(0.5) - 1)
    for ends in ([-C, C], np.array([-C, C], dtype=np.float32), [-C - 1e-7, C + 1e-7]):
        told = foreign(ends, "pm", AGE, 1.0, units=(-1, 1))
        assert told.columns["output"].tolist() == [0, told.mechanism.outputs - 1]
    bits = textbook_sr(np.array([-1.0, 1.0] * 20), 1.0, np.random.default_rng(1))
    found = foreign(np.float32(bits), "sr", AGE, 1.0, units=(-1, 1)).columns["high"]
    np.testing.assert_array_equal(found, bits > 0)
    far = foreign([-1e9, 1e9, -1.0, 0.99], "laplace", AGE, 1.0, units=(-1, 1))
    assert far.columns["cell"].tolist() == [0, 31, 0, 31]
    gauss = foreign([-1e9, 1e9], "gaussian", AGE, 1.0, delta=1e-3, units=(0, 1))
    assert gauss.columns["cell"].tolist() == [0, gauss.mechanism.cells - 1]


def test_a_ring():
    rng, clock = np.random.default_rng(6), sv.Interval(0, 24, bins=12)
    shares = np.full(12, 1 / 12)
    reports = foreign(24 * rng.random(50_000), "sw", clock, 1.0, wrap=True)
    assert chance(reports, reports.mechanism, shares) > ALARM
    with pytest.raises(InvalidInput, match="a number from 0 to 24"):
        foreign([24.5], "sw", clock, 1.0, wrap=True)


@pytest.mark.parametrize(
    "values, name, mentions",
    [
        ([0.0, 5.0, -7.0], "pm", "row 1 of column 'pay' of service 'bank' must be a number from -4.08.* to 4.08.*; got 5.0. Is it piecewise with epsilon 1 on values from -1 to 1?"),
        ([0.0, 0.1, 4.0], "sw", "row 2 of column 'pay' of service 'bank' must be a number from -1.5"),
        ([2.163953, 2.0], "sr", "row 1 of column 'pay' of service 'bank' must be -2.16395 or 2.16395"),
        ([0.0, math.nan], "laplace", "row 1 of column 'pay' of service 'bank' must be a finite number; got nan"),
        ([0.0, math.inf], "gaussian", "row 1 .* must be a finite number; got inf"),
        ([0.0, math.nan], "pm", "row 1 of column 'pay' of service 'bank'.*got nan"),
        (["a", "b"], "pm", "column 'pay' of service 'bank' must be a flat column of numbers"),
        ([[0.0]], "pm", "column 'pay' of service 'bank' must be a flat column of numbers"),
    ],
)  # fmt: skip
def test_what_a_law_cannot_give_is_refused_with_its_row(values, name, mentions):
    with pytest.raises(InvalidInput, match=mentions):
        foreign(values, name, AGE, 1.0, units=(-1, 1), service="bank", column="pay")


def test_laws_that_are_refused():
    make = Foreign.make
    with pytest.raises(
        Unfit, match="service 'bank': floats of 'olh' have no known law; those of sw, pm"
    ):
        make("olh", AGE, 1.0, service="bank")  # fmt: skip
    with pytest.raises(InvalidInput, match="domain of service 'bank' must be an Interval of real"):
        make("pm", sv.Categories(3), 1.0, service="bank")
    with pytest.raises(InvalidInput, match="domain of service 'bank' must be an Interval of real"):
        make("sw", sv.Counts(30), 1.0, service="bank")
    for units in ((1, -1), (0, 1, 2), "ab", 3, (0, math.nan)):
        with pytest.raises(InvalidInput, match="units of service 'foreign' must be two numbers"):
            make("pm", AGE, 1.0, units=units)
    with pytest.raises(InvalidInput, match="sigma of service 'foreign' must be left out"):
        make("laplace", AGE, 1.0, sigma=1.0)
    with pytest.raises(InvalidInput, match="sigma of service 'foreign' must be a number above 0"):
        make("gaussian", AGE, 1.0, sigma=0)
    for sigma in (0.5, 1e-3):
        with pytest.raises(InvalidInput, match="sigma of .* keeps epsilon 1 and delta 0.000001"):
            make("gaussian", AGE, 1.0, sigma=sigma, units=(0, 1))
    assert make("laplace", sv.Interval(0, 1, bins=1), 1.0).mechanism.cells == 1


def test_gaussian_noise_is_as_wide_as_told():
    for sigma in (4.0, 40.0):
        made = Foreign.make("gaussian", AGE, 1.0, delta=1e-5, sigma=sigma, units=(0, 1)).mechanism
        assert made.sigma / 32 == pytest.approx(sigma, rel=1e-4)
    least = Foreign.make("gaussian", AGE, 1.0, delta=1e-5, units=(0, 1)).mechanism
    assert least.sigma / 32 == pytest.approx(3.7306, rel=1e-3)  # the analytic mechanism's
    some = Foreign.make("gaussian", AGE, 1.0, delta=1e-5, units=(0, 1), reach=50).mechanism
    assert some.reach == 50


# -- not certified, wherever they go --------------------------------------------------------------


def test_the_mark_stays(tmp_path):
    told = foreign([0.1, 0.2, -0.4], "pm", AGE, 1.0, units=(-1, 1))
    assert not told[:2].certified
    told.write(tmp_path / "r.parquet")
    assert sv.Reports.read(tmp_path / "r.parquet") == told
    assert sv.Reports(told.mechanism, told.columns) != told
    ours = told.mechanism.randomize([20.0, 30.0, 40.0])
    assert align(None, [ours, told]).certified == (True, False)
    ours.write(tmp_path / "o.parquet")
    files = [ServiceFile.open(tmp_path / name) for name in ("o.parquet", "r.parquet")]
    assert join(files).certified == (True, False)
    assert b"sottovoce.certified" not in ours.to_arrow().schema.metadata


def test_files_of_floats(tmp_path):
    _, _, values = collected("pm", 1.0)
    values = values[:1000]
    pq.write_table(pa.table({"id": np.arange(1000), "pay": values}), tmp_path / "bank.parquet")
    told = {"mechanism": "pm", "epsilon": 1.0, "domain": AGE, "units": (-1, 1)}
    file = ServiceFile.open(tmp_path / "bank.parquet", **told)
    assert (file.column, file.certified, file.rows) == ("pay", False, 1000)
    assert join([file]).reports[0] == foreign(values, "pm", AGE, 1.0, units=(-1, 1))
    assert file_mechanism(tmp_path / "bank.parquet") is None
    keyed = ServiceFile.open(tmp_path / "bank.parquet", key="id", **told)
    assert join([keyed]).n == 1000
    with pytest.raises(
        InvalidInput, match="mechanism, epsilon and domain of service 'bank' must be given"
    ):
        ServiceFile.open(tmp_path / "bank.parquet")  # fmt: skip
    with pytest.raises(
        InvalidInput,
        match="column of service 'bank' must be one of the columns.*id, pay; got 'salary'",
    ):
        ServiceFile.open(tmp_path / "bank.parquet", column="salary", **told)  # fmt: skip
    values[700] = 50.0
    pq.write_table(
        pa.table({"pay": values, "other": values, "name": ["x"] * 1000}), tmp_path / "bank.parquet"
    )
    with pytest.raises(
        InvalidInput, match="column of service 'bank' must be given where .*pay, other"
    ):
        ServiceFile.open(tmp_path / "bank.parquet", **told)  # fmt: skip
    with pytest.raises(InvalidInput, match="column 'name' of service 'bank' must be of numbers"):
        ServiceFile.open(tmp_path / "bank.parquet", column="name", **told)
    file = ServiceFile.open(tmp_path / "bank.parquet", column="pay", **told)
    with pytest.raises(InvalidInput, match="row 701 of column 'pay' of service 'bank'.*got 50.0"):
        join([file])
    pq.write_table(pa.table({"pay": pa.array([0.1, None])}), tmp_path / "bank.parquet")
    with pytest.raises(InvalidInput, match="row 2 of column 'pay' of service 'bank'.*got nan"):
        join([ServiceFile.open(tmp_path / "bank.parquet", **told)])


def test_a_foreign_service_beside_ours_tells_the_mean():
    _, parts, values = collected("pm", 1.0)
    numbers = AGE.low + parts * (AGE.high - AGE.low)
    ours = sv.mechanism("sw", AGE, 1.0)
    reports = [
        ours.randomize(numbers, source=sv.Seeded(9)),
        foreign(values, "pm", AGE, 1.0, units=(-1, 1)),
    ]
    mean = sv.fuse_mean(None, reports, names=["ours", "bank"])
    assert abs(mean.value - numbers.mean()) < 5 * mean.stderr
    assert not mean.certified
    assert "privacy not certified: bank" in mean.why
    with pytest.raises(Mismatch, match="service 'bank' reports about"):
        other = foreign(values, "pm", sv.Interval(0, 1, bins=32), 1.0, units=(-1, 1))
        sv.fuse_mean(None, [reports[0], other], names=["ours", "bank"])
