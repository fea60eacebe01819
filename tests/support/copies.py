"""Things that went through a pickle."""

from __future__ import annotations

import pickle


def pickled(thing, protocol=pickle.HIGHEST_PROTOCOL):
    return pickle.loads(pickle.dumps(thing, protocol))  # noqa: S301  # our own bytes
