"""Signed surveys and logs, right and wrong: for clients that pin a publisher and follow a log.

Keys are those of RFC 8032, section 7.1, whose private halves everybody knows.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import sottovoce as sv
from sottovoce.base.canonical import canonical_json
from sottovoce.surveys.publications import EMPTY, LogHead, Publication, digest_of
from sottovoce.surveys.signing import PublisherKey, SignedSurvey, message_of

__all__ = ["log_vectors", "signed_vectors"]

_SECRETS = (
    "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
    "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
)


def _keys() -> list[PublisherKey]:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    load = Ed25519PrivateKey.from_private_bytes
    return [PublisherKey(load(bytes.fromhex(secret))) for secret in _SECRETS]


def _surveys() -> list[sv.Survey]:
    domains = [sv.Categories(["tea", "coffee"]), sv.Categories(["\u00e9", "\U0001f600", "other"])]
    return [
        sv.Survey(f"signed {k}", "Which?", sv.mechanism("grr", domain, 1.0))
        for k, domain in enumerate(domains)
    ]


def signed_vectors() -> Iterator[dict[str, Any]]:
    """Documents of signed surveys; ``publisher`` is the pinned key, ``taken`` whether it is answered."""
    one, other = _keys()
    for survey in _surveys():
        for key in (one, other):
            signed = key.sign(survey)
            yield _signed("right", signed.document(), key.public, survey, taken=True)
    survey = _surveys()[0]
    signed = one.sign(survey)
    yield _signed("another key", other.sign(survey).document(), one.public, survey, taken=False)
    renamed = signed.document()
    renamed["publisher"] = other.public
    yield _signed("the name of another key", renamed, other.public, survey, taken=False)
    for name, change in _CHANGES.items():
        document = copy.deepcopy(signed.document())
        change(document, signed)
        yield _signed(name, document, one.public, survey, taken=False)


def _dearer(document: dict[str, Any], _: SignedSurvey) -> None:
    survey = sv.Survey(
        "signed 0", "Which?", sv.mechanism("grr", sv.Categories(["tea", "coffee"]), 2.0)
    )
    document["survey"] = survey.document()


def _later_s(document: dict[str, Any], signed: SignedSurvey) -> None:
    """The same signature with s + L for s, which RFC 8032 refuses."""
    order = 2**252 + 27742317777372353535851937790883648493
    data = bytes.fromhex(signed.signature)
    s = int.from_bytes(data[32:], "little") + order
    document["signature"] = (data[:32] + s.to_bytes(32, "little")).hex()


_CHANGES = {
    "a larger epsilon": _dearer,
    "another question": lambda document, _: document["survey"].update(question="Who?"),
    "another minimum batch": lambda document, _: document["survey"].update(minimum_batch=1),
    "another signature": lambda document, s: document.update(signature="00" + s.signature[2:]),
    "s not below the order": _later_s,
    "a short signature": lambda document, s: document.update(signature=s.signature[:-2]),
    "capital letters": lambda document, s: document.update(signature=s.signature.upper()),
    "no signature": lambda document, _: document.pop("signature"),
    "an unknown key": lambda document, _: document.update(note="x"),
    "another version": lambda document, _: document.update(signed=2),
}


def _signed(
    name: str, document: dict[str, Any], publisher: str, survey: sv.Survey, *, taken: bool
) -> dict[str, Any]:
    case = {"name": name, "publisher": publisher, "text": canonical_json(document), "taken": taken}
    return {**case, "message": message_of(survey).decode()} if taken else case


def log_vectors() -> Iterator[dict[str, Any]]:
    """A head that is kept, entries that come after it, and the new head; null where it is refused."""
    one = _keys()[0]
    entries, heads = [], [EMPTY]
    for survey, publisher in zip(
        [*_surveys(), _surveys()[0]], ("", one.public, one.public), strict=True
    ):
        entry = Publication.after(heads[-1], digest_of(survey), publisher)
        entries.append(entry.document())
        heads.append(entry.head)
    for start in range(4):
        yield _log("continues", heads[start], entries[start:], heads[3])
    wrong: dict[str, tuple[LogHead, list[dict[str, Any]]]] = {
        "one left out": (heads[0], [entries[0], entries[2]]),
        "another order": (heads[0], [entries[1], entries[0]]),
        "twice": (heads[0], [entries[0], entries[0]]),
        "after another head": (LogHead(1, "ab" * 32), entries[1:]),
        "after another size": (LogHead(2, heads[1].head), entries[1:]),
    }
    changes: dict[str, dict[str, Any]] = {
        "another survey": {"survey": "0" * 64, "fingerprint": "0" * 32},
        "a fingerprint of another survey": {"fingerprint": "0" * 32},
        "another publisher": {"publisher": "0" * 64},
        "an unknown key": {"note": 1},
        "another version": {"log": 2},
        "an index that is text": {"index": "0"},
    }
    for name, change in changes.items():
        wrong[name] = (heads[0], [{**entries[0], **change}, *entries[1:]])
    for name, (head, given) in wrong.items():
        yield _log(name, head, given, None)


def _log(
    name: str, kept: LogHead, entries: list[dict[str, Any]], head: LogHead | None
) -> dict[str, Any]:
    told = None if head is None else vars(head)
    return json.loads(
        json.dumps({"name": name, "kept": vars(kept), "entries": entries, "head": told})
    )
