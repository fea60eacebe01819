"""Spark: DataFrames in, DataFrames out; :mod:`sottovoce.spark` is the public face."""
