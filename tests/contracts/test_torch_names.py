"""Every name of torch that is used here without torch's promise to keep it, with what relies on it.

A test that fails after an upgrade of torch says which figure goes to a dash.
"""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from alone import ALONE

torch = pytest.importorskip("torch")

import torch.distributed as dist  # noqa: E402

from runtime.ranks.hooks.collective_hooks import FUNCTIONAL, WAITS, WORDS, missing_names, with_kernels  # noqa: E402


def of_this_torch(space: str) -> set[str]:
    names = {name for name in torch._C._dispatch_get_all_op_names() if name.startswith(f"{space}::")}
    return {name.removeprefix(f"{space}::") for name in names}


def test_no_collective_of_this_torch_is_overlooked() -> None:
    passed_over = {"monitored_barrier_", "check_for_nan"}  # has no work to follow; no communication
    assert of_this_torch("c10d") - passed_over <= set(WORDS)
    no_work = {*WAITS, "_wrap_tensor_autograd"}  # the end of one; a wrapping, once it was asked for
    assert of_this_torch("_c10d_functional") - no_work <= set(FUNCTIONAL)


def test_nothing_of_2_13_is_followed_by_another_name() -> None:
    """Older ones may lack some, and cannot call them either."""
    if torch.__version__ >= "2.13":
        assert set(WORDS) - {"gather_into_tensor_"} <= of_this_torch("c10d")
        assert set(FUNCTIONAL) <= of_this_torch("_c10d_functional")


def test_a_collective_that_only_a_newer_torch_has_is_followed_by_its_own_name(
    alone: Callable[..., str],
) -> None:
    alone("""
from runtime.ranks.hooks import collective_hooks
del collective_hooks.WORDS["broadcast_"]  # as if nobody here had heard of it
hooks.open()
begin()
dist.broadcast(torch.ones(1 << 10), 0)
assert [f["op"] for f in told] == ["broadcast"] and told[0]["bytes"] == 4096, told
""")


@pytest.mark.parametrize("name", sorted(of_this_torch("c10d") & set(WORDS)))
def test_a_collective_names_its_group_and_peer(name: str) -> None:
    names = [a.name for a in getattr(torch.ops.c10d, name).default._schema.arguments]
    assert "process_group" in names
    if name == "send":
        assert "dst" in names
    if name == "recv_":
        assert "src" in names


def test_a_call_says_whether_it_is_asynchronous(alone: Callable[..., str]) -> None:
    """Else time inside a synchronous call, before it begins to wait, would pass for compute."""
    for name in ("all_reduce", "broadcast", "all_gather_into_tensor", "reduce_scatter_tensor", "all_to_all"):
        assert "async_op" in inspect.signature(getattr(dist, name)).parameters
    alone("""
hooks.open()
begin()
t = torch.ones(1 << 22)
dist.all_reduce(t)
dist.reduce_scatter_tensor(torch.ones(1 << 22), t)
dist.all_gather_into_tensor(t, t.clone())
assert len(told) == 3, told
assert all(f["exposed"] == f["t_done"] - f["t_issue"] > 0 for f in told), told
work = dist.all_gather_into_tensor(t, t.clone(), async_op=True)
while len(told) < 4:  # told by its future
    pass
work.wait()
assert told[3]["exposed"] == 0, told
assert following.last == "all-gather #3"
""")


def test_boxed_works_and_groups_can_be_opened() -> None:
    from torch._C import _distributed_c10d

    assert callable(_distributed_c10d.Work.unbox)
    assert callable(_distributed_c10d.ProcessGroup.unbox)
    assert hasattr(_distributed_c10d.ProcessGroup, "group_name")
    assert hasattr(_distributed_c10d.ProcessGroup, "group_desc")


def test_a_call_can_be_passed_on_to_the_kernel_of_its_device() -> None:
    """`_op_dk` on a key without a kernel is a crash: there must be one on each that is passed on to."""
    assert missing_names() == []
    every_device = torch._C.DispatchKey.CompositeExplicitAutograd
    for name in of_this_torch("c10d") & set(WORDS):
        assert len(with_kernels(getattr(torch.ops.c10d, name).default)) >= (name != "recv_any_source_"), name
    for name in {*FUNCTIONAL, *WAITS} & of_this_torch("_c10d_functional"):
        has = torch._C._dispatch_has_kernel_for_dispatch_key
        assert has(f"_c10d_functional::{name}", every_device.name), name
        assert not any(has(f"_c10d_functional::{name}", device) for device in ("CPU", "CUDA")), name


