"""Write ``docs/reference/command-line.md`` from the commands themselves, as their ``--help`` does.

``make docs`` runs it; a test fails where the page is not what this would write.
The page is made from the options, not from the drawn help, so that it does not
change with the width of a terminal or the version of a library.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from sottovoce.cli.app import app
from sottovoce.cli.exits import EXIT_CODES

PAGE = Path(__file__).parent / "reference" / "command-line.md"

_HEAD = """\
# Command line

*This page is generated from the commands; `sottovoce COMMAND --help` says the same.* A worked
example is in [use the command line](../how-to/command-line.md); the same in Python is in the
[first survey](../tutorials/first-survey.md).

Install it with `pip install 'sottovoce[cli,analyse]'`. The commands follow the way of the data:

```text
methods, plan     what to choose           audit       does it keep its promise?
randomize         values to reports        bench       speed and error beside others
tally             reports to counts        reproduce   a paper's claims, run again
estimate          counts to answers        demo        the whole way, simulated
fuse              several services to one answer
survey            what is asked, as a file
```

Those of a [collector](../how-to/run-a-collector.md), in the order they are needed:

```text
serve             take reports over HTTP   send        values to reports to a collector
keys              the keys of its roles    answers     what the reports say
publish           a survey to a collector  export      the reports as a file
tokens            let a person or relay in backup      a checked copy of the store
```

## In common

* **Results are on standard output**, all else on the error stream. With `--json` the result is one
  JSON document; a number that JSON has no word for is `null`.
* **A file is written whole or not at all**, and one that exists is replaced only with `--force`
  (`demo` and `reproduce` replace what they wrote before).
* **`-` is a pipe.** Reports travel as an Arrow stream, a tally as its bytes; a stream that breaks off is
  refused. Values come as CSV.
* **Files are known by their first bytes**: Parquet, Arrow streams, [tallies](formats.md#a-tally). Anything
  else given to `randomize` is CSV: UTF-8, commas, a header.
* **Rows count from 1**, the header apart. An error names the row and the value: on a machine that sees real
  values, mind where the error stream goes.
* **Progress** is drawn where the error stream is a terminal.

## Exit codes

| code | means | |
|---:|---|---|
"""

_FOLDER = """\
**A folder of tallies** holds a `.svt` file for every group, usable by itself, and `index.json`:

```json
{"kind": "sottovoce tallies", "version": 1, "by": "country",
 "groups": [{"group": "it", "file": "0001-it.svt", "n": 1200}]}
```

Groups are in order of name, at most 1,000. Without `--by`, a folder given as input counts as the sum of its
groups; with `--by`, folders and reports merge group by group.
"""

_MORE = {"tally": _FOLDER}


def page() -> str:
    """The whole page."""
    codes = "".join(f"| {code} | {few} | {more} |\n" for code, (few, more) in EXIT_CODES.items())
    commands = _leaves(typer.main.get_command(app))
    return _HEAD + codes + "".join(_section(name, command) for name, command in commands)


def _leaves(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Every command, those of a group after its name."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _leaves(command, f"{before}{name} ")
        else:
            yield before + name, command


def _section(name: str, command: Any) -> str:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and p.name != "help"]
    required = " ".join(f"{_longest(p)} {p.metavar}" for p in options if p.required)
    usage = " ".join(filter(None, ["sottovoce", name, *(p.metavar for p in arguments), required]))
    more = " [OPTIONS]" if any(not p.required for p in options) else ""
    parts = [f"\n## {name}\n", f"```text\n{usage}{more}\n```\n", _text(command.help)]
    if name in _MORE:
        parts.append(_MORE[name])
    if arguments:
        parts.append(_table("argument", [(p.metavar, p.help) for p in arguments]))
    for panel in dict.fromkeys(p.rich_help_panel for p in options):
        rows = [(_names(p), _told(p)) for p in options if p.rich_help_panel == panel]
        parts.append(_table(panel or "option", rows))
    return "\n".join(parts)


def _longest(option: Any) -> str:
    return str(max(option.opts, key=len))


def _names(option: Any) -> str:
    names = ", ".join(sorted(option.opts, key=len, reverse=True))
    return names if option.is_flag or not option.metavar else f"{names} {option.metavar}"


def _told(option: Any) -> str:
    if option.required:
        return f"{option.help} **Required.**"
    default = option.default
    if option.is_flag or default is None or callable(default) or default in ((), []):
        return str(option.help)
    return f"{option.help} Default: `{default}`."


def _table(head: str, rows: list[tuple[str, str]]) -> str:
    lines = [f"| {head} | |", "|---|---|", *(f"| `{name}` | {text} |" for name, text in rows)]
    return "\n".join(lines) + "\n"


def _text(help_: str) -> str:
    paragraphs = help_.strip().split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
