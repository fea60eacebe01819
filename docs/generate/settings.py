"""The page of settings: an entry for each, from the fields of ``Settings``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import Field, fields

from docs.generate.markdown import fence, table
from sottovoce.service.settings import ENVIRONMENT, Settings

__all__ = ["setting_pages"]

_WORDS = {"str": "text", "int": "a whole number", "float": "a number", "bool": "true or false"}


def setting_pages() -> Iterator[tuple[str, str]]:
    """The page."""
    entries = "\n\n".join(_entry(each) for each in fields(Settings))
    yield "reference/settings.md", f"{_HEAD}\n\n{entries}\n"


def _entry(each: Field[object]) -> str:
    least = each.metadata["least"]
    allowed = _WORDS[str(each.type)] + ("" if least is None else f", at least {least:g}")
    written = _written(each.default)
    means = each.metadata["means"]
    variable = f"`{ENVIRONMENT}{each.name.upper()}`"
    rows = [(allowed, f"`{written}`", variable)]
    told = f"{means[0].upper()}{means[1:]}."
    toml = fence("toml", f"{each.name} = {written}")
    return (
        f"## {each.name}\n\n{told}\n\n{table(['allowed', 'default', 'variable'], rows)}\n\n{toml}"
    )


def _written(value: object) -> str:
    """A default as TOML has it."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value)


_HEAD = """\
# Settings of a collector

From a TOML file (`sottovoce serve --config collector.toml`), from the environment, and from arguments of
[`sottovoce serve`](commands/serve.md); later ones win.
What limits of uploads and rates are for is told in [HTTP](http.md#settings).

```pycon
>>> from sottovoce.service.settings import load_settings
>>> load_settings(environment={"SOTTOVOCE_RATE": "500"}, port=8001).rate
500.0

```

A name that is no setting is refused, and so is a value of another kind or below the least:

```pycon
>>> load_settings(environment={"SOTTOVOCE_QUEUE": "0"})
Traceback (most recent call last):
...
sottovoce.base.errors.InvalidInput: queue of the collector must be a whole number of at least 1; got 0

```"""
