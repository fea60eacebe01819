"""Filters over neighbouring shares and over frequencies."""
