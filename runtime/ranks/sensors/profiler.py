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
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef
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
        self._earlier: list[_Earlier] = []
        self._threads: dict[int, int] = {}

    def begin(self) -> None:
        if self._device == "cuda":
            torch.cuda.synchronize()
            torch.cuda.reset_peak_memory_stats()
        else:
            self._before, self._earlier = memory_now()
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
            peak = self._before + self._most(events, results)
        return {"peak": peak, "file": str(file) if file.exists() else "", "marks": marks(ops)}

    def _most(self, events: Sequence[Any], results: Any) -> int:
        """Most bytes that the step had at once beyond those before it; negative where it freed of them.

        The allocator does not report what is freed of memory that it gave out before it was watched, as the
        gradients of the step before. Nor what other threads free (`unseen_frees`).
        """
        changes = [(event.start_ns(), event.nbytes()) for event in events if event.name() == _MEMORY]
        changes += _known(unseen_frees.read, results)
        gone = [memory for memory in self._earlier if memory.free]
        told = _known(unseen_frees.of_earlier, results) if gone else []
        changes += [(memory.gone_ns, -memory.size) for memory in gone if memory.address not in told]
        now = most = 0
        for _, size in sorted(changes):
            now += size
            most = max(most, now)
        return most


def _known(read: Callable[[Any], list[Any]], results: Any) -> list[Any]:
    """What `read` has of a profile; nothing where this torch tells events otherwise: the peak is a bound."""
    try:
        return read(results)
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


class _Earlier:
    """Memory that was given out before the step, and the tensors of Python that live in it."""

    def __init__(self, address: int, size: int, storage: torch.UntypedStorage) -> None:
        self.address, self.size = address, size
        self.gone_ns = 0  # when the last tensor that went did, by the wall's clock
        self._storage = StorageWeakRef(storage)
        self._tensors: list[weakref.ref[Tensor]] = []

    def hold(self, tensor: Tensor) -> None:
        """One more tensor lives here; nothing keeps it alive."""
        self._tensors.append(weakref.ref(tensor, self._gone))

    def _gone(self, _: object) -> None:
        self.gone_ns = time.time_ns()

    @property
    def free(self) -> bool:
        """Whether it was given back while a tensor of Python went."""
        return self.gone_ns > 0 and bool(self._storage.expired())


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


def memory_now() -> tuple[int, list[_Earlier]]:
    """Bytes of all tensors on the CPU now, and where they are.

    Python's collector knows every tensor that Python can reach; of those that live in C++ alone only DDP's
    buckets are worth a count. What the stage had before the fork is frozen away from it.
    """
    found: dict[int, _Earlier] = {}
    models = []
    for thing in gc.get_objects():
        kind = type(thing)  # `isinstance` would ask the thing itself, and run the code of a lazy one
        if issubclass(kind, Tensor):
            _note(found, thing)
            if thing.is_leaf and thing.grad is not None:
                _note(found, thing.grad)
        elif issubclass(kind, DistributedDataParallel):
            models.append(thing)
    memory = list(found.values())
    return sum(one.size for one in memory) + sum(_in_reducer(model, memory) for model in models), memory


def _note(found: dict[int, _Earlier], tensor: Tensor) -> None:
    """Put the memory of a tensor under its address, if that is on the CPU."""
    try:
        storage = local(tensor).untyped_storage()
        address = storage.data_ptr() if storage.device.type == "cpu" else 0
    except (RuntimeError, NotImplementedError):
        return  # a tensor that has no memory of its own
    if address:
        found.setdefault(address, _Earlier(address, storage.nbytes(), storage)).hold(tensor)


def _in_reducer(model: DistributedDataParallel, found: list[_Earlier]) -> int:
    """Bytes of the gradient buckets that Python does not see: a second copy of the gradients.

    Where they are the gradients' home, or a hook once had them in hand (the probe's has), Python keeps their
    tensors, and they are among those `found`.
    """
    if model.gradient_as_bucket_view:
        return 0
    told = model._get_ddp_logging_data()
    sizes = str(told.get("rebuilt_bucket_sizes") or told.get("bucket_sizes") or "")
    buckets = Counter(int(size) for size in sizes.split(",") if size.strip())
    own = {p.untyped_storage().data_ptr() for p in model.parameters()}
    own |= {p.grad.untyped_storage().data_ptr() for p in model.parameters() if p.grad is not None}
    if buckets and buckets <= Counter(memory.size for memory in found if memory.address not in own):
        return 0
    return sum(p.numel() * p.element_size() for p in model.parameters() if p.requires_grad)
