"""One session of Spark for all tests of a run; skipped, with the reason, where there is none."""

from __future__ import annotations

import pytest

import sottovoce.spark as svs
from sottovoce.base.errors import MissingExtra, NoJava
from support.spark import SETTINGS


@pytest.fixture(scope="session")
def spark():
    pytest.importorskip("pyspark", reason="pyspark is not installed: make spark")
    try:
        session = svs.session(spark__master="local[2]", **SETTINGS)
    except (MissingExtra, NoJava) as error:
        pytest.skip(str(error))
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
