"""Where torch is tapped: every collective of a process comes through here once, whoever asked for it.

All of `torch.distributed` ends in the dispatcher's `c10d::*` operators: Python's own calls, the C++ reducer
of DDP, FSDP, pipelines, and beneath their own operators (`_c10d_functional::*`) the functional collectives
that tensor parallelism and compiled code use. So a Python kernel takes the place of each `c10d` operator's
kernel for a device, notes the call and passes it on. It sits on the device's key and not on autograd's,
because tensor parallelism calls from below autograd.

The functional operators are tapped for what the others cannot tell: that nobody in Python will call
`Work.wait`, and which tensor `wait_tensor` will be asked for instead.
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from runtime.ranks.collectives import Collectives

# The dispatcher's names in plain words. Not here: monitored_barrier_, which has no work to follow.
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
_DEVICES = ("CPU", "CUDA")
_PYTHON_CALLERS = "torch.distributed.distributed_c10d"


class Seam:
    """Tells `following` of every collective: when it is entered, what its work is, who waits for it."""

    def __init__(self, following: Collectives) -> None:
        self._following = following
        self._libraries: list[Any] = []
        self._inside = threading.local()  # `.functional`: this thread is in a functional operator

    def open(self) -> list[str]:
        """Put the kernels in place; once per process. Returns what torch lacks for it, `[]`: nothing.

        An operator that this torch does not have cannot be called either, and is no loss. All else that is
        missing makes the rank blind for its collectives, or for how long it stood still for them.
        """
        try:
            from torch._C import _distributed_c10d as c10d
            from torch.library import get_kernel
        except ImportError as error:
            return [str(error)]
        missing = [
            f"{owner.__name__}.{name}"
            for owner, name in ((c10d.ProcessGroup, "unbox"), (c10d.Work, "unbox"))
            if not hasattr(owner, name)
        ]
        if not _operators("_c10d_functional", ("wait_tensor",)):
            missing.append("_c10d_functional::wait_tensor")
        if not _operators("c10d", WORDS):
            missing.append("c10d::*")
        if missing:
            return missing
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch says once that a kernel is replaced: we know
            self._replace("c10d", WORDS, get_kernel, lambda op, plain: self._collective(op, plain, c10d))
            self._replace(
                "_c10d_functional", FUNCTIONAL, get_kernel, lambda _, plain: self._functional(plain)
            )
            self._replace(
                "_c10d_functional", ("wait_tensor",), get_kernel, lambda _, plain: self._wait_tensor(plain)
            )
        self._wrap_wait(torch.distributed.Work)
        return []

    def _replace(
        self, space: str, names: Iterable[str], get_kernel: Any, made: Callable[[Any, Any], Any]
    ) -> None:
        library = torch.library.Library(space, "IMPL")
        self._libraries.append(library)  # its kernels live as long as it does
        for name, op in _operators(space, names):
            for device in _DEVICES:
                kernel = made(op, get_kernel(op, device))
                library.impl(name, kernel, device, with_keyset=True)

    # --- what takes the place of torch's kernels --------------------------------------------------------

    def _collective(self, op: Any, plain: Any, c10d: Any) -> Callable[..., Any]:
        word = WORDS[op._schema.name.partition("::")[2]]
        names = [argument.name for argument in op._schema.arguments]
        group_at = names.index("process_group")
        peer_at = next((names.index(n) for n in ("dst", "src") if n in names), None)
        following = self._following

        def kernel(keys: Any, *args: Any, **kwargs: Any) -> Any:
            group = c10d.ProcessGroup.unbox(args[group_at])
            functional = getattr(self._inside, "functional", False)
            module, asynchronous = ("", None) if functional else _caller()
            flight = following.take_off(
                word,
                group,
                -1 if peer_at is None else int(args[peer_at]),
                whole_bytes(word, args[:group_at], group.size()),
                reducer=not functional and module != _PYTHON_CALLERS,
            )
            if functional:
                following.expect(flight, storages(args[0]))
            elif asynchronous is False:
                flight.wait_from = flight.t_issue  # the call returns with the result: all of it is waiting
            result = plain.call_boxed(keys, *args, **kwargs)
            boxed = result[-1] if isinstance(result, tuple | list) else result
            following.follow(flight, c10d.Work.unbox(boxed))
            return result

        return kernel

    def _functional(self, plain: Any) -> Callable[..., Any]:
        def kernel(keys: Any, *args: Any, **kwargs: Any) -> Any:
            self._inside.functional = True
            try:
                return plain.call_boxed(keys, *args, **kwargs)
            finally:
                self._inside.functional = False

        return kernel

    def _wait_tensor(self, plain: Any) -> Callable[..., Any]:
        following = self._following

        def kernel(keys: Any, tensor: torch.Tensor) -> Any:
            work = following.expected(tensor.untyped_storage().data_ptr())
            if work is not None:
                # Here, because `plain` would wait with the interpreter locked: the callback with the news of
                # the end could not run, and the end comes after it.
                work.wait()
            return plain.call_boxed(keys, tensor)

        return kernel

    def _wrap_wait(self, work_type: Any) -> None:
        plain, following = work_type.wait, self._following

        def wait(work: Any, *args: Any, **kwargs: Any) -> Any:
            flight = following.of_work(work)
            if flight is None:
                return plain(work, *args, **kwargs)
            following.waits(flight)
            result = plain(work, *args, **kwargs)
            following.waited(flight)
            return result

        work_type.wait = wait


def whole_bytes(word: str, buffers: Iterable[Any], members: int) -> int:
    """The size of a collective as nccl-tests count it, the same on all its ranks.

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
    """Bytes of a tensor, or of all tensors in nested lists; 0 for anything else."""
    return sum(tensor.numel() * tensor.element_size() for tensor in _tensors(value))


def storages(value: Any) -> list[int]:
    """Addresses of the memory behind a tensor, or behind all tensors in nested lists."""
    return [tensor.untyped_storage().data_ptr() for tensor in _tensors(value)]


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _tensors(item)


def _operators(space: str, names: Iterable[str]) -> list[tuple[str, Any]]:
    """Those of `names` that this torch has, each with its operator."""
    packets = ((name, getattr(getattr(torch.ops, space), name, None)) for name in names)
    return [(name, packet.default) for name, packet in packets if packet is not None]


def _caller() -> tuple[str, bool | None]:
    """Of the innermost Python frame outside this file its module, and the `async_op` it was called with.

    "" on a thread of C++'s own; None where the function has no such parameter.
    """
    try:
        frame = sys._getframe(2)
    except ValueError:
        return "", None
    return str(frame.f_globals.get("__name__", "")), frame.f_locals.get("async_op")
