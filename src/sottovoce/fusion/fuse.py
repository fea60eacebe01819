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
    """Services aligned once, for several questions: ``.mean()``, ``.distribution()``."""
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
    """The mean of numbers that the same people gave, randomized, to several services.

    ``method`` is ``"population"``, ``"ua"`` or ``"uwa"`` (:mod:`sottovoce.fusion.mean`).  Row i of all
    reports is one person, or ``keys`` tells who is who.  Not everybody needs to be everywhere:
    what is missing must not depend on the number.

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
    inner: str = "em",
    keys: Sequence[Any] | None = None,
    names: Sequence[str] | None = None,
    repeats: Any = None,
    **options: Any,
) -> Estimate:
    """The distribution behind reports that the same people gave to several services.

    By the likelihood of all reports of a person together (``"ule"``); ``inner`` climbs it:
    ``"em"``, ``"ems"``, ``"mle"``, ``"mr"`` or ``"adaptive"``, with that method's ``options``.

    >>> import numpy as np
    >>> import sottovoce as sv
    >>> hours = sv.Interval(0, 24, bins=24)
    >>> slept = np.tile([6.5, 7.5, 8.5], 5_000)
    >>> services = [sv.mechanism("pm", hours, 2.0), sv.mechanism("sw", hours, 2.0)]
    >>> reports = [m.randomize(slept, source=sv.Seeded(i)) for i, m in enumerate(services)]
    >>> fused = sv.fuse_distribution(services, reports)
    >>> fused.method, bool(fused.shares[4:11].sum() > 0.7)
    ('ule + em', True)
    """
    aligned = fuse(mechanisms, reports, keys=keys, names=names, repeats=repeats)
    return aligned.distribution(method, inner=inner, **options)
