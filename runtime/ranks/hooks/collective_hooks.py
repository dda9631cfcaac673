"""Hooks into torch's dispatcher: every collective of a process passes here once, no matter what called it.

All of `torch.distributed` ends in the dispatcher's `c10d::*` operators: Python's own calls, the C++ reducer
of DDP, FSDP, pipelines, and beneath their own operators (`_c10d_functional::*`) the functional collectives
that tensor parallelism and compiled code use. A Python kernel on the key `BackendSelect` notes the call and
passes it on to the kernel of the device. That key is asked in every call: not only above autograd, where
tensor parallelism does not pass, and whatever the device.

The functional operators are hooked for what the others cannot tell: that nobody in Python will call
`Work.wait`, and for which tensor `wait_tensor` will be called instead. Their one kernel serves all devices,
so ours use the free keys of the two devices we know.

A call is passed on by `_op_dk`, which releases the GIL. `torch.library.get_kernel` returns kernels that keep
it: gloo's thread then waits for the GIL to report an end while it holds the lock of the queue that the next
call waits for, a deadlock.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

import torch

from runtime.ranks.fail_safe import harmless

if TYPE_CHECKING:
    from runtime.ranks.hooks.collective_waits import Collectives, Flight

# The dispatcher's names in plain words; one that is not here, of a newer torch, is followed by its own name.
WORDS = {
    "allreduce_": "all-reduce",
    "allreduce_coalesced_": "all-reduce",
    "broadcast_": "broadcast",
    "reduce_": "reduce",
    "allgather_": "all-gather",
    "_allgather_base_": "all-gather",
    "allgather_coalesced_": "all-gather",
    "allgather_into_tensor_coalesced_": "all-gather",
    "reduce_scatter_": "reduce-scatter",
    "_reduce_scatter_base_": "reduce-scatter",
    "reduce_scatter_tensor_coalesced_": "reduce-scatter",
    "alltoall_": "all-to-all",
    "alltoall_base_": "all-to-all",
    "gather_": "gather",
    "gather_into_tensor_": "gather",  # since torch 2.15
    "scatter_": "scatter",
    "barrier": "barrier",
    "send": "send",
    "recv_": "receive",
    "recv_any_source_": "receive",
}
FUNCTIONAL = (
    "all_reduce",
    "all_reduce_",
    "all_reduce_coalesced",
    "all_reduce_coalesced_",
    "all_gather_into_tensor",
    "all_gather_into_tensor_coalesced",
    "all_gather_into_tensor_out",
    "all_to_all_single",
    "batch_p2p_ops",
    "broadcast",
    "broadcast_",
    "irecv",
    "isend",
    "reduce_scatter_tensor",
    "reduce_scatter_tensor_coalesced",
    "reduce_scatter_tensor_out",
)
WAITS = ("wait_tensor", "wait_tensors")  # the second since torch 2.15
_DEVICES = ("CPU", "CUDA")
_PYTHON_CALLERS = "torch.distributed.distributed_c10d"


class CollectiveHooks:
    """Reports every collective to `following`: when it is entered, its work, and who waits for it."""

    def __init__(self, following: Collectives) -> None:
        self._following = following
        self._libraries: list[Any] = []
        self._plain_wait: Callable[..., Any] | None = None
        self._inside = threading.local()  # `.functional`: this thread is in a functional operator

    def open(self) -> list[str]:
        """Install the kernels; once per process. Returns the names that torch lacks for it, `[]` if none.

        An operator that this torch does not have cannot be called either, and is no loss. All else that is
        missing makes the rank blind for its collectives, or for how long it stood still for them.
        """
        missing = missing_names()
        self._following.blind = bool(missing)
        if not missing:
            self._tap("c10d", (*WORDS, *unnamed()), ("BackendSelect",), self._collective)
            self._tap("_c10d_functional", FUNCTIONAL, _DEVICES, self._functional)
            self._tap("_c10d_functional", WAITS, _DEVICES, self._wait_tensor)
            self._wrap_wait(torch.distributed.Work)
        return missing

    def close(self) -> None:
        """Give torch its own kernels and its own `wait` back."""
        for library in self._libraries:
            library._destroy()
        self._libraries.clear()
        if self._plain_wait is not None:
            torch.distributed.Work.wait = self._plain_wait  # type: ignore[method-assign]

    def _tap(
        self, space: str, names: Iterable[str], keys: Iterable[str], made: Callable[[Any], Callable[..., Any]]
    ) -> None:
        library = torch.library.Library(space, "IMPL")
        self._libraries.append(library)  # its kernels live as long as it does
        for op in _operators(space, names):
            kernel = made(op)
            for key in keys:
                library.impl(op, kernel, key, with_keyset=True)

    # --- what takes the place of torch's kernels --------------------------------------------------------

    def _collective(self, op: Any) -> Callable[..., Any]:
        c10d = torch._C._distributed_c10d
        name = op._schema.name.partition("::")[2]
        word = WORDS.get(name) or name.strip("_").replace("_", "-")
        names = [argument.name for argument in op._schema.arguments]
        group_at = names.index("process_group")
        peer_at = next((names.index(n) for n in ("dst", "src") if n in names), None)
        root_at = names.index("root_rank") if "root_rank" in names else None
        here = torch._C.DispatchKeySet(torch._C.DispatchKey.BackendSelect)
        devices = with_kernels(op)
        following = self._following

        def kernel(keys: Any, *args: Any, **kwargs: Any) -> Any:
            device = (keys - here).highestPriorityTypeId()
            if device not in devices:  # tensors without data, of a compiler that only looks at shapes
                with torch._C._ExcludeDispatchKeyGuard(here):
                    return op(*args, **kwargs)
            skip = False
            with harmless("see whether a collective is to be skipped"):
                skip = following.skips()
            if skip:
                work = nothing_to_wait_for(args[0])
                return (args[0], work) if len(op._schema.returns) > 1 else work
            flight, held_back_s = None, 0.0
            with harmless("see a collective begin"):
                flight = entered(args, *_caller())
                held_back_s = following.held_back_s(flight, c10d.ProcessGroup.unbox(args[group_at]))
            if held_back_s > 0:
                time.sleep(held_back_s)
            result = op._op_dk(device, *args, **kwargs)
            if flight is not None:
                with harmless("follow a collective"):
                    boxed = result[-1] if isinstance(result, tuple | list) else result
                    following.follow(flight, c10d.Work.unbox(boxed))
            return result

        def entered(args: Any, module: str, asynchronous: bool | None) -> Flight:
            group = c10d.ProcessGroup.unbox(args[group_at])
            functional = getattr(self._inside, "functional", False)
            flight = following.take_off(
                word,
                group,
                -1 if peer_at is None else int(args[peer_at]),
                whole_bytes(word, args[:group_at], group.size()),
                reducer=not functional and module != _PYTHON_CALLERS,
                root=-1 if root_at is None else int(args[root_at]),
            )
            if functional:
                following.expect(flight, storages(args[0]))
            elif asynchronous is False:
                flight.wait_from = flight.t_issue  # the call returns with the result: all of it is waiting
            return flight

        return kernel

    def _functional(self, op: Any) -> Callable[..., Any]:
        def kernel(_: Any, *args: Any, **kwargs: Any) -> Any:
            self._inside.functional = True
            try:
                return op._op_dk(torch._C.DispatchKey.CompositeExplicitAutograd, *args, **kwargs)
            finally:
                self._inside.functional = False

        return kernel

    def _wait_tensor(self, op: Any) -> Callable[..., Any]:
        def kernel(_: Any, tensors: Any) -> Any:
            every_device = torch._C.DispatchKey.CompositeExplicitAutograd
            flights: list[Flight] = []
            with harmless("tell what is waited for"):
                expected = (self._following.expected(place) for place in storages(tensors))
                flights = [flight for flight in expected if flight is not None]
            return self._stand(flights, lambda: op._op_dk(every_device, tensors))

        return kernel

    def _wrap_wait(self, work_type: Any) -> None:
        plain = work_type.wait

        def wait(work: Any, /, *args: Any, **kwargs: Any) -> Any:
            flight = None
            with harmless("tell what is waited for"):
                flight = self._following.of_work(work)
            return self._stand([flight] if flight is not None else [], lambda: plain(work, *args, **kwargs))

        self._plain_wait, work_type.wait = plain, wait

    def _stand(self, flights: list[Flight], wait: Callable[[], Any]) -> Any:
        """Wait, and report for how long if it is for collectives that are followed."""
        with harmless("time a wait"):
            for flight in flights:
                self._following.waits(flight)
        result = wait()
        with harmless("time a wait"):
            for flight in flights:
                self._following.waited(flight)
        return result


def missing_names() -> list[str]:
    """Return the private names that this torch lacks and that the hooks need."""
    torch_c = torch._C
    c10d = getattr(torch_c, "_distributed_c10d", None)
    needed: list[tuple[Any, str]] = [
        (torch_c, "DispatchKey"),
        (torch_c, "DispatchKeySet"),
        (torch_c, "_ExcludeDispatchKeyGuard"),
        (torch_c, "_dispatch_has_kernel_for_dispatch_key"),
        (getattr(c10d, "ProcessGroup", None), "unbox"),
        (getattr(c10d, "Work", None), "unbox"),
        (torch.ops.aten.add.Tensor, "_op_dk"),
    ]
    missing = [name for owner, name in needed if not hasattr(owner, name)]
    waits = _operators("_c10d_functional", ("wait_tensor",))
    return missing + ([] if waits else ["_c10d_functional::wait_tensor"])


def operators() -> list[Any]:
    """Return all hooked operators. The first call has torch look each of them up, which takes some 10 ms."""
    return [
        *_operators("c10d", (*WORDS, *unnamed())),
        *_operators("_c10d_functional", (*FUNCTIONAL, *WAITS)),
    ]


@cache
def unnamed() -> tuple[str, ...]:
    """Return collectives of this torch that `WORDS` lacks: operators of a group that return a work."""
    every = (name.partition("::") for name in torch._C._dispatch_get_all_op_names())
    news = {op.partition(".")[0] for space, _, op in every if space == "c10d"} - WORDS.keys()
    schemas = [op._schema for op in _operators("c10d", sorted(news))]
    return tuple(
        schema.name.partition("::")[2]
        for schema in schemas
        if any(argument.name == "process_group" for argument in schema.arguments)
        and any("c10d.Work" in str(given.type) for given in schema.returns)
    )


def nothing_to_wait_for(buffers: Any) -> Any:
    """Return the boxed work of a collective that was skipped: done at once, its buffers unchanged."""
    future: torch.futures.Future[list[torch.Tensor]] = torch.futures.Future()
    future.set_result(list(_tensors(buffers)))
    return torch._C._distributed_c10d._create_work_from_future(future).boxed()  # type: ignore[attr-defined]


def whole_bytes(word: str, buffers: Iterable[Any], members: int) -> int:
    """Return the bytes of a collective as nccl-tests count them, the same on all its ranks.

    That is the whole buffer: of what is gathered or scattered the larger side, which for a gather or scatter
    to or from one rank the others do not have and which is then `members` of theirs. A barrier has none.
    """
    if word == "barrier":
        return 0
    sizes = [nbytes(buffer) for buffer in buffers]
    if word in ("gather", "scatter") and 0 in sizes:
        return members * max(sizes)
    return max(sizes)


def nbytes(value: Any) -> int:
    """Return the bytes of a tensor, or of all tensors in nested lists; 0 for anything else."""
    return sum(tensor.numel() * tensor.element_size() for tensor in _tensors(value))


def storages(value: Any) -> list[int]:
    """Return the storage addresses of a tensor, or of all tensors in nested lists."""
    return [tensor.untyped_storage().data_ptr() for tensor in _tensors(value)]


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _tensors(item)


def _operators(space: str, names: Iterable[str]) -> list[Any]:
    """Those of `names` that this torch has."""
    packets = (getattr(getattr(torch.ops, space), name, None) for name in names)
    return [packet.default for packet in packets if packet is not None]


def with_kernels(op: Any) -> frozenset[Any]:
    """The device keys on which it has a kernel of its own: without one `_op_dk` would call nothing."""
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    return frozenset(getattr(torch._C.DispatchKey, d) for d in _DEVICES if has(op._schema.name, d))


def _caller() -> tuple[str, bool | None]:
    """Of the innermost Python frame outside this file its module, and the `async_op` it was called with.

    "" on a thread of C++'s own; None where the function has no such parameter.
    """
    try:
        frame = sys._getframe(2)
    except ValueError:
        return "", None
    return str(frame.f_globals.get("__name__", "")), frame.f_locals.get("async_op")
