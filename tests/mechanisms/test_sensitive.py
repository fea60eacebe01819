"""Mechanisms that protect the sensitive values only: tables, variances, and what they are worth."""

from __future__ import annotations

import itertools
import math
from datetime import date
from fractions import Fraction

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import exp_bounds
from sottovoce.core.odds import privacy_in_words, unopened
from sottovoce.mechanisms._sensitive import FloorPoint
from sottovoce.mechanisms.local_hashing import collision, digits
from sottovoce.mechanisms.sensitive_hashing import _variance
from sottovoce.mechanisms.sensitive_subsets import best_sensitive_size, point_of
from sottovoce.privacy import audit as auditing
from sottovoce.surveys.all_reports import cost_in_words
from sottovoce.surveys.toml import survey_from_toml, survey_to_toml
from sottovoce.surveys.wording import doubts, survey_in_words

NAMES = ("urr", "uss", "ulh")
LN3 = math.log(3)


def few(sensitive, size, name="urr", epsilon=1.0, **options):
    return sv.mechanism(name, sv.Categories(size, sensitive=range(sensitive)), epsilon, **options)


# -- tables ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("s", "own", "other"), [(2, Fraction(3, 4), Fraction(1, 4)), (3, Fraction(3, 5), Fraction(1, 5))])  # fmt: skip
def test_response_at_e_3(s, own, other):
    m = few(s, 7, epsilon=LN3)
    matrix = m.channel().dense()
    np.testing.assert_allclose(matrix[0, 0], float(own), rtol=1e-12)
    np.testing.assert_allclose(matrix[0, 1:], float(other), rtol=1e-12)
    np.testing.assert_allclose(float(m.open_chance), float(own - other), rtol=1e-12)


@pytest.mark.parametrize(("k", "opened"), [(2, 1 / 2), (3, 3 / 5)])
def test_subsets_at_e_3(k, opened):
    m = few(4, 6, "uss", LN3, subset_size=k)
    np.testing.assert_allclose(float(m.open_chance), opened, rtol=1e-12)
    assert 3 - m.certificate().ratio < 1e-12


def test_tables_of_16_bits():
    keep, other = few(2, 5, bits=16).weights
    assert (keep + other, other, keep) == (47910, 17626, 30284)
    keep, other = few(1, 5, bits=16).weights
    assert (keep + other, other) == (65536, 24110)


@pytest.mark.parametrize(("s", "opened"), [(1, 0.6321), (2, 0.4621), (5, 0.2558), (20, 0.0791)])
def test_chances_to_be_open(s, opened):
    assert round(float(few(s, 100).open_chance), 4) == opened


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0, 3.0, 8.0, 20.0])
@pytest.mark.parametrize("name", NAMES)
def test_certificates_are_tight_and_open_chances_at_most_their_limit(name, epsilon):
    for s, size in ((2, 3), (5, 9), (40, 100)):
        m = few(s, size, name, epsilon)
        low = exp_bounds(epsilon)[0]
        assert 0 <= low / m.certificate().ratio - 1 < 1e-9
        assert 0 < m.open_chance <= 1 - 1 / low


def test_a_certificate_names_what_it_protects():
    illness = sv.Categories(["none", "flu", "HIV"], sensitive=["HIV"])
    certificate = sv.mechanism("urr", illness, 1.0).certificate()
    scope = certificate.scope
    assert scope.any_two is None and scope.hidden == "sensitive answer"
    assert str(certificate).endswith("(protects 1 of 3 answers; open reports reveal theirs)")
    words = privacy_in_words(certificate)
    assert words.startswith("Only these answers are protected: HIV (1 of 3 answers).")
    assert "unlimited times as likely" in words and "2.72 to 1" in words and "LDP" not in words


# -- variances -----------------------------------------------------------------------------------


def f_uniform(m, sensitive_share):
    """Shares with that much in S, evenly, and the rest evenly in N."""
    shares = np.empty(m.domain.size)
    shares[m.sensitive] = sensitive_share / len(m.sensitive)
    shares[m.others] = (1 - sensitive_share) / len(m.others)
    return shares


