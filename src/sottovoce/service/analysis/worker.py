"""Work in a process of its own: it takes no time from uploads, and is killed when it takes too long.

The process runs at a low priority with a limit on its memory, answers one question at a time,
and ends by itself when none has come for a while.  Questions and answers are bytes.  It is started
as ``python -m sottovoce.service.analysis.worker MODULE`` and answers with the function ``answer`` of that module.
"""

from __future__ import annotations

import os
import resource
import select
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from typing import IO

from sottovoce.service.refusals import Declined

__all__ = ["Apart"]

_SECONDS = 60.0
_IDLE_SECONDS = 120.0
_MEMORY = 2**30
"""Bytes that the process may have."""
_LENGTH = 4
_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class Apart:
    """The process of one module, for one thread that asks."""

    def __init__(self, module: str, seconds: float = _SECONDS) -> None:
        self._module, self._seconds = module, seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def ask(self, question: bytes) -> bytes:
        """The answer to a question; refused where it takes too long."""
        answer = self._exchanged(question)
        if answer is None and not self._stopped:  # it ended while nobody asked
            answer = self._exchanged(question)
        if answer is None:
            raise RuntimeError(f"the process of {self._module} ended without an answer")
        return answer

    def stop(self) -> None:
        """End the process; whoever waits for an answer gets none."""
        self._stopped = True
        self._kill()

    def _exchanged(self, question: bytes) -> bytes | None:
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        try:
            _write(process.stdin, question)
        except BrokenPipeError:
            self._kill()
            return None
        if not select.select([process.stdout], [], [], self._seconds)[0]:
            self._kill()
            raise Declined("too-long", f"this takes longer than {self._seconds:g} s")
        answer = _read(process.stdout)
        if answer is None:
            self._kill()
        return answer

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = subprocess.Popen(  # noqa: S603  (this program, a module of ours)
                [sys.executable, "-P", "-m", __name__, self._module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, **dict.fromkeys(_ONE_THREAD, "1")},
                start_new_session=True,  # Ctrl-C is for the collector
            )
        return self._process

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                assert stream is not None
                with suppress(OSError):
                    stream.close()


def _write(stream: IO[bytes], data: bytes) -> None:
    stream.write(len(data).to_bytes(_LENGTH, "big") + data)
    stream.flush()


def _read(stream: IO[bytes]) -> bytes | None:
    """The next message; None where there is no more."""
    head = stream.read(_LENGTH)
    return stream.read(int.from_bytes(head, "big")) if len(head) == _LENGTH else None


def _main(module: str) -> None:
    """Answer until nobody asks any more."""
    with suppress(OSError, ValueError):  # a supervisor may forbid it
        os.nice(10)
        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    answer = import_module(module).answer
    inwards, outwards = sys.stdin.buffer, sys.stdout.buffer
    while select.select([inwards], [], [], _IDLE_SECONDS)[0]:
        question = _read(inwards)
        if question is None:
            return
        _write(outwards, answer(question))


if __name__ == "__main__":
    _main(sys.argv[1])
