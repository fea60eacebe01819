"""Shares made non-negative and summing to one, from unbiased shares."""
