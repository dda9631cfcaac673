"""Runs demos one after the other in this rank and writes down what came of each, for a test to compare.

    torchrun --nproc-per-node 4 witness.py FOLDER 'fsdp /path/of/fsdp.py --steps 3' 'hsdp …' …

FOLDER/fsdp/rank-0.json has, of rank 0: the names of its groups, losses, the norm of the whole gradient
before every optimizer step (gathered, by nobody's formula), where each parameter lies on which mesh, its
bytes as sums, and of a sharded model a checkpoint: what it says of its slices, and whether loading brings
the same bytes back.
"""

import json
import math
import os
import runpy
import shlex
import sys
import zlib
from functools import partial
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.tensor import DTensor
from torch.distributed.tensor._utils import compute_local_shape_and_global_offset
from torch.optim.optimizer import register_optimizer_step_pre_hook

from runtime.ranks.probe import Probe

TOLD = ("loss", "loss_difference", "logits_difference", "gradient_difference", "replica", "slice")
found = {}
watched = {}


def crc(tensor):
    plain = tensor.detach().to("cpu").contiguous()
    return zlib.crc32(plain.reshape(-1).view(torch.uint8).numpy().tobytes()) if plain.numel() else 0


def whole(tensor):
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def gradient_norm(optimizer, args, kwargs):
    gradients = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
    squares = [whole(gradient.detach()).double().square().sum().item() for gradient in gradients]
    found["norms"].append(math.sqrt(math.fsum(squares)))


def place(tensor):
    if not isinstance(tensor, DTensor):
        return None
    shape, offset = compute_local_shape_and_global_offset(tensor.shape, tensor.device_mesh, tensor.placements)
    mesh = tensor.device_mesh
    return [
        list(mesh.get_coordinate() or ()), mesh.mesh.tolist(), str(tensor.placements), list(shape),
        list(offset), list(tensor.to_local().shape), [dist.get_rank(g) for g in mesh.get_all_groups()],
    ]  # fmt: skip


def state(model, optimizer):
    parameters = dict(model.named_parameters())
    found["places"] = {name: place(p) for name, p in parameters.items()}
    found["sums"] = {
        name: [crc(getattr(p, "_local_tensor", p)), crc(whole(p))] for name, p in parameters.items()
    }
    moments = getattr(optimizer, "state", {})
    found["moments"] = [
        [place(tensor) for _, tensor in sorted(moments[p].items()) if isinstance(tensor, torch.Tensor)]
        for p in parameters.values()
        if p in moments
    ]


def checkpoint(model, folder):
    parameters = dict(model.named_parameters())
    if not any(isinstance(p, DTensor) for p in parameters.values()):
        return
    before = {name: crc(getattr(p, "_local_tensor", p)) for name, p in parameters.items()}
    dcp.save(parameters, checkpoint_id=folder)
    saved = dcp.FileSystemReader(folder).read_metadata().state_dict_metadata
    found["slices"] = {
        name: sorted([list(chunk.offsets), list(chunk.sizes)] for chunk in it.chunks)
        for name, it in saved.items()
    }
    with torch.no_grad():
        for parameter in parameters.values():
            parameter.zero_()
    dcp.load(parameters, checkpoint_id=folder)
    found["loaded"] = before == {name: crc(getattr(p, "_local_tensor", p)) for name, p in parameters.items()}


def look(folder):
    """While the groups are still there. Afterwards nothing of the model is held here."""
    if found["groups"]:
        return
    found["groups"] = sorted(dist.distributed_c10d._world.pg_names.values())
    unseeded = found.pop("unseeded") == torch.initial_seed()
    found["drawn"] = "of its own" if unseeded else crc(torch.get_rng_state())
    model, optimizer = watched.pop("model", None), watched.pop("optimizer", None)
    if model is not None:
        state(model, optimizer)
        checkpoint(model, folder)


def listen():
    plain = {name: getattr(Probe, name) for name in ("loss", "watch", "value", "result")}

    def loss(probe, it):
        found["losses"].append(float(getattr(it, "detach", lambda: it)()))
        plain["loss"](probe, it)

    def watch(probe, model, optimizer=None, copies=True):
        watched.update(model=model, optimizer=optimizer)
        plain["watch"](probe, model, optimizer, copies)

    def value(probe, name, values, *args, **kwargs):
        if name in ("mesh", "buffer", "before", "after"):
            found["values"].append([name, values])
        plain["value"](probe, name, values, *args, **kwargs)

    def result(probe, **values):
        found["results"].update({name: it for name, it in values.items() if name in TOLD})
        plain["result"](probe, **values)

    Probe.loss, Probe.watch, Probe.value, Probe.result = loss, watch, value, result
    register_optimizer_step_pre_hook(gradient_norm)


def main():
    out, *lines = sys.argv[1:]
    rank = os.environ["RANK"]
    listen()
    world = int(os.environ["WORLD_SIZE"])
    init, plain = dist.init_process_group, dist.destroy_process_group
    for number, line in enumerate(lines):
        key, script, *argv = shlex.split(line)
        folder = Path(out, key)
        folder.mkdir(parents=True, exist_ok=True)
        found.clear()
        found["unseeded"] = torch.seed()  # the demo before may have set one
        found.update(norms=[], losses=[], values=[], results={}, groups=[])
        if number:  # what the groups of the one before wrote into the launcher's store is not for these
            store = dist.TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), is_master=False)
            where = {"store": dist.PrefixStore(key, store), "rank": int(rank), "world_size": world}
            dist.init_process_group = partial(init, **where)

        def destroy(*args, folder=folder, **kwargs):
            look(folder / "checkpoint")
            plain(*args, **kwargs)

        dist.destroy_process_group = destroy
        sys.argv = [script, *argv]
        sys.path.insert(0, str(Path(script).parent))
        try:
            runpy.run_path(script, run_name="__main__")
        except SystemExit as stop:
            assert not stop.code, line
        if watched:
            state(watched.pop("model"), watched.pop("optimizer"))
        found.pop("unseeded", None)  # of a demo without a group
        (folder / f"rank-{rank}.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main()