def test_a_store_takes_a_listening_socket() -> None:
    assert "master_listen_fd" in (dist.TCPStore.__init__.__doc__ or "")


def test_a_plain_script_joins_the_store_of_an_agent() -> None:
    from torch.distributed import rendezvous as _  # noqa: F401

    source = inspect.getsource(sys.modules["torch.distributed.rendezvous"])
    assert "TORCHELASTIC_USE_AGENT_STORE" in source


def test_what_an_unmodified_script_is_heard_by_is_there() -> None:
    """Else it costs, in this order: data time; AMP's loss; activations; a pipeline's loss."""
    from torch.amp.grad_scaler import GradScaler
    from torch.autograd import graph
    from torch.distributed.pipelining.schedules import _PipelineSchedule
    from torch.optim import optimizer
    from torch.utils.data.dataloader import _BaseDataLoaderIter, _MultiProcessingDataLoaderIter

    assert "__next__" in vars(_BaseDataLoaderIter) and "__next__" not in vars(_MultiProcessingDataLoaderIter)
    assert callable(GradScaler.scale)
    assert callable(graph.disable_saved_tensors_hooks)
    assert torch._C._autograd._top_saved_tensors_default_hooks(True) is None
    for name in ("_internal_losses", "scale_grads", "_update_losses"):
        assert name in inspect.getsource(_PipelineSchedule)
    assert callable(optimizer.register_optimizer_step_pre_hook)
    assert callable(optimizer.register_optimizer_step_post_hook)
    assert "torch.autograd.backward(" in inspect.getsource(torch.Tensor.backward)


def test_who_starts_process_groups_calls_the_name_we_wrap() -> None:
    from torch.distributed import device_mesh, distributed_c10d

    plain = distributed_c10d.init_process_group
    assert dist.init_process_group is plain and device_mesh.init_process_group is plain
    assert callable(distributed_c10d.get_backend_config)


