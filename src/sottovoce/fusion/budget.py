"""What users have spent, in all services together; and what asking them once more would buy.

The budgets of a person add up over the services that they told, repeats included, and so do
deltas.  Fusing reads reports that are there: it spends nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sottovoce.base.checks import check_epsilon
from sottovoce.base.errors import Unfit
from sottovoce.base.frame import Frame
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import mechanism
from sottovoce.estimators.cell_means import mean_gains
from sottovoce.fusion.factors import Varying, variances
from sottovoce.fusion.joining.aligned import Aligned
from sottovoce.fusion.moments import mean_variances, moments_of
from sottovoce.fusion.parts import patterns
from sottovoce.fusion.services import Services

__all__ = ["NextQuestion", "Budget", "asking_once_more", "budget_of"]

_SHOWN = ("stochastic-rounding", "piecewise", "square-wave", "laplace")
_LEAST, _MOST, _STEPS = 1e-3, 20.0, 20


@dataclass(frozen=True, eq=False)
class Budget:
    """Budgets by service, and by user."""

    aligned: Aligned

    def services(self) -> Frame:
        """Every service: mechanism, epsilon and delta of a report, and how many users told it."""
        told = self.aligned.frame()
        deltas = [float(each.certificate().delta) for each in self.aligned.mechanisms]
        columns = {name: told[name] for name in ("service", "mechanism", "epsilon")}
        if any(deltas):
            columns["delta"] = deltas
        return Frame(columns | {name: told[name] for name in ("users", "certified")})

    def users(self) -> Frame:
        """Users by the services they told, most of them first: what each of them has spent."""
        rows = [(told, self.spent(told), count) for told, count in patterns(self.aligned)]
        names = self.aligned.names
        columns: dict[str, list[Any]] = {
            "told": [", ".join(names[j] for j in told) for told, _, _ in rows],
            "epsilon": [epsilon for _, (epsilon, _), _ in rows],
            "delta": [delta for _, (_, delta), _ in rows],
            "users": [count for _, _, count in rows],
            "part": [count / self.aligned.n for _, _, count in rows],
        }
        if not any(columns["delta"]):
            del columns["delta"]
        return Frame(columns)

    def spent(self, told: Sequence[int]) -> tuple[float, float]:
        """Epsilon and delta of a user who told these services, by place."""
        chosen = [self.aligned.mechanisms[j] for j in told]
        return (
            math.fsum(each.epsilon for each in chosen),
            math.fsum(float(each.certificate().delta) for each in chosen),
        )

    @property
    def least(self) -> float:
        """What the user with the smallest total has spent."""
        return min(self.users()["epsilon"])

    @property
    def most(self) -> float:
        """What the user with the largest total has spent: in all, the privacy of everybody."""
        return max(self.users()["epsilon"])

    @property
    def mean(self) -> float:
        """What a user has spent on average."""
        told = self.users()
        total = math.fsum(e * c for e, c in zip(told["epsilon"], told["users"], strict=True))
        return total / self.aligned.n

    def __str__(self) -> str:
        each = f"{self.least:g}"
        if self.most > self.least:
            each += f" to {self.most:g}"
        said = f"{self.aligned.n:,} users have spent {each} each, {self.mean:.4g} on average"
        said += "; fusing spends nothing more"
        foreign = [
            n
            for n, ours in zip(self.aligned.names, self.aligned.certified, strict=True)
            if not ours
        ]
        if foreign:
            said += f"; not certified: {', '.join(foreign)}"
        return f"{said}\n{self.services()}\n\n{self.users()}"

    __repr__ = __str__


def budget_of(fusion: Services) -> Budget:
    """The budget table of aligned services.

    >>> import sottovoce as sv
    >>> age = sv.Interval(0, 100, bins=64)
    >>> bank, shop = sv.mechanism("pm", age, 1.0), sv.mechanism("sw", age, 0.5)
    >>> both = sv.fuse(
    ...     [bank, shop], [bank.randomize([20.0, 30.0]), shop.randomize([30.0, 40.0])],
    ...     keys=[["ann", "ben"], ["ben", "cleo"]], names=["bank", "shop"],
    ... )
    >>> table = budget_of(both)
    >>> table.least, table.mean, table.most
    (0.5, 1.0, 1.5)
    >>> table.users()["told"]
    ['bank', 'bank, shop', 'shop']
    """
    return Budget(fusion.aligned)


@dataclass(frozen=True, eq=False)
class NextQuestion:
    """One question more to all users, beside fusing what is there: predicted standard errors of the mean.

    ``alone`` and ``fused`` are by mechanism: the answer to the new question by itself, and together with
    everything that is there.
    """

    epsilon: float
    there: float
    """The error of fusing what is there."""
    alone: dict[str, float]
    fused: dict[str, float]
    budget: Budget
    matching: float | None
    """The epsilon of a single question that tells as much as what is there; None above 20."""

    def frame(self) -> Frame:
        """A row a strategy: what it spends, what the user with most has then spent, and the error."""
        asked = [("fuse what is there", 0.0, self.there)]
        asked += [(f"ask {name} alone", self.epsilon, e) for name, e in self.alone.items()]
        asked += [(f"ask {name} and fuse", self.epsilon, e) for name, e in self.fused.items()]
        return Frame(
            {
                "strategy": [name for name, _, _ in asked],
                "spends": [spent for _, spent, _ in asked],
                "in all": [self.budget.most + spent for _, spent, _ in asked],
                "stderr": [error for _, _, error in asked],
                "over fusing": [error / self.there for _, _, error in asked],
            }
        )

    def __str__(self) -> str:
        match = "more than 20" if self.matching is None else f"{self.matching:.3g}"
        return f"{self.frame()}\nA single question with the same information takes epsilon {match}."

    __repr__ = __str__


def asking_once_more(
    fusion: Services, epsilon: float, mechanisms: Sequence[str] = _SHOWN
) -> NextQuestion:
    """What asking all users again with ``epsilon`` would buy, by each of ``mechanisms``.

    All errors are formulas, with population weights: a user's fused number varies by
    ``1 / sum 1/V_j`` over the services they told, ``V_j`` being the mean variance of service j.

    >>> import numpy as np
    >>> import sottovoce as sv
    >>> hours = sv.Interval(0, 24, bins=48)
    >>> slept = np.tile([6.25, 7.25, 8.25], 10_000)
    >>> services = [sv.mechanism(name, hours, 0.1) for name in ("sr", "pm", "sw")]
    >>> reports = [m.randomize(slept, source=sv.Seeded(i)) for i, m in enumerate(services)]
    >>> again = asking_once_more(sv.fuse(services, reports), 0.1)
    >>> again.fused["piecewise"] < again.there < again.alone["piecewise"]
    True
    """
    asked = check_epsilon(epsilon, "asking_once_more")
    domain, n = fusion.interval, fusion.n
    moments = moments_of(fusion.numbers, domain)
    typical = mean_variances(fusion.numbers, domain, moments)
    groups = [(np.array(told), count) for told, count in patterns(fusion.aligned)]

    def one(name: str, budget: float) -> float:
        asks = mechanism(name, domain, budget)
        return float(mean_variances([_unread(asks)], domain, moments)[0])

    def error(more: float = math.inf) -> float:
        each = [count / (float((1 / typical[told]).sum()) + 1 / more) for told, count in groups]
        return math.sqrt(math.fsum(each)) / n

    there = error()
    new = {mechanism(name, domain, asked).name: one(name, asked) for name in mechanisms}

    def best(budget: float) -> float:
        return math.sqrt(min(one(name, budget) for name in mechanisms) / n)

    return NextQuestion(
        asked,
        there,
        {name: math.sqrt(variance / n) for name, variance in new.items()},
        {name: error(variance) for name, variance in new.items()},
        Budget(fusion.aligned),
        _matching(best, there),
    )


def _unread(asks: Mechanism) -> Varying:
    """What numbers of a mechanism would vary, before there are any."""
    cell_weights, channel = mean_gains(asks), asks.channel()
    if cell_weights is None:
        raise Unfit(f"{asks} does not identify a mean")
    nobody = np.empty(0), np.empty(0, dtype=np.bool_)
    return Varying(*nobody, variances(channel, cell_weights), cell_weights.bias_bound)


def _matching(error: Callable[[float], float], wanted: float) -> float | None:
    """The least epsilon whose error is at most ``wanted``, by halving its logarithm's range."""
    low, high = math.log(_LEAST), math.log(_MOST)
    if error(_MOST) > wanted:
        return None
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if error(math.exp(middle)) <= wanted else (middle, high)
    return math.exp(high)
