"""Documents of kinds of question as they landed: read by every later version, with the same inputs and fingerprint."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.domains.base import domain_from_json

KEPT = json.loads(
    (Path(__file__).parents[1] / "old" / "kinds.0.2.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("kept", KEPT, ids=lambda kept: kept["document"]["kind"])
def test_a_document_is_what_it_was(kept):
    domain = domain_from_json(kept["document"])
    assert domain.to_json() == kept["document"]
    assert [domain.index(value) for value in kept["values"]] == kept["inputs"]
    assert sv.mechanism("grr", domain, 1.0).fingerprint == kept["fingerprint"]