@pytest.mark.parametrize(
    ("epsilon", "expected", "warner"),
    [(0.5, 1.3873, 3.9177), (1.0, 0.5238, 0.9207), (2.0, 0.1409, 0.1810)],
)
def test_one_sensitive_value_against_randomized_response(epsilon, expected, warner):
    shares = np.array([0.1, 0.9])
    assert round(few(1, 2, epsilon=epsilon).channel().variance(shares)[0], 4) == expected
    both = sv.mechanism("grr", sv.Categories(2), epsilon)
    assert round(both.channel().variance(shares)[0], 4) == warner


def test_variances_of_the_reference():
    m = few(5, 6)
    e = math.e
    formula = (5 + e - 2) / (e - 1) ** 2 + 0.1 * (5 - 2) / (e - 1)
    found = m.channel().variance(np.array([0.1, 0, 0, 0, 0, 0.9]))[0]
    assert round(found, 4) == round(formula, 4) == 2.1114
    assert round(m.channel().variance(np.array([0.9, 0, 0, 0, 0, 0.1]))[5], 4) == 0.2910
    for s, g, epsilon, expected in ((20, 3, 1.0, 2.7213), (30, 7, 2.0, 0.4974)):
        hashed = few(s, s + 1, "ulh", epsilon, hash_range=g)
        found = hashed.channel().variance(f_uniform(hashed, 0.4))[hashed.sensitive]
        np.testing.assert_allclose(found.mean(), expected, atol=5e-5)


TABLE = [
    (1, 10, 1.0, 0.921, 0.524, 29.10, 1.048),
    (2, 10, 0.5, 6.371, 3.918, 126.3, 10.61),
    (2, 10, 1.0, 1.288, 0.921, 29.10, 2.889),
    (5, 100, 1.0, 2.322, 1.665, 360.0, 9.635),
    (20, 100, 1.0, 3.260, 2.280, 360.0, 47.10),
    (20, 100, 2.0, 0.564, 0.352, 69.98, 7.600),
]


def rivals(size, epsilon):
    """The best of all sizes of sets, and the others."""
    values = sv.Categories(size)
    sets = [sv.mechanism("ss", values, epsilon, subset_size=k) for k in range(1, size)]
    return [*sets, *(sv.mechanism(name, values, epsilon) for name in ("grr", "olh", "oue"))]


def least(mechanisms, shares, look):
    return min(look(m.channel().variance(shares)) for m in mechanisms)


@pytest.mark.parametrize(("s", "d", "epsilon", "ldp_s", "uldp_s", "ldp_d", "uldp_d"), TABLE)
def test_how_many_fewer_people(s, d, epsilon, ldp_s, uldp_s, ldp_d, uldp_d):
    """n Var of one sensitive share, and the sum over all: LDP over S and "other", or over all; ULDP."""
    names = ("urr",) if s == 1 else ("urr", "uss")
    uldp = [few(s, d, name, epsilon) for name in names]
    shares = f_uniform(uldp[0], 0.1)
    pooled = np.append(np.full(s, 0.1 / s), 0.9)
    over_some, over_all = rivals(s + 1, epsilon), rivals(d, epsilon)
    np.testing.assert_allclose(least(over_some, pooled, lambda v: v[0]), ldp_s, atol=0.0006)
    np.testing.assert_allclose(least(uldp, shares, lambda v: v[0]), uldp_s, atol=0.0006)
    np.testing.assert_allclose(least(over_all, shares, sum), ldp_d, rtol=2e-3)
    np.testing.assert_allclose(least(uldp, shares, sum), uldp_d, rtol=1e-3)


