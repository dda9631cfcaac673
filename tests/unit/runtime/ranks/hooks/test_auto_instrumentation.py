"""What is heard of scripts that tell nothing: steps, loss, phases and memory of loops of many shapes.

Listening changes torch for a whole process, so each loop runs in one of its own.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warm_python import WarmPython

from runtime.ranks.hooks import phase_clock
from runtime.ranks.hooks.phase_clock import PhaseClock

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.slow

BEGIN = """
import sys, time
from runtime.protocol.events import *
from runtime.ranks import sender
from runtime.ranks.probe import Probe
class Kept(list):
    put = list.append
    def close(self, timeout_s=0.5): return True
kept = Kept()
sender.Sender = lambda *args: kept
probe = Probe()
probe.start({"TEACHRUN_SOCKET": "/there", "TEACHRUN_BACKEND": "?", "TEACHRUN_DEVICE": "?"})
kept.clear()
probe.listen()
listener = probe.listener
"""
TORCH = """
import torch
from torch import nn
assert listener.missing == []
torch.manual_seed(0)
def of(kind): return [e for e in kept if isinstance(e, kind)]
def losses(): return [s.loss for s in of(Step)]
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
x, y = torch.randn(16, 4), torch.randn(16, 1)
"""


@pytest.fixture
def heard(warm_python: WarmPython) -> Callable[[str], None]:
    def run(loop: str) -> None:
        done = warm_python.run(BEGIN + TORCH + loop)
        assert done.returncode == 0, done.stderr

    return run


# --- the clock ----------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.sampled_from(["data", "forward", "backward", "other"]), st.integers(0, 10))))
def test_every_moment_belongs_to_one_phase(moves: list[tuple[str, int]]) -> None:
    t = [0.0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(phase_clock, "now", lambda: t[0])
        clock, spent = PhaseClock(), {"other": 0.0}
        for phase, seconds in moves:
            spent[clock.phase] = spent.get(clock.phase, 0.0) + seconds
            t[0] += seconds
            clock.switch(phase)
        lap = clock.lap(t[0])
    assert sum(lap.values()) == pytest.approx(t[0])
    assert {k: v for k, v in lap.items() if v} == pytest.approx({k: v for k, v in spent.items() if v})


# --- loops of many shapes -----------------------------------------------------------------------------------


def test_nothing_is_imported_before_the_script_asks_for_it() -> None:
    cold = BEGIN + "assert 'torch' not in sys.modules\n" + TORCH + "probe.close(0)\n"
    done = subprocess.run(
        [sys.executable, "-P", "-W", "ignore", "-c", cold], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr


def test_a_plain_loop(heard: Callable[[str], None]) -> None:
    heard("""
