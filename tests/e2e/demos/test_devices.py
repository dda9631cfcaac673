"""Every demo that may be placed on GPUs goes through its steps there: every tensor is where it has to be.

There need be no GPU: `as_on_gpu.py` keeps where each tensor would be, and refuses what a GPU would.
`tests/e2e/launch/test_gpu.py` runs them where there are some.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import as_on_gpu
import pytest
from stage_host import Receiver, StageHost

from runtime.catalog import registry
from runtime.catalog.registry import Launchable

pytestmark = pytest.mark.slow
ON_GPU = sorted(name for name, spec in registry.DEMOS.items() if spec.gpu != "no")
# As small as shows every line; of some more than one way.
SMALL: dict[str, list[dict[str, str]]] = {
    "accumulate": [{"steps": "2", "batch": "4"}],
    "allreduce": [{"rounds": "1", "pause_ms": "0"}],
    "buckets": [{"steps": "2", "schedule": "flat"}, {"steps": "2"}],
    "checkpointing": [{"steps": "2", "ranks": "4"}],
    "collectives": [{"largest_kib": "4", "pause_ms": "0"}],
    "context": [{"steps": "1", "seq": "64"}],
    "ddp": [{"steps": "2"}, {"steps": "3", "hook": "fp16"}, {"steps": "3", "hook": "timed"}],
    "ddp_mistakes": [{"steps": "2"}],
    "dp": [{"steps": "2", "ranks": "1"}],
    "expert": [{"steps": "2", "tokens": "32"}],
    "failover": [{"steps": "3", "every": "1", "kill_rank": "-1"}],
    "hsdp": [{"steps": "2", "ranks": "4"}],
    "pipeline": [{"steps": "4", "schedule": name} for name in ("1f1b", "zbv")],
    "ranks": [{"steps": "2", "pause_ms": "0"}],
    "scaling": [{"steps": "2", "batch": "4"}],
    "single": [{"steps": "2"}],
    "zero": [{"steps": "2", "stage": str(stage)} for stage in (0, 1, 2, 3)],
}
WAYS = [(name, way) for name in ON_GPU for way in SMALL.get(name, [{"steps": "2"}])]
number = itertools.count()


def ran(stage: StageHost, folder: Path, script: Path, *argv: str, ranks: int = 2) -> tuple[bool, str]:
    """Whether all ranks came to a good end, and what they printed."""
    line, receiver = f"as on a GPU {next(number)}", Receiver(folder / "events")
    try:
        stage.fork(line, receiver, str(script), *argv, world=ranks, script=as_on_gpu.__file__)
        exits = stage.exits(line, world=ranks)
    finally:
        receiver.close()
    printed = "".join(stage.printed(line, rank) for rank in exits)
    return {(e.code, e.signal) for e in exits.values()} == {(0, None)}, printed


@pytest.mark.parametrize(
    ("name", "way"), WAYS, ids=lambda it: it if isinstance(it, str) else "-".join(it.values())
)
def test_everything_is_on_the_device(
    name: str, way: dict[str, str], stage: StageHost, tmp_path: Path
) -> None:
    demo = registry.check(name, {"ranks": "2", **way})
    assert isinstance(demo, Launchable), demo
    well, printed = ran(stage, tmp_path, Path(demo.script), *demo.argv, ranks=demo.ranks)
    assert well, printed[-3000:]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("torch.zeros(3, device=here) + torch.ones(3)", "expected all tensors on one device"),
        ("F.linear(torch.ones(9, 9), torch.ones(9, 9))", "computed on the CPU"),
        ("dist.all_reduce(torch.ones(100))", "handed over from the CPU"),
        ("torch.ones(3).to(here).numpy()", "have to be copied"),
        ("torch.randn(3, generator=torch.Generator(), device=here)", "a generator of the CPU"),
        ("torch.nn.Linear(9, 9).to(here)(torch.ones(9, 9))", "expected all tensors on one device"),
        ("print(here)", "nothing was on the GPU"),
    ],
)
def test_what_a_gpu_refuses_is_refused(wrong: str, said: str, stage: StageHost, tmp_path: Path) -> None:
    """Else the test above could not fail. The script is taken for a demo by the folder that is looked at."""
    script = tmp_path / "wrong.py"
    script.write_text(
        "import torch, torch.distributed as dist, torch.nn.functional as F\n"
        "from device import backend, device\nhere = device()\n"
        f"dist.init_process_group(backend(here))\n{wrong}\n"
    )
    well, printed = ran(stage, tmp_path, script, ranks=1)
    assert not well and said in printed, printed