def brute_variance(m, weights, shares):
    """Of all reports of every value: subsets listed, their laws from the mechanism's integers."""
    total, s, k = 2**m.bits, len(m.sensitive), m.k
    own, opened, _ = (weight / total for weight in m.weights)
    inverse, answer = m.channel().inverse, 0.0
    sets = [*itertools.combinations(range(s), k)]

    def gain(supported):
        cells = np.zeros(2 * m.domain.size)
        cells[1::2] = 1
        for v in supported:
            cells[2 * v], cells[2 * v + 1] = 1, 0
        return weights @ inverse.forward(cells)

    gains = np.array([gain(m.sensitive[list(chosen)]) for chosen in sets])
    for v, share in enumerate(shares):
        if m.is_sensitive[v]:
            rank = int(m.rank[v])
            with_own = own / math.comb(s - 1, k - 1), (1 - own) / math.comb(s - 1, k)
            law = np.array([with_own[0] if rank in chosen else with_own[1] for chosen in sets])
            values = gains
        else:
            law = np.append(np.full(len(sets), (1 - opened) / len(sets)), opened)
            values = np.append(gains, gain([v]))
        np.testing.assert_allclose(law @ values, weights[v], atol=1e-9)
        answer += share * (law @ values**2 - (law @ values) ** 2)
    return answer


@pytest.mark.parametrize(("s", "d", "k"), [(4, 6, 2), (4, 6, 3), (5, 9, 1), (2, 3, 1)])
def test_variances_of_subsets_by_brute_force(s, d, k):
    m, rng = few(s, d, "uss", subset_size=k), np.random.default_rng(1)
    shares = rng.dirichlet(np.ones(d))
    frequencies = m.channel().forward(shares)
    for weights in (*np.eye(d), rng.normal(size=d), np.ones(d), np.arange(d) < s):
        expected = brute_variance(m, np.asarray(weights, dtype=float), shares)
        found = m.channel().variance_of(np.asarray(weights, dtype=float), frequencies, shares)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    units = [brute_variance(m, unit, shares) for unit in np.eye(d)]
    np.testing.assert_allclose(m.channel().variance(shares), units, rtol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_shares_are_unbiased_with_the_variance_that_is_said(name):
    """1,000 surveys: means within 6 standard errors, variances within 30% (about 6.7 of theirs)."""
    m, surveys = few(4, 9, name), 1000
    counts = np.array([40, 80, 0, 30, 400, 100, 250, 60, 40])
    found = np.array(
        [
            sv.estimate(m.simulate(counts, source=sv.Seeded(i)), "unbiased").shares
            for i in range(surveys)
        ]
    )
    said = m.channel().variance(counts / 1000) / 1000
    errors = np.abs(found.mean(axis=0) - counts / 1000) / np.sqrt(said / surveys)
    assert errors.max() < 6
    np.testing.assert_allclose(found.var(axis=0), said, rtol=0.3)
    total = said_of(m, counts / 1000, np.arange(9) < 4)
    np.testing.assert_allclose(found[:, :4].sum(axis=1).var(), total / 1000, rtol=0.3)
    if name != "ulh":
        np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-9)


def said_of(m, shares, weights):
    channel = m.channel()
    return channel.variance_of(weights.astype(float), channel.forward(shares), shares)


@pytest.mark.parametrize(("epsilon", "factor"), [(0.5, 2.713), (1.0, 1.647)])
def test_people_needed_against_ldp_by_simulation(epsilon, factor):
    """A tenth of a population holds the sensitive answer; 3,000 surveys of 2,000 people each.

    The ratio of two variances of 3,000 draws has a standard error of 3.7%: 20% is 5.4 of them.
    """
    rng, n, surveys = np.random.default_rng(5), 2000, 4000
    errors = []
    for m in (sv.mechanism("grr", sv.Categories(2), epsilon), few(1, 2, epsilon=epsilon)):
        shares = []
        for i in range(surveys):
            held = int(rng.binomial(n, 0.1))
            tally = m.simulate([held, n - held], source=sv.Seeded(i))
            shares.append(m.channel().inverse.forward(tally.cells / n)[0])
        errors.append(np.mean((np.array(shares) - 0.1) ** 2))
    assert abs(errors[0] / errors[1] / factor - 1) < 0.2


