"""Tallies, estimates and joins where others keep the data: SQL of any warehouse, and Spark."""
