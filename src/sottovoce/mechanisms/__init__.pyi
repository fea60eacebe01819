# Written by `make docs` from MECHANISMS in __init__.py: names that a type checker knows.
from typing import Final

from sottovoce.mechanisms.binned import Binned
from sottovoce.mechanisms.choice_response import ChoiceResponse
from sottovoce.mechanisms.choice_subsets import ChoiceSubsets
from sottovoce.mechanisms.degree_noise import DegreeNoise
from sottovoce.mechanisms.drawn_option import DrawnOption
from sottovoce.mechanisms.fixed_hashing import FixedHashing
from sottovoce.mechanisms.gaussian import Gaussian
from sottovoce.mechanisms.haar import Haar
from sottovoce.mechanisms.hadamard_response import HadamardResponse
from sottovoce.mechanisms.hierarchy import Hierarchy
from sottovoce.mechanisms.key_value import KeyValue
from sottovoce.mechanisms.laplace import Laplace
from sottovoce.mechanisms.local_hashing import LocalHashing
from sottovoce.mechanisms.memoized import Memoized
from sottovoce.mechanisms.piecewise import Piecewise
from sottovoce.mechanisms.question_sets import QuestionSets
from sottovoce.mechanisms.randomized_response import RandomizedResponse
from sottovoce.mechanisms.sampled_coordinate import SampledCoordinate
from sottovoce.mechanisms.seeded_hashing import SeededHashing
from sottovoce.mechanisms.sensitive_hashing import SensitiveHashing
from sottovoce.mechanisms.sensitive_response import SensitiveResponse
from sottovoce.mechanisms.sensitive_subsets import SensitiveSubsets
from sottovoce.mechanisms.square_wave import SquareWave
from sottovoce.mechanisms.stochastic_rounding import StochasticRounding
from sottovoce.mechanisms.subset_selection import SubsetSelection
from sottovoce.mechanisms.table import Table
from sottovoce.mechanisms.unary_encoding import UnaryEncoding
from sottovoce.mechanisms.wave import Wave

MECHANISMS: Final[tuple[str, ...]]

__all__ = [
    "Binned",
    "ChoiceResponse",
    "ChoiceSubsets",
    "DegreeNoise",
    "DrawnOption",
    "FixedHashing",
    "Gaussian",
    "Haar",
    "HadamardResponse",
    "Hierarchy",
    "KeyValue",
    "Laplace",
    "LocalHashing",
    "Memoized",
    "Piecewise",
    "QuestionSets",
    "RandomizedResponse",
    "SampledCoordinate",
    "SeededHashing",
    "SensitiveHashing",
    "SensitiveResponse",
    "SensitiveSubsets",
    "SquareWave",
    "StochasticRounding",
    "SubsetSelection",
    "Table",
    "UnaryEncoding",
    "Wave",
]
