"""The OpenAPI document says what the collector does: all of it, and no more."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from sottovoce import __version__, service
from sottovoce.service.app import Collector, collector
from sottovoce.service.auth.keys import Keys
from sottovoce.service.openapi import SCHEMAS, openapi_document
from sottovoce.service.refusals import CODES
from sottovoce.service.routes import ROUTES
from sottovoce.service.settings import Settings
from sottovoce.store import open_store


def test_openapi_lists_exactly_the_routes(tmp_path):
    document = openapi_document(ROUTES, __version__)
    listed = {(m.upper(), path) for path, found in document["paths"].items() for m in found}
    assert listed == {(route.method, route.path) for route in ROUTES}
    with open_store(str(tmp_path / "collector.db")) as store:
        app = collector(store, Settings(), keys=Keys(bytes(32)))
        assert isinstance(app, Collector)
        served = {(m, route.path) for route in app.routes for m in route.methods - {"HEAD"}}
    assert served == listed


def test_openapi_holds_together():
    document = openapi_document(ROUTES, __version__)
    text = str(document)
    used = set(re.findall(r"#/components/schemas/(\w+)", text))
    assert used <= set(SCHEMAS)
    for path, found in document["paths"].items():
        inside = set(re.findall(r"{(\w+)}", path))
        for operation in found.values():
            named = {p["name"] for p in operation["parameters"] if p["in"] == "path"}
            assert named == inside
            assert set(operation["responses"]) & {"200", "201", "303"}
            assert len(operation["responses"]) > 1
    operations = [o["operationId"] for found in document["paths"].values() for o in found.values()]
    assert len(set(operations)) == len(operations)


def test_routes_refuse_with_known_codes():
    for route in ROUTES:
        assert set(route.codes) <= set(CODES)


def test_the_room_has_a_face_and_says_what_to_install():
    assert {"collector", "Settings", "load_settings"} == set(service.__all__)
    for name in service.__all__:
        assert getattr(service, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'telepathy'"):
        _ = service.telepathy
    code = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("starlette", "uvicorn"):
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
try:
    from sottovoce.service import collector
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install '.[service]'" in done.stdout
