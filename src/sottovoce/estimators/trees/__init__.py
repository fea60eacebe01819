"""Estimates that agree on all levels of a hierarchy."""
