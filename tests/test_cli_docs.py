"""The pages about the command line: the reference is what the commands say, the examples run."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sottovoce.cli.app import COMMANDS
from sottovoce.cli.exits import EXIT_CODES

DOCS = Path(__file__).parent.parent / "docs"
GUIDE = DOCS / "how-to" / "command-line.md"
BLOCK = re.compile(r"^```sh\n(.*?)^```\n(?:\n^```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def test_the_reference_is_up_to_date():
    spec = importlib.util.spec_from_file_location("generate_cli", DOCS / "generate_cli.py")
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    written = generator.PAGE.read_text(encoding="utf-8")
    assert written == generator.page(), "run `make docs`, or python docs/generate_cli.py"


def test_every_command_and_exit_code_is_in_the_reference():
    reference = (DOCS / "reference" / "command-line.md").read_text(encoding="utf-8")
    for command in COMMANDS:
        assert f"\n## {command.__name__}\n" in reference
    for code in EXIT_CODES:
        assert f"\n| {code} |" in reference


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix" or not shutil.which("awk"), reason="needs a Unix shell")
def test_the_examples_of_the_guide_run(tmp_path):
    script = tmp_path / "bin" / "sottovoce"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sottovoce.cli "$@"\n')
    script.chmod(0o755)
    environment = {**os.environ, "PATH": f"{script.parent}{os.pathsep}{os.environ['PATH']}"}
    folder = tmp_path / "work"
    folder.mkdir()
    blocks = BLOCK.findall(GUIDE.read_text(encoding="utf-8"))
    assert len(blocks) >= 10
    for commands, expected in blocks:
        done = subprocess.run(
            ["/bin/bash", "-e", "-o", "pipefail", "-c", commands], cwd=folder, env=environment,
            capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, f"{commands}\n{done.stderr}"
        if expected:
            assert done.stdout == expected, commands
