"""A writer that is killed in the middle, and a disk that takes so much and no more."""

from __future__ import annotations

import os
import random
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def killed(write: Callable[[int], object], rng: random.Random, most: int = 200) -> int:
    """How many calls of `write` (1, 2, …) had come back in a process when SIGKILL met it, at any moment."""
    came, goes = os.pipe()
    child = os.fork()
    if not child:
        try:
            for n in range(1, most + 1):
                write(n)
                os.write(goes, b".")
        finally:
            os._exit(0)
    os.close(goes)
    wanted, done = rng.randrange(1, 12), 0
    while done < wanted and (said := os.read(came, wanted - done)):
        done += len(said)
    time.sleep(rng.random() * 0.004)  # the moment of death, not work that is waited for
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while said := os.read(came, 65536):
        done += len(said)
    os.close(came)
    return done


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file may grow beyond `size` bytes. Python ignores SIGXFSZ: writing raises `OSError`.

    Python does not notice that it wrote half of a module's bytecode, which nobody could import then.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    bytecode = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        sys.dont_write_bytecode = bytecode
