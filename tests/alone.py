"""What begins a script in which one rank alone calls collectives, followed by our hooks."""

ALONE = """
import os, tempfile, torch, torch.distributed as dist
from runtime.ranks.hooks.collective_hooks import CollectiveHooks
from runtime.ranks.hooks.collective_waits import Collectives
told = []
following = Collectives(lambda **f: told.append(f), lambda **f: None, lambda: 0)
hooks = CollectiveHooks(following)
def begin():
    dist.init_process_group("gloo", store=dist.FileStore(tempfile.mktemp(), 1), rank=0, world_size=1)
"""
