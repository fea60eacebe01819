"""Several services as one: reports of the same people, joined and read together."""
