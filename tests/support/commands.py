"""Commands run in this process, and collectors to run them against: a small one and a real one."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from typer.testing import CliRunner

from sottovoce.cli.app import app
from sottovoce.service.upload.reading import decode_upload
from support.devices import log_of, log_page


def run(*arguments, code=0, stdin=None):
    result = CliRunner().invoke(app, [str(a) for a in arguments], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def run_json(*arguments, code=0, **more):
    return json.loads(run(*arguments, "--json", code=code, **more).stdout)


def refusal(*arguments, **more):
    """The one line that says what is wrong."""
    return run(*arguments, code=2, **more).stderr


class Small:
    """A collector in a thread: it knows ids, and answers as told, then as a right one does."""

    def __init__(self, survey) -> None:
        self.survey, self.answers, self.bodies, self.reports, self.headers = survey, [], [], {}, []
        small = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                small.bodies.append(body)
                small.headers.append(dict(self.headers))
                answer = small.answers.pop(0) if small.answers else None
                status, headers, document = answer or (200, {}, None)
                if status is None:  # hang up without a word
                    self.close_connection = True
                    return
                told = small.take(body) if document is None else document
                data = json.dumps(told).encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def do_GET(self):
                """What is asked before sending: the survey is open, and in the log.  It knows no other."""
                if not self.path.startswith("/log") and not self.path.endswith("/about"):
                    self.send_error(501)  # in HTML
                    return
                told = {"upload": "open", "closed": False}
                if self.path.startswith("/log"):
                    told = log_page(log_of([small.survey]), int(self.path.partition("=")[2]))
                data = json.dumps(told).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def take(self, body):
        found = decode_upload(body, self.survey)
        fresh = [number for number in found.ids if number not in self.reports]
        for place, number in enumerate(found.ids):
            self.reports[number] = found.reports[place : place + 1]
        return {"stored": len(fresh), "duplicates": len(found.ids) - len(fresh)}


@contextmanager
def small_collector(survey):
    made = Small(survey)
    threading.Thread(target=made.server.serve_forever, args=(0.02,), daemon=True).start()
    yield made
    made.server.shutdown()
    made.server.server_close()


class Real:
    """A collector of its own process, on a free port, in a folder."""

    def __init__(self, folder, *options) -> None:
        self.folder = folder
        command = [
            sys.executable,
            "-m",
            "sottovoce.cli",
            "serve",
            "--port",
            "0",
            "--json",
            *options,
        ]
        self.process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.told = self._read()

    def _read(self):
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if line == "}\n":
                return json.loads("".join(lines))
        raise AssertionError(self.process.stderr.read())

    @property
    def url(self):
        return self.told["url"]

    def stop(self):
        """What it wrote to the error stream, after it ended as asked."""
        self.process.send_signal(signal.SIGTERM)
        _, errors = self.process.communicate(timeout=30)
        assert self.process.returncode == 0, errors
        return errors