def test_torchrun_says_which_rank_failed_first(tmp_path: Path) -> None:
    """Else a rank that died of a signal is only "torchrun left with exit code 1"."""
    from runtime.launch import torchrun

    script, log = tmp_path / "dies.py", tmp_path / "log"
    script.write_text(
        "import os, signal\nif os.environ['RANK'] == '1': os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    with log.open("wb") as out:
        subprocess.run(torchrun.command(str(script), (), 2), stdout=out, stderr=out, timeout=120)
    assert torchrun.first_failure(log) == (1, -9)


def test_the_stage_can_rehearse() -> None:
    from torch.testing._internal.distributed.fake_pg import FakeStore

    assert callable(FakeStore)


def test_norms_of_many_tensors_at_once() -> None:
    norms = torch._foreach_norm([torch.tensor([3.0, 4.0]), torch.tensor([1.0])])
    assert [float(n) for n in norms] == [5.0, 1.0]


def test_the_weights_fsdp_has_gathered_can_be_seen(passes: Callable[..., str]) -> None:
    """Else `Memory.gathered` is a dash. Three ranks exist by name only, which changes no size."""
    script = """
import torch, torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.testing._internal.distributed.fake_pg import FakeStore
from runtime.ranks.hooks.gathered_params import Gathered
from runtime.ranks.sensors.memory import Ledger
dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=4)
model = torch.nn.Sequential(*(torch.nn.Linear(64, 64, bias=False) for _ in range(3)))
for layer in model:
    fully_shard(layer, mesh=init_device_mesh("cpu", (4,)))
fully_shard(model, mesh=init_device_mesh("cpu", (4,)))
ledger = Ledger()
ledger.watch(model, torch.optim.AdamW(model.parameters()))
x = torch.ones(2, 64, requires_grad=True)
with ledger.activations():
    loss = model(x).sum()
held = Gathered(model)
loss.backward()
seen = ledger.bytes_by_kind()
one = 4 * 64 * 64
assert seen["params"] == 3 * one // 4, seen
assert seen["gathered"] == 2 * one, seen  # a layer, and the buffer it came in or the next one
assert seen["activations"] == 3 * 4 * 2 * 64, seen  # the inputs, not the gathered weights
assert sum(held.now().values()) == 0  # nothing is left behind
del held._groups[0]._sharded_state  # under another name, in another torch
assert held.now() is None
"""
    passes(script)


def test_zero_says_which_optimizer_has_its_share() -> None:
    from torch.distributed.optim import ZeroRedundancyOptimizer

    source = inspect.getsource(ZeroRedundancyOptimizer)
    assert "self.optim.step(" in source


@pytest.mark.parametrize("hide", ["DispatchKeySet", "unbox", "wait_tensor"])
def test_without_what_it_needs_a_rank_is_blind_and_training_goes_on(
    alone: Callable[..., str], hide: str
) -> None:
    """Such a torch costs the events and, as the counts say so, the split of the step bar; not the run."""
    alone(
        """
from runtime.ranks.hooks import collective_hooks
match os.environ["HIDE"]:
    case "DispatchKeySet":
        del torch._C.DispatchKeySet
    case "unbox":
        torch._C._distributed_c10d.Work = type("Work", (), {})
    case "wait_tensor":
        plain = collective_hooks._operators
        collective_hooks._operators = (
            lambda space, names: [] if "wait_tensor" in names else plain(space, names)
        )
[missing] = hooks.open()
assert missing.endswith(os.environ["HIDE"])
begin()
t = torch.ones(2)
dist.all_reduce(t)
assert t.tolist() == [1.0, 1.0]
assert told == [] and following.counts() == (-1, -1) and following.last == ""
""",
        HIDE=hide,
    )


def test_an_operator_that_another_torch_lacks_is_no_loss(alone: Callable[..., str]) -> None:
    alone("""
from runtime.ranks.hooks import collective_hooks
collective_hooks.WORDS = {"allreduce_": "all-reduce", "gone_": "gone"}
assert hooks.open() == []
begin()
t = torch.ones(2)
dist.all_reduce(t)
assert [f["op"] for f in told] == ["all-reduce"] and following.counts() == (1, 1)
""")


def test_a_collective_that_is_skipped_on_purpose_is_work_that_is_done(passes: Callable[..., str]) -> None:
    """`_create_work_from_future`: without it the fault `desync` has nothing to give back."""
    said = passes(f"""{ALONE}
hooks.open()
begin()
following.skip_next()
ones = torch.ones(2)
dist.all_reduce(ones)
print(following.counts())
work = dist.all_reduce(ones, async_op=True)
work.wait()
print(following.counts(), ones.tolist())
""")
    assert said.splitlines() == ["(0, 0)", "(1, 1) [1.0, 1.0]"]


def test_the_profiler_gives_events_with_threads_and_memory() -> None:
    """Else the x-ray has no marks and no peak (`ranks.xray`)."""
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True
    ) as seen:
        torch.ones(1000) + 1
    results = seen.profiler.kineto_results
    assert callable(results.save)
    events = results.events()
    added = next(event for event in events if event.name() == "aten::add")
    assert added.duration_ns() > 0 and added.start_thread_id() > 0 and added.scope() == 0
    assert added.device_type() == torch.autograd.DeviceType.CPU
    assert isinstance(added.correlation_id(), int) and isinstance(added.linked_correlation_id(), int)
    assert max(event.nbytes() for event in events if event.name() == "[memory]") == 4000


def test_the_profiler_says_where_memory_lies_and_in_which_operator() -> None:
    """Else frees of gloo's threads are not found, and peaks are too high (`ranks.sensors.unseen_frees`)."""
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True
    ) as seen:
        torch.ones(1000) + 1
    found, waiting = [], list(seen.profiler.kineto_results.experimental_event_tree())
    while waiting:
        event = waiting.pop()
        waiting += event.children
        if hasattr(event.extra_fields, "alloc_size"):
            within = event.parent.name if event.parent else ""
            found.append((within, event.extra_fields.alloc_size, event.extra_fields.device.type))
            assert event.extra_fields.ptr and event.start_tid and event.start_time_ns
        else:
            assert event.end_time_ns >= event.start_time_ns
    assert ("aten::add", 4000, "cpu") in found


def test_a_sharded_parameter_says_how_it_is_cut() -> None:
    """Else copies of a slice are not compared, and a sharded gradient has no norm (`ranks.memory`)."""
    from torch.distributed.tensor import DTensor, Replicate, Shard

    assert callable(DTensor.placements.__get__) and callable(DTensor.device_mesh.__get__)
    assert Shard(0).is_shard() and Replicate().is_replicate() and not Shard(0).is_replicate()
