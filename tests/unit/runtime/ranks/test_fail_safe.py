"""Whatever the probe does inside a script, the script computes what it computes alone; what fails is ours."""

from __future__ import annotations

import inspect
import json

import pytest
from warm_python import WarmPython

pytest.importorskip("torch")
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

# --- any kind of tensor -----------------------------------------------------------------------------------

KINDS = """
import torch, torch.distributed as dist
import torch.distributed._functional_collectives as functional
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor
from torch.testing._internal.distributed.fake_pg import FakeStore

dist.init_process_group("fake", store=FakeStore(), rank=1, world_size=2)
mesh = init_device_mesh("cpu", (2,))
plain = torch.arange(16.0).reshape(4, 4)

class Wrapping(torch.Tensor):
    '''Of a library nobody here has seen: it has a tensor and tells it to nobody.'''
    @staticmethod
    def __new__(cls, inner, **more):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
    def __init__(self, inner):
        self.inner = inner
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        raise RuntimeError("asked for " + str(func))

class Flattening(Wrapping):
    def __tensor_flatten__(self):
        return ["inner"], None

class Broken(Wrapping):
    def __tensor_flatten__(self):
        raise ValueError("not today")

class Jealous(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if getattr(func, "__name__", "") in ("untyped_storage", "data_ptr", "detach"):
            raise RuntimeError("touched by " + func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})

def fake():
    with FakeTensorMode():
        return torch.ones(4, 4)

makes = {
    "plain": lambda: plain.clone(),
    "view": lambda: plain.clone()[1:, ::2],
    "expanded": lambda: torch.ones(1).expand(5),
    "empty": lambda: torch.empty(0),
    "freed": lambda: (lambda t: (t.untyped_storage().resize_(0), t)[1])(plain.clone()),
    "meta": lambda: plain.to("meta"),
    "fake": fake,
    "waiting": lambda: functional.all_reduce(plain.clone(), "sum", mesh),
    "sharded": lambda: distribute_tensor(plain, mesh, [Shard(0)]),
    "replicated": lambda: distribute_tensor(plain, mesh, [Replicate()]),
    "gathered": lambda: distribute_tensor(plain, mesh, [Shard(0)]).redistribute(mesh, [Replicate()]),
    "coo": lambda: plain.to_sparse(),
    "csr": lambda: plain.to_sparse_csr(),
    "csc": lambda: plain.to_sparse_csc(),
    "mkldnn": lambda: plain.to_mkldnn(),
    "jagged": lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged),
    "quantized": lambda: torch.quantize_per_tensor(plain, 0.1, 0, torch.qint8),
    "complex": lambda: plain.to(torch.complex64).conj(),
    "half": lambda: plain.to(torch.bfloat16),
    "zeros": lambda: torch._efficientzerotensor(4),
    "wrapping": lambda: Wrapping(plain),
    "flattening": lambda: Flattening(plain.clone()),
    "flattening twice": lambda: Flattening(functional.all_reduce(plain.clone(), "sum", mesh)),
    "broken": lambda: Broken(plain),
    "jealous": lambda: plain.clone().as_subclass(Jealous),
    "parameter": lambda: torch.nn.Parameter(plain.clone()),
    "batched": lambda: torch._C._functorch._add_batch_dim(plain, 0, 1),
}
"""
SAVING = """
import contextlib, io, json, sys
from runtime.ranks.fail_safe import mishaps
from runtime.ranks.sensors.memory import Ledger
from runtime.ranks.sensors.gradient_norm import norm

class Saving(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, *others):
        ctx.save_for_backward(x, *others)
        return x * 2
    @staticmethod
    def backward(ctx, gradient):
        x, *back = ctx.saved_tensors
        kinds = (type(t).__name__.replace("Parameter", "Tensor") for t in back)  # as under any hook
        seen.append([(next(kinds), str(t.layout), () if t.is_nested else tuple(t.shape)) for t in back])
        return (gradient * 2 * x, *(None for _ in back))

def train(names, watched):
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 1)
    ledger = Ledger()
    if watched:
        ledger.watch(model)
    others = [makes[name]() for name in names]
    with ledger.activations() if watched else contextlib.nullcontext():
        x = torch.ones(3, 4, requires_grad=True)
        loss = model(Saving.apply(x, *others)).sum()
    loss.backward()
    if watched:
        ledger.weigh_gradients()
        assert ledger.bytes_by_kind()["activations"] >= 48
    return loss.item(), x.grad.tolist(), model.weight.grad.tolist()

for names in json.loads(sys.stdin.read() or LISTS):
    mishaps.known.clear()
    seen, out = [], io.StringIO()
    with contextlib.redirect_stderr(out):
        alone, beside = train(names, False), train(names, True)
    assert alone == beside and seen[0] == seen[1], names
    strange = {"wrapping", "broken", "batched", "mkldnn", "zeros"} & set(names)
    assert bool(mishaps.known) == bool(strange), (names, mishaps.known)
    assert bool(out.getvalue()) == bool(strange), (names, out.getvalue())
"""
NAMES = [line.split('"')[1] for line in KINDS.splitlines() if line.startswith('    "') and "lambda" in line]
NAMES.append("fake")


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.sampled_from(NAMES), max_size=5), min_size=4, max_size=12))
def test_tensors_of_any_kind_come_back_from_autograd_as_they_went(
    warm_python: WarmPython, lists: list[list[str]]
) -> None:
    done = warm_python.run(KINDS + SAVING.replace("LISTS", repr(json.dumps(lists))))
    assert done.returncode == 0, done.stderr


