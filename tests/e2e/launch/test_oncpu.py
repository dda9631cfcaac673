"""`device=cpu`: a script written for GPUs runs without any, and all that was changed for it is told."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from folders import own_folders
from teachrun_process import Ended, teachrun
from warm_python import WarmPython

from runtime.catalog import registry
from runtime.catalog.params import Refusal

pytest.importorskip("torch")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
SCRIPT = Path(__file__).parents[2] / "scripts" / "theirs" / "gpu_only.py"


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")  # the tests mean the same on a machine with GPUs
    with own_folders() as home:
        yield home


def run(folder: Path, *words: str, script: Path = SCRIPT, ranks: int = 1) -> Ended:
    return teachrun("run", str(script), f"ranks={ranks}", "--json", *words, cwd=folder)


def test_a_script_for_gpus_runs_on_the_cpu_and_says_what_was_changed(tmp_path: Path) -> None:
    events = tmp_path / "events.jsonl"
    done = run(tmp_path, "device=cpu", "--jsonl", str(events), "--", "--out", str(tmp_path), ranks=2)
    assert done.code == 0, done.err
    found: dict[str, Any] = json.loads(done.out)
    assert (found["badge"], found["device"], found["backend"]) == ("LIVE CPU", "cpu", "gloo")
    assert [row["steps"] for row in found["ranks"]] == [12, 12]
    assert found["equal"] is True and found["params"]["device"] == "cpu"
    script, head, *changed = found["bent"]
    assert (script, head) == ("your script", "changed for the CPU")
    # What the script writes: 12 batches of two tensors and a model; DDP and three barriers; two a ×3 epochs.
    assert set(changed) == {
        "told that there are GPUs ×3",
        "calls for a GPU left out ×4",
        "nccl to gloo",
        "no pinned memory ×13",
        "tensors and models kept on the CPU ×25",
        "autocast and loss scaling for the CPU ×13",
        "no device_ids ×4",
        "events of a GPU by the CPU's clock ×6",
        "tensors made on the CPU ×3",
        "checkpoint loaded onto the CPU",
    }
    lines = [event for event in map(json.loads, events.read_text().splitlines()) if event["type"] == "log"]
    log = [event["line"] for event in lines if event["rank"] == 0]
    line = 1 + SCRIPT.read_text().splitlines().index(
        '    init_process_group(backend="nccl", device_id=torch.device("cuda", local))'
    )
    assert log.count(f"teachrun: changed for the CPU: nccl to gloo (gpu_only.py:{line})") == 1
    assert len([said for said in log if said.startswith("teachrun: changed for the CPU:")]) == len(changed)
    assert [said for said in log if said.startswith("teachrun: changed for the CPU in all: ")]
    losses = [float(said.split()[-1]) for said in log if "epoch" in said]
    assert len(losses) == 3 and losses[2] < losses[0]
    assert "snapshot equal True, 0 bytes of GPU memory" in log


def test_nothing_is_changed_unless_asked_and_the_failure_says_how(tmp_path: Path) -> None:
    done = run(tmp_path, "--", "--out", str(tmp_path))
    assert done.code == 1
    found = json.loads(done.out)
    assert found["bent"] == ["your script"]
    assert "AssertionError: this needs GPUs" in found["why"]
    assert found["why"].endswith("; device=cpu runs it on the CPU")


TOLD_OF_A_GPU = """
torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2), device_ids=[0])
"""
SPLIT_ATTENTION = """
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Shard, distribute_tensor
torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
heads = distribute_tensor(torch.randn(2, 4, 8, 16), init_device_mesh("cpu", (1,)), [Shard(1)])
torch.nn.functional.scaled_dot_product_attention(heads, heads, heads, is_causal=True)
"""
KERNEL_OF_A_GPU = """
x = torch.randn(1, 2, 8, 16)
with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.EFFICIENT_ATTENTION):
    torch.nn.functional.scaled_dot_product_attention(x, x, x)