@pytest.mark.parametrize("name", NAMES)
def test_default_intervals_cover(name):
    """95% intervals by default, of 20 surveys with 20 values."""
    m = few(5, 20, name)
    counts = np.array([100, 500, 200, 50, 650, *[500] * 10, *[700] * 5])
    covered = 0
    for i in range(20):
        e = sv.estimate(m.simulate(counts, source=sv.Seeded(i)))
        answers = [e.share(v) for v in range(20)]
        truth = counts / counts.sum()
        covered += sum(a.low <= t <= a.high for a, t in zip(answers, truth, strict=True))
    assert 0.88 < covered / 400 < 0.99


# -- choices of options ----------------------------------------------------------------------------


def test_sizes_are_the_best_and_those_of_the_reference():
    assert [best_sensitive_size(5, e) for e in (0.5, 1.0, 2.0)] == [2, 2, 1]
    assert [best_sensitive_size(20, e) for e in (0.5, 1.0, 2.0)] == [9, 7, 5]
    e = math.e
    point = point_of(20, 7, 7 * e / (7 * e + 13), 7 * (e - 1) / (7 * e + 13))
    np.testing.assert_allclose(point.typical_variance(20), 2.280, atol=5e-4)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
@pytest.mark.parametrize("s", [2, 5, 30, 200])
def test_the_hash_range_is_the_best_of_all_primes(s, epsilon):
    primes = [g for g in range(2, 2 * s) if all(g % p for p in range(2, g))]
    first = next(g for g in primes if g >= s)
    fitting = [g for g in primes if g <= first]
    best = min(fitting, key=lambda g: _variance(s, g, math.exp(epsilon)))
    found = few(s, s + 1, "ulh", epsilon).hash_range
    e = math.exp(epsilon)
    assert _variance(s, found, e) <= _variance(s, best, e) * (1 + 1e-12)


def test_hashing_is_the_floor_of_local_hashing():
    p, g, t = 0.5, 3, digits(20, 3)
    point = FloorPoint(p, collision(p, g, t), 0.25, 0.5, 0.25)
    mean = (0.25 * (1 - point.q) - 0.5 * point.q) / (p - point.q) + 0.25 * point.gamma
    np.testing.assert_allclose(mean, 0.0, atol=1e-12)


# -- reports, audits, fakes ----------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_audit_compares_protected_reports_only(name):
    found = sv.audit(few(3, 6, name), trials=40_000)
    assert found.passed and 0.8 < found.lower_bound < 1.0 and found.forbidden == 0


def test_the_audit_finds_planted_faults(monkeypatch):
    """A sensitive answer that is sent openly, and others that open too often."""
    m = few(2, 5)
    plan = m.audit_plan()

    def shows_everything(value, count):
        return sv.Reports(m, {"value": np.full(count, value)})

    def opens_too_often(value, count):
        reports = plan.sample(value, count)
        if m.is_sensitive[value]:
            return reports
        again = plan.sample(value, count).columns["value"]
        values = np.where(m.is_sensitive[reports.columns["value"]], again, reports.columns["value"])
        return sv.Reports(m, {"value": values})

    def names_another(value, count):
        values = plan.sample(value, count).columns["value"]
        return sv.Reports(m, {"value": np.where(values == 4, 3, values)})

    forbidden = {}
    for planted in (opens_too_often, names_another):
        changed = auditing.replace(plan, sample=planted)
        monkeypatch.setattr(type(m), "audit_plan", lambda self, changed=changed: changed)
        found = sv.audit(m, trials=20_000)
        assert not found.passed
        forbidden[planted] = found.forbidden
    assert forbidden[opens_too_often] == 0 < forbidden[names_another]
    never = plan.forbidden(shows_everything(0, 3), 0)
    assert not never.any() and plan.forbidden(shows_everything(4, 3), 0).all()
    assert "reports were open where they must not be" in str(found)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_sent_openly_is_never_sensitive_nor_of_others(name):
    m = few(3, 7, name)
    for v in range(7):
        revealed = m.revealed(m.randomize_indices(np.full(2000, v), sv.Seeded(v)))
        assert set(revealed.tolist()) == ({-1} if v < 3 else {-1, v})