def test_each_kind_alone(warm_python: WarmPython) -> None:
    """The one that once broke a script, `waiting`, among them."""
    lists = json.dumps([[name] for name in NAMES])
    done = warm_python.run(KINDS + SAVING.replace("LISTS", repr(lists)))
    assert done.returncode == 0, done.stderr


def test_sequence_parallel_trains_under_the_ledger(warm_python: WarmPython) -> None:
    """The inputs that autograd saves there are still on their way when it saves them."""
    done = warm_python.run(
        KINDS
        + """
from torch.distributed.tensor.parallel import (
    ColwiseParallel, PrepareModuleInput, RowwiseParallel, SequenceParallel, parallelize_module)
from runtime.demos.model import Sentences, TinyLM, next_token_loss
from runtime.ranks.fail_safe import mishaps
from runtime.ranks.sensors.memory import Ledger

model = TinyLM(layers=1)
plan = {"norm2": SequenceParallel(), "up": ColwiseParallel(input_layouts=Shard(1)),
        "down": RowwiseParallel(output_layouts=Shard(1))}
cut = torch.nn.Sequential(model.blocks[0].norm2, model.blocks[0].up, torch.nn.GELU(), model.blocks[0].down)
parallelize_module(cut, mesh, {"0": SequenceParallel(use_local_output=False),
    "1": ColwiseParallel(input_layouts=Shard(1)), "3": RowwiseParallel(output_layouts=Shard(1))})
ledger = Ledger()
ledger.watch(cut)
with ledger.activations():
    loss = cut(torch.randn(2, 8, 128)).sum()
loss.backward()
ledger.weigh_gradients()
assert ledger.bytes_by_kind()["activations"] > 0 and not mishaps.known, mishaps.known
"""
    )
    assert done.returncode == 0, done.stderr


# --- any failure of ours ----------------------------------------------------------------------------------

TRAINING = """
import os, tempfile, threading
from pathlib import Path
import torch, torch.distributed as dist
from runtime.ranks.hooks import auto_instrumentation, collective_hooks, collective_waits
from runtime.ranks.hooks import gathered_params, training_without_probe, phase_clock
from runtime.ranks.hooks import saved_tensors, trained_modules
from runtime.ranks import fail_safe, measurements, probe
from runtime.ranks.sensors import memory, gradient_norm, tensor_storage
from runtime.ranks.fail_safe import mishaps
from runtime.ranks.runner import run_script

folder = Path(tempfile.mkdtemp())
os.environ |= {"TEACHRUN_SOCKET": str(folder / "nobody"), "RANK": "0", "WORLD_SIZE": "1",
               "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0"}
(folder / "train.py").write_text('''
import torch, torch.distributed as dist
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
torch.manual_seed(0)
layers = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Linear(8, 1))
model = torch.nn.parallel.DistributedDataParallel(layers)
optimizer = torch.optim.AdamW(model.parameters())
loader = torch.utils.data.DataLoader(torch.arange(64.0).reshape(8, 8) / 64, batch_size=4)
for epoch in range(2):
    for batch in loader:
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total = loss.detach().clone()
        dist.all_reduce(total)
        work = dist.all_reduce(total, async_op=True)
        work.wait()
        print("loss", total.item())
del model
dist.destroy_process_group()
''')
"""
ONE_BY_ONE = """
import contextlib, io, json
script = compile((folder / "train.py").read_text(), "train.py", "exec")

def learned():
    out, said = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
        exec(script, {"__name__": "__main__"})
    return out.getvalue(), said.getvalue()

alone, _ = learned()
probe.probe.start()
probe.probe.listen()
listener = probe.probe.listener
fresh = dict(vars(auto_instrumentation.AutoInstrumentation(probe.probe)), _on=True)
found = {"alone": [alone.count("loss "), True, True, ""]}
for owner, name in json.loads(NAMES):
    it, reached = eval(owner), []
    plain = vars(it)[name]

    def broken(*args, **kwargs):
        reached.append(1)
        raise RuntimeError("this is ours")

    mishaps.known.clear()
    vars(listener).update(vars(auto_instrumentation.AutoInstrumentation(probe.probe)), _on=True)
    probe.probe._step, probe.probe._training = -1, False
    setattr(it, name, property(broken) if isinstance(plain, property) else broken)
    try:
        result, said = learned()
    except BaseException as error:
        result, said = repr(error), ""
        if dist.is_initialized():
            dist.destroy_process_group()
    setattr(it, name, plain)
    told = "teachrun: the probe failed to" in said
    found[f"{owner}.{name}"] = [len(reached), result == alone, told, result]
print(json.dumps(found), flush=True)
os._exit(0)
"""
AT_ONCE = """
def broken(*args, **kwargs):
    print("reached", flush=True)
    raise RuntimeError("this is ours")

OWNER.NAME = broken
probe.probe.start()
code = run_script(str(folder / "train.py"), (), listen=True)
print("code", code, flush=True)
os._exit(0)
"""
# What begins or ends the listening is broken before it begins, in a process for each.
FIRST = [
    "probe.Probe.listen",
    "measurements.Measurements.booting",
    "measurements.Measurements.instrument",
    "auto_instrumentation.AutoInstrumentation.listen",
    "auto_instrumentation.AutoInstrumentation._tap_torch",
    "auto_instrumentation.AutoInstrumentation._tap_modules",
    "collective_hooks.CollectiveHooks.open",
    "collective_hooks.CollectiveHooks._collective",
    "auto_instrumentation.AutoInstrumentation.close",
    "memory.Ledger.watch",
]


