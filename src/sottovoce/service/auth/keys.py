"""Who may do what: one secret, from which the keys of roles and all tokens are derived.

Nothing about keys and tokens is stored: a collector that has its secret file back knows
them all again.  Roles are told by ``Authorization: Bearer KEY``.

A **token** lets somebody upload where a survey wants it, and is checked without looking
anything up: ``nonce (12) | allowance (4) | tag (16)``, the tag being an HMAC over the survey,
the nonce and the allowance.  A person's has allowance 1, a relay's (a school, a gateway) as many
reports a window as it speaks for.  What the store remembers of a used token is
:func:`used_mark`, which differs between surveys and windows and leads back to nobody.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import os
import stat
from pathlib import Path

from sottovoce.base.checks import check_int
from sottovoce.base.errors import CorruptBytes, InvalidInput
from sottovoce.base.files import part_of

__all__ = ["MOST_ALLOWED", "ROLES", "Keys", "read_secret"]

ROLES = ("publish", "read")
"""Roles that have a key: publishing surveys, and reading answers."""

_SECRET_BYTES = 32
_NONCE, _ALLOWANCE, _TAG = 12, 4, 16
MOST_ALLOWED = 2 ** (8 * _ALLOWANCE) - 1
"""Reports that a token may be good for in a window."""


def read_secret(path: str | os.PathLike[str]) -> bytes:
    """The secret in a file, made of 32 random bytes where there is none yet.

    The file is for its owner alone (mode 0600); one that others may read is refused.
    """
    file = Path(path)
    if not file.exists():
        _make_secret(file)
    mode = stat.S_IMODE(file.stat().st_mode)
    if mode & 0o077:
        hint = f"chmod 600 {file}, and make a new secret if someone may have read this one."
        raise InvalidInput("secret_file", "the collector", "of mode 0600", f"{mode:04o}", hint=hint)
    secret = file.read_bytes()
    if len(secret) != _SECRET_BYTES:
        raise CorruptBytes(f"{file} has {len(secret)} bytes; a secret has {_SECRET_BYTES}")
    return secret


def _make_secret(file: Path) -> None:
    """Written whole beside its place, then linked there: of two starts at once one wins."""
    part = part_of(file)
    handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(os.urandom(_SECRET_BYTES))
            stream.flush()
            os.fsync(stream.fileno())
        try:
            os.link(part, file)
        except FileExistsError:
            return
    finally:
        part.unlink()


class Keys:
    """The keys of roles and the tokens of one secret."""

    def __init__(self, secret: bytes) -> None:
        self._fresh = hmac.new(secret, digestmod="sha256")
        self._of_roles = {role: self.of_role(role) for role in ROLES}

    def of_role(self, role: str) -> str:
        """The key of a role, to be given to who has it."""
        return _text(self._mac(b"role:" + role.encode()))

    def roles(self, header: str | None) -> set[str]:
        """The roles that an ``Authorization`` header proves."""
        given = bearer(header)
        return {role for role, key in self._of_roles.items() if _same(given, key)}

    def issue_token(self, fingerprint: str, allowance: int = 1) -> str:
        """A fresh token for so many reports of a survey in each of its windows."""
        check_int(allowance, "allowance", "a token", 1, MOST_ALLOWED)
        head = os.urandom(_NONCE) + allowance.to_bytes(_ALLOWANCE, "big")
        return _text(head + self._tag(fingerprint, head))

    def read_token(self, fingerprint: str, header: str | None) -> tuple[bytes, int] | None:
        """The token in a header and its allowance; None where it is none of this survey."""
        token = _bytes(bearer(header))
        if len(token) != _NONCE + _ALLOWANCE + _TAG:
            return None
        head, tag = token[: _NONCE + _ALLOWANCE], token[_NONCE + _ALLOWANCE :]
        if not hmac.compare_digest(tag, self._tag(fingerprint, head)):
            return None
        return token, int.from_bytes(head[_NONCE:], "big")

    def used_mark(self, token: bytes, fingerprint: str, window: str) -> bytes:
        """What is remembered of a token that was used: 32 bytes, others for every window."""
        return self._mac(b"used:" + token + bytes.fromhex(fingerprint) + window.encode())

    def _tag(self, fingerprint: str, head: bytes) -> bytes:
        return self._mac(b"token" + bytes.fromhex(fingerprint) + head)[:_TAG]

    def _mac(self, message: bytes) -> bytes:
        mac = self._fresh.copy()  # quicker than to begin with the key every time
        mac.update(message)
        return mac.digest()


def bearer(header: str | None) -> str:
    """What follows ``Bearer`` in a header; empty where nothing does."""
    scheme, _, given = (header or "").partition(" ")
    return given.strip() if scheme.lower() == "bearer" else ""


def _same(given: str, key: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), key.encode())


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    """The bytes that base64url stands for, without padding; empty where it is none."""
    try:
        return base64.b64decode(text.encode() + b"=" * (-len(text) % 4), b"-_", validate=True)
    except (binascii.Error, ValueError):
        return b""
