"""Joins the traces of all ranks into one file for ui.perfetto.dev or chrome://tracing.

Each rank's profiler wrote Chrome's trace format (Duffy et al., "Trace Event Format"), with the wall clock as
its clock: on one machine one clock for all ranks; between machines as exact as their clocks agree. In the
joined file a rank is a process `rank N`, its devices are processes beside it, times begin with the first
event, and what the allocator gave out is a curve.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from runtime.atomic_write import put
from runtime.ranks.sensors.profiler_lanes import BACKENDS

MAX_BYTES = 256 << 20  # of all ranks together: beyond it the host would hold gigabytes
_MEMORY = "[memory]"
Event = dict[str, Any]


class NotJoined(Exception):
    """Why there is no joined file, in words."""


def join(files: Mapping[int, Path], out: Path, *, linked: bool) -> None:
    """Write the traces of `files` (rank -> file) as `out`. Raises `NotJoined` and leaves no half file.

    `linked`: all collectives are those of all ranks, so that the k-th of a name is the same one everywhere;
    then arrows join them. To be called off the event loop: some 50 ms for 4 ranks of 3000 events.
    """
    try:
        if sum(file.stat().st_size for file in files.values()) > MAX_BYTES:
            raise NotJoined(f"the traces are larger than {MAX_BYTES >> 20} MB together; they are left apart")
        traces = {rank: _read(file) for rank, file in sorted(files.items())}
        events = joined(traces, linked=linked)
        put(out, msgspec.json.encode({"displayTimeUnit": "ms", "traceEvents": events}))
    except OSError as error:
        raise NotJoined(f"the trace cannot be written: {error.strerror or error}") from error


def _read(file: Path) -> tuple[float, list[Event]]:
    """(wall time of its zero in microseconds, its events)."""
    try:
        trace = msgspec.json.decode(file.read_bytes())
        base, events = trace.get("baseTimeNanoseconds", 0) / 1e3, trace["traceEvents"]
        return base, [event for event in events if isinstance(event, dict) and "ph" in event]
    except (msgspec.DecodeError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise NotJoined(f"{file.name} is no trace: {error}") from error


def joined(traces: Mapping[int, tuple[float, list[Event]]], *, linked: bool) -> list[Event]:
    """The events of all ranks with process ids, flow ids and times that do not collide.

    `traces` has for each rank where its clock begins and its events, both in microseconds.
    """
    starts = [
        base + event["ts"] for base, events in traces.values() for event in events if event["ph"] in "Xi"
    ]
    origin = min(starts, default=0.0)
    found: list[Event] = []
    spans: dict[str, dict[int, list[Event]]] = {}  # collectives by name and rank
    ids = len(traces)  # of flows and of the processes that are a rank's devices
    for place, (rank, (base, events)) in enumerate(traces.items()):
        here = list(_of_rank(rank, place, len(traces), events, base - origin))
        found += here
        for event in here:
            ids = max(ids, event.get("id", 0) + 1)
            if event["ph"] == "X" and event["name"].startswith(BACKENDS):
                spans.setdefault(event["name"], {}).setdefault(rank, []).append(event)
    if linked:
        for of_name in spans.values():
            found += arrows(of_name, len(traces), ids)
            ids += max(map(len, of_name.values()))
    return found


def _of_rank(rank: int, place: int, ranks: int, events: list[Event], shift: float) -> Iterator[Event]:
    """One rank's own. Processes and flows are numbered so that no other rank has the same number."""
    # The operators' process has a real pid, a device its small index; words are the profiler's own rows.
    known = sorted({e["pid"] for e in events if isinstance(e.get("pid"), int)}, reverse=True)
    main = next((e["pid"] for e in events if e.get("cat") == "cpu_op"), known[0] if known else 0)
    others = [pid for pid in known if pid != main]
    processes = {main: rank} | {pid: ranks + place + ranks * n for n, pid in enumerate(others)}
    yield _meta("process_name", rank, name=f"rank {rank}")
    yield _meta("process_sort_index", rank, sort_index=rank)
    threads = {}
    used = set()
    for event in events:
        pid = event.get("pid")
        if pid not in processes:
            continue
        if event["ph"] == "M":
            if event["name"] == "thread_name":
                threads[processes[pid], event["tid"]] = event["args"]["name"]
            continue
        moved = {**event, "pid": processes[pid], "ts": event["ts"] + shift}
        if event["name"] == _MEMORY:
            total = event["args"].get("Total Allocated")
            moved = {"ph": "C", "name": "bytes given out in this step", "pid": rank, "ts": moved["ts"]}
            moved["args"] = {"bytes": total}
        if "id" in event and isinstance(event["id"], int):
            moved["id"] = event["id"] * ranks + place
        used.add(moved["pid"])
        yield moved
    for pid, process in processes.items():
        if pid != main and process in used:
            yield _meta("process_name", process, name=f"rank {rank} device {pid}")
            yield _meta("process_sort_index", process, sort_index=rank)
    for (process, thread), name in threads.items():
        if process in used:
            yield {**_meta("thread_name", process, name=name), "tid": thread}


def _meta(what: str, process: int, **args: Any) -> Event:
    return {"ph": "M", "name": what, "pid": process, "tid": 0, "args": args}


def arrows(spans: Mapping[int, list[Event]], ranks: int, first_id: int) -> Iterator[Event]:
    """Arrows through the k-th collective of a name on all ranks, where each has as many of them.

    None of them can end before the last has begun: those that do not overlap are not one collective.
    """
    lanes = [sorted(events, key=lambda event: float(event["ts"])) for events in spans.values()]
    if len(lanes) < ranks or ranks < 2 or len({len(lane) for lane in lanes}) > 1:
        return
    for number, same in enumerate(zip(*lanes, strict=True), first_id):
        if max(e["ts"] for e in same) > min(e["ts"] + e["dur"] for e in same):
            continue
        order = sorted(same, key=lambda event: float(event["ts"]))
        for place, event in enumerate(order):
            phase = "s" if place == 0 else "f" if place == len(order) - 1 else "t"
            arrow = {"ph": phase, "id": number, "cat": "collective", "name": event["name"]}
            where = {"pid": event["pid"], "tid": event["tid"], "ts": event["ts"]}
            yield arrow | where | ({"bp": "e"} if phase == "f" else {})
