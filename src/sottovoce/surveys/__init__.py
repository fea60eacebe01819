"""The public agreement of device, collector and analyst: its documents, windows, limits and words."""
