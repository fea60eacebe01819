"""``deploy/nginx.conf`` as it is, in the nginx of Debian, with TLS and a collector behind it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections import Counter
from pathlib import Path

import httpx
import pytest

from support.loading import colors, free_port, make, running

pytestmark = pytest.mark.slow

CONFIGURATION = Path(__file__).parents[2] / "deploy" / "nginx.conf"
HOST = "collector.example"


@pytest.fixture(scope="module")
def nginx():
    """The program, installed by apt-get where it is not there."""
    if shutil.which("nginx") is None:
        if os.geteuid() or shutil.which("apt-get") is None:
            pytest.skip("needs nginx, or root and apt-get to install it")
        for command in (["update"], ["install", "-y", "--no-install-recommends", "nginx-light"]):
            done = subprocess.run(["apt-get", *command], capture_output=True, check=False)  # noqa: S607
            if done.returncode:
                pytest.skip("apt-get could not install nginx")
    return shutil.which("nginx")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs openssl")
    folder = tmp_path_factory.mktemp("certificates")
    names = ["-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem"]
    command = [
        openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
        f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}", *names,
    ]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    return folder


class Proxy:
    """A running nginx, the collector behind it, and connections to both."""

    def __init__(self, collector, certificate, plain, encrypted):
        self.collector, self.plain, self.encrypted = collector, plain, encrypted
        self.context = ssl.create_default_context(cafile=certificate / "fullchain.pem")

    def client(self, **options):
        """Requests to the name of the collector, at the port of this test."""
        told = {"host": HOST, **options.pop("headers", {})}
        transport = httpx.HTTPTransport(verify=self.context)
        return httpx.Client(
            base_url=f"https://127.0.0.1:{self.encrypted}", headers=told, transport=transport,
            **options,
        )  # fmt: skip

    def request(self, http, method, path, **more):
        return http.request(method, path, extensions={"sni_hostname": HOST}, **more)


@pytest.fixture
def proxy(tmp_path, nginx, certificate):
    survey = colors()
    with running(tmp_path, survey, hosts=HOST) as collector:
        plain, encrypted = free_port(), free_port()
        text = CONFIGURATION.read_text()
        for pattern, instead in {
            r"listen \[::\].*;": "",  # a machine may be without IPv6
            r"listen 80 ": f"listen 127.0.0.1:{plain} ",
            r"listen 443 ": f"listen 127.0.0.1:{encrypted} ",
            r"/var/run/nginx.pid": str(tmp_path / "nginx.pid"),
            r"/etc/nginx/certificates": str(certificate),
            r"server collector:8000": f"server 127.0.0.1:{collector.address[1]}",
        }.items():
            text, count = re.subn(pattern, instead, text)
            assert count, f"{pattern} is not in nginx.conf"
        file = tmp_path / "nginx.conf"
        file.write_text(text)
        tried = subprocess.run(
            [nginx, "-t", "-c", file], capture_output=True, text=True, check=False
        )
        assert tried.returncode == 0, tried.stderr
        command = [nginx, "-c", file, "-g", "daemon off;"]
        with (tmp_path / "nginx.log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            wait_for(plain)
            yield Proxy(collector, certificate, plain, encrypted)
        finally:
            process.terminate()
            process.wait(20)
        assert (tmp_path / "nginx.log").read_text() == "", "nothing is written about requests"


def wait_for(port):
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("nginx does not listen")


UPLOAD = {"content-type": "application/msgpack"}


def test_uploads_pass_and_headers_are_right(proxy):
    survey = colors()
    with proxy.client() as http:
        for body in make(survey, 5).uploads():
            answer = proxy.request(http, "POST", "/reports", content=body, headers=UPLOAD)
            assert answer.json() == {"stored": 1, "duplicates": 0}
        assert answer.headers["strict-transport-security"] == "max-age=63072000"
        assert answer.headers["server"] == "nginx", "without a version"
        told = proxy.request(http, "GET", f"/surveys/{survey.fingerprint}")
        assert told.text == survey.to_json()
        assert proxy.request(http, "GET", "/health/ready").json()["ready"] is True
        assert proxy.request(http, "GET", "/metrics").status_code == 404
        key = {"key": proxy.collector.keys.of_role("read")}
        signed = proxy.request(http, "POST", "/sign-in", data=key)
        assert signed.status_code == 303
        assert "; secure" in signed.headers["set-cookie"].lower()
    assert proxy.collector.store.counts().stored == 5


def test_what_is_too_large_is_refused_by_the_collector_in_its_words(proxy):
    with proxy.client() as http:
        body = bytes(2**20 + 1)
        answer = proxy.request(http, "POST", "/reports", content=body, headers=UPLOAD)
        assert (answer.status_code, answer.json()["code"]) == (413, "too-large")
        answer = proxy.request(http, "POST", "/reports", content=bytes(3 * 2**20), headers=UPLOAD)
        assert answer.status_code == 413
        long = {f"x-{number}": "x" * 4000 for number in range(12)}
        answer = proxy.request(http, "GET", "/surveys", headers=long)
        assert answer.status_code in (400, 431)


def test_other_hosts_and_plain_http_are_refused(proxy):
    with proxy.client(headers={"host": "evil.example"}) as http:
        answer = proxy.request(http, "GET", "/surveys")
        assert (answer.status_code, answer.json()["code"]) == (421, "wrong-host")
    answer = httpx.get(f"http://127.0.0.1:{proxy.plain}/surveys")
    assert answer.status_code == 400
    assert "location" not in answer.headers


@pytest.mark.parametrize("path", ["/reports", "/surveys", "/calculator", "/health/live"])
def test_limits_bite_on_every_path(proxy, path):
    with proxy.client() as http:
        method = "POST" if path == "/reports" else "GET"
        statuses = Counter(
            proxy.request(http, method, path, headers=UPLOAD).status_code for _ in range(120)
        )
    assert statuses[429] >= 10, statuses
    assert sum(statuses.values()) - statuses[429] >= 40, "a burst is taken"


def test_http_2_is_spoken(proxy):
    proxy.context.set_alpn_protocols(["h2", "http/1.1"])
    with (
        socket.create_connection(("127.0.0.1", proxy.encrypted), timeout=5) as raw,
        proxy.context.wrap_socket(raw, server_hostname=HOST) as encrypted,
    ):
        assert encrypted.selected_alpn_protocol() == "h2"
        assert encrypted.version() in ("TLSv1.2", "TLSv1.3")
