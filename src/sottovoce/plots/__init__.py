"""Pictures of estimates, answers and differences, with matplotlib: one file per kind."""
