"""A whole run as a trace for ui.perfetto.dev: Chrome's trace format (Duffy et al., "Trace Event Format").

A rank is a process: its training thread holds steps with their phases, its collectives stand in a row for
each group, and what it waited for, its launch and the pieces of a pipeline in rows of their own. Loss and
memory are counters. Times are microseconds since the first word of a rank.

Of the phases of a step the durations were measured, not where in the step they lay: they are drawn one after
the other in the order of training, and say so. Steps, collectives and pieces stand where they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from runtime.protocol.events import Boot, Collective, Done, Event, Fault, Group, Hello, Memory, Span, Step

Slice = dict[str, Any]
KINDS = ("params", "grads", "optimizer", "activations", "gathered", "temporary", "buffers")
_PHASES = ("data", "forward", "backward", "optimizer", "other")
_STEPS, _PHASE, _LAUNCH, _WAITS, _FIRST_GROUP = 1, 2, 3, 4, 10
_PIPELINE = 1000  # the rows of stages come behind those of groups


def events_of(events: Iterable[Event], origin: float) -> Iterator[Slice]:
    """The trace of these events of a run, in which `origin` (seconds) is 0."""
    rows: dict[tuple[int, str], int] = {}
    names: dict[tuple[int, str], str] = {}
    begun: dict[int, Boot] = {}
    known: set[int] = set()
    collectives = 0

    def at(seconds: float) -> float:
        return max(0.0, round((seconds - origin) * 1e6, 3))

    def row(rank: int, key: str, number: int, name: str) -> Iterator[Slice]:
        if (rank, key) not in rows:
            rows[rank, key] = number
            yield _meta("thread_name", rank, number, name=name)
            yield _meta("thread_sort_index", rank, number, sort_index=number)

    def piece(rank: int, key: str, name: str, t0: float, t1: float, cat: str, **args: Any) -> Slice:
        start = at(t0)
        long = max(0.0, round(at(t1) - start, 3))
        where = {"pid": rank, "tid": rows[rank, key], "ts": start, "dur": long}
        return {"ph": "X", "name": name, "cat": cat, **where, "args": args}

    for event in events:
        rank = event.rank
        if rank < 0:
            continue
        if rank not in known:
            known.add(rank)
            yield _meta("process_name", rank, 0, name=f"rank {rank}")
            yield _meta("process_sort_index", rank, 0, sort_index=rank)
        match event:
            case Hello() as e:
                yield _meta("process_labels", rank, 0, labels=f"{e.device} {e.backend}, pid {e.pid}")
            case Boot() as e:
                yield from row(rank, "launch", _LAUNCH, "launch")
                if (before := begun.pop(rank, None)) is not None:
                    yield piece(rank, "launch", before.phase, before.t, e.t, "launch")
                if e.phase != "train":
                    begun[rank] = e
            case Group() as e:
                names[rank, e.id] = f"{e.name or e.id} {e.ranks}" if len(e.ranks) <= 16 else e.name or e.id
            case Step() as e:
                yield from row(rank, "steps", _STEPS, "steps")
                yield from row(rank, "phases", _PHASE, "phases (lengths measured, drawn in order)")
                told = {"loss": e.loss, "tokens": e.tokens, "generation": e.generation}
                yield piece(rank, "steps", f"step {e.step}", e.t0, e.t, "step", **told)
                t = e.t0
                for name in _PHASES:
                    if (long := getattr(e, name)) > 0:
                        yield piece(rank, "phases", name, t, min(t + long, e.t), "phase", step=e.step)
                        t += long
                if e.loss is not None and abs(e.loss) < float("inf"):
                    yield _counter("loss", rank, at(e.t), loss=e.loss)
            case Collective() as e if e.t_done is not None:
                number = _FIRST_GROUP + sum(key.startswith("group ") for r, key in rows if r == rank)
                yield from row(rank, f"group {e.group}", number, names.get((rank, e.group), e.group))
                told = {"seq": e.seq, "bytes": e.bytes, "step": e.step, "exposed_ms": e.exposed * 1e3}
                if e.peer >= 0:
                    told["peer"] = e.peer
                # They overlap each other, so each begins and ends by itself.
                span = {"cat": "collective", "name": e.op, "pid": rank, "tid": rows[rank, f"group {e.group}"]}
                collectives += 1  # transfers of a group have numbers of their own, so theirs would not do
                span["id"] = f"{collectives}"
                yield {"ph": "b", **span, "ts": at(e.t_issue), "args": told}
                yield {"ph": "e", **span, "ts": max(at(e.t_issue), at(e.t_done))}
                if e.exposed > 0:
                    yield from row(rank, "waits", _WAITS, "waits for collectives")
                    t0 = max(e.t_issue, e.t_done - e.exposed)
                    yield piece(rank, "waits", f"{e.op} #{e.seq}", t0, e.t_done, "wait", step=e.step)
            case Span() as e:
                key = f"stage {e.stage}"
                yield from row(rank, key, _PIPELINE + e.stage, key)
                told = {"microbatch": e.microbatch, "chunk": e.chunk, "step": e.step}
                yield piece(rank, key, e.kind, e.t0, e.t1, "pipeline", **told)
            case Memory() as e:
                held = {kind: size for kind in KINDS if (size := getattr(e, kind)) is not None}
                if held:
                    yield _counter("memory (bytes)", rank, at(e.t), **held)
            case Fault() as e:
                yield {
                    "ph": "i", "s": "p", "name": "fault", "cat": "fault", "pid": rank, "tid": 0,
                    "ts": at(e.t), "args": {"what": e.what, "root": e.root},
                }  # fmt: skip
            case Done() as e:
                told = {"code": e.code, "signal": e.signal}
                yield {"ph": "i", "s": "p", "name": "ended", "cat": "launch", "pid": rank, "tid": 0,
                       "ts": at(e.t), "args": told}  # fmt: skip


def _meta(what: str, rank: int, thread: int, **args: Any) -> Slice:
    return {"ph": "M", "name": what, "pid": rank, "tid": thread, "args": args}


def _counter(name: str, rank: int, ts: float, **args: float) -> Slice:
    return {"ph": "C", "name": name, "pid": rank, "tid": 0, "ts": ts, "args": args}
