"""What a store keeps of a report's id: a hash.

Who knows the id of a report may delete it.  A store, a backup of it or a log must not give that
right to its readers, so it holds a hash: the same id gives the same hash, which finds duplicates
and what is to be deleted, and the 128 random bits of an id cannot be computed from it.  The hash
is BLAKE2b of the survey's fingerprint and the id, 16 bytes, under a key that each store draws: the
same report has other hashes in other stores and surveys.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

from sqlalchemy import Connection, select

from sottovoce.base.errors import CorruptBytes
from sottovoce.store.schema import meta

__all__ = ["HASH_BYTES", "IdHasher", "read_key"]

HASH_BYTES = 16
_KEY_BYTES = 32


def read_key(connection: Connection) -> bytes:
    """The key of a store."""
    value = connection.execute(select(meta.c.value).where(meta.c.name == "id-key")).scalar()
    if value is None or len(value) != _KEY_BYTES:
        raise CorruptBytes("the store has lost the key of its report ids: restore a backup")
    return bytes(value)


class IdHasher:
    """Hashes the ids of one survey."""

    def __init__(self, key: bytes, fingerprint: str) -> None:
        self._begun = blake2b(bytes.fromhex(fingerprint), key=key, digest_size=HASH_BYTES)

    def __call__(self, report_ids: Iterable[bytes]) -> list[bytes]:
        """The hashes of ids, in order."""
        copy, hashes = self._begun.copy, []
        for report_id in report_ids:
            state = copy()  # quicker than to begin with the key every time
            state.update(report_id)
            hashes.append(state.digest())
        return hashes
