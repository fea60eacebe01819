"""Queries that count and estimate inside a database."""