def test_influence_of_subsets_is_that_of_some_report():
    """All sets of bits, and all open values, listed: the largest gain is the one that is said."""
    m = few(3, 5, "uss", subset_size=2)
    shares = np.full(5, 0.2)
    reports = [
        sv.Reports(m, {"open": [o], "bits": np.array([[b]], dtype=np.uint8)})
        for o in range(3)
        for b in range(8)
    ]
    gains = np.array([m.channel().inverse.forward(m.tally(each).cells) for each in reports])
    for v in range(5):
        said = sv.influence(m, 0.01, values=v, shares=shares)
        np.testing.assert_allclose(said.rise, 0.01 * (gains[:, v].max() - 0.2), rtol=1e-9)
        np.testing.assert_allclose(said.fall, 0.01 * (0.2 - gains[:, v].min()), rtol=1e-9)


# -- surveys and clients ---------------------------------------------------------------------------


ILLNESS = sv.Categories(
    ["none", "flu", "HIV", "rather not say"], sensitive=["HIV", "rather not say"]
)


def survey(window="once", **rules):
    return sv.Survey("illness", "Which?", sv.mechanism("urr", ILLNESS, 1.0), window, **rules)


def test_clients_take_part_only_where_the_mode_is_named(tmp_path):
    with pytest.raises(
        InvalidInput, match=r"protects 2 of 4 answers.*scopes=\('sensitive answer',\)"
    ):
        sv.Client(survey(), folder=tmp_path)
    client = sv.Client(
        survey(), folder=tmp_path, scopes=("sensitive answer",), clock=lambda: date(2026, 11, 18)
    )
    assert client.report("flu").state == "pending" and float(client.spent) == 1.0


def test_a_survey_says_what_it_protects():
    words = survey_in_words(survey())
    assert "sent openly with a chance of 46.3%" in words and "never leaves the device" not in words
    assert "Only these answers are protected: HIV, rather not say" in words
    assert (
        cost_in_words(survey())
        == "epsilon 1 per report that hides its answer; an open report reveals it"
    )
    assert any(
        "this is not epsilon-LDP: it protects 2 of 4 answers" in each for each in doubts(survey())
    )
    assert not any("clear themselves" in each for each in doubts(survey()))


def test_repeated_windows_are_warned_of_with_numbers():
    """With one sensitive value at epsilon 1: 23.2, 45.1 and 94.3%, from 10%."""
    one = sv.mechanism("urr", sv.Categories(["no", "yes"], sensitive=["yes"]), 1.0)
    said = doubts(sv.Survey("s", "?", one, "day", ask="1/30"))
    assert any("23.2% after 1, 45.1% after 2, 94.3% after 5" in each for each in said)
    assert "becomes 23.2% after 1" in survey_in_words(sv.Survey("s", "?", one, "day"))
    m = 1 - one.open_chance
    tenth = Fraction(1, 10)
    exact = tenth / (tenth + m**2 * (1 - tenth))
    assert 0 <= unopened(one.open_chance, tenth, 2) - float(100 * exact) < 0.1
    assert round(float(exact), 4) == 0.4509


@pytest.mark.parametrize("name", NAMES)
def test_surveys_are_written_and_read(name):
    m = few(4, 9, name)
    made = sv.Survey("s", "?", m)
    assert sv.Survey.from_json(made.to_json()) == made
    assert survey_from_toml(survey_to_toml(made)) == made
    assert made.document()["mechanism"]["domain"] == {
        "kind": "categories", "version": 2, "size": 9, "values": None, "sensitive": [0, 1, 2, 3]
    }  # fmt: skip


def test_moving_a_value_makes_another_survey():
    other = sv.Categories(list(ILLNESS.values), sensitive=["HIV", "flu"])
    moved = sv.mechanism("urr", other, 1.0)
    assert moved.fingerprint != survey().mechanism.fingerprint
    assert sv.Categories(3).to_json()["version"] == 1


# -- plans -----------------------------------------------------------------------------------------


