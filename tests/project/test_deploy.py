"""What deploys a collector names only what there is."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from sottovoce.cli.app import COMMANDS
from sottovoce.service.routes import ROUTES
from sottovoce.service.settings import Settings, load_settings

ROOT = Path(__file__).parents[2]
DEPLOY, GUIDES = ROOT / "deploy", ROOT / "docs" / "how-to"
CLIENT = {"SOTTOVOCE_URL"}
"""Variables of the commands that ask a collector."""

PAGES = [
    GUIDES / f"{name}.md" for name in ("run-a-collector", "issue-tokens", "back-up-and-restore")
]


def test_every_variable_is_a_setting():
    known = {f"SOTTOVOCE_{each.name.upper()}" for each in fields(Settings)} | CLIENT
    texts = [path.read_text() for path in (*DEPLOY.iterdir(), *GUIDES.glob("*.md"))]
    named = {name for text in texts for name in re.findall(r"SOTTOVOCE_[A-Z_]*[A-Z]\b", text)}
    assert "SOTTOVOCE_STORE" in named
    assert named <= known | {"SOTTOVOCE_DATA"}


def test_the_settings_file_is_taken():
    told = tomllib.loads((DEPLOY / "collector.toml").read_text())
    loaded = load_settings(DEPLOY / "collector.toml", environment={})
    assert {name: getattr(loaded, name) for name in told} == told
    assert loaded.host == "127.0.0.1"


def test_every_command_is_a_command():
    known = {command.__name__ for command in COMMANDS}
    known |= {"survey", "publisher", "log", "device"}
    paths = [DEPLOY / "sottovoce.service", *PAGES, GUIDES / "deploy.md", GUIDES / "upgrade.md"]
    for path in paths:
        code = re.findall(r"^```(?:sh|text)\n(.*?)^```", path.read_text(), re.M | re.S)
        lines = "\n".join(code) if path.suffix == ".md" else path.read_text()
        called = re.findall(r"(?:^|[|/ ])sottovoce ([a-z]+) ", lines, re.MULTILINE)
        assert called, path
        assert set(called) <= known | {"knows"}, path


def test_the_proxy_says_nothing_about_requests():
    told = (DEPLOY / "nginx.conf").read_text()
    plain = re.sub(r"#.*", "", told)
    assert re.findall(r"access_log (\S+);", plain) == ["off"]
    assert re.findall(r"error_log (.*);", plain) == ["stderr emerg"]
    assert not re.search(r"log_format|\$remote_addr|\$http_user_agent", plain)
    for header in ("X-Forwarded-For", "X-Real-IP", "User-Agent"):
        assert f'proxy_set_header {header} "";' in plain
    most = re.findall(r"client_max_body_size (\d+)m;", plain)
    assert all(int(size) * 2**20 > Settings().body_bytes for size in most)


def test_the_proxy_limits_every_path():
    """Limits of the server hold in its locations unless one of them has its own."""
    plain = re.sub(r"#.*", "", (DEPLOY / "nginx.conf").read_text())
    server = plain[plain.index("listen 443") :]
    outside = re.sub(r"location [^{]*{[^}]*}", "", server)
    assert "limit_req zone=senders" in outside and "limit_conn connections" in outside
    assert "limit_" not in "".join(re.findall(r"location [^{]*{[^}]*}", server))
    assert not re.search(r"\bhttp2 on;", plain), "nginx 1.22 does not know it"


def test_names_and_probes_are_those_of_the_collector():
    paths = {route.path for route in ROUTES}
    for name in ("Dockerfile", "compose.yaml", "nginx.conf", "sottovoce.service"):
        for path in re.findall(r"/health[/a-z]*", (DEPLOY / name).read_text()):
            assert path in paths, name
    assert "/health/ready" in (DEPLOY / "Dockerfile").read_text()
    named = re.search(r"server_name (\S+);", (DEPLOY / "nginx.conf").read_text())[1]
    assert load_settings(DEPLOY / "collector.toml", environment={}).hosts == named
    assert f"SOTTOVOCE_HOSTS: {named}\n" in (DEPLOY / "compose.yaml").read_text()
    page = ROOT / re.search(r"is in (docs/\S+\.md)", (DEPLOY / "collector.toml").read_text())[1]
    assert all(f"## {each.name}\n" in page.read_text() for each in fields(Settings))


def test_compose_and_image_agree():
    yaml = pytest.importorskip("yaml")
    told = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    services = told["services"]
    assert sorted(services) == ["collector", "database", "proxy"]
    assert (DEPLOY / services["collector"]["build"]["context"] / "pyproject.toml").is_file()
    assert (ROOT / services["collector"]["build"]["dockerfile"]).is_file()
    for service in services.values():
        for volume in service["volumes"]:
            name = volume.partition(":")[0]
            assert name in told["volumes"] or name.startswith("./")
        assert set(service["networks"]) <= set(told["networks"])
        assert set(service.get("depends_on", {})) <= set(services)
    assert "ports" not in services["collector"]
    assert told["networks"]["inside"]["internal"] is True
    image = (DEPLOY / "Dockerfile").read_text()
    upstream = re.search(r"server (\w+):(\d+);", (DEPLOY / "nginx.conf").read_text()).groups()
    assert upstream == ("collector", re.search(r"EXPOSE (\d+)", image)[1])
    assert re.search(r"^USER 10001", image, re.MULTILINE)
    for copied in re.findall(r"^COPY (?!--from)(.*) \S+$", image, re.MULTILINE):
        assert all((ROOT / name).exists() for name in copied.split())


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd-analyze")
def test_the_unit_is_valid(tmp_path):
    unit = (DEPLOY / "sottovoce.service").read_text()
    assert "/opt/sottovoce/bin/sottovoce serve" in unit
    here = tmp_path / "sottovoce.service"
    here.write_text(unit.replace("/opt/sottovoce/bin/sottovoce", sys.executable))
    command = [shutil.which("systemd-analyze"), "verify", here]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