# What does nothing but stand in its caller's way with a guard.
GUARDS = {"__del__", "_passing", "_stand", "phase", "step", "activations"}


def entries() -> list[tuple[str, str]]:
    """Every function of the probe's classes, and those that its modules have for each other."""
    from runtime.ranks import measurements, probe
    from runtime.ranks.hooks import (
        auto_instrumentation,
        collective_hooks,
        collective_waits,
        gathered_params,
        phase_clock,
        saved_tensors,
        trained_modules,
        training_without_probe,
    )
    from runtime.ranks.sensors import gradient_norm, memory, tensor_storage

    found = []
    for module in (
        collective_waits,
        gathered_params,
        auto_instrumentation,
        training_without_probe,
        phase_clock,
        measurements,
        memory,
        gradient_norm,
        tensor_storage,
        probe,
        saved_tensors,
        collective_hooks,
        trained_modules,
    ):
        short = module.__name__.rpartition(".")[2]
        for name, it in vars(module).items():
            if getattr(it, "__module__", "") != module.__name__:
                continue
            if inspect.isfunction(it) and not hasattr(it, "__wrapped__"):
                found.append((short, name))
            elif inspect.isclass(it) and not issubclass(it, Exception | tuple):
                methods = [
                    key
                    for key, each in vars(it).items()
                    if (inspect.isfunction(each) or isinstance(each, property))
                    # A guard of ours is what these are for: what it guards is broken instead.
                    and not hasattr(each, "__wrapped__")
                    and key not in GUARDS
                ]
                found += [(f"{short}.{name}", key) for key in methods]
    return found


def test_a_probe_that_fails_costs_the_script_nothing(warm_python: WarmPython) -> None:
    names = [entry for entry in entries() if ".".join(entry) not in FIRST]
    done = warm_python.run(TRAINING + ONE_BY_ONE.replace("NAMES", repr(json.dumps(names))))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found.pop("alone")[0] == 4
    assert {name: it[3] for name, it in found.items() if not it[1]} == {}
    reached = {name for name, it in found.items() if it[0]}
    assert len(reached) > 40, reached
    assert {name for name in reached if not found[name][2]} <= SAID_OTHERWISE


# Whoever is without these knows another way, or it is the caller's business to say it.
SAID_OTHERWISE: set[str] = set()


@pytest.mark.parametrize("name", FIRST)
def test_a_probe_that_cannot_begin_or_end_costs_nothing(warm_python: WarmPython, name: str) -> None:
    owner, _, function = name.rpartition(".")
    alone = warm_python.run(TRAINING + 'exec((folder / "train.py").read_text(), {"__name__": "__main__"})')
    done = warm_python.run(TRAINING + AT_ONCE.replace("OWNER", owner).replace("NAME", function))
    lines = done.stdout.splitlines()
    assert "reached" in lines and lines[-1] == "code 0", done.stderr
    losses = [line for line in lines if line.startswith("loss")]
    assert losses == alone.stdout.splitlines() and len(losses) == 4
    assert "teachrun: the probe failed to" in done.stderr
