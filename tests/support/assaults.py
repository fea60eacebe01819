"""Requests that do harm, reports sent several times, and what the store holds of them."""

from __future__ import annotations

import random
import re
import socket
import threading

import numpy as np

import sottovoce as sv
from sottovoce.base.errors import Refused
from sottovoce.service.upload.counting import reports_in
from sottovoce.service.upload.reading import decode_upload
from sottovoce.wire.msgpack import pack
from sottovoce.wire.payloads import reports_from_payloads
from sottovoce.wire.uploads import VERSION
from support.loading import Load, load, make, request


def mutated(data: bytes, draw: random.Random) -> bytes:
    """A few bytes changed, lost, doubled, moved or made up."""
    changed = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 3, 8))):
        place = draw.randrange(len(changed) + 1)
        end = min(len(changed), place + draw.choice((1, 1, 2, 4, 16, 64)))
        kind = draw.randrange(6)
        if kind == 0 and place < len(changed):
            changed[place] ^= 1 << draw.randrange(8)
        elif kind == 1:
            del changed[place:end]
        elif kind == 2:
            changed[place:place] = changed[place:end]
        elif kind == 3:
            changed[place:place] = draw.randbytes(end - place)
        elif kind == 4 and place < len(changed):
            changed[place] = draw.choice(
                (0x00, 0x7F, 0x80, 0x90, 0xC0, 0xC1, 0xC4, 0xDD, 0xDF, 0xFF)
            )
        else:
            changed = changed[:place]
    return bytes(changed)


def wrong_uploads(survey, count, seed):
    """Mutated uploads that the wire refuses, as requests under their number of reports."""
    draw = random.Random(seed)  # noqa: S311
    made = 0
    plain = make(survey, 64)
    bodies = [(body, "msgpack") for size in (1, 2, 30) for body in plain.uploads(size)]
    texts = [
        b'{"version":2,"fingerprint":"%s","window":"","reports":[{"id":"%s","payload":"01"}]}'
        % (survey.fingerprint.encode(), number.hex().encode())
        for number in plain.ids[:20]
    ]
    bodies += [(body, "json") for body in texts]
    while made < count:
        body, form = draw.choice(bodies)
        data = mutated(body, draw)
        try:
            decode_upload(data, survey, form)
        except Refused:
            made += 1
            yield form, data


def assault(collector, survey, count, seed=1):
    """Mutated uploads beside a valid stream: how many reports were refused."""
    before = collector.store.counts()
    kinds = {"msgpack": "application/msgpack", "json": "application/json"}
    wrong = list(wrong_uploads(survey, count, seed))
    intakes = collector.app.collector_state.intakes
    expected = sum(reports_in(data, form, intakes)[1] for form, data in wrong)
    requests = [(k, request(data, kind=kinds[form])) for k, (form, data) in enumerate(wrong)]
    beside: list = []
    valid = make(survey, max(200, count // 10))
    stream = threading.Thread(
        target=lambda: beside.append(load(collector.address, valid.uploads(), connections=4))
    )
    stream.start()
    outcome = Load(collector.address, requests, connections=16).run()
    stream.join()
    (unharmed,) = beside
    assert unharmed.statuses == {200: len(valid.ids)}
    assert unharmed.stored == len(valid.ids)
    assert outcome.answers == count
    assert all(400 <= status < 500 for status in outcome.statuses), outcome.statuses
    after = collector.store.counts()
    assert after.stored - before.stored == len(valid.ids), "no row"
    assert after.sent - before.sent == len(valid.ids) + expected, "conservation"
    return outcome


def mutated_heads(collector, survey, count, seed=2):
    """Whole requests mutated, each on its own connection: the statuses that came."""
    draw, statuses = random.Random(seed), set()  # noqa: S311
    whole = request(b"\xc1 no upload", "token", headers="X-More: some\r\nExpect: 100-continue\r\n")
    paths = [b"GET /surveys", b"GET /openapi.json", b"DELETE /surveys/0/reports/0", b"PUT /reports"]
    for number in range(count):
        data = whole
        if number % 3 == 0:
            data = draw.choice(paths) + whole[whole.index(b" HTTP") :]
        with socket.create_connection(collector.address, timeout=10) as raw:
            try:
                raw.sendall(mutated(data, draw))
                raw.shutdown(socket.SHUT_WR)
                answer = raw.recv(4096)
            except ConnectionError:
                continue
        found = re.findall(rb"HTTP/1\.1 (\d{3})", answer)
        statuses |= {int(status) for status in found}
    return statuses


def copies(made, seed, most=20):
    """Every report one to five times, in uploads of random size and order."""
    draw = np.random.default_rng(seed)
    times = draw.integers(1, 6, len(made.ids))
    order = draw.permutation(np.repeat(np.arange(len(made.ids)), times))
    head = bytes.fromhex(made.survey.fingerprint)
    uploads, start = [], 0
    while start < len(order):
        size = int(draw.integers(1, most + 1))
        part = [[made.ids[i], made.payloads[i]] for i in order[start : start + size]]
        uploads.append(pack([VERSION, head, made.window, part]))
        start += size
    return uploads, len(order)


def same_estimate(collector, made):
    """Whether the collector's estimate is that of the reports themselves, digit by digit."""
    mechanism = made.survey.mechanism
    clean = sv.estimate(mechanism.tally(reports_from_payloads(mechanism, made.payloads)))
    collector.close(made.survey)
    told = collector.get(f"/surveys/{made.survey.fingerprint}/estimate")
    assert told["reports"] == len(made.ids)
    return [row["value"] for row in told["answers"]] == clean.shares.tolist()


def held_ids(store, survey, sent) -> set[bytes]:
    """The ids that are held; all of them are among those that were sent."""
    sent = list(sent)
    of_hash = dict(zip(store.hash_ids(survey.fingerprint, sent), sent, strict=True))
    return {of_hash[each] for some, _ in store.reports(survey.fingerprint) for each in some}
