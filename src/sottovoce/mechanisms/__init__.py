"""Value to report: one file a mechanism, registered when imported."""

from sottovoce.mechanisms.local_hashing import LocalHashing
from sottovoce.mechanisms.randomized_response import RandomizedResponse
from sottovoce.mechanisms.table import Table
from sottovoce.mechanisms.unary_encoding import UnaryEncoding

__all__ = ["LocalHashing", "RandomizedResponse", "Table", "UnaryEncoding"]
