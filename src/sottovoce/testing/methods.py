"""Laws of estimates: of one method on one mechanism, and of every method that applies."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sottovoce.answers.estimate import Estimate
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.base.randomness import Seeded
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.tally import Tally
from sottovoce.estimators.estimate import estimate
from sottovoce.estimators.methods import Method, registered_method
from sottovoce.estimators.overview import methods
from sottovoce.testing.laws import law, refused, require, require_close, require_same

__all__ = ["ERROR_LAWS", "ESTIMATE_LAWS", "METHOD_LAWS", "Trial"]


@dataclass(frozen=True)
class Trial:
    """A method on a simulated tally of a mechanism; the estimate is made once."""

    method: str
    mechanism: Mechanism

    def __str__(self) -> str:
        return f"{self.method} of {self.mechanism}"

    @cached_property
    def tally(self) -> Tally:
        """Between 1 and 59 people with each value."""
        counts = Seeded(1).generator().integers(1, 60, self.mechanism.domain.size)
        return self.mechanism.simulate(counts, source=Seeded(1))

    @cached_property
    def estimate(self) -> Estimate:
        """What the method gives."""
        return estimate(self.tally, self.method)

    @property
    def record(self) -> Method:
        """The method as it is registered."""
        return registered_method(self.method)


# -- one method ----------------------------------------------------------------------------


@law
def estimates_have_all_fields(trial: Trial) -> None:
    """Shares are finite and frozen, n is the tally's, and the method, its reason and its run are said."""
    e, size = trial.estimate, trial.mechanism.domain.size
    assert e.shares is not None
    require_same(e.shares.shape, (size,), "the shape of shares")
    require(np.isfinite(e.shares).all(), "finite shares", e.shares)
    require_same(e.n, trial.tally.n, "n")
    require(e.converged is True, "converged to be True", e.converged)
    require_same(e.method, trial.method, "the name of the method")
    require(e.why.startswith("asked for by name"), "the reason 'asked for by name'", e.why)
    require(e.iterations >= 0, "iterations of at least 0", e.iterations)
    require(e.optimality >= 0, "an optimality of at least 0", e.optimality)
    require(np.isfinite(e.history).all(), "a finite history", e.history)
    require(not e.shares.flags.writeable, "shares that cannot be changed", "a writeable array")


@law
def fits_are_distributions(trial: Trial) -> None:
    """What a fit gives is not negative and sums to 1; steps may give other shares."""
    if trial.record.fit is None:
        return
    shares = trial.estimate.shares
    assert shares is not None
    require(shares.min() >= 0, "shares that are not negative", shares.min())
    require_close(shares.sum(), 1.0, "the sum of shares", rtol=1e-9)


@law
def copies_are_the_same(trial: Trial) -> None:
    """An estimate that was pickled or copied is the same, and still frozen."""
    e = trial.estimate
    for again in (pickle.loads(pickle.dumps(e)), copy.copy(e), copy.deepcopy(e)):  # noqa: S301
        require_same(type(again), type(e), "the type of a copy")
        require_same(repr(again), repr(e), "the repr of a copy")
        assert again.shares is not None and e.shares is not None
        require(np.array_equal(again.shares, e.shares), "the same shares in a copy", again.shares)
        require(not again.shares.flags.writeable, "frozen shares in a copy", "a writeable array")
        one, other = ((x.domain, x.n, x.why, x.history, x.optimality, x.trace) for x in (again, e))
        require_same(one, other, "the fields of a copy")


@law
def errors_are_finite_and_repeatable(trial: Trial) -> None:
    """Standard errors are finite, not negative, and the same for the same tally."""
    e = trial.estimate
    assert e.shares is not None
    require_same(e.stderr.shape, e.shares.shape, "the shape of standard errors")
    require(np.isfinite(e.stderr).all(), "finite standard errors", e.stderr)
    require(e.stderr.min() >= 0, "standard errors of at least 0", e.stderr.min())
    again = pickle.loads(pickle.dumps(estimate(trial.tally, trial.method)))  # noqa: S301
    same = np.array_equal(again.stderr, e.stderr)
    require(same, "the same errors from the same tally", again.stderr)


