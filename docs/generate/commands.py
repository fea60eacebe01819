"""Pages of the command line: one a command, made from its options as its ``--help`` is.

Not from the drawn help, which changes with the width of a terminal and the version of a library.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from docs.generate.markdown import fence, table
from sottovoce.cli.app import app
from sottovoce.cli.shared.exits import EXIT_CODES

__all__ = ["command_pages", "commands"]


def commands() -> dict[str, Any]:
    """Every command by what is typed after ``sottovoce``."""
    return dict(_leaves(typer.main.get_command(app)))


def command_pages() -> Iterator[tuple[str, str]]:
    """Path and text of every page, and of the page that lists them."""
    found = commands()
    yield "reference/command-line.md", _overview(found)
    for name, command in found.items():
        yield f"reference/commands/{_stem(name)}.md", _page(name, command)


def _stem(name: str) -> str:
    return name.replace(" ", "-")


def _leaves(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Every command, those of a group after its name."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _leaves(command, f"{before}{name} ")
        else:
            yield before + name, command


def _overview(found: dict[str, Any]) -> str:
    rows = [
        (f"[{name}](commands/{_stem(name)}.md)", _paragraphs(command.help)[0])
        for name, command in found.items()
    ]
    codes = [(code, few, more) for code, (few, more) in EXIT_CODES.items()]
    parts = [
        _HEAD, table(["command", ""], rows), _COMMON, table(["code", "means", ""], codes),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _page(name: str, command: Any) -> str:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and p.name != "help"]
    required = " ".join(f"{_longest(p)} {p.metavar}" for p in options if p.required)
    usage = " ".join(filter(None, ["sottovoce", name, *(p.metavar for p in arguments), required]))
    more = " [OPTIONS]" if any(not p.required for p in options) else ""
    parts = [f"# sottovoce {name}", fence("text", usage + more), *_paragraphs(command.help)]
    if name in _MORE:
        parts.append(_MORE[name])
    if arguments:
        parts.append(table(["argument", ""], [(f"`{p.metavar}`", p.help) for p in arguments]))
    for panel in dict.fromkeys(p.rich_help_panel for p in options):
        rows = [(f"`{_names(p)}`", _told(p)) for p in options if p.rich_help_panel == panel]
        parts.append(table([panel or "option", ""], rows))
    parts.append(_FOOT)
    return "\n\n".join(parts) + "\n"


def _longest(option: Any) -> str:
    return str(max(option.opts, key=len))


def _names(option: Any) -> str:
    names = ", ".join(sorted(option.opts, key=len, reverse=True))
    return names if option.is_flag or not option.metavar else f"{names} {option.metavar}"


def _told(option: Any) -> str:
    if option.required:
        return f"{option.help} **Required.**"
    default = option.default
    if option.is_flag or default is None or callable(default) or default in ((), [], ""):
        return str(option.help)
    return f"{option.help} Default: `{default}`."


def _paragraphs(help_: str) -> list[str]:
    return [" ".join(paragraph.split()) for paragraph in help_.strip().split("\n\n")]


_FOOT = "[All commands](../command-line.md), with what they have in common and their exit codes."

_HEAD = """\
# Command line

*Generated from the commands; `sottovoce COMMAND --help` says the same.* A worked
example is in [use the command line](../how-to/command-line.md); the same in Python is in the
[first survey](../tutorials/first-survey.md). Install it with `pip install '.[cli,analyse]'` in a clone of the repository.

## Commands

In the order of the way of the data. From `serve` to `backup` they are those of a [collector](../how-to/run-a-collector.md)."""

_COMMON = """\
## In common

* **Results are on standard output**, all else on the error stream. With `--json` the result is one
  JSON document; a number that JSON has no word for is `null`.
* **A file is written whole or not at all**, and one that exists is replaced only with `--force`
  (`reproduce` replaces what it wrote before).
* **`-` is a pipe.** Reports travel as an Arrow stream, a tally as its bytes; a stream that breaks off is
  refused. Values come as CSV.
* **Files are known by their first bytes**: Parquet, Arrow streams, [tallies](formats.md#a-tally). Anything
  else given to `randomize` is CSV: UTF-8, commas, a header.
* **Rows count from 1**, the header apart. An error names the row and the value: on a machine that sees real
  values, mind where the error stream goes.
* **Progress** is drawn where the error stream is a terminal.

## Exit codes"""

_FOLDER = """\
**A folder of tallies** holds a `.svt` file for every group, usable by itself, and `index.json`:

```json
{"kind": "sottovoce tallies", "version": 1, "by": "country",
 "groups": [{"group": "it", "file": "0001-it.svt", "n": 1200}]}
```

Groups are in order of name, at most 1,000. Without `--by`, a folder given as input counts as the sum of its
groups; with `--by`, folders and reports merge group by group."""

_MORE = {"tally": _FOLDER}
