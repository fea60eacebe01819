"""Shows that the vectors kill wrong clients: ``python -m vectors.mutate [--again] [module ...]``.

Every mutant of the independent implementation (``tests/independent``) runs all vectors in a process of
its own, until the first that fails; of files that never run the function, none can.  Those that fail none are survivors: they are printed, and written
to ``survivors.txt`` in the working directory.  ``--again`` tries those of that file only.
``SURVIVORS.md`` says of every survivor why nobody could tell it apart.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import json
import math
import os
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from vectors.mutants import Mutant, mutants_of

__all__ = ["Coverage", "covered", "explained", "killed", "mutants", "vectors"]

FOLDER = Path(__file__).parent
INDEPENDENT = FOLDER.parent / "tests" / "independent"
MEMORY = 2**31
NOT_MUTATED = ("__init__", "golden")


def vectors() -> dict[str, Any]:
    """All vectors, by the name of their file."""
    return {
        path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))
    }


def mutants(*modules: str) -> Iterator[Mutant]:
    """Those of some modules, or of all."""
    for path in sorted(INDEPENDENT.glob("*.py")):
        if path.stem not in NOT_MUTATED and (not modules or path.stem in modules):
            yield from mutants_of(path.stem, path.read_text(encoding="utf-8"))


class _Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the mutant in the place of its module."""

    def __init__(self, mutant: Mutant) -> None:
        self.name, self.tree = f"independent.{mutant.module}", mutant.tree()

    def find_spec(self, name: str, path: object, target: object = None) -> Any:
        return importlib.util.spec_from_loader(name, self) if name == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        code: CodeType = compile(self.tree, self.name, "exec")
        exec(code, module.__dict__)  # noqa: S102  (a mutant of our own code)


@dataclass(frozen=True)
class Coverage:
    """For every function the files whose vectors run it; for every file what it takes, in seconds."""

    users: dict[str, list[str]]
    costs: dict[str, float]

    def files(self, mutant: Mutant) -> list[str]:
        """The files that can tell a mutant, cheapest first; a change outside of functions: all."""
        names = self.costs if mutant.at_import else self.users.get(mutant.owner, [])
        return sorted(names, key=lambda name: self.costs[name])

    def seconds(self, files: list[str]) -> int:
        """Time of one processor for a mutant: what is beyond is a loop without end."""
        return 2 + math.ceil(2 * sum(self.costs[name] for name in files))


def covered(told: dict[str, Any]) -> Coverage:
    """Run all vectors once with the right implementation, and note which functions are called."""
    sys.path.insert(0, str(INDEPENDENT.parent))
    from independent.golden import failures

    costs: dict[str, float] = {}
    users: dict[str, list[str]] = defaultdict(list)
    for name in told:
        called: set[CodeType] = set()

        def note(frame: Any, event: str, _: object, called: set[CodeType] = called) -> None:
            called.add(frame.f_code)

        started = time.process_time()
        wrong = next(failures(told, name), None)
        costs[name] = time.process_time() - started
        assert wrong is None, wrong
        sys.setprofile(note)
        list(failures(told, name))
        sys.setprofile(None)
        for owner in {f"{Path(c.co_filename).stem}.{c.co_qualname.split('.<')[0]}" for c in called}:
            users[owner].append(name)
    return Coverage(users, costs)


def killed(mutant: Mutant, told: dict[str, Any], coverage: Coverage) -> bool:
    """Whether some vector fails; a mutant that goes on for ever, or takes all memory, is killed too."""
    files = coverage.files(mutant)
    child = os.fork()
    if child == 0:
        os._exit(_survives(mutant, told, files, coverage.seconds(files)))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 1


def _survives(mutant: Mutant, told: dict[str, Any], files: list[str], seconds: int) -> int:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for name in [name for name in sys.modules if name.split(".")[0] == "independent"]:
        del sys.modules[name]
    sys.meta_path.insert(0, _Mutated(mutant))
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123
    try:
        from independent.golden import failures

        return 0 if files and next(failures(told, *files), None) else 1
    except BaseException:
        return 0


def explained() -> set[str]:
    """Survivors of which SURVIVORS.md says why."""
    lines = (FOLDER / "SURVIVORS.md").read_text(encoding="utf-8").splitlines()
    return {line.split(" | ")[0].removeprefix("| ") for line in lines if " -> " in line}


def main() -> None:
    """Try all mutants asked for and write down those that survive."""
    listed = Path("survivors.txt")
    names = [name for name in sys.argv[1:] if name != "--again"]
    again = set(listed.read_text("utf-8").splitlines()) if "--again" in sys.argv else None
    told, tried, survivors = vectors(), 0, []
    coverage = covered(told)
    for mutant in mutants(*names):
        if again is None or mutant.name in again:
            tried += 1
            if not killed(mutant, told, coverage):
                survivors.append(mutant.name)
                print(mutant.name, flush=True)
    listed.write_text("".join(f"{name}\n" for name in survivors), encoding="utf-8")
    print(
        f"{tried} mutants, {len(survivors)} survive, {len(set(survivors) - explained())} unexplained"
    )


if __name__ == "__main__":
    main()
