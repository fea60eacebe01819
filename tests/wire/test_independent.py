"""A second implementation, which shares no code with the library, agrees with every golden vector."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from independent import decimals, documents, uploads
from independent.golden import failures, load

VECTORS = load()
HERE = Path(__file__).parents[1] / "independent"


@pytest.mark.parametrize("name", sorted(VECTORS))
def test_it_agrees_with_the_vectors(name):
    assert list(failures(VECTORS, name)) == []


def test_nothing_of_sottovoce_is_in_it():
    allowed = {
        "__future__",
        "independent",
        "bisect",
        "collections",
        "datetime",
        "decimal",
        "fractions",
    }
    allowed |= {"hashlib", "itertools", "json", "math", "pathlib", "re", "statistics"}
    allowed |= {"hmac", "unicodedata"}
    for path in HERE.glob("*.py"):
        found = re.findall(
            r"^(?:from|import) (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE
        )
        assert set(found) <= allowed, path
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 300


def test_a_wrong_client_fails():
    """What the vectors find: a client that checks no weights, and one with long lengths."""
    checked = decimals.refuse_above
    try:
        for module in ("mechanisms",):
            target = __import__(f"independent.{module}", fromlist=["x"])
            target.refuse_above = lambda *_: None
        assert len(list(failures(VECTORS, "weights-refused"))) > 50
    finally:
        target.refuse_above = checked
    write = uploads.write
    try:
        uploads.write = lambda value: write(value).replace(b"\xc5\x01\x00", b"\xc4\x00")
        assert any(failures(VECTORS, "unary-encoding"))
    finally:
        uploads.write = write


def test_plain_decimals():
    for text in ("0", "1", "0.5", "0.000001", "-3.25", "12345678901234568000000", "0.1", "100"):
        assert decimals.plain(float(text)) == text
        assert decimals.double(text) == float(text)
    for text in ("1.0", "-0", "1e3", "0.10000000000000001", "", "\uff11", 1, None):
        with pytest.raises(documents.Refused):
            decimals.double(text)
