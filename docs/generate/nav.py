"""A hook of mkdocs: an entry of ``nav`` that is a folder stands for all its pages.

mkdocs loads this file by its path (``hooks`` in mkdocs.yml), so it imports nothing of the package.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["expanded", "on_config"]


def on_config(config: Any) -> Any:
    """Called by mkdocs once its settings are read."""
    config["nav"] = expanded(config["nav"], Path(config["docs_dir"]))
    return config


def expanded(entries: list[Any], docs: Path) -> list[Any]:
    """The same entries, with every folder replaced by its pages.

    They come in the order in which the page listed before the folder names them, then by name.
    """
    found: list[Any] = []
    for entry in entries:
        if isinstance(entry, str) and entry.endswith("/"):
            (overview,) = found[-1].values()
            told = (docs / overview).read_text(encoding="utf-8")
            found += [path.relative_to(docs).as_posix() for path in _in_order(docs / entry, told)]
        elif isinstance(entry, dict):
            found.append(
                {k: expanded(v, docs) if isinstance(v, list) else v for k, v in entry.items()}
            )
        else:
            found.append(entry)
    return found


def _in_order(folder: Path, told: str) -> list[Path]:
    def place(path: Path) -> tuple[int, str]:
        found = told.find(f"({folder.name}/{path.name}")
        return (found if found >= 0 else len(told)), path.name

    return sorted(folder.glob("*.md"), key=place)
