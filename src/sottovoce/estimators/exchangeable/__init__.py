"""Shares of values without order, under priors weighed by the reports."""
