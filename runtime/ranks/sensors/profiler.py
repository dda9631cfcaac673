"""Records one step of a rank with torch's profiler: what ran when, and its peak of memory.

    with take(step, folder, emit):
        ...  # the step

The profiler has a thread of its own from its first use on, so it is never used before a fork; its first use
takes some 5 ms, and a step of 3000 events about 15 ms after its end to be read and written. What it costs the
step itself is seen in the step. Without it, or with a torch whose profiler is another, training goes on and
the answer says why there is no picture.
"""

from __future__ import annotations

import gc
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn.parallel import DistributedDataParallel

from runtime.ranks.sensors import unseen_frees
from runtime.ranks.sensors.memory import local
from runtime.ranks.sensors.profiler_lanes import Op, marks

_USER_SCOPE = 7  # at::RecordScope::USER_SCOPE: a named stretch of code around operators
_MEMORY = "[memory]"
MAX_FAILED = 200
COMPUTED_NS = 1_000_000  # of processor time: a thread that had it did not only wait
OUR_THREADS = {"probe sender", "practice", "lifeline"}


@contextmanager
def take(step: int, folder: Path | str, emit: Callable[..., None]) -> Iterator[None]:
    """Profile the `with` block as step `step`; `emit` gets the fields of `events.XRay` after it.

    The whole trace goes to `folder` as `xray-STEP-rank-RANK.json` (Chrome's trace format). Nothing is raised
    but what the block raises, and then nothing is emitted.
    """
    shot: _Shot | None = None
    failed = ""
    try:
        shot = _Shot()
        shot.begin()
    except Exception as error:  # whatever another torch's profiler may say
        failed = _words(error)
    t0 = time.monotonic()
    try:
        yield
    except BaseException:
        if shot is not None and not failed:
            shot.discard()
        raise
    t1 = time.monotonic()
    seen: dict[str, Any] = {}
    if shot is not None and not failed:
        try:
            seen = shot.end(Path(folder) / f"xray-{step}-rank-{os.environ.get('RANK', '0')}.json")
        except Exception as error:
            failed = _words(error)
    emit(**missed(step, failed) | {"t0": t0, "t1": t1} | seen)


def missed(step: int, why: str) -> dict[str, Any]:
    """Return the fields of `events.XRay` of a step that was not profiled."""
    t = time.monotonic()
    return {"step": step, "t0": t, "t1": t, "peak": None, "file": "", "failed": why, "marks": []}


def _words(error: Exception) -> str:
    return f"the profiler of torch {torch.__version__} refused: {type(error).__name__}: {error}"[:MAX_FAILED]


class _Shot:
    """The profiler around one step, with what was in memory before it."""

    def __init__(self) -> None:
        # A device whose context this process has: only then do kernels run there.
        self._device = "cuda" if torch.cuda.is_available() and torch.cuda.is_initialized() else "cpu"
        activities = [torch.profiler.ProfilerActivity.CPU]
        if self._device == "cuda":
            activities.append(torch.profiler.ProfilerActivity.CUDA)
        self._profiler = torch.profiler.profile(activities=activities, profile_memory=self._device == "cpu")
        self._before = 0  # bytes on the CPU
        self._gradients: list[_Dropped] = []
        self._threads: dict[int, int] = {}

    def begin(self) -> None:
        if self._device == "cuda":
            torch.cuda.synchronize()
            torch.cuda.reset_peak_memory_stats()
        else:
            self._before, self._gradients = memory_now()
            self._threads = processor_times()
        self._profiler.__enter__()

    def discard(self) -> None:
        self._profiler.__exit__(None, None, None)

    def end(self, file: Path) -> dict[str, Any]:
        """Fields of `events.XRay`. The profiler has the wall's clock, which is read beside the common one."""
        self._profiler.__exit__(None, None, None)  # waits for the device
        spent = processor_times()
        helped = any(now - self._threads.get(thread, 0) > COMPUTED_NS for thread, now in spent.items())
        to_common = time.monotonic() - time.time()
        results: Any = self._profiler.profiler.kineto_results  # type: ignore[union-attr]
        events = results.events()
        results.save(str(file))  # says nothing of a full disk
        ops = [_op(event, to_common) for event in events if event.name() != _MEMORY]
        if self._device == "cuda":
            peak = torch.cuda.max_memory_allocated()
        elif helped:
            peak = None  # of the memory of other threads (`dp`'s replicas) the profiler says nothing
        else:
            peak = self._before + self._most(events, _unseen(results))
        return {"peak": peak, "file": str(file) if file.exists() else "", "marks": marks(ops)}

    def _most(self, events: Sequence[Any], unseen: Sequence[tuple[int, int]]) -> int:
        """Most bytes that the step had at once beyond those before it; negative where it freed of them.

        The allocator does not report what is freed of memory that it gave out before it was watched. In a
        step that is the gradients of the step before, where it begins by dropping them. `unseen`: frees of
        other threads, which it does not report either (`unseen_frees`).
        """
        changes = [(event.start_ns(), event.nbytes()) for event in events if event.name() == _MEMORY]
        changes += unseen
        clearings = [e for e in events if e.name().startswith("Optimizer.zero_grad")]
        if clearings:
            first = min(clearings, key=lambda event: event.start_ns())
            begin, end = first.start_ns(), first.start_ns() + first.duration_ns()
            reported = -sum(size for t, size in changes if begin <= t <= end and size < 0)
            dropped = sum(memory.size for memory in self._gradients if memory.free)
            changes.append((end, -max(0, dropped - reported)))
        now = most = 0
        for _, size in sorted(changes):
            now += size
            most = max(most, now)
        return most


