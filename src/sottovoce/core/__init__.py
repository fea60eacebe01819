"""The six words: domain, mechanism, tally, channel, estimate, survey.  Imports nothing of ours."""
