"""Wiener filters against their formulas, their known powers, and the noise of real surveys."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.channels.frequencies import Spectrum
from sottovoce.estimators.filters.plain import gaussian_filter, smooth
from sottovoce.estimators.filters.spectrum import noise_power, spectrum_of
from sottovoce.estimators.filters.wiener import amrp, dw, iiw, iiw_g
from sottovoce.estimators.unbiased import UnbiasedShares, unbiased_shares


def waves(size, people=200_000):
    """A smooth distribution around a ring, in people."""
    angle = 2 * np.pi * np.arange(size) / size
    shares = 1.5 + np.sin(angle) + 0.3 * np.cos(3 * angle)
    return np.floor(people * shares / shares.sum()).astype(int)


def raw_of(name="oue", size=60, epsilon=1.0, seed=1, people=200_000):
    mechanism = sv.mechanism(name, sv.Interval(0, 1, bins=size), epsilon)
    return unbiased_shares(mechanism.simulate(waves(size, people), source=sv.Seeded(seed)))


def transforms(raw):
    """G, H, P_n of a pure oracle, written out."""
    p, q = raw.channel.support_probabilities.p, raw.channel.support_probabilities.q
    G = np.fft.fft(q + (p - q) * raw.shares)
    return G, p - q, (p - q) ** 2 * noise_power(raw)


def shares_of(F):
    F[0] = 1.0
    return np.fft.ifft(F).real


# -- the noise ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["oue", "grr", "ss"])
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_noise_power_is_the_papers(name, epsilon):
    mechanism = sv.mechanism(name, sv.Categories(40), epsilon)
    support_probabilities, n = mechanism.channel().support_probabilities, 5000
    raw = UnbiasedShares(np.full(40, 1 / 40), n, mechanism.channel())
    p, q = support_probabilities.p, support_probabilities.q
    expected = (40 * q * (1 - q) + (p - q) * (1 - p - q)) / n
    expected *= 1 if name == "oue" else 40 / 39
    assert np.isclose((p - q) ** 2 * noise_power(raw), expected, rtol=1e-9)
    if name == "grr":
        assert np.isclose(expected, (1 - (p - q) ** 2) / n, rtol=1e-9)


@pytest.mark.parametrize("name", ["oue", "grr", "ss", "sw"])
def test_noise_of_simulated_surveys_has_that_power_and_no_other(name):
    """The mean of |N_k|^2 over surveys and frequencies; a power 10% larger is rejected."""
    size, surveys, options = 24, 1000, {"wrap": True} if name == "sw" else {}
    mechanism = sv.mechanism(name, sv.Interval(0, 1, bins=size), 1.0, **options)
    counts, truth = waves(size, 2000), np.fft.rfft(waves(size, 2000) / waves(size, 2000).sum())
    ratios, source = [], sv.Seeded(5)
    for _ in range(surveys):
        s = spectrum_of(unbiased_shares(mechanism.simulate(counts, source=source)))
        noise = s.observed - s.kernel * truth
        ratios.append(np.abs(noise[1:-1]) ** 2 / s.noise[1:-1])
    means = np.mean(ratios, axis=1)
    error = means.std() / np.sqrt(surveys)
    away = abs(means.mean() - 1) / error
    # Respondents are given: a person adds 1 - |H|^2 to a ring's power, and a share's square less.
    assert away < 5.5, means.mean()
    assert abs(means.mean() / 1.1 - 1) / error > 5.5


def test_residual_powers_of_noise_alone():
    """With no signal DW leaves 0.385 of the noise, 30 passes of IIW 0.223, the limit 0.2194."""
    rng, size = np.random.default_rng(1), 2**20
    G = np.fft.rfft(rng.normal(size=size)) / np.sqrt(size)
    channel = sv.mechanism("grr", sv.Categories(2), 1.0).channel()
    spectrum = Spectrum(G, np.full(len(G), 1e3 + 0j), np.ones(len(G)), size)
    raw, left = UnbiasedShares(np.zeros(size), 1, channel), {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sottovoce.estimators.filters.wiener.spectrum_of", lambda *_: spectrum)
        found = {"dw": dw(raw), "iiw": iiw(raw), "limit": iiw(raw, passes="limit")}
    for name, shares in found.items():
        left[name] = float(np.mean(np.abs(np.fft.rfft(shares)[1:] * 1e3) ** 2))
    assert abs(left["dw"] - 0.385) < 0.003
    assert abs(left["iiw"] - 0.223) < 0.003
    assert abs(left["limit"] - 0.2194) < 0.003


# -- the filters ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["oue", "grr", "ss", "olh"])
@pytest.mark.parametrize("size", [31, 60])
def test_dw_and_iiw_are_their_formulas(name, size):
    raw = raw_of(name, size)
    G, H, P_n = transforms(raw)
    P_f = np.abs(G / H) ** 2
    F = np.conj(H) * G / (H**2 + P_n / P_f)
    np.testing.assert_allclose(dw(raw), shares_of(F.copy()), atol=1e-12)
    for _ in range(30):
        P_f = np.abs(F) ** 2 + P_n / (H**2 + P_n / P_f)
        F = np.conj(H) * G / (H**2 + P_n / P_f)
    np.testing.assert_allclose(iiw(raw), shares_of(F), atol=1e-12)


def test_many_passes_reach_the_limit():
    raw = raw_of()
    far = iiw(raw, passes=20_000)
    limit = iiw(raw, passes="limit")
    assert np.abs(far - limit).max() < 3e-3 * np.abs(raw.shares - limit).max()
    assert np.abs(iiw(raw) - limit).max() > 5 * np.abs(far - limit).max()


def test_iiw_g_starts_from_the_power_of_the_reports():
    raw = raw_of("grr", 20, 3.0)
    G, H, P_n = transforms(raw)
    P_f = np.abs(G) ** 2
    F = np.conj(H) * G / (H**2 + P_n / P_f)
    for _ in range(10):
        P_f = np.abs(F) ** 2 + P_n / (H**2 + P_n / P_f)
        F = np.conj(H) * G / (H**2 + P_n / P_f)
    np.testing.assert_allclose(iiw_g(raw), shares_of(F), atol=1e-12)


def test_amrp_is_the_mean_of_dw_over_orders_and_keeps_to_them():
    raw = raw_of(size=30)
    found = amrp(raw, permutations=7)
    random = sv.Seeded(30).generator()
    orders = random.permuted(np.tile(np.arange(30), (7, 1)), axis=1)
    mean = np.zeros(30)
    for order in orders:
        mean[order] += dw(replace(raw, shares=raw.shares[order])) / 7
    np.testing.assert_allclose(found, mean, atol=1e-6)  # noise is that of the shares, in any order
    np.testing.assert_array_equal(found, amrp(raw, permutations=7))


def test_priors_of_dw():
    raw = raw_of()
    G, H, P_n = transforms(raw)
    for prior, smoothed in (
        ("smooth", smooth(raw)),
        ("gaussian", gaussian_filter(raw, sigma=2.0)),
    ):
        P_f = np.abs(np.fft.fft(smoothed)) ** 2
        expected = shares_of(np.conj(H) * G / (H**2 + P_n / P_f))
        np.testing.assert_allclose(dw(raw, prior=prior, sigma=2.0), expected, atol=1e-12)


@pytest.mark.parametrize("method", ["dw", "iiw", "amrp"])
def test_large_values_are_kept(method):
    counts = waves(60)
    counts[17] += 100_000
    mechanism = sv.mechanism("oue", sv.Interval(0, 1, bins=60), 1.0)
    tally = mechanism.simulate(counts, source=sv.Seeded(2))
    plain = sv.estimate(tally, "unbiased").shares
    kept = sv.estimate(tally, method, keep=20.0).shares
    assert kept[17] == plain[17]
    assert np.isclose(kept.sum(), 1.0, atol=1e-9)
    truth = counts / counts.sum()
    smeared = sv.estimate(tally, method).shares
    assert np.mean((kept - truth) ** 2) < np.mean((plain - truth) ** 2)
    others = np.arange(60) != 17
    assert np.mean((kept - truth)[others] ** 2) < np.mean((smeared - truth)[others] ** 2)


def test_filters_average_neighbours():
    raw = raw_of(size=9)
    shares = raw.shares
    found = smooth(raw)
    assert np.isclose(found[4], (shares[3] + 2 * shares[4] + shares[5]) / 4)
    assert np.isclose(found[0], (2 * shares[0] + shares[1]) / 3)
    flat = replace(raw, shares=np.full(9, 1 / 9))
    np.testing.assert_allclose(gaussian_filter(flat, sigma=2.0), 1 / 9)
    np.testing.assert_allclose(gaussian_filter(raw).sum(), shares.sum(), rtol=1e-9)


def test_filters_go_around_a_ring():
    mechanism = sv.mechanism("sw", sv.Interval(0, 1, bins=24), 2.0, wrap=True)
    raw = unbiased_shares(mechanism.simulate(waves(24), source=sv.Seeded(1)))
    turned = replace(raw, shares=np.roll(raw.shares, 5))
    for step in (smooth, gaussian_filter):
        np.testing.assert_allclose(np.roll(step(raw), 5), step(turned), atol=1e-12)


# -- what they gain -----------------------------------------------------------------------------


def errors_over(draws, size, shuffled=False, epsilon=2.0):
    counts = waves(size)
    if shuffled:
        counts = np.random.default_rng(3).permutation(counts)
    mechanism = sv.mechanism("oue", sv.Interval(0, 1, bins=size), epsilon)
    truth, found = counts / counts.sum(), {}
    for seed in range(draws):
        raw = unbiased_shares(mechanism.simulate(counts, source=sv.Seeded(seed)))
        for name, step in (("plain", lambda r: r.shares), ("dw", dw), ("iiw", iiw)):
            found.setdefault(name, []).append(np.mean((step(raw) - truth) ** 2))
    return {name: np.mean(values) for name, values in found.items()}


def test_smooth_distributions_gain_as_much_as_noise_is_removed():
    errors = errors_over(30, 500)
    assert 0.36 < errors["dw"] / errors["plain"] < 0.42
    assert 0.20 < errors["iiw"] / errors["plain"] < 0.26


def test_shuffled_ones_gain_less():
    smooth_, rough = errors_over(10, 500, epsilon=4.0), errors_over(10, 500, True, epsilon=4.0)
    assert rough["iiw"] / rough["plain"] > 2 * smooth_["iiw"] / smooth_["plain"]


def test_chained_and_with_errors():
    mechanism = sv.mechanism("oue", sv.Interval(0, 1, bins=60), 1.0)
    tally = mechanism.simulate(waves(60), source=sv.Seeded(1))
    e = sv.estimate(tally, "iiw", then="norm-sub")
    assert e.method == "iiw + norm-sub"
    assert e.shares.min() >= 0
    assert np.isclose(e.shares.sum(), 1.0)
    assert np.isfinite(e.stderr).all()
    assert 0 < e.stderr.mean() < sv.estimate(tally, "unbiased").stderr.mean()


def test_auto_smooths_values_in_order_and_no_others():
    counts = waves(120)
    ordered = sv.mechanism("oue", sv.Interval(0, 1, bins=120), 1.0)
    e = sv.estimate(ordered.simulate(counts, source=sv.Seeded(1)))
    assert e.method == "adaptive"
    unordered = sv.mechanism("oue", sv.Categories(120), 1.0)
    other = sv.estimate(unordered.simulate(counts, source=sv.Seeded(1)))
    assert other.method == "exchangeable"
    assert "values without neighbours" in other.why
    truth = counts / counts.sum()
    assert np.mean((e.shares - truth) ** 2) < np.mean((other.shares - truth) ** 2)


# -- bad input -----------------------------------------------------------------------------------


def test_what_does_not_apply_says_what_would():
    line = sv.mechanism("sw", sv.Interval(0, 1, bins=24), 2.0)
    tally = line.simulate(waves(24), source=sv.Seeded(1))
    with pytest.raises(Unfit, match="dw does not apply to square-wave.*what applies: .*adaptive"):
        sv.estimate(tally, "dw")
    oue = sv.mechanism("oue", sv.Interval(0, 1, bins=24), 2.0)
    with pytest.raises(Unfit, match="iiw-g does not apply to unary-encoding.*iiw is for all"):
        sv.estimate(oue.simulate(waves(24), source=sv.Seeded(1)), "iiw-g")
    grr = sv.mechanism("grr", sv.Interval(0, 1, bins=500), 1.0)
    with pytest.raises(Unfit, match="iiw-g needs d sqrt.*below 1.*iiw works"):
        sv.estimate(grr.simulate(waves(500), source=sv.Seeded(1)), "iiw-g")


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        ("dw", {"prior": "flat"}, "prior of dw must be one of gaussian, observed, smooth"),
        ("dw", {"keep": 0.0}, "keep of dw must be a number above 0"),
        ("iiw", {"passes": -1}, "passes of iiw"),
        ("iiw", {"passes": "many"}, "passes of iiw"),
        ("amrp", {"permutations": 0}, "permutations of amrp must be a whole number of at least 1"),
        ("gaussian-filter", {"sigma": float("nan")}, "sigma of gaussian-filter must be"),
        ("gaussian-filter", {"sigma": 0.0}, "sigma of gaussian-filter must be"),
    ],
)
def test_bad_options(method, options, message):
    mechanism = sv.mechanism("oue", sv.Interval(0, 1, bins=60), 1.0)
    tally = mechanism.simulate(waves(60), source=sv.Seeded(1))
    with pytest.raises(InvalidInput, match=message):
        sv.estimate(tally, method, **options)


@pytest.mark.parametrize("size", [2, 3])
def test_few_values(size):
    mechanism = sv.mechanism("oue", sv.Interval(0, 1, bins=size), 1.0)
    tally = mechanism.simulate(waves(size), source=sv.Seeded(1))
    for method in ("smooth", "gaussian-filter", "dw", "iiw", "amrp"):
        assert np.isfinite(sv.estimate(tally, method).shares).all(), method
