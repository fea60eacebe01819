"""Sessions of people who signed in: random, kept in memory, ended by signing out.

A session proves that its holder had the key of a reader.  Signing out ends it here, so that a copy
of the cookie is worth nothing afterwards; a restart of the collector ends all of them.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from datetime import datetime, timedelta
from hashlib import sha256

__all__ = ["SESSION_TIME", "Sessions"]

SESSION_TIME = timedelta(hours=12)
"""How long a reader stays signed in."""
_MOST = 10_000


class Sessions:
    """Sessions by the hash of what the browser holds, the oldest first, and when each ends.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 11, 16, 12, tzinfo=UTC)
    >>> sessions = Sessions()
    >>> session = sessions.issue(noon)
    >>> sessions.holds(session, noon), sessions.holds(session, noon + SESSION_TIME)
    (True, False)
    >>> sessions.end(session)
    >>> sessions.holds(session, noon)
    False
    """

    def __init__(self) -> None:
        self._ends: OrderedDict[bytes, datetime] = OrderedDict()

    def issue(self, moment: datetime) -> str:
        """A new session, for the cookie of a reader; beyond 10,000 the oldest ends."""
        session = os.urandom(32).hex()
        self._ends[_mark(session)] = moment + SESSION_TIME
        if len(self._ends) > _MOST:
            self._ends.popitem(last=False)
        return session

    def holds(self, session: str, moment: datetime) -> bool:
        """Whether this is a session that has not ended."""
        ends = self._ends.get(_mark(session))
        return ends is not None and moment < ends

    def end(self, session: str) -> None:
        """End a session, if it is one."""
        self._ends.pop(_mark(session), None)


def _mark(session: str) -> bytes:
    return sha256(session.encode("utf-8", "surrogatepass")).digest()
