"""Tallies and estimates where others keep the data: SQL of any warehouse."""
