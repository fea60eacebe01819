"""Value to report: one file a mechanism, registered when imported."""

from sottovoce.mechanisms.fixed_hashing import FixedHashing
from sottovoce.mechanisms.hadamard_response import HadamardResponse
from sottovoce.mechanisms.local_hashing import LocalHashing
from sottovoce.mechanisms.randomized_response import RandomizedResponse
from sottovoce.mechanisms.seeded_hashing import SeededHashing
from sottovoce.mechanisms.subset_selection import SubsetSelection
from sottovoce.mechanisms.table import Table
from sottovoce.mechanisms.unary_encoding import UnaryEncoding

__all__ = [
    "FixedHashing",
    "HadamardResponse",
    "LocalHashing",
    "RandomizedResponse",
    "SeededHashing",
    "SubsetSelection",
    "Table",
    "UnaryEncoding",
]
