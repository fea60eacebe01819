"""Regression of a private answer on covariates that the analyst has for every report."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from sottovoce.base.callers import stacklevel_outside
from sottovoce.base.checks import check_choice, check_int
from sottovoce.base.errors import InvalidInput, NotConverged, Unfit
from sottovoce.channels.base import Floats
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Domain
from sottovoce.domains.interval import Interval
from sottovoce.estimators.regression.covariates import INTERCEPT, Design, design_of
from sottovoce.estimators.regression.models import Cumulative, Model, Multinomial
from sottovoce.estimators.regression.newton import Maximum, maximize
from sottovoce.estimators.regression.odds import ReportOdds, report_odds
from sottovoce.estimators.regression.result import Regression

__all__ = ["regress"]

MODELS = ("auto", "logistic", "multinomial", "ordinal", "linear")
_FEW_RATINGS = 10
"""Whole numbers up to which their order is taken and not their distances."""
_TOLERANCE = 1e-9


def regress(
    reports: Reports,
    covariates: Any,
    *,
    question: str | None = None,
    model: str = "auto",
    errors: str = "information",
    max_iterations: int = 100,
) -> Regression:
    """Regress a private answer on what is known of every respondent, through the randomization.

    The likelihood is that of the reports: under a model with probabilities ``p_v(x)`` of answers, a
    report y has ``sum_v P(y | v) p_v(x)``.  So coefficients are those of the true answers, with the larger
    errors that randomization causes.

    Parameters
    ----------
    reports : Reports
        The reports, of single answers or of a record.
    covariates : mapping, table or array
        What is known of every report, in the same order: columns of numbers, truth values or texts.
    question : str, optional
        The question of a record that is explained.
    model : str
        ``"logistic"`` for two answers, ``"multinomial"`` for several, ``"ordinal"`` (proportional odds) for
        answers in order, ``"linear"`` for numbers, with normal errors. ``"auto"`` takes the one of the domain:
        up to 10 whole numbers are ordinal.
    errors : str
        ``"information"``: from the curvature of the likelihood. ``"robust"``: those that hold for the
        nearest model where the model is wrong (the sandwich).
    max_iterations : int
        Newton steps at most.

    Returns
    -------
    Regression
        Coefficients with errors; ``print`` shows a summary.

    Raises
    ------
    InvalidInput
        Where a covariate is missing somewhere, constant or a sum of others, or columns have another length.
    Unfit
        Where the model does not fit the answers, or reports do not tell how likely they were.

    Warns
    -----
    NotConverged
        Where the likelihood has no maximum: too few reports, or answers that covariates determine.

    Examples
    --------
    >>> import numpy as np
    >>> import sottovoce as sv
    >>> city = np.repeat(["Bern", "Rome"], 3000)
    >>> stars = np.tile([1, 2, 3, 4, 5, 5], 1000) - (city == "Rome") * np.tile([0, 1, 1, 0, 1, 0], 1000)
    >>> m = sv.mechanism("grr", sv.Ratings(1, 5), 3.0)
    >>> found = sv.regress(m.randomize(stars, source=sv.Seeded(1)), {"city": city})
    >>> found.model, found.coefficient("city=Rome").high < 0
    ('ordinal', True)
    """
    if not isinstance(reports, Reports):
        raise InvalidInput("reports", "regress", "Reports: a tally has no rows", reports)
    check_choice(model, "model", "regress", MODELS)
    check_choice(errors, "errors", "regress", ("information", "robust"))
    steps = check_int(max_iterations, "max_iterations", "regress", 1)
    seen = report_odds(reports, question)
    chosen = _chosen(model, seen.domain)
    design = design_of(covariates, intercept=chosen != "ordinal")
    if len(design.rows) != len(reports):
        allowed = f"a row for each of {len(reports)} reports"
        raise InvalidInput("covariates", "regress", allowed, f"{len(design.rows)} rows")
    problem = _Problem.of(seen, design, chosen)
    best, null = (problem.solve(rows, steps) for rows in (problem.rows, problem.no_covariates))
    found = problem.result(best, null, errors, len(reports))
    if not found.converged:
        warnings.warn(
            f"the regression did not converge: it stopped at step {found.iterations}, its log-likelihood up to "
            f"{found.promised:.3g} from the maximum. Reports may be too few, or a covariate may determine the answer "
            "exactly; give a larger max_iterations=, or leave covariates out.",
            NotConverged, stacklevel=stacklevel_outside(),
        )  # fmt: skip
    return found


def _chosen(model: str, domain: Domain) -> str:
    """The model that the domain asks for, or the one that was named, if it fits."""
    numbers = domain.numbers
    if model == "auto":
        if domain.size == 2:
            return "logistic"
        if numbers is None:
            return "multinomial"
        return "ordinal" if numbers.whole and domain.size <= _FEW_RATINGS else "linear"
    if domain.size < 2:
        raise Unfit("a regression needs at least 2 answers")
    if model == "logistic" and domain.size != 2:
        raise Unfit(f"logistic is for two answers; {domain} has {domain.size}")
    if model == "linear" and numbers is None:
        raise Unfit(f"linear needs numbers (an Interval); this is {domain}")
    return model


@dataclass(frozen=True, eq=False)
class _Problem:
    """A model on standardized columns, and the way back to those that were given."""

    seen: ReportOdds
    design: Design
    name: str
    model: Model
    rows: Floats
    no_covariates: Floats
    centers: Floats
    scales: Floats

    @classmethod
    def of(cls, seen: ReportOdds, design: Design, name: str) -> _Problem:
        rows = design.rows[seen.asked]
        plain = np.array([one == INTERCEPT for one in design.names])
        centers = np.where(plain, 0.0, rows.mean(axis=0))
        scales = np.where(plain, 1.0, rows.std(axis=0))
        for column in np.flatnonzero(scales <= 1e-12 * np.maximum(np.abs(centers), 1.0)).tolist():
            raise InvalidInput(
                f"covariate {design.names[column]}",
                "regress",
                "not the same for everybody",
                rows[0, column],
            )
        scaled = (rows - centers) / scales
        _refuse_sums(np.column_stack([np.ones(len(scaled)), scaled[:, ~plain]]), design, plain)
        model = _model(name, seen.domain, seen.odds)
        return cls(seen, design, name, model, scaled, scaled[:, plain], centers, scales)

    def solve(self, rows: Floats, steps: int) -> Maximum:
        return maximize(
            self.model, rows, self.seen.odds, max_iterations=steps, tolerance=_TOLERANCE
        )

    def result(self, best: Maximum, null: Maximum, errors: str, n: int) -> Regression:
        inner = self._covariance(best, errors)
        names, values, jacobian = self._given(best.parameters)
        parameters, problem = best.parameters, self

        def predictor(covariates: Any) -> Floats:
            own = design_of(
                covariates,
                intercept=INTERCEPT in problem.design.names,
                levels=problem.design.levels,
            )
            if own.names != problem.design.names:
                allowed = f"columns {', '.join(problem.design.names)}"
                raise InvalidInput("covariates", "predict", allowed, ", ".join(own.names))
            scaled = (own.rows - problem.centers) / problem.scales
            return problem.model.shares(parameters, scaled)

        used = int(self.seen.asked.sum())
        asked = "" if used == n else f"; {used:,} of {n:,} reports are about this question alone"
        return Regression(
            names, values, jacobian @ inner @ jacobian.T, self.name, self.seen.domain, used,
            best.likelihood.value, null.likelihood.value, errors, best.converged, best.iterations,
            best.promised, f"{self.name} for {self.seen.domain}{asked}", len(null.parameters), predictor,
        )  # fmt: skip

    def _covariance(self, best: Maximum, errors: str) -> Floats:
        """Of the parameters on standardized columns."""
        inverse = np.asarray(
            np.linalg.pinv(-best.likelihood.hessian, hermitian=True), dtype=np.float64
        )
        if errors == "information":
            return inverse
        scores = best.likelihood.scores
        return inverse @ (scores.T @ scores) @ inverse

    def _given(self, parameters: Floats) -> tuple[tuple[str, ...], Floats, Floats]:
        """Names and values for the columns as they were given, and their derivatives."""
        back = np.diag(1 / self.scales)
        names, width = self.design.names, len(self.scales)
        if INTERCEPT in names:
            back[names.index(INTERCEPT)] -= self.centers / self.scales
        if isinstance(self.model, Multinomial):
            blocks = len(parameters) // width
            jacobian = np.asarray(np.kron(np.eye(blocks), back), dtype=np.float64)
            answers = self.seen.domain.labels()[1:]
            several = [f"{answer}: {name}" for answer in answers for name in names]
            return tuple(several) if blocks > 1 else names, jacobian @ parameters, jacobian
        assert isinstance(self.model, Cumulative)
        if self.name == "linear":
            return self._linear(parameters, back)
        many = self.model.points.shape[1]
        jacobian = np.zeros((len(parameters), len(parameters)))
        jacobian[:width, many:] = back
        jacobian[width:, :many] = self.model.points
        jacobian[width:, many:] = self.centers / self.scales
        labels = self.seen.domain.labels()
        ends = [f"{low}|{high}" for low, high in pairwise(labels)]
        return (*names, *ends), jacobian @ parameters, jacobian

    def _linear(self, parameters: Floats, back: Floats) -> tuple[tuple[str, ...], Floats, Floats]:
        """``c = b / g`` and ``s = 1 / g``, in the units of the numbers."""
        center, width = _units(self.seen.domain)
        g, slopes = float(parameters[0]), parameters[1:]
        values = np.append(width * (back @ slopes) / g, width / g)
        jacobian = np.zeros((len(parameters), len(parameters)))
        jacobian[:-1, 0] = -values[:-1] / g
        jacobian[:-1, 1:] = width * back / g
        jacobian[-1, 0] = -values[-1] / g
        values[self.design.names.index(INTERCEPT)] += center
        return (*self.design.names, "sigma"), values, jacobian


def _refuse_sums(columns: Floats, design: Design, plain: Any) -> None:
    """A covariate that others add up to has no coefficient."""
    names = [name for name, own in zip(design.names, plain, strict=True) if not own]
    for place, name in enumerate(names, start=2):
        if np.linalg.matrix_rank(columns[:, :place], tol=1e-7 * len(columns) ** 0.5) < place:
            allowed = "not a sum of multiples of the others"
            raise InvalidInput(f"covariate {name}", "regress", allowed, name)


def _units(domain: Domain) -> tuple[float, float]:
    """The middle of the numbers and a fourth of their width."""
    numbers = domain.numbers
    assert numbers is not None
    edges = numbers.edges
    return float(edges[0] + edges[-1]) / 2, float(edges[-1] - edges[0]) / 4


def _model(name: str, domain: Domain, odds: Floats) -> Model:
    if name in ("logistic", "multinomial"):
        return Multinomial(domain.size)
    if name == "linear":
        numbers: Interval | None = domain.numbers
        assert numbers is not None
        center, width = _units(domain)
        ends = (numbers.edges[1:-1] - center) / width
        return Cumulative(ends[:, None], True, np.ones(1))
    even = np.arange(1, domain.size) / domain.size
    return Cumulative(np.eye(domain.size - 1), False, np.log(even / (1 - even)))
