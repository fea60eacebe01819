"""Tally to distribution: one file a method, registered when imported."""

from sottovoce.estimators.methods import estimate, methods
from sottovoce.estimators.unbiased import unbiased

__all__ = ["estimate", "methods", "unbiased"]
