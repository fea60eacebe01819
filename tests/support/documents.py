"""Documents of mechanisms that the library did not write."""

from sottovoce.base.canonical import canonical_json, integers_of, text_of_integers
from sottovoce.core.registry import mechanism_from_json

__all__ = ["integer_weights", "read_again", "with_weights"]


def integer_weights(document):
    """The weights of a document, as integers."""
    return integers_of(document["weights"], document["mechanism"])


def with_weights(document, weights, *, epsilon=None):
    """The same document with other weights, given as integers, and perhaps another claim."""
    claim = document["epsilon"] if epsilon is None else epsilon
    return {**document, "weights": text_of_integers(weights), "epsilon": claim}


def read_again(document):
    """The mechanism that a document says, through its canonical JSON."""
    return mechanism_from_json(canonical_json(document))
