"""How often tests and intervals are right, over many simulated surveys."""
