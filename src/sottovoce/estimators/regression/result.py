"""The result of a regression: coefficients with errors, as tables of statistics have them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from sottovoce.answers.answer import Answer, two_sided
from sottovoce.answers.comparing import normal_p
from sottovoce.base.errors import InvalidInput
from sottovoce.base.extras import optional
from sottovoce.base.frame import Frame
from sottovoce.base.suggestions import did_you_mean
from sottovoce.channels.base import Floats
from sottovoce.domains.base import Domain

__all__ = ["Regression"]

_CHANGED = ("logistic", "multinomial", "ordinal")
"""Models whose coefficients are logarithms of odds."""


@dataclass(frozen=True, eq=False)
class Regression:
    """Coefficients of a private answer on covariates. Make one with :func:`sottovoce.regress`.

    Parameters
    ----------
    names : tuple of str
        Names of the coefficients; of several answers, ``"answer: covariate"``.
    values : array of float
        Their estimates.
    covariance : array of float
        Their covariance.
    model : str
        ``"logistic"``, ``"multinomial"``, ``"ordinal"`` or ``"linear"``.
    domain : Domain
        The answers.
    n : int
        Reports that were used.
    log_likelihood, null_log_likelihood : float
        Of the reports under the model, and under one without covariates, up to one constant.
    errors : str
        How errors were computed: ``"information"`` or ``"robust"``.
    converged : bool
        Whether the likelihood is at its maximum.
    iterations : int
        Newton steps.
    promised : float
        How far the log-likelihood may rise yet.
    why : str
        Which model and which reports, and why.
    null_parameters : int
        Parameters of the model without covariates.
    predictor : callable
        Probabilities of all answers from covariates.

    Examples
    --------
    >>> import numpy as np
    >>> import sottovoce as sv
    >>> age = np.linspace(20, 70, 4000)
    >>> yes = np.random.default_rng(2).random(4000) < 1 / (1 + np.exp(-(age - 45) / 10))
    >>> m = sv.mechanism("grr", sv.YesNo(), 2.0)
    >>> found = sv.regress(m.randomize(yes, source=sv.Seeded(1)), {"age": age})
    >>> slope = found.coefficient("age")
    >>> slope.low < 0.1 < slope.high
    True
    """

    names: tuple[str, ...]
    values: Floats
    covariance: Floats
    model: str
    domain: Domain
    n: int
    log_likelihood: float
    null_log_likelihood: float
    errors: str
    converged: bool
    iterations: int
    promised: float
    why: str
    null_parameters: int
    predictor: Any

    @property
    def stderr(self) -> Floats:
        """The standard error of every coefficient."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    @property
    def p_values(self) -> Floats:
        """How often noise alone would be as far from 0 (Wald), coefficient by coefficient."""
        return normal_p(self.values, self.stderr)

    def coefficient(self, name: str, *, confidence: float = 0.95) -> Answer:
        """One coefficient, with its interval and p-value."""
        if name not in self.names:
            allowed = f"one of {', '.join(self.names)}"
            hint = did_you_mean(name, self.names)
            raise InvalidInput("name", "coefficient", allowed, name, hint=hint)
        place, reach = self.names.index(name), two_sided(confidence)
        value, error = float(self.values[place]), float(self.stderr[place])
        low, high = value - reach * error, value + reach * error
        return Answer(value, error, low, high, name, confidence, float(self.p_values[place]))

    def odds_ratio(self, name: str, *, confidence: float = 0.95) -> Answer:
        """What one more of a covariate multiplies the odds by; its interval is not symmetric."""
        if self.model not in _CHANGED:
            raise InvalidInput("model", "odds_ratio", f"one of {', '.join(_CHANGED)}", self.model)
        own = self.coefficient(name, confidence=confidence)
        ratio, low, high = (math.exp(x) for x in (own.value, own.low, own.high))
        return Answer(ratio, ratio * own.stderr, low, high, name, confidence, own.p_value)

    def predict(self, covariates: Any) -> Floats:
        """The probability of every answer, a row per row of covariates."""
        return np.asarray(self.predictor(covariates))

    # -- of the whole model --------------------------------------------------------------

    @property
    def aic(self) -> float:
        """Akaike's criterion; comparable between models of the same reports."""
        return 2 * len(self.values) - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """The Bayesian criterion of Schwarz."""
        return math.log(self.n) * len(self.values) - 2 * self.log_likelihood

    @property
    def pseudo_r2(self) -> float:
        """Cox and Snell's: ``1 - exp(-2 (l - l0) / n)``, of the *reports*.

        Randomization takes most of what reports could be explained by, so that it is small even
        where covariates tell the answers.
        """
        return 1 - math.exp(-2 * (self.log_likelihood - self.null_log_likelihood) / self.n)

    @property
    def p_value(self) -> float:
        """Of all covariates together: the likelihood ratio test against none."""
        freedom = len(self.values) - self.null_parameters
        if freedom == 0:
            return 1.0
        special = optional("scipy.special", extra="analyse", purpose="a likelihood ratio test")
        ratio = max(0.0, 2 * (self.log_likelihood - self.null_log_likelihood))
        return float(special.chdtrc(freedom, ratio))

    # -- shown -----------------------------------------------------------------------------

    def frame(self, *, confidence: float = 0.95) -> Frame:
        """Every coefficient with its standard error, z, p-value and interval."""
        reach, errors = two_sided(confidence), self.stderr
        z = np.divide(self.values, errors, out=np.zeros_like(errors), where=errors > 0)
        return Frame(
            {
                "coefficient": list(self.names),
                "value": self.values,
                "stderr": errors,
                "z": z,
                "p_value": self.p_values,
                "low": self.values - reach * errors,
                "high": self.values + reach * errors,
            }
        )

    def _facts(self) -> list[tuple[str, str]]:
        state = f"yes, {self.iterations} steps" if self.converged else "NO: see why"
        return [
            ("model", self.model),
            ("reports", f"{self.n:,}"),
            ("answer", str(self.domain)),
            ("log-likelihood", f"{self.log_likelihood:.2f}"),
            ("without covariates", f"{self.null_log_likelihood:.2f}"),
            ("likelihood ratio test", f"p = {self.p_value:.3g}"),
            ("pseudo R2 of reports", f"{self.pseudo_r2:.4f}"),
            ("AIC, BIC", f"{self.aic:.1f}, {self.bic:.1f}"),
            ("errors", self.errors),
            ("converged", state),
        ]

    def __str__(self) -> str:
        width = max(len(name) for name, _ in self._facts())
        facts = [f"{name.ljust(width)}  {text}" for name, text in self._facts()]
        return "\n".join([*facts, "", str(self.frame())])

    def __repr__(self) -> str:
        stopped = "" if self.converged else f", not converged at step {self.iterations}"
        return f"<{self.model} regression over {self.domain} from {self.n} reports{stopped}>"

    def _repr_html_(self) -> str:
        facts = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>"
            for name, text in self._facts()
        )
        return f"<table>{facts}</table>{self.frame()._repr_html_()}"
