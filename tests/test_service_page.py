"""The page of HTTP and the OpenAPI document say what the collector does: all of it, and no more."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from sottovoce import __version__, service
from sottovoce.questions import QUESTIONS
from sottovoce.service.access import Keys
from sottovoce.service.app import Collector, collector
from sottovoce.service.counters import Counters, metrics_text
from sottovoce.service.openapi import SCHEMAS, openapi_document
from sottovoce.service.refusals import CODES, OTHERS
from sottovoce.service.routes import ROUTES
from sottovoce.service.settings import Settings
from sottovoce.store import Counts, open_store

PAGE = (Path(__file__).parent.parent / "docs" / "reference" / "http.md").read_text()
ROWS = [tuple(cell.strip() for cell in line.split("|")[1:-1]) for line in PAGE.splitlines() if line.startswith("|")]  # fmt: skip


def table(first: str) -> dict[str, tuple[str, ...]]:
    """The rows of the table whose first head is so, by their first cell without quotes."""
    start = next(place for place, row in enumerate(ROWS) if row[0] == first)
    found = {}
    for row in ROWS[start + 2 :]:
        if not row[0].startswith("`"):
            break
        found[row[0].strip("`")] = row[1:]
    return found


def test_every_route_is_on_the_page():
    told = table("route")
    assert told == {
        f"{route.method} {route.path}": (route.role or "anybody", route.means) for route in ROUTES
    }


def test_every_setting_is_on_the_page_with_its_default():
    told = {}
    for each in fields(Settings):
        default = each.default
        text = f'"{default}"' if isinstance(default, str) else f"{default:g}"
        whole = str(default) if isinstance(default, int) else text
        told[each.name] = (f"`{whole}`", each.metadata["means"])
    assert table("setting") == told


def test_every_code_is_on_the_page_or_the_wires():
    assert table("code") == {c: (str(told.status), told.meaning) for c, told in OTHERS.items()}
    wire = (Path(__file__).parent.parent / "docs" / "reference" / "wire.md").read_text()
    for code in set(CODES) - set(OTHERS):
        assert f"| `{code}` | {CODES[code].status} |" in wire


def test_every_question_and_metric_is_on_the_page():
    assert table("question") == {name: (means,) for name, means in QUESTIONS.items()}
    gauges = dict.fromkeys(("surveys", "uploads_waiting", "bytes_taken", "ready"), ("", 0.0))
    text = metrics_text(Counters(), Counts(0, 0, {}, 0, 0), gauges)
    names = re.findall(r"# TYPE (\S+)", text)
    assert names
    assert [name for name in names if f"`{name}`" not in PAGE] == []


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
            assert set(operation["responses"]) > {"200"} or "201" in operation["responses"]
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
    assert "pip install 'sottovoce[service]'" in done.stdout
