"""Answers about a graph whose people report their degrees."""

from __future__ import annotations

from sottovoce.answers.answer import Answer, answer
from sottovoce.answers.estimate import Estimate
from sottovoce.base.checks import check_int
from sottovoce.base.errors import Unfit

__all__ = ["edges"]


def edges(estimate: Estimate, *, people: int | None = None, confidence: float = 0.95) -> Answer:
    """Estimate the number of edges of a graph: half the sum of all degrees.

    Parameters
    ----------
    estimate : Estimate
        An estimate of degrees, over ``Counts``.
    people : int, optional
        The number of nodes; those who reported if not given. Where there are more, those who reported
        count as a random sample, and the error includes it.
    confidence : float
        Of the interval.

    Returns
    -------
    Answer
        ``people * mean / 2`` with its error.

    Raises
    ------
    Unfit
        Where the estimate is not over ``Counts``.

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("degree-noise", sv.Counts(9), 1.0)
    >>> tally = m.simulate([0, 0, 3000, 0, 1000, 0, 0, 0, 0, 0], source=sv.Seeded(1))
    >>> answer = sv.edges(sv.estimate(tally, "unbiased"))
    >>> abs(answer.value - (3000 * 2 + 1000 * 4) / 2) < 4 * answer.stderr
    True
    """
    degrees = estimate.domain.numbers
    if degrees is None or not degrees.whole or degrees.span[0] != 0:
        raise Unfit(f"edges needs degrees (Counts); this estimate is over {estimate.domain}")
    nodes = estimate.n if people is None else check_int(people, "people", "edges", estimate.n)
    told = (estimate if nodes == estimate.n else estimate.for_population()).mean()
    reach = estimate.reach(confidence)
    return answer(nodes * told.value / 2, nodes * told.stderr / 2, "edges", confidence, reach=reach)
