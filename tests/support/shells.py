"""Shell blocks of pages: run as a reader would, in an empty folder, with our command on the path."""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from support.pages import Block

ADDRESS = "127.0.0.1:8000"
"""Where a collector listens unless told otherwise; pages name it."""

_NUMBER = re.compile(r"-?\d[\d,]*\.?\d*(?:e-?\d+)?%?")
_SECONDS = 240


def calls(text: str) -> list[list[str]]:
    """The words after every call of ``sottovoce`` in a shell text.

    >>> calls("sudo -u me /opt/bin/sottovoce keys --json | cat")
    [['keys', '--json']]
    """
    plain = re.sub(r"(?m)(^|\s)#.*$", "", text.replace("\\\n", " "))
    reader = shlex.shlex(plain, posix=True, punctuation_chars="();<>|&\n")
    reader.whitespace, reader.whitespace_split, reader.commenters = " \t", True, ""
    simple: list[list[str]] = [[]]
    for word in reader:
        if set(word) <= set("();|&\n"):
            simple.append([])
        else:
            simple[-1].append(word)
    return [found for words in simple if (found := _after_ours(words))]


def _after_ours(words: list[str]) -> list[str]:
    """What follows our command, at the start or after ``sudo`` and ``docker exec``."""
    if words[:1] == ["sudo"]:
        fits = [word.endswith("/bin/sottovoce") for word in words]
    elif words[:1] == ["docker"]:
        fits = ["exec" in words and word == "sottovoce" for word in words]
    else:
        fits = [i == 0 and word.rpartition("/")[2] == "sottovoce" for i, word in enumerate(words)]
    return words[fits.index(True) + 1 :] if True in fits else []


def parses(text: str) -> str:
    """What a shell says against a text; empty where nothing."""
    done = subprocess.run(
        ["/bin/bash", "-n"], input=text, capture_output=True, text=True, check=False
    )
    return done.stderr


@dataclass(frozen=True)
class Said:
    """What a block wrote to its output, and all that it wrote."""

    output: str
    everything: str


def run_blocks(blocks: list[Block], folder: Path) -> list[Said]:
    """Run blocks one after the other in one shell; what each said.

    A block that starts a collector in the background is followed by waiting until it listens.
    Whatever still runs at the end is ended.
    """
    port = _free_port()
    environment = _environment(folder, port)
    here = folder / "work"
    wait = f"until (exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null; do sleep 0.1; done\n"
    script = [
        "trap 'code=$?; kill $(jobs -p) 2>/dev/null || true; wait || true; exit $code' EXIT\n"
    ]
    for number, block in enumerate(blocks):
        told = folder / f"said-{number}"
        text = block.text.replace(ADDRESS, f"127.0.0.1:{port}")
        script.append(f"exec >{told}.out 2>{told}.err\n{text}\n")
        if re.search(r"sottovoce serve\b.*&\s*$", text, re.MULTILINE):
            script.append(wait)
    _run("".join(script), here, environment, folder)
    found = []
    for number in range(len(blocks)):
        parts = [(folder / f"said-{number}.{kind}").read_text() for kind in ("out", "err")]
        plain = [part.replace(f"127.0.0.1:{port}", ADDRESS) for part in parts]
        found.append(Said(plain[0], "".join(plain)))
    return found


def _run(script: str, here: Path, environment: dict[str, str], folder: Path) -> None:
    command = ["/bin/bash", "-e", "-o", "pipefail", "-c", script]
    shell = subprocess.Popen(command, cwd=here, env=environment, start_new_session=True)
    try:
        code = shell.wait(timeout=_SECONDS)
    finally:
        if shell.poll() is None:
            os.killpg(shell.pid, signal.SIGKILL)
    told = sorted(folder.glob("said-*"), key=lambda path: path.stat().st_mtime)
    last = "".join(path.read_text(errors="replace") for path in told[-2:])
    assert code == 0, f"block {len(told) // 2} ended with {code}\n{last}"


def _environment(folder: Path, port: int) -> dict[str, str]:
    script = folder / "bin" / "sottovoce"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sottovoce.cli "$@"\n')
    script.chmod(0o755)
    (folder / "bin" / "python").symlink_to(sys.executable)
    (folder / "work").mkdir(exist_ok=True)
    return {
        **os.environ,
        "PATH": f"{script.parent}{os.pathsep}{os.environ['PATH']}",
        "SOTTOVOCE_PORT": str(port),
        "SOTTOVOCE_URL": f"http://127.0.0.1:{port}",
        "OPENBLAS_NUM_THREADS": "1",
        "COLUMNS": "160",
    }


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def blurred(text: str) -> list[str]:
    """The lines of an output without what noise changes: numbers, and how they are aligned."""
    return [" ".join(_NUMBER.sub("#", line).split()) for line in text.splitlines() if line.strip()]
