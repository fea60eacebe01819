"""Devices and a small collector, for tests of the client."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import sottovoce as sv
from sottovoce.device.client import Client
from sottovoce.device.sending import Patience

DRINKS = sv.Categories(["tea", "coffee", "water", "other"])
MONDAY = date(2026, 11, 16)


def make_survey(name="drinks", epsilon=1.0, window="week", question=None, **more):
    """A survey; another name is another question, unless it is given."""
    asked = f"What about {name}?" if question is None else question
    return sv.Survey(name, asked, sv.mechanism("olh", DRINKS, epsilon), window, **more)


def client_of(folder, survey=None, **more):
    survey = make_survey() if survey is None else survey
    return Client(survey, folder=folder, **{"clock": lambda: MONDAY, **more})


class Collector:
    """A collector in a thread: it answers as told, then as a right one does."""

    def __init__(self) -> None:
        self.answers, self.received, self.headers = [], [], []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                known = body in collector.received
                collector.received.append(body)
                collector.headers.append((self.path, dict(self.headers)))
                answer = collector.answers.pop(0) if collector.answers else None
                status, headers, document = answer or (200, {}, None)
                if status is None:  # hang up without a word
                    self.close_connection = True
                    return
                told = document or {"stored": int(not known), "duplicates": int(known)}
                data = told if isinstance(told, bytes) else json.dumps(told).encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST

            def log_message(self, *arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@contextmanager
def running():
    made = Collector()
    thread = threading.Thread(target=made.server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()


class Waits:
    """A patience whose sleeping is only noted."""

    def __init__(self, **more) -> None:
        self.slept = []
        self.patience = Patience(sleep=self.slept.append, **more)
