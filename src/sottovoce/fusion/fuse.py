"""Two ways in: one mean, or one distribution, from the reports of several services."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sottovoce.answers.estimate import Estimate
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.fusion.joining.aligned import align
from sottovoce.fusion.mean import FusedMean
from sottovoce.fusion.services import Fusion

__all__ = ["fuse", "fuse_distribution", "fuse_mean"]


def fuse(
    mechanisms: Sequence[Mechanism] | None,
    reports: Sequence[Reports],
    *,
    keys: Sequence[Any] | None = None,
    names: Sequence[str] | None = None,
    repeats: Any = None,
) -> Fusion:
    """Join the reports of several services once, to ask several questions.

    Parameters
    ----------
    mechanisms : sequence of Mechanism, optional
        The mechanism of each service; those of the reports if None.
    reports : sequence of Reports
        The reports of each service. Row i of all of them is one person, unless there are ``keys``.
    keys : sequence of arrays, optional
        Per service, the key of the person of every row. People need not be in every service, but
        whether they are must not depend on their value.
    names : sequence of str, optional
        Names of the services.
    repeats : object, optional
        What happens to several reports of one person in one service.

    Returns
    -------
    Fusion
        The joined reports, with ``mean()`` and ``distribution()``.

    Raises
    ------
    InvalidInput
        Where mechanisms, reports and keys do not match.

    Examples
    --------
    >>> import numpy as np, sottovoce as sv
    >>> hours = sv.Interval(0, 24, bins=24)
    >>> services = [sv.mechanism("pm", hours, 2.0), sv.mechanism("sw", hours, 2.0)]
    >>> slept = np.tile([6.5, 7.5, 8.5], 5_000)
    >>> reports = [m.randomize(slept, source=sv.Seeded(i)) for i, m in enumerate(services)]
    >>> mean = sv.fuse(services, reports).mean()
    >>> abs(mean.value - 7.5) < 4 * mean.stderr
    True
    """
    return Fusion(align(mechanisms, reports, keys=keys, names=names, repeats=repeats))


def fuse_mean(
    mechanisms: Sequence[Mechanism] | None,
    reports: Sequence[Reports],
    *,
    method: str = "population",
    keys: Sequence[Any] | None = None,
    names: Sequence[str] | None = None,
    repeats: Any = None,
) -> FusedMean:
    """Estimate one mean from reports that the same people gave to several services.

    Parameters
    ----------
    mechanisms : sequence of Mechanism, optional
        The mechanism of each service; those of the reports if None.
    reports : sequence of Reports
        The reports of each service. Row i of all of them is one person, unless there are ``keys``.
    method : str
        ``"population"``, ``"ua"`` or ``"uwa"``; see :mod:`sottovoce.fusion.mean`.
    keys : sequence of arrays, optional
        Per service, the key of the person of every row. People need not be in every service, but
        whether they are must not depend on their value.
    names : sequence of str, optional
        Names of the services.
    repeats : object, optional
        What happens to several reports of one person in one service.

    Returns
    -------
    FusedMean
        The mean with its error, and the weight of every service.

    Raises
    ------
    InvalidInput
        Where mechanisms, reports and keys do not match.

    Examples
    --------
    >>> import numpy as np
    >>> import sottovoce as sv
    >>> hours = sv.Interval(0, 24, bins=48)
    >>> slept = np.tile([6.25, 7.25, 8.25], 10_000)
    >>> services = [sv.mechanism("pm", hours, 0.5), sv.mechanism("sw", hours, 1.0)]
    >>> reports = [m.randomize(slept, source=sv.Seeded(i)) for i, m in enumerate(services)]
    >>> mean = sv.fuse_mean(services, reports)
    >>> abs(mean.value - 7.25) < 3 * mean.stderr
    True
    >>> list(mean.weights)
    ['service 1', 'service 2']
    """
    return fuse(mechanisms, reports, keys=keys, names=names, repeats=repeats).mean(method)


def fuse_distribution(
    mechanisms: Sequence[Mechanism] | None,
    reports: Sequence[Reports],
    *,
    method: str = "ule",
    inner: str = "auto",
    keys: Sequence[Any] | None = None,
    names: Sequence[str] | None = None,
    repeats: Any = None,
    **options: Any,
) -> Estimate:
    """Estimate one distribution from reports that the same people gave to several services.

    Maximizes the likelihood of all reports of a person together.

    Parameters
    ----------
    mechanisms : sequence of Mechanism, optional
        The mechanism of each service; those of the reports if None.
    reports : sequence of Reports
        The reports of each service. Row i of all of them is one person, unless there are ``keys``.
    method : str
        ``"ule"``, user-level likelihood estimation.
    inner : str
        The method that maximizes it: ``"em"``, ``"ems"``, ``"mle"``, ``"mr"`` or ``"adaptive"``.
        ``"auto"`` is ``"adaptive"`` where values are in order, else ``"em"``.
    keys : sequence of arrays, optional
        Per service, the key of the person of every row. People need not be in every service, but
        whether they are must not depend on their value.
    names : sequence of str, optional
        Names of the services.
    repeats : object, optional
        What happens to several reports of one person in one service.
    **options
        Options of the inner method.

    Returns
    -------
    Estimate
        The distribution, with errors.

    Raises
    ------
    InvalidInput
        Where mechanisms, reports and keys do not match.

    Examples
    --------
    >>> import numpy as np
    >>> import sottovoce as sv
    >>> hours = sv.Interval(0, 24, bins=24)
    >>> slept = np.tile([6.5, 7.5, 8.5], 5_000)
    >>> services = [sv.mechanism("pm", hours, 2.0), sv.mechanism("sw", hours, 2.0)]
    >>> reports = [m.randomize(slept, source=sv.Seeded(i)) for i, m in enumerate(services)]
    >>> fused = sv.fuse_distribution(services, reports)
    >>> fused.method, bool(fused.shares[4:11].sum() > 0.7)
    ('ule + adaptive', True)
    """
    aligned = fuse(mechanisms, reports, keys=keys, names=names, repeats=repeats)
    return aligned.distribution(method, inner=inner, **options)