optimizer = torch.optim.Adam(model.parameters())
said = []
for n in range(12):
    loss = ((model(x) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    time.sleep(0.02 if n == 5 else 0)
    optimizer.step()
    said.append(loss.item())
probe.close(0)
steps = of(Step)
assert losses() == said and [s.step for s in steps] == list(range(12))
for one, two in zip(steps, steps[1:]):
    assert one.t <= two.t0 and one.tokens == 0  # between them only what is not the script's
    parts = one.data + one.forward + one.backward + one.optimizer + one.other
    assert abs(parts - (one.t - one.t0)) < 1e-9 and min(one.forward, one.backward, one.optimizer) > 0
assert steps[5].other > 0.019 and [b.phase for b in of(Boot)] == ["train"]
count = sum(p.numel() for p in model.parameters())
assert [m.step for m in of(Memory)] == [0, 1, 10]
memory = of(Memory)[1]
assert (memory.params, memory.grads, memory.optimizer) == (4 * count, 4 * count, 8 * count)
assert memory.activations == 4 * 16 * (4 + 8 + 1)  # two inputs of layers, and what is squared
assert {c.checksum for c in of(Check)} == {""}  # nobody promised that other ranks hold the same
assert all(c.grad_norm > 0 and c.share is None for c in of(Check))  # of one rank it is known
""")


def test_without_an_optimizer_a_step_ends_where_the_next_begins(heard: Callable[[str], None]) -> None:
    heard("""
said = []
for n in range(4):
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    time.sleep(0.02 if n == 2 else 0)
    with torch.no_grad():
        model(x)  # looked at, and no part of training
        for p in model.parameters():
            p -= 0.1 * p.grad
            p.grad = None
    said.append(loss.item())
assert losses() == said[:3]
probe.close(0)
steps = of(Step)
assert losses() == said and [s.step for s in steps] == [0, 1, 2, 3]
assert steps[2].other > 0.019 and all(s.forward > 0 and s.backward > 0 and s.optimizer == 0 for s in steps)
count = sum(p.numel() for p in model.parameters())
memory = of(Memory)[1]
assert (memory.params, memory.grads, memory.optimizer) == (4 * count, 4 * count, 0)
assert memory.activations == 4 * 16 * (4 + 8 + 1)
""")


def test_bare_tensors_have_steps_and_no_model_to_weigh(heard: Callable[[str], None]) -> None:
    heard("""
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=4)
w = torch.zeros(4, 1, requires_grad=True)
for a, b in loader:
    ((a @ w - b) ** 2).mean().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()
probe.close(0)
assert len(of(Step)) == 4 and all(s.data > 0 and s.loss > 0 for s in of(Step)) and of(Memory) == []
""")


def test_micro_batches_are_one_step_and_their_losses_add_up(heard: Callable[[str], None]) -> None:
    heard("""
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
for _ in range(2):
    for part in range(4):
        (nn.functional.mse_loss(model(x[part::4].clone()), y[part::4].clone()) / 4).backward()
    if _ == 0:
        with torch.no_grad():
            whole = nn.functional.mse_loss(model(x), y).item()
    optimizer.step(); schedule.step(); optimizer.zero_grad()
assert len(of(Step)) == 2 and abs(losses()[0] - whole) < 1e-6
assert of(Memory)[1].activations == 4 * 4 * (4 + 8 + 1 + 1)  # of one micro-batch at a time
""")


def test_two_optimizers_in_turn_beat_once(heard: Callable[[str], None]) -> None:
    """As in an adversarial pair: a step holds one turn of both, also the last one, and both are weighed."""
    heard("""
critic = nn.Linear(1, 1)
d, g = torch.optim.SGD(critic.parameters(), lr=0.1), torch.optim.Adam(model.parameters())
said = []
for _ in range(4):
    first = critic(model(x).detach()).mean()
    d.zero_grad(); first.backward(); d.step()
    second = critic(model(x)).mean()
    g.zero_grad(); second.backward(); g.step()
    said.append((first.item(), second.item()))
heard = losses()
assert len(heard) == 4 and heard[0] == said[0][0]
assert abs(heard[1] - said[0][1] - sum(said[1])) < 1e-6  # that they go in turn shows when it begins again
assert abs(heard[2] - sum(said[2])) < 1e-6 and abs(heard[3] - sum(said[3])) < 1e-6
count = sum(p.numel() for p in [*model.parameters(), *critic.parameters()])
assert of(Memory)[1].params == 4 * count
""")


@pytest.mark.parametrize(("turn", "steps"), [("DDDG", 12), ("DG" + "D" * 6, 27), ("DGE", 4)])
def test_the_first_beats_time_where_the_others_do_not_step_as_often(
    heard: Callable[[str], None], turn: str, steps: int
) -> None:
    """Of `DGDDDDDD` the second and third D are one: only then it shows that G does not come each time."""
    heard(f"""
each = dict(zip("DGE", (torch.optim.SGD([p], lr=0.1) for p in model.parameters()), strict=False))
for name in {turn!r} * 4:
    nn.functional.mse_loss(model(x), y).backward()
    each[name].step()
assert len(of(Step)) == {steps}, len(of(Step))
""")


def test_a_seed_of_ones_is_what_a_sum_would_take(heard: Callable[[str], None]) -> None:
    """Any other gradient of a whole layer comes from further on, and what it meets here is no loss."""
    heard("""
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for seed in (1.0, 0.5):
    out = (model(x) - y) ** 2
    optimizer.zero_grad(); out.backward(torch.full_like(out, seed)); optimizer.step()
    if seed == 1.0:
        whole = out.sum().item()
assert abs(losses()[0] - whole) < 1e-4 and losses()[1] is None
""")


def test_a_closure_and_a_scaler(heard: Callable[[str], None]) -> None:
    heard("""
lbfgs = torch.optim.LBFGS(model.parameters(), max_iter=3)
def closure():
    lbfgs.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    return loss
lbfgs.step(closure)
[step] = of(Step)
assert step.forward > 0 and step.backward > 0 and step.optimizer > 0
""")
    heard("""
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for n in range(3):
    loss = nn.functional.mse_loss(model(x), y) * (float("inf") if n == 1 else 1.0)
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    if n == 0:
        first = loss.item()
assert len(of(Step)) == 2  # the one that overflowed was skipped
assert losses()[0] == first
""")


def test_what_is_not_training_is_other(heard: Callable[[str], None]) -> None:
    heard("""
from torch.utils.data import DataLoader, TensorDataset
class Slow(TensorDataset):
    def __getitem__(self, n):
        time.sleep(0.001)
        return super().__getitem__(n)
loader = DataLoader(Slow(x, y), batch_size=8)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with torch.no_grad():  # before training
    for a, b in loader:
        model(a)
assert of(Boot) == []
for a, b in loader:
    optimizer.zero_grad()
    nn.functional.mse_loss(model(a), b).backward()
    optimizer.step()
    with torch.no_grad():
        for c, d in loader:
            model(c)
first, second = of(Step)
assert 0.008 <= first.data and second.data >= 0.008 and second.other >= 0.016
""")


def test_an_optimizer_inside_backward(heard: Callable[[str], None]) -> None:
    """Its time is not counted twice."""
    heard("""
each = {p: torch.optim.SGD([p], lr=0.1) for p in model.parameters()}
def now(p):
    each[p].step(); each[p].zero_grad()
for p in model.parameters():
    p.register_post_accumulate_grad_hook(now)
for _ in range(3):
    nn.functional.mse_loss(model(x), y).backward()
for step in of(Step):
    parts = step.data + step.forward + step.backward + step.optimizer + step.other
    assert abs(parts - (step.t - step.t0)) < 1e-9 and step.other >= 0
assert len(of(Step)) == 3
""")


def test_modules_of_many_kinds(heard: Callable[[str], None]) -> None:
    """Checkpointing, a transform that forbids hooks, hooks of the script's own, a compiled model."""
    heard("""
from torch.utils.checkpoint import checkpoint
from torch.autograd.graph import save_on_cpu
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
wanted = None
for n in range(22):
    optimizer.zero_grad()
    if n < 10:
        out = checkpoint(model, x, use_reentrant=False)
    elif n < 20:
        torch.func.grad(lambda w: (w ** 2).sum())(torch.ones(3))  # raises where hooks are set
        out = model(x)
        torch.func.grad(lambda w: (w ** 2).sum())(torch.ones(3))
    else:
        with save_on_cpu():
            out = model(x)
    nn.functional.mse_loss(out, y).backward()
    optimizer.step()
assert len(of(Step)) == 22
assert torch._C._autograd._top_saved_tensors_default_hooks(True) is None  # none of ours is left
""")
    heard("""
compiled = torch.compile(model, backend="eager")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    nn.functional.mse_loss(compiled(x), y).backward()
    optimizer.step()
assert len(of(Step)) == 3 and of(Memory)[1].params == 4 * sum(p.numel() for p in model.parameters())
assert torch._dynamo.utils.counters["graph_break"] == {}
""")


def test_a_script_that_speaks_is_not_listened_to(heard: Callable[[str], None]) -> None:
    heard("""
from torch.utils.data import DataLoader
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
probe.value("seen", 1.0)
assert probe.listener is listener  # figures of its own go along with listening
for batch in DataLoader(x, batch_size=8):  # looks like training, until it says what a step is
    with probe.step(tokens=5), probe.phase("forward"):
        loss = model(batch).mean()
    loss.backward()
    optimizer.step()
assert [(s.step, s.tokens, s.loss) for s in of(Step)] == [(0, 5, None), (1, 5, None)]
assert probe.listener is None
""")


def test_another_process_and_another_thread_are_not_heard(heard: Callable[[str], None]) -> None:
    heard("""
import os, threading
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def train():
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
other = threading.Thread(target=train)
other.start(); other.join()
assert of(Step) == []
pid = os.fork()
if pid == 0:
    train()
    os._exit(len(of(Step)))
assert os.waitpid(pid, 0)[1] == 0
train()
assert len(of(Step)) == 1
""")


def test_a_process_group_is_a_phase_of_the_launch(heard: Callable[[str], None]) -> None:
    heard("""
import tempfile
import torch.distributed as dist
from torch.distributed import init_process_group
init_process_group(store=dist.FileStore(tempfile.mktemp(), 1), rank=0, world_size=1)
assert [b.phase for b in of(Boot)] == ["rendezvous", "build"]
assert of(Hello)[-1].backend == "gloo"
dist.destroy_process_group()
""")


# --- what is trained ----------------------------------------------------------------------------------------


def test_what_a_short_training_after_another_trains_is_weighed(heard: Callable[[str], None]) -> None:
    heard("""
for width, steps in ((4, 12), (6, 3)):
    trained = nn.Linear(width, 1)
    optimizer = torch.optim.SGD(trained.parameters(), lr=0.01)
    for _ in range(steps):
        trained(torch.randn(8, width)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
assert len(of(Step)) == 15 and [s.training for s in of(Step)][11:13] == [0, 1]
assert of(Memory)[-1].params == 4 * 7, of(Memory)[-1]
""")
