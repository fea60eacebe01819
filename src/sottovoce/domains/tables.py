"""A domain within another one, as a table of a TOML file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sottovoce.base.errors import InvalidInput
from sottovoce.base.suggestions import did_you_mean
from sottovoce.domains.base import Domain, domain_kinds

__all__ = ["domain_from_table"]


def domain_from_table(table: Mapping[str, Any], owner: str) -> Domain:
    """The domain of a table with the ``kind`` and the keys of that kind."""
    kinds = {kind: cls.toml for kind, cls in domain_kinds().items() if cls.toml is not None}
    kind, given = table.get("kind"), {key: table[key] for key in table if key != "kind"}
    if not isinstance(kind, str) or kind not in kinds:
        raise InvalidInput("kind", owner, f"one of {', '.join(kinds)}", kind)
    keys = kinds[kind]
    known = (*keys.required, *keys.optional)
    for key in given:
        if key not in known:
            hint = did_you_mean(key, known)
            raise InvalidInput("a key", owner, f"one of {', '.join(known)}", key, hint=hint)
    for key in keys.required:
        if key not in given:
            raise InvalidInput(key, owner, "given", None)
    return domain_kinds()[kind].from_toml(given)
