"""Surveys that their publisher signs, with Ed25519 (RFC 8032).

The publisher signs the text

    sottovoce survey 1
    <SHA-256 of the survey's canonical JSON, as 64 hexadecimal digits>

each line with its line feed.  A signature stands beside the survey and outside of its fingerprint.
A device that was given the publisher's public key answers no survey that another key signed:
neither a collector nor anyone on the network path can then make up a survey of its own.

It needs the package ``cryptography`` (the extra ``signing``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sottovoce.base.canonical import canonical_json, read_document
from sottovoce.base.errors import CorruptBytes, InvalidInput, NotTrusted
from sottovoce.base.extras import optional
from sottovoce.surveys.publications import digest_of
from sottovoce.surveys.survey import Survey

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

__all__ = ["PublisherKey", "SignedSurvey", "check_publisher", "message_of"]

VERSION = 1
"""Version of the document of a signed survey."""
_KEYS = {"publisher", "signature", "signed", "survey"}
_PUBLISHER = re.compile("[0-9a-f]{64}")
_SIGNATURE = re.compile("[0-9a-f]{128}")


def _ed25519() -> Any:
    name = "cryptography.hazmat.primitives.asymmetric.ed25519"
    return optional(name, extra="signing", purpose="a signed survey")


def _serialization() -> Any:
    name = "cryptography.hazmat.primitives.serialization"
    return optional(name, extra="signing", purpose="the key of a publisher")


def message_of(survey: Survey) -> bytes:
    """What a publisher signs."""
    return f"sottovoce survey 1\n{digest_of(survey)}\n".encode("ascii")


def check_publisher(key: object, owner: str) -> str:
    """A public key as clients pin it."""
    if not isinstance(key, str) or not _PUBLISHER.fullmatch(key):
        allowed = "a public key of 64 hexadecimal digits in lower case"
        raise InvalidInput("publisher", owner, allowed, key)
    return key


@dataclass(frozen=True)
class SignedSurvey:
    """A survey with the signature of its publisher, which is verified at birth.

    Parameters
    ----------
    survey : Survey
        The survey.
    publisher : str
        The public key, 64 hexadecimal digits.
    signature : str
        The signature, 128 hexadecimal digits.

    Raises
    ------
    NotTrusted
        Where the signature is not that key's signature of this survey.
    MissingExtra
        Where ``cryptography`` is not installed.

    Examples
    --------
    >>> import sottovoce as sv
    >>> from sottovoce.surveys.signing import PublisherKey
    >>> survey = sv.Survey("rain", "Does it rain?", sv.mechanism("grr", sv.Categories(2), 1.0))
    >>> signed = PublisherKey.generate().sign(survey)
    >>> sv.SignedSurvey.from_json(signed.to_json()) == signed
    True
    """

    survey: Survey
    publisher: str
    signature: str

    def __post_init__(self) -> None:
        owner = "SignedSurvey"
        if not isinstance(self.survey, Survey):
            raise InvalidInput("survey", owner, "a Survey", self.survey)
        check_publisher(self.publisher, owner)
        if not isinstance(self.signature, str) or not _SIGNATURE.fullmatch(self.signature):
            allowed = "128 hexadecimal digits in lower case"
            raise InvalidInput("signature", owner, allowed, self.signature)
        self._verify()

    def _verify(self) -> None:
        from_bytes = _ed25519().Ed25519PublicKey.from_public_bytes
        exceptions = optional("cryptography.exceptions", extra="signing", purpose="a signed survey")
        try:
            key = from_bytes(bytes.fromhex(self.publisher))
            key.verify(bytes.fromhex(self.signature), message_of(self.survey))
        except (exceptions.InvalidSignature, ValueError):
            raise NotTrusted(
                f"survey {self.survey.name!r} was not signed by the key {self.publisher}, or it was "
                "changed after it was signed: it is not answered"
            ) from None

    def check_pinned(self, publisher: str) -> None:
        """Refuse a survey that another key than ``publisher`` signed."""
        if self.publisher != check_publisher(publisher, "Client"):
            raise NotTrusted(
                f"survey {self.survey.name!r} was signed by the key {self.publisher}, not by {publisher}, "
                "which was agreed to: it is not answered"
            )

    def document(self) -> dict[str, Any]:
        """The survey and its signature, for canonical JSON."""
        return {
            "signed": VERSION,
            "survey": self.survey.document(),
            "publisher": self.publisher,
            "signature": self.signature,
        }

    def to_json(self) -> str:
        """Canonical JSON."""
        return canonical_json(self.document())

    @classmethod
    def from_json(cls, text: str | bytes) -> SignedSurvey:
        """Read a signed survey, as strictly as :meth:`Survey.from_json`, and verify it."""
        document = read_document(text, "the signed survey")
        if not isinstance(document, Mapping) or set(document) != _KEYS:
            raise CorruptBytes(
                f"a signed survey has the keys {', '.join(sorted(_KEYS))}, no others"
            )
        if type(document["signed"]) is not int or document["signed"] != VERSION:
            raise CorruptBytes(f"a signed survey of another version; this version reads {VERSION}")
        survey = Survey.from_document(document["survey"])
        return cls(survey, document["publisher"], document["signature"])


@dataclass(frozen=True)
class PublisherKey:
    """The private key of a publisher.

    >>> key = PublisherKey.generate()
    >>> PublisherKey.from_pem(key.to_pem()).public == key.public
    True
    """

    key: Ed25519PrivateKey

    @classmethod
    def generate(cls) -> PublisherKey:
        """A fresh key."""
        return cls(_ed25519().Ed25519PrivateKey.generate())

    @classmethod
    def from_pem(cls, text: bytes) -> PublisherKey:
        """A key as :meth:`to_pem` and OpenSSL write it."""
        try:
            key = _serialization().load_pem_private_key(text, password=None)
        except (ValueError, TypeError):
            key = None
        if not isinstance(key, _ed25519().Ed25519PrivateKey):
            raise CorruptBytes("not an unencrypted Ed25519 private key in PEM")
        return cls(key)

    def to_pem(self) -> bytes:
        """PEM (PKCS #8), unencrypted: for a file that only its owner may read."""
        forms = _serialization()
        pem, pkcs8 = forms.Encoding.PEM, forms.PrivateFormat.PKCS8
        return self.key.private_bytes(pem, pkcs8, forms.NoEncryption())

    @property
    def public(self) -> str:
        """The public key, 64 hexadecimal digits: what clients pin."""
        return self.key.public_key().public_bytes_raw().hex()

    def sign(self, survey: Survey) -> SignedSurvey:
        """The survey with a signature of this key; the same again is the same signature."""
        return SignedSurvey(survey, self.public, self.key.sign(message_of(survey)).hex())
