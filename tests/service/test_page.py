"""The OpenAPI document says what the collector does: all of it, and no more."""

from __future__ import annotations

import re
import subprocess
import sys

import msgspec
import pytest

import sottovoce as sv
from sottovoce import __version__, service
from sottovoce.base.errors import InvalidInput
from sottovoce.service import documents
from sottovoce.service.app import Collector, collector
from sottovoce.service.auth.keys import Keys
from sottovoce.service.documents import Publication, TokensWanted
from sottovoce.service.openapi import openapi_document
from sottovoce.service.refusals import CODES
from sottovoce.service.routes import ROUTES
from sottovoce.service.schemas import read_as
from sottovoce.service.settings import Settings
from sottovoce.store import open_store
from sottovoce.wire.uploads import VERSION, Upload, encode_upload


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
    assert used <= set(document["components"]["schemas"])
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


@pytest.mark.parametrize(
    ("kind", "document", "message"),
    [
        (
            Publication,
            {},
            "body of a request must be an object of `survey`, `rules`, `publisher`, `signature`; got []",
        ),
        (
            Publication,
            [],
            "body of a request must be an object of `survey`, `rules`, `publisher`, `signature`; got []",
        ),
        (
            Publication,
            {"survey": {}, "rules": {"x": 1}},
            "rules of a request must be an object of `upload`, `retention`, `scrub`; got ['x']",
        ),
        (
            Publication,
            {"survey": {}, "rules": {"upload": "all"}},
            "rules.upload of a request must be `open` or `tokens`; got 'all'",
        ),
        (
            Publication,
            {"survey": {}, "rules": {"retention": -1}},
            "rules.retention of a request must be a whole number from 0 to 36500 or null; got -1",
        ),
        (
            TokensWanted,
            {"count": True},
            "count of a request must be a whole number from 1 to 10000; got True",
        ),
        (
            TokensWanted,
            {"n": 1},
            "body of a request must be an object of `count`, `allowance`; got ['n']",
        ),
    ],
)
def test_a_request_that_does_not_fit_is_refused_with_what_is_allowed(kind, document, message):
    with pytest.raises(InvalidInput) as error:
        read_as(kind, document)
    assert str(error.value) == message


def test_the_schema_of_uploads_is_that_of_the_wire():
    """What the wire writes as JSON has the fields, the order and the version of the schema."""
    survey = sv.Survey("pets", "Any?", sv.mechanism("grr", sv.Categories(["cat", "dog"]), 1.0))
    reports = survey.mechanism.randomize(["cat", "dog"])
    upload = Upload.of(survey, "", [bytes(16), bytes([1] * 16)], reports)
    data = encode_upload(upload, "json")
    assert msgspec.json.encode(msgspec.json.decode(data, type=documents.Upload)) == data
    schemas = openapi_document(ROUTES, __version__)["components"]["schemas"]
    assert schemas["Upload"]["properties"]["version"]["const"] == VERSION


def test_every_document_of_a_route_is_a_component():
    schemas = openapi_document(ROUTES, __version__)["components"]["schemas"]
    free = {documents.Survey, documents.OpenApi}
    kinds = {kind for route in ROUTES for kind in (route.takes, route.gives)} - {None} - free
    assert {kind.__name__ for kind in kinds if not isinstance(kind, str)} <= set(schemas)
