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

from sottovoce import mechanisms as _mechanisms  # noqa: F401  (registers every mechanism)
from sottovoce.answers import Difference, difference
from sottovoce.core.answer import Answer
from sottovoce.core.categories import Categories
from sottovoce.core.certificate import Certificate
from sottovoce.core.errors import SottovoceError
from sottovoce.core.estimate import Estimate
from sottovoce.core.frame import Frame
from sottovoce.core.interval import Interval
from sottovoce.core.key_values import KeyValues
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.randomness import OperatingSystem, Seeded
from sottovoce.core.registry import mechanism, mechanism_from_json
from sottovoce.core.reports import Reports
from sottovoce.core.survey import Survey
from sottovoce.core.tally import Tally
from sottovoce.estimators import estimate, methods
from sottovoce.mechanisms import LocalHashing, RandomizedResponse, Table, UnaryEncoding
from sottovoce.privacy.audit import audit

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "Categories",
    "Certificate",
    "Difference",
    "Estimate",
    "Frame",
    "Interval",
    "KeyValues",
    "LocalHashing",
    "Mechanism",
    "OperatingSystem",
    "RandomizedResponse",
    "Reports",
    "Seeded",
    "SottovoceError",
    "Survey",
    "Table",
    "Tally",
    "UnaryEncoding",
    "audit",
    "difference",
    "estimate",
    "mechanism",
    "mechanism_from_json",
    "methods",
]
