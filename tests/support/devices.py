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
from sottovoce.surveys.publications import EMPTY, Publication, digest_of, follow

DRINKS = sv.Categories(["tea", "coffee", "water", "other"])
MONDAY = date(2026, 11, 16)


PUBLISHED = []
"""Every survey that was made, in order: what the log of a small collector has."""


def make_survey(name="drinks", epsilon=1.0, window="week", question=None, **more):
    """A survey that is published; another name is another question, unless it is given."""
    asked = f"What about {name}?" if question is None else question
    survey = sv.Survey(name, asked, sv.mechanism("olh", DRINKS, epsilon), window, **more)
    if survey not in PUBLISHED:
        PUBLISHED.append(survey)
    return survey


def log_of(surveys, publisher=""):
    """The entries of a log."""
    head, entries = EMPTY, []
    for survey in surveys:
        entry = Publication.after(head, digest_of(survey), publisher)
        head = entry.head
        entries.append(entry.document())
    return entries


def client_of(folder, survey=None, **more):
    survey = make_survey() if survey is None else survey
    return Client(survey, folder=folder, **{"clock": lambda: MONDAY, **more})


def log_page(entries, start=0):
    """What a collector answers that has these entries."""
    head = follow(EMPTY, entries)
    return {"size": head.size, "head": head.head, "entries": entries[start:]}


class Collector:
    """A collector in a thread: it answers as told, then as a right one does.

    ``told`` are answers to GET, by path; else it is open, and its log has ``surveys``, or every survey
    that was made.
    """

    def __init__(self) -> None:
        self.answers, self.received, self.headers = [], [], []
        self.told, self.asked, self.surveys = {}, [], ()
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

            def do_GET(self):
                path, _, query = self.path.partition("?")
                collector.asked.append(self.path)
                kind = "/about" if path.endswith("/about") else path
                status, document = collector.told.get(kind) or (200, None)
                if document is None:
                    document = {"upload": "open", "closed": False}
                    if path == "/log":
                        entries = log_of(collector.surveys or PUBLISHED)
                        document = log_page(entries, int(query.partition("=")[2] or 0))
                data = document if isinstance(document, bytes) else json.dumps(document).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

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