@law
def a_single_total_is_a_share(trial: Trial) -> None:
    """share(v) and total([v]) agree, intervals too, and these hold possible shares only."""
    e = trial.estimate
    value = _value_of(trial.mechanism.domain.label(0))
    share, total = e.share(value), e.total([value])
    require_close(total.value, share.value, "the value of a total", rtol=1e-5, atol=1e-8)
    require_close(total.stderr, share.stderr, "the error of a total", rtol=1e-5, atol=1e-8)
    possible = min(max(share.value, 0.0), 1.0)
    ordered = 0 <= share.low <= possible <= share.high <= 1
    require(ordered, "an interval from 0 to 1 around the share", (share.low, share.high))
    width = total.high - total.low
    require_close(share.high - share.low, width, "the width of an interval", rtol=1e-5, atol=1e-8)


def _value_of(label: Any) -> Any:
    """A value of the domain within what a label names: a category, a bin, a coordinate's bin, a record."""
    if isinstance(label, dict):
        return {question: _value_of(answer) for question, answer in label.items()}
    if not isinstance(label, tuple):
        return label
    return (label[0], _value_of(label[1])) if isinstance(label[1], tuple) else float(np.mean(label))


@law
def population_errors_are_larger(trial: Trial) -> None:
    """About a population that respondents are a sample of, no error is smaller."""
    e = trial.estimate
    assert e.shares is not None
    wider, positive = e.for_population(), e.shares > 0
    require_same(wider.about, "population", "what the estimate is about")
    larger = np.all(wider.stderr[positive] >= e.stderr[positive])
    require(larger, "standard errors at least as large", wider.stderr)
    z = np.arange(trial.mechanism.domain.size) % 2.0
    one, other = wider.linear(z).stderr, e.linear(z).stderr
    require(one >= other, f"an error of an answer of at least {other!r}", one)


# -- every method that applies -------------------------------------------------------------


@law
def every_method_that_applies_gives_an_estimate(mechanism: Mechanism) -> None:
    """Each method that says that it applies to the mechanism gives a complete estimate."""
    for row in methods(mechanism):
        if row["applies"] == "yes":
            trial = Trial(row["method"], mechanism)
            try:
                _ = trial.estimate
            except Unfit:
                continue  # it needs more reports than these
            estimates_have_all_fields.run(trial)


@law
def reports_and_their_tally_give_the_same_estimate(mechanism: Mechanism) -> None:
    """An estimate from reports is that from their tally."""
    indices = Seeded(1).generator().integers(0, mechanism.domain.size, 2000)
    reports = mechanism.randomize_indices(indices, Seeded(1))
    one, other = estimate(reports), estimate(mechanism.tally(reports))
    require_same(one.method, other.method, "the method for reports")
    same = np.array_equal(np.asarray(one.shares, float), np.asarray(other.shares, float), True)
    require(same, f"shares from reports as from their tally: {other.shares}", one.shares)


@law
def auto_is_a_distribution_with_a_reason(mechanism: Mechanism) -> None:
    """Without a method, the estimate is a distribution, or says what the reports can answer."""
    e = estimate(Trial("auto", mechanism).tally)
    if not mechanism.channel().identifies_distribution:
        if mechanism.domain.choices is None:
            require(e.shares is None, "no shares", e.shares)
        else:
            require_same(
                e.boxes, mechanism.domain.choices.most, "how many options a person may tick"
            )
        words = "these reports identify only"
        require(words in e.why, f"the reason {words!r}", e.why)
        return
    assert e.shares is not None
    rows = methods(mechanism)
    chosen = [row["method"] for row in rows if "distribution" in row["rule"]]
    if mechanism.domain.size > 1:
        first, *_ = e.method.split(" + ")
        require(first in chosen, f"a method among {chosen}", e.method)
    require(e.why, "a reason", e.why)
    require(e.shares.min() >= 0, "shares that are not negative", e.shares.min())
    require_close(e.shares.sum(), 1.0, "the sum of shares", rtol=1e-5, atol=1e-8)


@law
def no_reports_no_answer(mechanism: Mechanism) -> None:
    """An estimate from no reports is refused."""
    with refused(InvalidInput, "an estimate from no reports", "must be at least 1; got 0"):
        estimate(Tally.empty(mechanism))


METHOD_LAWS = (estimates_have_all_fields, fits_are_distributions, copies_are_the_same)
ERROR_LAWS = (
    errors_are_finite_and_repeatable,
    a_single_total_is_a_share,
    population_errors_are_larger,
)
ESTIMATE_LAWS = (
    every_method_that_applies_gives_an_estimate,
    reports_and_their_tally_give_the_same_estimate,
    auto_is_a_distribution_with_a_reason,
    no_reports_no_answer,
)