def _unseen(results: Any) -> list[tuple[int, int]]:
    """Frees of other threads; none where this torch tells events otherwise: the peak is then a bound."""
    try:
        return unseen_frees.read(results)
    except (AttributeError, TypeError):
        return []


def _op(event: Any, to_common: float) -> Op:
    begin = event.start_ns() / 1e9 + to_common
    kernel = event.device_type() != torch.autograd.DeviceType.CPU  # type: ignore[attr-defined]
    return Op(
        name=event.name(),
        t0=begin,
        t1=begin + event.duration_ns() / 1e9,
        thread=event.start_thread_id(),
        wraps=event.scope() == _USER_SCOPE,
        kernel=kernel,
        id=event.correlation_id(),
        link=event.linked_correlation_id(),
    )


class _Dropped:
    """Memory in which gradients of the step before live: several of FSDP's in one, and in DDP's buckets."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.gradients: list[weakref.ref[Tensor]] = []

    @property
    def free(self) -> bool:
        return all(gradient() is None for gradient in self.gradients)


def processor_times() -> dict[int, int]:
    """Nanoseconds of processor time that each other thread of Python has had, the probe's own left out."""
    here = threading.get_ident()
    others = (t for t in threading.enumerate() if t.ident not in (None, here) and t.name not in OUR_THREADS)
    found = {}
    for thread in others:
        assert thread.ident is not None
        try:
            clock = time.pthread_getcpuclockid(thread.ident)
            found[thread.ident] = time.clock_gettime_ns(clock)
        except (AttributeError, OSError):  # a system without such clocks; a thread that is just ending
            continue
    return found


def memory_now() -> tuple[int, list[_Dropped]]:
    """Bytes of all tensors on the CPU now, and those of gradients among them.

    Python's collector knows every tensor that Python can reach; of those that live in C++ alone only DDP's
    buckets are worth a count. What the stage had before the fork is frozen away from it.
    """
    storages: dict[int, int] = {}
    gradients: dict[int, _Dropped] = {}
    buckets = 0
    for thing in gc.get_objects():
        kind = type(thing)  # `isinstance` would ask the thing itself, and run the code of a lazy one
        if issubclass(kind, Tensor):
            storages |= _storage(thing)
            gradient = thing.grad if thing.is_leaf else None
            if gradient is not None:
                for address, size in _storage(gradient).items():
                    storages[address] = size
                    gradients.setdefault(address, _Dropped(size)).gradients.append(weakref.ref(gradient))
        elif issubclass(kind, DistributedDataParallel):
            buckets += _in_reducer(thing)
    return sum(storages.values()) + buckets, list(gradients.values())


def _storage(tensor: Tensor) -> dict[int, int]:
    """Address -> bytes of its memory, if that is on the CPU."""
    try:
        storage = local(tensor).untyped_storage()
        if storage.device.type == "cpu" and storage.data_ptr():
            return {storage.data_ptr(): storage.nbytes()}
    except (RuntimeError, NotImplementedError):
        pass  # a tensor that has no memory of its own
    return {}


def _in_reducer(model: DistributedDataParallel) -> int:
    """Bytes of the gradient buckets that Python does not see: a second copy of the gradients. Where they are
    the gradients' home, Python keeps the tensor that it once had in hand."""
    if model.gradient_as_bucket_view:
        return 0
    return sum(p.numel() * p.element_size() for p in model.parameters() if p.requires_grad)
