"""What the benches call processor time."""

from __future__ import annotations

import os
import threading
import time

from tests.bench.terminal import cpu_s

BURNT_S = 0.05


def burn() -> None:
    end = time.thread_time() + BURNT_S
    while time.thread_time() < end:
        pass


def test_the_time_of_a_thread_that_has_ended_stays_in_it() -> None:
    before, own = cpu_s(os.getpid()), time.process_time()
    thread = threading.Thread(target=burn)
    thread.start()
    thread.join()
    found = cpu_s(os.getpid()) - before
    assert BURNT_S <= found <= time.process_time() - own + 0.01
