"""What everything stands on: errors, checks, exact arithmetic, randomness, files.  Imports nothing of ours."""
