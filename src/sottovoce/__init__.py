"""Local differential privacy, end to end.

People's answers are randomized on their own device, a collector stores only
randomized reports, and analysts read shares, ranges, means and distributions
with honest error bars.

>>> import sottovoce as sv
>>> mechanism = sv.mechanism("olh", sv.Categories(["tea", "coffee", "water"]), epsilon=1.0)
>>> reports = mechanism.randomize(["tea", "coffee", "tea"])
>>> len(reports)
3
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy  # noqa: F401 - deep inside a chain of imports it takes 5 ms longer

from sottovoce import mechanisms
from sottovoce.answers.answer import Answer
from sottovoce.answers.estimate import Estimate
from sottovoce.base.errors import Misaligned, NotConverged, SottovoceError
from sottovoce.base.frame import Frame
from sottovoce.base.randomness import OperatingSystem, Seeded
from sottovoce.core.batches import tally_batches
from sottovoce.core.certificate import Certificate
from sottovoce.core.counter import Counter
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import mechanism, mechanism_from_json
from sottovoce.core.reports import Reports
from sottovoce.core.tally import Tally
from sottovoce.domains.categories import Categories
from sottovoce.domains.choices import Choices
from sottovoce.domains.counts import Counts
from sottovoce.domains.dates import Dates
from sottovoce.domains.interval import Interval
from sottovoce.domains.key_values import KeyValues
from sottovoce.domains.may_decline import MayDecline
from sottovoce.domains.ratings import Ratings
from sottovoce.domains.record import Record
from sottovoce.domains.vector import Vector
from sottovoce.domains.yes_no import YesNo
from sottovoce.surveys.survey import Survey

import_module("sottovoce.plots")  # declares what draws results

if TYPE_CHECKING:
    from sottovoce import metrics, spark, testing
    from sottovoce.answers.difference import Difference, difference
    from sottovoce.answers.graphs import edges
    from sottovoce.answers.series import Series
    from sottovoce.answers.trend import Trend
    from sottovoce.device.client import Client
    from sottovoce.engines.sql.estimate_query import estimate_sql
    from sottovoce.engines.sql.tally_query import tally_sql
    from sottovoce.estimators import estimate, methods
    from sottovoce.estimators.compare.compare import compare
    from sottovoce.estimators.coordinates import coordinates
    from sottovoce.estimators.regression.regress import regress
    from sottovoce.estimators.regression.result import Regression
    from sottovoce.estimators.trend import trend
    from sottovoce.estimators.two_phases import TwoPhaseVariance
    from sottovoce.estimators.weighted import weighted
    from sottovoce.fusion.external_reports import foreign
    from sottovoce.fusion.fuse import fuse, fuse_distribution, fuse_mean
    from sottovoce.fusion.joining.keys import pseudonyms
    from sottovoce.mechanisms import *  # noqa: F403
    from sottovoce.planning.plan import plan
    from sottovoce.planning.result import Plan
    from sottovoce.planning.windows import WindowPlan, plan_windows
    from sottovoce.plots.together import draw
    from sottovoce.privacy.audit import audit
    from sottovoce.privacy.influence import Influence, influence
    from sottovoce.privacy.repeated import audit_windows, linkage
    from sottovoce.surveys.signing import SignedSurvey

__version__ = "0.2.0"

_WHEN_ASKED = {
    "Client": "sottovoce.device.client",
    "Difference": "sottovoce.answers.difference",
    "Influence": "sottovoce.privacy.influence",
    "Plan": "sottovoce.planning.result",
    "Series": "sottovoce.answers.series",
    "SignedSurvey": "sottovoce.surveys.signing",
    "Trend": "sottovoce.answers.trend",
    "TwoPhaseVariance": "sottovoce.estimators.two_phases",
    "audit": "sottovoce.privacy.audit",
    "audit_windows": "sottovoce.privacy.repeated",
    "compare": "sottovoce.estimators.compare.compare",
    "coordinates": "sottovoce.estimators.coordinates",
    "difference": "sottovoce.answers.difference",
    "draw": "sottovoce.plots.together",
    "edges": "sottovoce.answers.graphs",
    "estimate": "sottovoce.estimators",
    "estimate_sql": "sottovoce.engines.sql.estimate_query",
    "foreign": "sottovoce.fusion.external_reports",
    "fuse_distribution": "sottovoce.fusion.fuse",
    "fuse_mean": "sottovoce.fusion.fuse",
    "fuse": "sottovoce.fusion.fuse",
    "influence": "sottovoce.privacy.influence",
    "linkage": "sottovoce.privacy.repeated",
    "methods": "sottovoce.estimators",
    "metrics": "sottovoce.metrics",
    "plan": "sottovoce.planning.plan",
    "plan_windows": "sottovoce.planning.windows",
    "WindowPlan": "sottovoce.planning.windows",
    "pseudonyms": "sottovoce.fusion.joining.keys",
    "tally_sql": "sottovoce.engines.sql.tally_query",
    "Regression": "sottovoce.estimators.regression.result",
    "regress": "sottovoce.estimators.regression.regress",
    "spark": "sottovoce.spark",
    "testing": "sottovoce.testing",
    "trend": "sottovoce.estimators.trend",
    "weighted": "sottovoce.estimators.weighted",
    **dict.fromkeys(mechanisms.__all__, "sottovoce.mechanisms"),
}
"""What a device never needs is imported when first asked for: importing us stays cheap."""


def __getattr__(name: str) -> Any:
    if name not in _WHEN_ASKED:
        raise AttributeError(f"module 'sottovoce' has no attribute {name!r}")
    module = import_module(_WHEN_ASKED[name])
    found = module if module.__name__ == f"sottovoce.{name}" else getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_WHEN_ASKED})


__all__ = [
    "Answer",
    "Categories",
    "Certificate",
    "Choices",
    "Client",
    "Counter",
    "Counts",
    "Dates",
    "Difference",
    "Estimate",
    "Frame",
    "Influence",
    "Interval",
    "KeyValues",
    "MayDecline",
    "Mechanism",
    "Misaligned",
    "NotConverged",
    "OperatingSystem",
    "Plan",
    "Ratings",
    "Record",
    "Regression",
    "Reports",
    "Seeded",
    "Series",
    "SignedSurvey",
    "SottovoceError",
    "Survey",
    "Tally",
    "Trend",
    "TwoPhaseVariance",
    "Vector",
    "WindowPlan",
    "YesNo",
    "audit",
    "audit_windows",
    "compare",
    "coordinates",
    "difference",
    "draw",
    "edges",
    "estimate",
    "estimate_sql",
    "foreign",
    "fuse_distribution",
    "fuse_mean",
    "fuse",
    "influence",
    "linkage",
    "mechanism",
    "mechanism_from_json",
    "methods",
    "metrics",
    "plan",
    "plan_windows",
    "pseudonyms",
    "regress",
    "spark",
    "tally_batches",
    "tally_sql",
    "testing",
    "trend",
    "weighted",
]
__all__ += mechanisms.__all__
