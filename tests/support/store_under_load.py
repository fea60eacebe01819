"""A collector's store under load, in processes that are made to be killed.

Run with the address of a store.  For every line on its input (a seed) it forks a process
that writes, as fast as it can, through a Writer, and says on its output

    begun PID          before the first submission,
    ack SEED PLACE...  what was acknowledged, once it was,
    ended PID          when the process is gone, however.

Submission ``place`` of a seed is always the same, and every process first sends again what the
seed before it had sent.
"""

from __future__ import annotations

import os
import random
import sys
import time

from sottovoce.store import Receipt, Rules, Submission, Writer, open_store
from support.stores import DAY, survey_of

SURVEY = survey_of("under load", size=200)
MOST = 300
"""Acknowledgements in one line: it stays below the size that a pipe takes whole."""


def piece(seed: int, place: int) -> Submission:
    """One to twenty reports, and a token of their own."""
    rng = random.Random(f"{seed} {place}")  # noqa: S311
    count = rng.choice((1, 1, 1, 20))
    ids = [rng.randbytes(16) for _ in range(count)]
    rows = [bytes([rng.randrange(200)]) for _ in range(count)]
    return Submission(SURVEY.fingerprint, DAY, ids, rows, rng.randbytes(32), count)


def say(text: str) -> None:
    os.write(1, f"{text}\n".encode())


def write_until_killed(url: str, seed: int) -> None:
    store = open_store(url)
    store.publish(SURVEY, Rules("tokens"))

    def deliver(given: list[tuple[tuple[int, int], Receipt | Exception]]) -> None:
        for first in range(0, len(given), MOST):
            by_seed: dict[int, list[str]] = {}
            for (of, place), receipt in given[first : first + MOST]:
                assert isinstance(receipt, Receipt) and not receipt.code, receipt
                by_seed.setdefault(of, []).append(str(place))
            for of, places in by_seed.items():
                say(f"ack {of} {' '.join(places)}")

    writer = Writer(store, deliver)
    say(f"begun {os.getpid()}")
    for place in range(100):
        if seed:
            writer.submit((seed - 1, place), piece(seed - 1, place))
    place = 0
    while True:
        if writer.submit((seed, place), piece(seed, place)):
            place += 1
        else:
            time.sleep(0.001)
        if place % 500 == 0:
            writer.call(store.fold)


def main(url: str) -> None:
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            write_until_killed(url, int(line))
        os.waitpid(child, 0)
        say(f"ended {child}")


if __name__ == "__main__":
    main(sys.argv[1])
