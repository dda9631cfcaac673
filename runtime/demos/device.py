"""Where this rank computes, so that one script runs on GPUs and on a machine without.

A rank has a GPU of its own where the machine has one for each of its ranks; else all compute on the CPU.
teachrun may have decided otherwise and says so in the environment (`TEACHRUN_DEVICE`, `TEACHRUN_BACKEND`).
"""

import os

import torch


def device() -> torch.device:
    """The device for this rank's model and batches."""
    ranks = int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
    gpus = torch.cuda.device_count()
    kind = os.environ.get("TEACHRUN_DEVICE", "cuda" if gpus >= ranks else "cpu")
    if kind != "cuda" or not gpus:
        return torch.device("cpu")
    mine = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")) % gpus)
    torch.cuda.set_device(mine)
    return mine


def backend(device: torch.device) -> str:
    """What carries its collectives: NCCL between GPUs, gloo between CPUs."""
    fitting = "cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo"
    return os.environ.get("TEACHRUN_BACKEND") or fitting
