"""What may go wrong with a store, apart from wrong input."""

from __future__ import annotations

from sottovoce.base.errors import SottovoceError

__all__ = ["Scrubbed", "StoreBusy", "StoreDown", "StoreFull"]


class StoreFull(SottovoceError):
    """No room on the disk: nothing of the transaction was stored."""


class StoreDown(SottovoceError):
    """The database does not answer: nothing of the transaction is known to be stored."""


class StoreBusy(SottovoceError):
    """Another collector writes to this store; one at a time may."""


class Scrubbed(SottovoceError):
    """A report whose payload is no longer there, so that nothing can take it out of its tally."""
