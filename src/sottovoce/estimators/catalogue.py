"""All methods, registered under their names.

The guidelines are their authors': of consistency Wang et al. 2020, section 4.5.
"""

from __future__ import annotations

from sottovoce.base.simplex import project_to_simplex
from sottovoce.channels.base import Floats
from sottovoce.core.mechanism import Mechanism
from sottovoce.estimators.bounded_mean import bounded_mean, no_mean
from sottovoce.estimators.consistency import projections as c
from sottovoce.estimators.consistency.power import power
from sottovoce.estimators.exchangeable.exchangeable import exchangeable, too_many_to_weigh
from sottovoce.estimators.filters.plain import gaussian_filter, smooth
from sottovoce.estimators.filters.wiener import amrp, dw, iiw, iiw_g, is_randomized_response
from sottovoce.estimators.likelihood.base import unidentified
from sottovoce.estimators.likelihood.em import em, ems, unordered
from sottovoce.estimators.likelihood.mle import mle
from sottovoce.estimators.likelihood.mr import mr
from sottovoce.estimators.methods import Method, Variant, register_method
from sottovoce.estimators.smooth.adaptive import adaptive, no_single_likelihood
from sottovoce.estimators.trees.hh_admm import hh_admm, no_hierarchy
from sottovoce.estimators.unbiased import UnbiasedShares

__all__ = ["METHODS", "power_ns"]


def power_ns(unbiased: UnbiasedShares) -> Floats:
    """The power-law posterior, then the projection on the simplex."""
    return project_to_simplex(power(unbiased))


def _unchanged(unbiased: UnbiasedShares) -> Floats:
    return unbiased.shares


def _needs_pure(mechanism: Mechanism) -> str:
    if mechanism.channel().support_probabilities is None:
        return "it needs a pure oracle, with two support probabilities p and q"
    return ""


def _not_haar(mechanism: Mechanism) -> str:
    if mechanism.channel().inverse_name == "haar":
        return ""
    return "it needs reports about the halves of nodes, those of haar"


METHODS = tuple(
    register_method(method)
    for method in (
        Method("unbiased", "right on average, with exact errors", aka=("base",), is_distribution=False),
        Method("base-pos", "negative shares become 0", c.base_pos, is_distribution=False),
        Method(
            "post-pos", "negative answers become 0, shares stay", _unchanged, clips_answers=True,
            same_shares_as="unbiased",
        ),
        Method(
            "base-cut", "shares below a noise threshold become 0", c.base_cut,
            guideline="single values",
            is_distribution=False,
        ),
        Method(
            "norm", "one constant added so that shares sum to 1", c.norm,
            guideline="most frequent values, their number unknown",
            is_distribution=False, variants=(Variant(("base-pos",)),),
        ),
        Method("norm-mul", "negative shares 0, the rest scaled to sum 1", c.norm_mul),
        Method("norm-sub", "the nearest distribution", c.norm_sub, aka=("cls",)),
        Method("norm-cut", "smallest shares 0 until the sum is at most 1", c.norm_cut, is_distribution=False),
        Method(
            "norm-hyb", "large shares kept, the rest projected to what is left", c.norm_hyb,
            guideline="sets of values; most frequent values, their number known",
        ),
        Method(
            "mle-apx", "approximate maximum likelihood of normal noise",
            c.maximum_likelihood_approximation, unfit=_needs_pure,
        ),
        Method("power", "posterior means under a power law", power, is_distribution=False),
        Method("power-ns", "power, then norm-sub", power_ns),
        Method(
            "em", "likelihood climbed by expectation-maximisation, stopped early", fit=em,
            unfit=unidentified,
        ),
        Method(
            "ems", "em with neighbouring shares averaged after every pass", fit=ems,
            unfit=unordered, guideline="distributions of numbers",
        ),
        Method(
            "mle", "the greatest likelihood, with a certificate of how near it is", fit=mle,
            unfit=unidentified,
        ),
        Method(
            "mr", "mixture reduction: em with what drowns in noise merged, while BIC falls", fit=mr,
            unfit=unidentified, guideline="many values, much noise",
        ),
        Method(
            "exchangeable", "shares without order, averaged over priors of inequality by their marginal likelihood",
            fit=exchangeable, unfit=too_many_to_weigh, aka=("empirical-bayes", "eb"),
            guideline="values without an order",
        ),
        Method(
            "adaptive", "a smooth distribution, averaged over priors of smoothness by their marginal likelihood",
            fit=adaptive, unfit=no_single_likelihood, guideline="distributions of numbers",
        ),
        Method(
            "bounded-mean", "the average of reports, kept within the bounds of the numbers",
            mean=bounded_mean, unfit=no_mean, guideline="means, where noise is large",
        ),
        Method(
            "hh-ci", "all levels of a hierarchy made to agree by weighted least squares, unbiased",
            unfit=no_hierarchy, guideline="ranges",
            completed_by="norm-sub",
        ),
        Method(
            "hh-admm", "the nearest distribution to all levels of a hierarchy", fit=hh_admm,
            unfit=no_hierarchy, guideline="spiky distributions of numbers",
        ),
        Method(
            "haar", "shares from differences between halves, unbiased", unfit=_not_haar,
            guideline="ranges",
            completed_by="norm-sub",
        ),
        Method(
            "smooth", "neighbouring shares averaged", smooth, unfit=unordered,
            guideline="smooth distributions",
            completed_by="norm-sub",
        ),
        Method(
            "gaussian-filter", "shares averaged under a bell", gaussian_filter,
            unfit=unordered, guideline="smooth distributions",
            completed_by="norm-sub", variants=(Variant(("norm-sub",), {"sigma": 3.0}),),
        ),
        Method(
            "dw", "Wiener's filter, with the power that was observed", dw, on_kernels=True,
            guideline="smooth distributions",
            completed_by="norm-sub", variants=(Variant(("norm-sub",), {"prior": "gaussian"}),),
        ),
        Method(
            "iiw", "Wiener's filter, its result taken for the truth, 30 times", iiw,
            on_kernels=True, guideline="smooth distributions",
            completed_by="norm-sub",
        ),
        Method(
            "iiw-g", "iiw from the power of the reports", iiw_g, unfit=is_randomized_response,
            guideline="smooth distributions, many reports",
            completed_by="norm-sub",
        ),
        Method(
            "amrp", "dw averaged over random orders of the values", amrp,
            guideline="values without an order",
            completed_by="norm-sub",
        ),
    )
)  # fmt: skip