"""


@pytest.mark.parametrize(
    "wants",
    [
        "torch.zeros(2).cuda()",
        "torch.zeros(2, device='cuda')",
        "torch.nn.Linear(2, 2).to(0)",
        "torch.cuda.set_device(0)",
        "torch.cuda.Stream()",
        "torch.device(0)",
        "torch.cuda.nccl.version()",
        "torch.cuda.get_device_capability()",
        "torch.cuda.get_device_properties(0)",
        "torch.cuda.mem_get_info()",
        "torch.cuda.current_stream()",
        "torch.cuda.nvtx.range_push('step')",
        "torch.cuda.get_rng_state()",
        "torch.cuda.memory._record_memory_history()",
        "torch.Generator('cuda')",
        "torch.cuda.CUDAGraph()",
        TOLD_OF_A_GPU,
        SPLIT_ATTENTION,
        KERNEL_OF_A_GPU,
        "torch.distributed.init_process_group('nccl')",
    ],
)
def test_what_torch_says_without_a_gpu_is_known(warm_python: WarmPython, wants: str) -> None:
    from runtime.supervision.failures.root_cause import NO_GPU

    environ = {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0"}
    done = warm_python.run(f"import torch\n{wants}", **environ)
    assert done.returncode == 1 and NO_GPU.search(done.stderr), done.stderr


def test_what_has_no_stand_in_fails_and_says_so(tmp_path: Path) -> None:
    script = tmp_path / "graphs.py"
    script.write_text("import torch\ntorch.cuda.CUDAGraph()\n")
    found = json.loads(run(tmp_path, "device=cpu", script=script).out)
    assert "Error: " in found["why"] and "CUDA" in found["why"]  # by each build in words of its own
    assert found["why"].endswith("; device=cpu has no stand-in for this")


def test_a_script_is_not_told_to_use_gpus() -> None:
    refused = registry.check(str(SCRIPT), {"device": "gpu"})
    assert isinstance(refused, Refusal) and refused.mend == "write device= with auto or cpu"


# Other ways to write it. Each ends with what is expected to have been told.
SHAPES = {
    "the older names of mixed precision": """
        scaler = torch.cuda.amp.GradScaler(init_scale=8.0)
        model = torch.nn.Linear(4, 4).cuda()
        opt = torch.optim.SGD(model.parameters(), lr=0.1)
        before = model.weight.detach().clone()
        with torch.cuda.amp.autocast():
            out = model(torch.ones(2, 4, device="cuda:0"))
        assert out.dtype == torch.float16
        scaler.scale(out.float().sum()).backward(); scaler.step(opt); scaler.update()
        assert scaler.is_enabled() and not torch.equal(model.weight, before)
        """,
    "half precision, scaled": """
        scaler, model = torch.amp.GradScaler("cuda", init_scale=8.0), torch.nn.Linear(4, 4).to(device="cuda")
        opt = torch.optim.AdamW(model.parameters(), lr=0.1)
        with torch.autocast("cuda", torch.float16):
            loss = model(torch.ones(2, 4).to("cuda")).float().sum()
        scaler.scale(loss).backward(); scaler.unscale_(opt)
        assert torch.equal(model.bias.grad, torch.full((4,), 2.0))
        scaler.step(opt); scaler.update()
        """,
    "a default device and a context": """
        with torch.device("cuda"):
            assert torch.zeros(2).device.type == torch.nn.Linear(2, 2).weight.device.type == "cpu"
        torch.set_default_device("cuda")
        assert torch.zeros(2).device.type == "cpu"
        """,
    "the accelerator of newer examples": """
        assert torch.accelerator.is_available() and torch.accelerator.device_count() == 1
        device = torch.device(f"{torch.accelerator.current_accelerator()}:0")
        torch.accelerator.set_device_index(0)
        with torch.accelerator.device_index(0), torch.cuda.device(0):
            assert torch.ones(2).to(device).sum().item() == 2
        backend = dist.get_default_backend_for_device(device)
        assert backend == "nccl"
        dist.init_process_group(backend, store=store, rank=0, world_size=1)
        assert dist.get_backend() == "gloo"
        dist.destroy_process_group()
        """,
    "a mesh, shards, and a wrapper that wants its device": """
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
        dist.init_process_group("cpu:gloo,cuda:nccl", store=store, rank=0, world_size=1)
        mesh = init_device_mesh("cuda", (1,))
        model = torch.nn.Linear(4, 4).to("cuda")
        fully_shard(model, mesh=mesh)
        model(torch.ones(2, 4, device="cuda")).sum().backward()
        wrapped = FullyShardedDataParallel(torch.nn.Linear(4, 4), device_id=torch.cuda.current_device())
        wrapped(torch.ones(2, 4).cuda()).sum().backward()
        group = dist.new_group([0], backend="nccl")
        dist.all_reduce(torch.ones(1), group=group)
        dist.destroy_process_group()
        """,
    "tables and functions for torch.load": """
        import io
        saved = io.BytesIO(); torch.save(torch.arange(3), saved)
        for where in (None, "cpu", "cuda:0", torch.device("cuda"), {"cuda:0": "cuda:1"},
                      lambda storage, location: storage.cuda(0)):
            saved.seek(0)
            assert torch.equal(torch.load(saved, map_location=where), torch.arange(3))
        """,
    "a recomputed part, compiled": """
        from torch.utils.checkpoint import checkpoint
        model = torch.compile(torch.nn.Linear(4, 4).cuda(), backend="eager")
        with torch.autocast("cuda", torch.bfloat16):
            out = checkpoint(model, torch.ones(2, 4, device="cuda", requires_grad=True), use_reentrant=False)
        out.float().sum().backward()
        assert out.dtype == torch.bfloat16
        """,
    "a number is a device": """
        place = torch.device(0)
        assert str(place) == "cuda:0" and isinstance(place, torch.device) and type(place) == torch.device
        assert torch.device("cpu").type == "cpu" and torch.device("cuda", 1).index == 1
        assert torch.zeros(2, device=place).device == torch.device("cpu") == torch.ones(2, device=0).device
        assert {torch.device: 1}[type(place)] == 1 and issubclass(type(place), torch.device)
        import copy, io, pickle
        assert pickle.loads(pickle.dumps(place)) == copy.deepcopy(place) == place
        saved = io.BytesIO(); torch.save({"place": place}, saved); saved.seek(0)
        assert torch.load(saved)["place"] == place
        def run(device: torch.device = torch.device(0)) -> torch.device: return device
        assert run() == place and torch.zeros(2).to(place).sum() == 0
        """,
    "what it is, and how much of it there is": """
        assert torch.cuda.get_device_capability() >= (8, 0) and torch.cuda.get_device_capability(0)[0] == 8
        found = torch.cuda.get_device_properties(torch.device("cuda:0"))
        free, total = torch.cuda.mem_get_info()
        assert found.name == torch.cuda.get_device_name(0) == "CPU"
        assert 0 < free <= total == found.total_memory
        assert torch.cuda.nccl.version() >= (2, 10) and dist.is_nccl_available()
        from packaging.version import parse
        assert parse(torch.version.cuda).release >= (11, 0) and torch.version.cuda >= "11.0"
        assert torch.cuda.memory_allocated() == torch.cuda.max_memory_reserved() == 0
        torch.cuda.init(); torch.cuda.set_per_process_memory_fraction(0.9, 0)
        torch.cuda.memory._record_memory_history(max_entries=10)
        """,
    "streams, ranges and random numbers": """
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            x = torch.ones(3, device="cuda"); x.record_stream(side)
        torch.cuda.current_stream().wait_stream(side); side.synchronize()
        done = side.record_event(); done.synchronize()
        torch.cuda.nvtx.range_push("step"); torch.cuda.nvtx.range_pop()
        torch.cuda.profiler.start(); torch.cuda.profiler.stop()
        state = torch.cuda.get_rng_state(); torch.cuda.set_rng_state(state)
        torch.cuda.set_rng_state_all(torch.cuda.get_rng_state_all())
        generator = torch.Generator(device="cuda").manual_seed(1)
        assert isinstance(generator, torch.Generator) and torch.rand(2, generator=generator).shape == (2,)
        """,
    "attention of sharded heads": """
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.tensor import Shard, distribute_tensor
        import torch.nn.functional as F
        dist.init_process_group("nccl", store=store, rank=0, world_size=1)
        plain = torch.randn(2, 4, 8, 16)
        heads = distribute_tensor(plain, init_device_mesh("cuda", (1,)), [Shard(1)]).requires_grad_()
        out = F.scaled_dot_product_attention(heads, heads, heads, is_causal=True)
        out.to_local().sum().backward()
        expected = F.scaled_dot_product_attention(plain, plain, plain, is_causal=True)
        assert torch.allclose(out.to_local(), expected, atol=1e-6) and heads.grad is not None
        """,
    "attention by kernels of a GPU alone": """
        import torch.nn.functional as F
        from torch.nn.attention import SDPBackend, sdpa_kernel
        x = torch.randn(1, 2, 8, 16, device="cuda", requires_grad=True)
        expected = F.scaled_dot_product_attention(x, x, x)
        for kernel in ("CUDNN", "EFFICIENT", "FLASH"):
            with sdpa_kernel(getattr(SDPBackend, f"{kernel}_ATTENTION")):
                assert torch.allclose(F.scaled_dot_product_attention(x, x, x), expected, atol=1e-6)
                F.scaled_dot_product_attention(x, x, x, dropout_p=0.1).sum().backward()
            assert torch.backends.cuda.math_sdp_enabled()
        torch.backends.cuda.enable_math_sdp(False); torch.backends.cuda.enable_flash_sdp(False)
        assert torch.allclose(F.scaled_dot_product_attention(x, x, x), expected, atol=1e-6)
        """,
    "torch itself hears the truth": """
        assert torch.cuda.is_available() and torch.cuda.get_device_name() == "CPU"
        torch.random.fork_rng().__enter__()
        loader = torch.utils.data.DataLoader(torch.arange(4), pin_memory=True)
        assert sum(batch.item() for batch in loader) == 6
        x = torch.zeros(3); assert x.cuda() is x and x.to(0) is x and x.pin_memory() is x
        assert torch.zeros(2, pin_memory=True).shape == (2,)
        assert x.to(torch.float64).dtype == torch.float64 and x.to(x.double()).dtype == torch.float64
        """,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_other_ways_to_write_it(warm_python: WarmPython, shape: str) -> None:
    lines = textwrap.dedent(SHAPES[shape])
    code = f"""
import tempfile, warnings
warnings.simplefilter("ignore", FutureWarning)
from runtime.ranks.on_cpu.gpu_on_cpu import GpuOnCpu
told = []
stand_in = GpuOnCpu(lambda what, times: told.append((what, times)))
if "kernels" in {shape!r}:  # most scripts that choose them know nothing of sharded tensors
    from runtime.ranks.on_cpu import gpu_on_cpu
    whenever = gpu_on_cpu.when_imported
    gpu_on_cpu.when_imported = lambda name, then: None if "tensor" in name else whenever(name, then)
stand_in.begin()
import torch, torch.distributed as dist
store = dist.FileStore(tempfile.mktemp(), 1)
{lines}
stand_in.close()
assert dict(told) == stand_in.times and told
"""
    done = warm_python.run(code)
    assert done.returncode == 0, done.stderr
    assert "changed for the CPU in all" in done.stderr
