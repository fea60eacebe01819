"""What fake senders could do to the answers of a survey, at most, whatever honest people hold."""

from __future__ import annotations

from typing import Any

from sottovoce.base.errors import SottovoceError
from sottovoce.core.mechanism import Mechanism
from sottovoce.privacy.influence import Influence, influence

__all__ = ["shifts_of"]

_FAKES = (0.001, 0.01, 0.05)


def shifts_of(mechanism: Mechanism, mean: bool | None = None) -> tuple[Influence, ...]:
    """One for each share of fakes; none where none is known.

    They are on the ``mean``, or else on the share of any one value; of keys on the frequency of
    the first.  Unless told, of numbers it is the mean.
    """
    domain = mechanism.domain
    if (pairs := domain.keyed) is not None:
        asked: dict[str, Any] = {"key": pairs.keys.label(0)}
    elif (options := domain.choices) is not None:
        asked = {"values": options.options.label(0)}
    elif domain.numbers is not None if mean is None else mean:
        asked = {"mean": True}
    else:
        asked = {"count": 1}
    try:
        return tuple(influence(mechanism, fakes, **asked) for fakes in _FAKES)
    except SottovoceError:
        return ()
