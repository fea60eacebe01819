"""A joint distribution of several questions, from their tables of two: a model.

Among all distributions with given tables of two, the one of most entropy is ``exp(sum of functions of pairs)``:
log-linear without interactions of three or more.  Iterative proportional fitting finds it: from the uniform
distribution, scale it to each table in turn (Deming and Stephan 1940; Csiszar 1975).

Tables from reports may be negative where few people are.  Their shares are first raised to at least a small
part of what independence gives, and scaled back to their margins.  Tables that agree on all margins may still have no
joint distribution; scaling then goes round in a circle, and ``gap`` is what is left between the tables and those of
the model: the mean over what one round of scaling visits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.base.frame import Frame
from sottovoce.channels.base import Floats
from sottovoce.domains.base import Domain

if TYPE_CHECKING:
    from sottovoce.answers.estimate import Estimate

__all__ = ["Joint", "fit_pairs", "joint_of"]

_MOST_CELLS = 2**20
_LEAST = 1e-3
"""Of what independence gives: less is not believed of a pair of answers."""
_CLOSE = 1e-10
_SCALINGS = 200


@dataclass(frozen=True, eq=False)
class Joint:
    """The distribution of most entropy with the tables of two questions. A model, not an estimate.

    Parameters
    ----------
    names : tuple of str
        The questions.
    domains : tuple of Domain
        Their answers.
    shares : array of float
        An axis per question.
    gap : float
        The largest difference of its tables of two from those that were fitted.
    adjusted : float
        How far tables from reports were moved to be positive: the largest change of a share.
    converged : bool
        Whether the tables were met.
    iterations : int
        Rounds of scaling.
    """

    names: tuple[str, ...]
    domains: tuple[Domain, ...]
    shares: Floats
    gap: float
    adjusted: float
    converged: bool
    iterations: int

    @property
    def why(self) -> str:
        """What it is, in words."""
        return "a model: most entropy with the tables of two questions; interactions of three are assumed absent"

    def share(self, answers: Mapping[str, Any] | None = None, /, **more: Any) -> float:
        """The share of people with these answers, to some of the questions or to all."""
        asked = dict(answers or {}, **more)
        places: list[Any] = [slice(None)] * len(self.names)
        for axis, name in enumerate(self.names):
            if name in asked:
                places[axis] = self.domains[axis].index(asked.pop(name))
        if asked:
            allowed = f"answers to {', '.join(self.names)}"
            raise InvalidInput("answers", "share of a joint", allowed, next(iter(asked)))
        return float(np.sum(self.shares[tuple(places)]))

    def margin(self, *questions: str) -> Floats:
        """The table of some of the questions, in the order in which they are given."""
        for name in questions:
            if name not in self.names:
                raise InvalidInput("question", "margin", f"one of {', '.join(self.names)}", name)
        kept = [self.names.index(name) for name in questions]
        others = tuple(axis for axis in range(len(self.names)) if axis not in kept)
        summed = self.shares.sum(axis=others)
        order = np.argsort(np.argsort(kept))
        return np.asarray(np.transpose(summed, order.tolist()))

    def frame(self) -> Frame:
        """Every combination of answers with its share, in the order of the record."""
        places = np.stack(np.unravel_index(np.arange(self.shares.size), self.shares.shape))
        columns: dict[str, Any] = {
            name: [domain.label(int(i)) for i in place]
            for name, domain, place in zip(self.names, self.domains, places, strict=True)
        }
        return Frame(columns | {"model": self.shares.ravel()})

    def __repr__(self) -> str:
        return f"<model of {', '.join(self.names)} together: most entropy with their tables of two>"


def joint_of(estimate: Estimate, questions: Sequence[str], max_iterations: int) -> Joint:
    """The model of some questions of an estimate's record."""
    if len(questions) < 3 or len(set(questions)) < len(questions):
        raise InvalidInput("questions", "joint", "at least three different ones", questions)
    tables = {
        (a, b): estimate.table(questions[a], questions[b])
        for a, b in combinations(range(len(questions)), 2)
    }
    record = next(iter(tables.values())).record
    domains = tuple(record.domains[record.question(name)] for name in questions)
    size = math.prod(domain.size for domain in domains)
    if size > _MOST_CELLS:
        raise Unfit(f"a joint has at most {_MOST_CELLS} combinations of answers; this has {size}")
    positive = {pair: positive_table(table.shares) for pair, table in tables.items()}
    moved = max(float(np.abs(positive[p] - t.shares).max()) for p, t in tables.items())
    shape = tuple(domain.size for domain in domains)
    shares, gap, rounds = fit_pairs(shape, positive, max_iterations)
    return Joint(tuple(questions), domains, shares, gap, moved, gap <= 1e-6, rounds)


def positive_table(table: Floats) -> Floats:
    """The table raised to a small part of independence, and scaled back to its margins, made positive too."""
    rows, columns = (_positive_margin(table.sum(axis=axis)) for axis in (1, 0))
    found = np.maximum(table, _LEAST * np.outer(rows, columns))
    for _ in range(_SCALINGS):
        found = found * (rows / found.sum(axis=1))[:, None]
        found = found * (columns / found.sum(axis=0))
        if np.abs(found.sum(axis=1) - rows).max() <= _CLOSE:
            break
    return found


def _positive_margin(shares: Floats) -> Floats:
    found = np.maximum(shares, _LEAST / len(shares))
    return found / found.sum()


def fit_pairs(
    shape: tuple[int, ...], tables: Mapping[tuple[int, int], Floats], max_iterations: int
) -> tuple[Floats, float, int]:
    """The distribution, the largest difference of its tables from those given, and rounds."""
    found, before = np.full(shape, 1 / math.prod(shape)), math.inf
    for iteration in range(1, max_iterations + 1):
        mean = np.zeros(shape)
        for pair, table in tables.items():
            own = _table(found, pair)
            found = found * _along(
                np.divide(table, own, out=np.zeros_like(own), where=own > 0), pair, shape
            )
            mean += found / len(tables)
        gap = max(
            float(np.abs(_table(found, pair) - table).max()) for pair, table in tables.items()
        )
        if gap <= _CLOSE:
            return found, gap, iteration
        if iteration % 50 == 0:
            if gap > 0.999 * before:  # round in a circle
                break
            before = gap
    gap = max(float(np.abs(_table(mean, pair) - table).max()) for pair, table in tables.items())
    return mean, gap, iteration


def _table(joint: Floats, pair: tuple[int, int]) -> Floats:
    others = tuple(axis for axis in range(joint.ndim) if axis not in pair)
    return np.asarray(joint.sum(axis=others))


def _along(table: Floats, pair: tuple[int, int], shape: tuple[int, ...]) -> Floats:
    return table.reshape([size if axis in pair else 1 for axis, size in enumerate(shape)])
