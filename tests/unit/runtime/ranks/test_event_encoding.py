"""A rank's events are the same to the host, whether its interpreter has msgspec or not."""

from __future__ import annotations

import json
import subprocess
import sys

from runtime.protocol import rank_decoder
from runtime.protocol.events import Beat, Boot, Hello
from runtime.ranks import event_encoding

HELLO = Hello("r", 0, 1, 2.0, 1, 1, 0, 4, 99, "cpu", "gloo", 2.0, 3.0, "json")
BATCH = [Boot("r", 0, 1, 4.0, "train"), Beat("r", 0, 1, 5.0, "idle", 0, 0, 0, 7)]


def test_without_msgspec_the_same_events_come_as_json() -> None:
    script = """
import sys
sys.modules["msgspec"] = None  # an interpreter that does not have it
from runtime.protocol.events import Beat, Boot, Hello
from runtime.ranks.event_encoding import CODEC, encode
hello = Hello("r", 0, 1, 2.0, 1, 1, 0, 4, 99, "cpu", "gloo", 2.0, 3.0, CODEC)
batch = [Boot("r", 0, 1, 4.0, "train"), Beat("r", 0, 1, 5.0, "idle", 0, 0, 0, 7)]
sys.stdout.buffer.write(encode(hello) + b"\\n" + encode(batch))
"""
    done = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, check=True, timeout=30)
    greeting, batch = done.stdout.split(b"\n")
    assert json.loads(greeting)[0] == "hello"
    assert rank_decoder.decode(greeting) == [HELLO]
    assert rank_decoder.decode(batch) == BATCH
    assert event_encoding.encode(list(BATCH)) != batch
    assert rank_decoder.decode(event_encoding.encode(list(BATCH))) == BATCH
