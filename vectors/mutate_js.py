"""Shows that vectors and tests kill wrong clients in TypeScript: ``python -m vectors.mutate_js [file ...]``.

One token of one file of ``clients/js/dist`` is changed at a time: another comparison, another operator, a
constant one more or less, ``true`` for ``false``, ``min`` for ``max``.  Each mutant runs the tests of
``clients/js/test`` in a copy, those first that are likeliest to fail, until one does.  Texts and comments stay
as they are.  Survivors are printed with their line.  ``--sample 0.5`` tries half of the mutants, by a fixed
seed; ``--node`` should be 22.13 or newer, so that the ledger of Node is tested too.  By hand: an hour.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

__all__ = ["Mutant", "mutants_of"]

VECTORS = Path(__file__).parent
CLIENT = VECTORS.parent / "clients" / "js"
NOT_MUTATED = ("sottovoce.js", "index.js", "page.js", "testing.js")
"""The bundle is made of the others; the others are lists of names."""
SECONDS = 20
"""Of processor time for one file of tests: what takes longer goes on for ever."""

_OTHERS: dict[str, tuple[str, ...]] = {
    "===": ("!==",), "!==": ("===",), "<=": ("<",), "<": ("<=",), ">=": (">",), ">": (">=",),
    "+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "%": ("*",), "**": ("*",),
    "<<": (">>",), ">>": ("<<",), ">>>": ("<<",), "&": ("|",), "|": ("&",), "^": ("|",),
    "&&": ("||",), "||": ("&&",), "++": ("--",), "--": ("++",), "+=": ("-=",), "-=": ("+=",),
    "true": ("false",), "false": ("true",), "min": ("max",), "max": ("min",),
    "floor": ("ceil",), "ceil": ("floor",), "every": ("some",), "some": ("every",),
}  # fmt: skip
_TOKEN = re.compile(
    r"(?P<text>`(?:[^`\\]|\\.)*`|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|//[^\n]*|/\*.*?\*/"
    r"|(?<=[(,=:\[!&|?{};] )/(?![*/ ])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*"
    r"|(?<=[(!])/(?![*/ ])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*)"
    r"|(?P<number>(?<![\w.])(?:0x[0-9a-f]+|\d[\d_]*)n?\b(?!\.\d))"
    r"|(?P<word>\b(?:true|false|(?<=Math\.)(?:min|max|floor|ceil)|(?<=\.)(?:every|some))\b)"
    r"|(?P<sign>=>|===|!==|>>>|<<|>>|<=|>=|&&|\|\||\*\*|\+\+|--|\+=|-=|(?<= )[<>+\-*/%&|^](?= ))",
    re.S,
)


@dataclass(frozen=True)
class Mutant:
    """A file of ``dist`` with one token changed."""

    file: str
    line: int
    name: str
    source: str


def mutants_of(file: str, source: str) -> Iterator[Mutant]:
    """All mutants of a file."""
    for found in _TOKEN.finditer(source):
        token, start = found.group(), found.start()
        if found.lastgroup == "text":
            continue
        others = _numbers(token) if found.lastgroup == "number" else _OTHERS.get(token, ())
        line = source.count("\n", 0, start)
        for other in others:
            changed = source[:start] + other + source[found.end() :]
            name = f"{token} -> {other} in {source.splitlines()[line].strip()[:110]}"
            yield Mutant(file, line + 1, name, changed)


def _numbers(token: str) -> tuple[str, ...]:
    big, digits = token.endswith("n"), token.rstrip("n").replace("_", "")
    value = int(digits, 0)
    return tuple(f"({value + by})" if not big else f"({value + by}n)" for by in (1, -1))


def tests_for(file: str) -> list[str]:
    """All files of tests, those first that are about this file."""
    if file.startswith("device/"):
        first = ["budget", "ledgers", "sending", "explaining", "memory", "cohorts", "remembered"]
        first.sort(key=lambda name: name.rstrip("s") not in file)
    elif file.startswith("mechanisms/"):
        first = ["reports", "surveys"]
    else:
        first = ["values", "windows", "surveys", "reports", "uploads"]
    names = sorted(path.name.split(".")[0] for path in CLIENT.glob("test/*.test.js"))
    return [*first, *(name for name in names if name not in first)]


class Bench:
    """A copy of the client in a folder, in which one file at a time is changed."""

    def __init__(self, folder: Path, node: str) -> None:
        self.folder, self.node = folder, node
        for part in ("dist", "test", "src"):
            shutil.copytree(CLIENT / part, folder / part)
        shutil.copy(CLIENT / "package.json", folder)
        (folder / "node_modules").symlink_to(CLIENT / "node_modules")

    def passes(self, test: str) -> bool:
        """Whether a file of tests passes."""
        limited = f"ulimit -t {SECONDS}; exec timeout {100 * SECONDS} $0 $1"
        script = str(self.folder / "test" / f"{test}.test.js")
        done = subprocess.run(  # noqa: S603
            ["/bin/sh", "-c", limited, self.node, script],
            env={**os.environ, "SOTTOVOCE_VECTORS": str(VECTORS)},
            capture_output=True, check=False,
        )  # fmt: skip
        return done.returncode == 0

    def survives(self, mutant: Mutant) -> bool:
        """Whether all tests pass with a mutant."""
        path = self.folder / "dist" / mutant.file
        right = path.read_text(encoding="utf-8")
        path.write_text(mutant.source, encoding="utf-8")
        try:
            return all(self.passes(test) for test in tests_for(mutant.file))
        finally:
            path.write_text(right, encoding="utf-8")


def main() -> None:
    """Try the mutants, and print those that survive."""
    parser = argparse.ArgumentParser(prog="python -m vectors.mutate_js", description=__doc__)
    parser.add_argument("files", nargs="*", help="of dist, such as device/budget.js; all of them")
    parser.add_argument("--sample", type=float, default=1.0, help="the part of mutants to try")
    parser.add_argument("--node", default="node", help="the Node that runs the tests")
    options = parser.parse_args()
    dist = CLIENT / "dist"
    names = sorted(str(path.relative_to(dist)) for path in dist.rglob("*.js"))
    chosen = options.files or [name for name in names if name not in NOT_MUTATED]
    rng, counts = Random(20), Counter[str]()  # noqa: S311
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), options.node)
        assert all(map(bench.passes, tests_for(""))), "the tests fail without a mutant"
        for file in chosen:
            for mutant in mutants_of(file, (dist / file).read_text(encoding="utf-8")):
                if rng.random() >= options.sample:
                    continue
                survived = bench.survives(mutant)
                counts[file] += 1
                counts["survive"] += survived
                if survived:
                    print(f"{file}:{mutant.line}: {mutant.name}", flush=True)
            print(f"# {file}: {counts[file]} tried", flush=True)
    tried = counts.total() - counts["survive"]
    print(f"{tried} mutants, {tried - counts['survive']} killed, {counts['survive']} survive")


if __name__ == "__main__":
    main()