def test_a_plan_says_what_is_protected():
    domain = sv.Categories(20, sensitive=range(5))
    found = sv.plan(domain, epsilon=1.0, users=1000)
    rows = {row["mechanism"]: row["protects"] for row in found.frame()}
    assert (
        rows["sensitive-subsets"] == "5 of 20 answers" and rows["subset-selection"] == "all answers"
    )
    for text in (str(found), found.explain()):
        assert (
            "each protects 5 of 20 answers; open reports reveal theirs. That is not epsilon-LDP"
            in text
        )
    plain = sv.plan(sv.Categories(20), epsilon=1.0, users=1000)
    assert "protects" not in plain.frame().columns and plain.protection == []
    assert sv.plan(domain, users=1000, error=0.03).epsilon < sv.plan(sv.Categories(20), users=1000, error=0.03).epsilon  # fmt: skip


def test_a_plan_with_one_sensitive_value_leaves_the_others_out():
    found = sv.plan(sv.Categories(4, sensitive=[0]), epsilon=1.0, users=100)
    assert found.best.name == "sensitive-response" and not {"uss", "ulh"} & {p.paper_name for p in found.prospects}  # fmt: skip
    assert "sensitive-response: protects 1 of 4 answers" in str(found)


# -- bad input ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sensitive", "said"),
    [
        ([], "at least one of the values, and not all; got 'none of them'"),
        (["a", "b"], "at least one of the values, and not all; got 'all of them'"),
        (["c"], "'c'"),
        (["a", "a"], "distinct values; got 'a'"),
        ("a", "a list of its values"),
        (5, "a list of its values"),
    ],
)
def test_sensitive_values_are_some_of_all(sensitive, said):
    with pytest.raises(InvalidInput, match=said):
        sv.Categories(["a", "b"], sensitive=sensitive)


def test_declining_is_one_of_the_values():
    with pytest.raises(InvalidInput, match="make it one of the values, and a sensitive one"):
        sv.MayDecline(ILLNESS)


def test_toml_names_its_sensitive_values_in_a_list():
    table = {"values": ["a", "b"], "sensitive": "a"}
    with pytest.raises(InvalidInput, match="sensitive of Categories must be a list of its values"):
        sv.Categories.from_toml(table)


@pytest.mark.parametrize("name", NAMES)
def test_a_domain_without_sensitive_values_is_refused(name):
    with pytest.raises(InvalidInput, match="Categories with sensitive values"):
        sv.mechanism(name, sv.Categories(4), 1.0)


@pytest.mark.parametrize("name", ["uss", "ulh"])
def test_one_sensitive_value_is_for_response(name):
    with pytest.raises(InvalidInput, match="at least 2 sensitive values.*sensitive-response"):
        few(1, 4, name)


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("uss", {"subset_size": 4}, "from 1 to 3"),
        ("ulh", {"hash_range": 4}, "a prime"),
        ("ulh", {"hash_range": 7}, "from 2 to 5"),
        ("urr", {"weights": {"keep": 1, "other": 1}}, "positive with keep"),
        ("uss", {"weights": {"own": 1, "open": 1, "start": 0}}, "own/2"),
        ("ulh", {"weights": {"keep": 1, "other": 1}}, "positive with keep"),
    ],
)
def test_options_and_weights_from_outside(name, options, said):
    with pytest.raises(InvalidInput, match=said):
        few(4, 6, name, **options)


@pytest.mark.parametrize("name", ["urr", "uss"])
def test_an_epsilon_too_small_for_the_bits_is_refused(name):
    options = {"subset_size": 2} if name == "uss" else {}
    with pytest.raises(
        InvalidInput, match=r"larger for .* sensitive values with weights of 8 bits"
    ):
        few(4, 6, name, epsilon=0.0001, bits=8, **options)


def test_a_tally_of_hashes_has_a_largest_size():
    domain = sv.Categories(1800, sensitive=range(1700))
    with pytest.raises(InvalidInput, match="at most 2500000 cells"):
        sv.mechanism("ulh", domain, 1.0, hash_range=1601)
