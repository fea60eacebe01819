"""Spark on this machine: counting, error bars of groups, joins, each beside one process."""
