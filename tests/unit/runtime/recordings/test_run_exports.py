"""A recorded run as a trace and for trackers: read back by the rules of the format, or by its own readers."""

from __future__ import annotations

import json
import struct
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from runtime.protocol.events import Collective, Memory, Span, Step
from runtime.recordings import files
from runtime.recordings.recording import load
from tui.cli import main

_NEEDED = {"X": {"ts", "dur", "tid"}, "b": {"ts", "id", "cat"}, "e": {"ts", "id", "cat"}, "C": {"ts", "args"},
           "i": {"ts", "s"}, "M": {"args"}}  # fmt: skip


def trace(name: str, folder: Path) -> list[dict[str, Any]]:
    file = folder / "run.json"
    assert main(["runs", "export", name, "--perfetto", str(file)]) == 0
    found: list[dict[str, Any]] = json.loads(file.read_text())["traceEvents"]
    return found


@pytest.mark.parametrize("name", [folder.name for folder in files.shipped()])
def test_a_trace_obeys_the_format_and_holds_all_of_the_run(name: str, tmp_path: Path) -> None:
    found = trace(name, tmp_path)
    recording = load(files.find(name))
    of: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for event in found:
        assert {"ph", "name", "pid"} | _NEEDED[event["ph"]] <= event.keys(), event
        assert event.get("ts", 0.0) >= 0.0 and event.get("dur", 0.0) >= 0.0
        of[event.get("cat", event["ph"])].append(event)
    told = recording.events
    assert len(of["step"]) == sum(isinstance(e, Step) for e in told)
    assert len(of["pipeline"]) == sum(isinstance(e, Span) for e in told)
    done = [e for e in told if isinstance(e, Collective) and e.t_done is not None]
    assert len(of["collective"]) == 2 * len(done)
    assert len({(e["id"], e["ph"]) for e in of["collective"]}) == 2 * len(done)
    assert len([e for e in of["C"] if e["name"].startswith("memory")]) <= sum(
        isinstance(e, Memory) for e in told
    )
    names = {e["pid"]: e["args"]["name"] for e in found if e["name"] == "process_name"}
    assert names == {rank: f"rank {rank}" for rank in range(recording.about.world)}
    for lane in ("step", "phase"):  # pieces of one row follow each other
        rows = defaultdict(list)
        for event in of[lane]:
            rows[event["pid"]].append((event["ts"], event["ts"] + event["dur"]))
        for spans in rows.values():
            assert all(end <= start + 0.01 for (_, end), (start, _) in pairwise(spans))


def test_a_step_and_its_loss_stand_where_they_were(tmp_path: Path) -> None:
    found, recording = trace("ddp", tmp_path), load(files.find("ddp"))
    first = next(e for e in recording.events if isinstance(e, Step))
    drawn = next(e for e in found if e.get("cat") == "step")
    assert drawn["ts"] == pytest.approx((first.t0 - recording.origin) * 1e6, abs=0.01)
    assert drawn["dur"] == pytest.approx((first.t - first.t0) * 1e6, abs=0.01)
    counted = next(e for e in found if e["name"] == "loss" and e["pid"] == first.rank)
    assert counted["args"] == {"loss": first.loss}


def test_tensorboard_reads_what_was_measured(tmp_path: Path) -> None:
    pytest.importorskip("tensorboardX")
    reader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    assert main(["runs", "export", "ddp", "--tensorboard", str(tmp_path / "logs")]) == 0
    recording = load(files.find("ddp"))
    for rank in range(recording.about.world):
        read = reader.EventAccumulator(str(tmp_path / "logs" / f"rank-{rank}"), size_guidance={"scalars": 0})
        read.Reload()
        steps = [e for e in recording.events if isinstance(e, Step) and e.rank == rank]
        assert [s.step for s in read.Scalars("loss")] == [e.step for e in steps]
        assert [s.value for s in read.Scalars("loss")] == pytest.approx([e.loss for e in steps], rel=1e-6)
        seconds = [s.value for s in read.Scalars("seconds/step")]
        assert seconds == pytest.approx([e.t - e.t0 for e in steps], rel=1e-5)
        assert {"memory/params", "bytes/payload", "seconds/compute"} <= set(read.Tags()["scalars"])


def records(data: bytes) -> Iterator[bytes]:
    """The records of a `.wandb` file: LevelDB's log format (blocks of 32 KiB, records in pieces) behind seven
    bytes that name it."""
    at, whole = 7, b""
    while at + 7 <= len(data):
        if (left := 32768 - at % 32768) < 7:
            at += left
            continue
        length, kind = struct.unpack_from("<HB", data, at + 4)
        whole += data[at + 7 : at + 7 + length]
        at += 7 + length
        if kind in (1, 4):  # whole, or the last piece
            yield whole
            whole = b""


def test_wandb_keeps_an_offline_run(tmp_path: Path) -> None:
    pytest.importorskip("wandb")
    from wandb.proto import wandb_internal_pb2

    assert main(["runs", "export", "ddp", "--wandb", str(tmp_path)]) == 0
    [file] = tmp_path.rglob("*.wandb")
    losses = []
    for data in records(file.read_bytes()):
        record = wandb_internal_pb2.Record()
        record.ParseFromString(data)
        items = {"/".join(i.nested_key) or i.key: i.value_json for i in record.history.item}
        losses += [float(items["rank0/loss"])] if "rank0/loss" in items else []
    steps = [e for e in load(files.find("ddp")).events if isinstance(e, Step) and e.rank == 0]
    assert losses == [e.loss for e in steps]


@pytest.mark.parametrize("extra", ["tensorboard", "wandb"])
def test_without_the_library_it_says_what_to_install(
    extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "tensorboardX" if extra == "tensorboard" else "wandb", None)
    assert main(["runs", "export", "ddp", f"--{extra}", str(tmp_path)]) == 1
    assert "this needs a package" in capsys.readouterr().err
