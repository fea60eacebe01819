"""Distributions over ordered values, as smooth as the reports support."""
