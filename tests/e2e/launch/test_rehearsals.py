"""What the stage rehearses is what ranks then do: nothing fails unseen, nothing is left in torch."""

from __future__ import annotations

from pathlib import Path

import pytest
from stage_host import Receiver, StageHost
from warm_python import WarmPython

from runtime.protocol.stage_messages import Warming

pytest.importorskip("torch")
pytestmark = pytest.mark.slow

# Rehearses as the stage does, and holds all that torch remembers of it against what it knew before.
COMPARING = """
import functools, gc, random, sys, types
import torch
from runtime.launch import fork_server
from runtime.ranks import warmup_cleanup, warmup_steps

def known():
    found = {}
    for name, module in list(sys.modules.items()):
        if not name.startswith("torch.distributed") or type(module) is not types.ModuleType:
            continue
        for key, it in list(vars(module).items()):
            if isinstance(it, (bool, int, float, str, type(None))) and not key.startswith("__"):
                found[name, key] = repr(it)
            elif type(it) in (dict, list, set):
                found[name, key] = len(it)
    return found

for _, module in fork_server._LIBRARIES:
    __import__(module)
before, modules = known(), set(sys.modules)
drawn, hook = (torch.get_rng_state(), random.getstate()), sys.excepthook
for what, step, world in warmup_steps.ALL:
    warmup_steps.rehearse(step, world)
assert {"DeviceMesh", "DTensorSpec"} <= set(warmup_cleanup.found()), "nothing was there to be forgotten"
warmup_cleanup.forget()
assert warmup_cleanup.found() == []
assert known() == before
assert not [name for name in set(sys.modules) - modules if name.startswith("torch.distributed")]
assert torch.equal(drawn[0], torch.get_rng_state()) and drawn[1] == random.getstate()
assert sys.excepthook is hook and not torch.distributed.is_initialized()
caches = [it for it in gc.get_objects() if type(it) is functools._lru_cache_wrapper]
assert len(caches) > 20 and not [
    it for it in caches if str(it.__module__).startswith("torch.distributed") and it.cache_info().currsize
]
mesh = torch.distributed.device_mesh.DeviceMesh  # nor is there one in C++, by its own count
assert not [it for it in gc.get_objects() if isinstance(it, mesh)]
if hasattr(torch._C, "_get_DTensor_sharding_propagator_cache_stats"):
    assert torch._C._get_DTensor_sharding_propagator_cache_stats() == (0, 0)

kept = functools.lru_cache(None)(lambda: it)  # as a torch of tomorrow may have it
spec = torch.distributed.tensor._dtensor_spec.DTensorSpec
it = spec.__new__(spec)
assert warmup_cleanup.found() == ["DTensorSpec"]
assert "DTensorSpec" in fork_server.why_not_fork(), fork_server.why_not_fork()
"""


def test_every_rehearsal_succeeds_and_leaves_one_thread(stage: StageHost) -> None:
    said = [order.what for order in stage.orders if isinstance(order, Warming)]
    assert len(said) > 5 and not [what for what in said if "could not" in what]
    assert stage.ready().fork_ok, stage.ready().why
    assert (stage.folder / "stage.log").read_text() == ""


def test_a_rehearsal_leaves_nothing_of_a_rank_in_torch(warm_python: WarmPython) -> None:
    """Who remembers something by mesh or group would give it to every rank as rank 0 sees it."""
    done = warm_python.run(COMPARING)
    assert done.returncode == 0, done.stderr


def test_ranks_without_a_seed_draw_numbers_of_their_own(stage: StageHost, tmp_path: Path) -> None:
    """As under torchrun, where the system gives each a seed: a fork would begin where the stage was."""
    script = tmp_path / "draws.py"
    script.write_text("import random, torch\nprint(torch.rand(1).item(), random.random())\n")
    receiver = Receiver(tmp_path / "events")
    try:
        stage.fork("draws", receiver, script=str(script))
        stage.exits("draws")
    finally:
        receiver.close()
    drawn = [stage.printed("draws", rank).split() for rank in range(4)]
    assert len({numbers[0] for numbers in drawn}) == len({numbers[1] for numbers in drawn}) == 4
