"""Joined traces have the structure Perfetto and chrome://tracing read; an x-ray goes from order to file."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from runtime.metrics import perfetto_xray, xray_of_a_step
from runtime.metrics.collectives.waiting_time import Entered
from runtime.metrics.store import RunStore
from runtime.metrics.xray_of_a_step import XRays
from runtime.protocol.events import Collective
from runtime.protocol.events import XRay as Answer
from runtime.protocol.figures import Mark

BASE_NS = 1_790_857_026_000_000_000


def trace(pid: int, at: float, collectives: list[tuple[float, float]], gpu: bool = False) -> dict[str, Any]:
    """As Kineto writes it; `at` is when the first operator begins, in microseconds after `BASE_NS`."""
    thread = {"pid": pid, "tid": pid}
    events: list[dict[str, Any]] = [
        {"ph": "M", "name": "process_name", "ts": at, "pid": pid, "tid": 0, "args": {"name": "python"}},
        {"ph": "M", "name": "thread_name", "ts": at, **thread, "args": {"name": f"thread {pid} (python)"}},
        {"ph": "X", "cat": "cpu_op", "name": "aten::linear", **thread, "ts": at, "dur": 10.0, "args": {}},
        {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", **thread, "ts": at + 1,
         "args": {"Total Allocated": 4096, "Bytes": 4096, "Addr": 1}},
        {"ph": "s", "id": 1, **thread, "ts": at, "cat": "fwdbwd", "name": "fwdbwd"},
        {"ph": "f", "id": 1, **thread, "ts": at + 5, "cat": "fwdbwd", "name": "fwdbwd", "bp": "e"},
        {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "PyTorch Profiler",
         "ts": at, "dur": 99.0, "args": {}},
        {"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": at + 99},
    ]  # fmt: skip
    for begin, end in collectives:
        events.append({"ph": "X", "cat": "user_annotation", "name": "gloo:all_reduce", "pid": pid,
                       "tid": pid + 1, "ts": begin, "dur": end - begin, "args": {}})  # fmt: skip
    if gpu:
        events.append(
            {"ph": "M", "name": "process_name", "ts": at, "pid": 0, "tid": 0, "args": {"name": "x"}}
        )
        events.append(
            {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": at + 2, "dur": 3.0}
        )
    return {"schemaVersion": 1, "baseTimeNanoseconds": BASE_NS, "traceEvents": events}


def written(folder: Path, **more: Any) -> dict[int, Path]:
    files = {}
    for rank, at in enumerate((1000.0, 1002.0)):
        files[rank] = folder / f"xray-5-rank-{rank}.json"
        spans = [(at + 20, 1050.0), (at + 60, 1090.0)]
        files[rank].write_text(json.dumps(trace(4000 + rank, at, spans, **more), indent=2))
    return files


def test_ranks_are_processes_on_one_clock(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    perfetto_xray.join(written(tmp_path), out, linked=False)
    joined = json.loads(out.read_text())
    events = joined["traceEvents"]
    assert joined["displayTimeUnit"] == "ms"
    names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    assert names == {0: "rank 0", 1: "rank 1"}
    begins = {e["pid"]: e["ts"] for e in events if e["name"] == "aten::linear"}
    assert begins == {0: 0.0, 1: 2.0}
    # What every reader needs of each event, and nothing that only one rank's profiler knows.
    needed = {"X": {"name", "pid", "tid", "ts", "dur"}, "M": {"name", "pid", "args"}, "C": {"ts", "args"},
              "s": {"id", "ts", "pid", "tid"}, "f": {"id", "ts", "pid", "tid"}}  # fmt: skip
    for event in events:
        assert needed[event["ph"]] <= event.keys(), event
        assert isinstance(event["pid"], int) and event.get("ts", 0) >= 0
    # An arrow begins and ends once, within its rank.
    arrows = Counter((e["id"], e["pid"], e["ph"]) for e in events if e["ph"] in "sf")
    assert set(arrows.values()) == {1} and len({key[0] for key in arrows}) == 2
    curve = [e for e in events if e["ph"] == "C"]
    assert [(e["pid"], e["args"]["bytes"]) for e in curve] == [(0, 4096), (1, 4096)]


def test_another_base_is_the_same_clock(tmp_path: Path) -> None:
    files = written(tmp_path)
    late = json.loads(files[1].read_text())
    late["baseTimeNanoseconds"] = BASE_NS + 1_000_000  # 1000 microseconds
    for event in late["traceEvents"]:
        event["ts"] -= 1000
    files[1].write_text(json.dumps(late))
    perfetto_xray.join(files, tmp_path / "out.json", linked=False)
    events = json.loads((tmp_path / "out.json").read_text())["traceEvents"]
    assert {e["pid"]: e["ts"] for e in events if e["name"] == "aten::linear"} == {0: 0.0, 1: 2.0}


def test_arrows_join_the_collectives_of_all_ranks(tmp_path: Path) -> None:
    perfetto_xray.join(written(tmp_path), tmp_path / "out.json", linked=True)
    events = json.loads((tmp_path / "out.json").read_text())["traceEvents"]
    arrows = [e for e in events if e.get("cat") == "collective"]
    drawn = [(e["ph"], e["pid"], e["ts"]) for e in arrows]
    assert drawn == [("s", 0, 20.0), ("f", 1, 22.0), ("s", 0, 60.0), ("f", 1, 62.0)]
    assert arrows[0]["id"] == arrows[1]["id"] != arrows[2]["id"] == arrows[3]["id"]
    others = {e["id"] for e in events if "id" in e and e.get("cat") != "collective"}
    assert not others & {e["id"] for e in arrows}
    for arrow in arrows:  # a flow binds to the slice that is open at its time on its thread
        assert any(e["ph"] == "X" and (e["pid"], e["tid"]) == (arrow["pid"], arrow["tid"])
                   and e["ts"] <= arrow["ts"] <= e["ts"] + e["dur"] for e in events)  # fmt: skip


def test_what_does_not_overlap_or_is_not_as_many_is_not_one_collective() -> None:
    here = [{"ph": "X", "name": "gloo:send", "pid": 0, "tid": 1, "ts": 0.0, "dur": 5.0}]
    later = [{**here[0], "pid": 1, "ts": 6.0}]
    assert list(perfetto_xray.arrows({0: here, 1: later}, 2, 9)) == []
    assert list(perfetto_xray.arrows({0: here, 1: here + later}, 2, 9)) == []
    assert list(perfetto_xray.arrows({0: here}, 2, 9)) == []


def test_a_device_is_a_process_beside_its_rank(tmp_path: Path) -> None:
    perfetto_xray.join(written(tmp_path, gpu=True), tmp_path / "out.json", linked=False)
    events = json.loads((tmp_path / "out.json").read_text())["traceEvents"]
    names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    kernels = [names[e["pid"]] for e in events if e["name"] == "gemm"]
    assert len(names) == 4 and kernels == ["rank 0 device 0", "rank 1 device 0"]


@pytest.mark.parametrize("bad", ["", "{", "[]", "{}", '{"traceEvents": 7}', '{"traceEvents": [1, {}]}'])
def test_what_is_no_trace_is_named(tmp_path: Path, bad: str) -> None:
    files = written(tmp_path)
    files[1].write_text(bad)
    if bad.endswith("{}]}"):
        perfetto_xray.join(files, tmp_path / "out.json", linked=True)  # strange events are left out
        return
    with pytest.raises(perfetto_xray.NotJoined, match=r"xray-5-rank-1\.json is no trace"):
        perfetto_xray.join(files, tmp_path / "out.json", linked=True)
    assert not (tmp_path / "out.json").exists()


def test_too_much_is_left_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perfetto_xray, "MAX_BYTES", 100)
    with pytest.raises(perfetto_xray.NotJoined, match="left apart"):
        perfetto_xray.join(written(tmp_path), tmp_path / "out.json", linked=False)


def test_a_file_that_is_gone_is_said(tmp_path: Path) -> None:
    files = written(tmp_path)
    files[0].unlink()
    with pytest.raises(perfetto_xray.NotJoined, match="cannot be written"):
        perfetto_xray.join(files, tmp_path / "out.json", linked=False)


# --- from order to file ---------------------------------------------------------------------------------


def answer(rank: int, step: int = 5, failed: str = "", file: str = "") -> Answer:
    t0 = 100.0 + rank
    marks = [] if failed else [("forward", t0, t0 + 1, "linear")]
    return Answer(
        "r", 1, rank, t0 + 2, step, t0, t0 + 1.5, None if failed else 1000 + rank, file, failed, marks
    )


def test_an_x_ray_is_ready_when_every_rank_has_answered(tmp_path: Path) -> None:
    taken = XRays(2)
    assert taken.figure is None
    taken.order(5)
    assert taken.figure is not None and (taken.figure.state, taken.figure.step) == ("taking", 5)
    files = written(tmp_path)
    taken.answer(answer(1, file=str(files[1])))
    assert taken.taking and taken.to_join() == {}
    taken.answer(answer(0, file=str(files[0])))
    figure = taken.figure
    assert figure.state == "ready" and figure.peaks == (1000, 1001) and figure.span_s == 2.5
    assert figure.lanes == ((Mark("forward", 0, 1, "linear"),), (Mark("forward", 1, 2, "linear"),))
    assert taken.to_join() == files and taken.to_join() == {}
    taken.joined(xray_of_a_step.join(files, [(0, 1)], 2))
    assert taken.figure is not None and taken.figure.trace == str(tmp_path / "xray-5.json")
    assert [file.name for file in tmp_path.iterdir()] == ["xray-5.json"]


def entered(rank: int, issued: float, last: float, done: float) -> list[Entered]:
    """One collective, which the rank stood still for from its issue on."""
    about = ("r", 1, rank, done, 0, "all-reduce", "0", -1, 8, 5)
    return [Entered(Collective(*about, issued, done, done - issued), last)]


@pytest.mark.parametrize("late", [False, True], ids=["compared before the answers", "after them"])
def test_standing_still_for_a_rank_is_waiting_in_an_x_ray_too(late: bool) -> None:
    """Rank 1 comes at 101.6 to what rank 0 has entered at 101, and then the transfer takes 0.4 s."""
    taken = XRays(2)
    compared = {0: entered(0, 101.0, 101.6, 102.0), 1: entered(1, 101.6, 101.6, 102.0)}
    if not late:
        taken.settle(5, compared)
    for rank, issued in ((0, 101.0), (1, 101.6)):
        marks = [("forward", 100.0, issued, "mm"), ("exposed", issued, 102.0, "")]
        taken.answer(Answer("r", 1, rank, 102.0, 5, 100.0, 102.0, None, "", "", marks))
    taken.settle(6, {})
    if late:
        taken.settle(5, compared)
    assert taken.figure is not None
    own = [[(m.kind, round(m.t0, 6), round(m.t1, 6)) for m in lane] for lane in taken.figure.lanes]
    assert own == [
        [("forward", 0, 1), ("wait", 1, 1.6), ("exposed", 1.6, 2)],
        [("forward", 0, 1.6), ("exposed", 1.6, 2)],
    ]


def test_one_rank_without_a_picture_fails_it_in_words() -> None:
    taken = XRays(2)
    taken.answer(answer(0))  # an answer nobody saw the order of: a recorded run
    taken.answer(answer(1, failed="the profiler refused"))
    assert taken.figure is not None
    assert (taken.figure.state, taken.figure.why) == ("failed", "rank 1: the profiler refused")
    taken.order(9)
    taken.answer(answer(0))
    assert taken.taking and taken.figure.step == 9  # an answer to the order before


def test_nobody_waits_for_a_rank_that_has_ended() -> None:
    taken = XRays(3)
    taken.order(5)
    taken.answer(answer(0))
    taken.end(2)
    assert taken.taking
    taken.end(1)
    assert taken.figure is not None and taken.figure.state == "ready"
    assert taken.figure.peaks == (1000, None, None) and taken.figure.lanes[1] == ()
    alone = XRays(1)
    alone.order(3)
    alone.end(0)
    assert alone.figure is not None and alone.figure.state == "failed"


def test_a_step_that_was_ordered_is_looked_at_after_a_restart() -> None:
    before, after = RunStore(2), RunStore(2)
    before.xrays.order(14)
    for rank in range(2):
        before.xrays.end(rank)  # killed before the step came
    assert not before.xrays.taking
    after.go_on_from(before)
    assert after.xrays.taking and after.xrays.step == 14
