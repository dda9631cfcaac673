"""The event contract: recorded runs and other versions rely on names, field order and both codecs."""

from __future__ import annotations

import importlib.util
import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from runtime.protocol import events

KINDS = get_args(events.AnyEvent)
GOLDEN = Path(__file__).with_name("events.golden.txt")
SAMPLES: dict[str, object] = {
    "str": "a",
    "int": 1,
    "bool": True,
    "float": 0.5,
    "float | None": None,
    "int | None": None,
    "list[int]": [0, 1],
    "list[float]": [0.5],
    "list[str]": ["small"],
    "dict[str, int]": {"0": 42},
    "list[tuple[str, str]]": [("127.0.0.1:4711", "127.0.0.1:4712")],
    "dict[str, bool | int | float | str | None]": {"loss": 2.0},
    "list[tuple[str, list[int], list[int], list[int]]]": [("up.weight", [8, 4], [2, 0, 2, 4], [])],
    "list[tuple[str, float, float, str]]": [("all-reduce", 0.5, 0.6, "b0")],
}


def sample(kind: type[events.Event]) -> events.Event:
    hints: dict[str, str] = {}
    for cls in reversed(kind.__mro__):
        hints |= inspect.get_annotations(cls)
    return kind(*(SAMPLES[hints[name]] for name in kind.__struct_fields__))


def test_names_and_field_order_are_pinned() -> None:
    lines = [f"{events.tag_of(kind)}: {' '.join(kind.__struct_fields__)}" for kind in KINDS]
    assert "\n".join(lines) + "\n" == GOLDEN.read_text()


@pytest.mark.parametrize("kind", KINDS, ids=events.tag_of)
def test_every_event_goes_through_both_codecs(kind: type[events.Event]) -> None:
    event = sample(kind)
    binary = msgspec.msgpack.decode(msgspec.msgpack.encode([event]), type=list[events.AnyEvent])
    text = msgspec.json.decode(json.dumps([events.as_array(event)]), type=list[events.AnyEvent])
    assert binary == text == [event]


def test_a_json_line_starts_with_type_and_the_common_fields() -> None:
    line = events.as_dict(events.Check("r", 1, 2, 3.0, step=4, checksum="c", grad_norm=None))
    own = ["step", "checksum", "grad_norm", "part", "share"]
    assert list(line) == ["type", "run", "generation", "rank", "t", *own]
    assert line["type"] == "check"


def test_events_work_without_msgspec() -> None:
    """A user's own interpreter may have torch and nothing of ours."""
    code = f"""
import sys, json, importlib.util
sys.modules["msgspec"] = None
spec = importlib.util.spec_from_file_location("_events", {str(Path(events.__file__))!r})
module = importlib.util.module_from_spec(spec)
sys.modules["_events"] = module
spec.loader.exec_module(module)
step = module.Step("r", 0, 2, 9.0, 17, 8.5, None, 256, 0.1, 0.1, 0.2, 0.05, 0.05)
print(json.dumps([module.as_array(step)])); print(json.dumps(module.as_dict(step)))
"""
    out = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    (step,) = msgspec.json.decode(out[0], type=list[events.AnyEvent])
    assert isinstance(step, events.Step)
    assert (step.rank, step.step, step.loss) == (2, 17, None)
    assert json.loads(out[1]) == events.as_dict(step)


def test_the_rank_side_needs_no_msgspec_to_import_events() -> None:
    assert importlib.util.find_spec("msgspec") is not None  # so that the test above tests something
