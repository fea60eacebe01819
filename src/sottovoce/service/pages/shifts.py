"""What fake senders could do to the answers of a survey, at most, whatever honest people hold."""

from __future__ import annotations

from functools import lru_cache

from sottovoce.core.errors import SottovoceError
from sottovoce.core.key_values import KeyValues
from sottovoce.core.mechanism import Mechanism
from sottovoce.privacy.influence import Influence, influence

__all__ = ["shifts_of"]

_FAKES = (0.001, 0.01, 0.05)


@lru_cache(64)
def shifts_of(mechanism: Mechanism) -> tuple[Influence, ...]:
    """One for each share of fakes, on the answer that is asked most; none where none is known."""
    domain = mechanism.domain
    key = domain.keys.label(0) if isinstance(domain, KeyValues) else None
    try:
        return tuple(influence(mechanism, fakes, key=key) for fakes in _FAKES)
    except SottovoceError:
        return ()
