"""Tally to distribution: one idea a file, methods registered in the catalogue."""

from sottovoce.estimators.catalogue import METHODS
from sottovoce.estimators.estimate import estimate
from sottovoce.estimators.overview import methods

__all__ = ["METHODS", "estimate", "methods"]
