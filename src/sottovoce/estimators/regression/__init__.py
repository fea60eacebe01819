"""Regression of a private answer on what the analyst knows of every respondent."""
