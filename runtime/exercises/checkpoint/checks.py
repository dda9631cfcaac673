"""Checks of a checkpoint."""

import os
from pathlib import Path

import torch

BYTES = (1, 500, 5000, 15000)  # a checkpoint has some 17 000


def _state(ranks, step):
    return {"step": step, "weight": ranks.random(4096, seed=step)}


def _path(ranks, name):
    return ranks.folder / f"{name}-{ranks.rank}.pt"


def _load(theirs, ranks, path, when):
    try:
        return theirs.load(path)
    except Exception as error:
        ranks.fail(
            f"{when}, the checkpoint cannot be read: {type(error).__name__}",
            "half of it is written over the old one",
        )


def back(theirs, ranks):
    """what is saved is what is loaded, and there is none at first"""
    path = _path(ranks, "back")
    ranks.same("what load returns where there is no checkpoint", theirs.load(path), None)
    for step in (10, 20):
        theirs.save(_state(ranks, step), path)
        got = theirs.load(path)
        ranks.same("the step that was loaded", got["step"], step)
        ranks.expect("the weight that was loaded", got["weight"], _state(ranks, step)["weight"])


def killed(theirs, ranks):
    """killed in the middle of saving, the old one is still there"""
    path = _path(ranks, "killed")
    theirs.save(_state(ranks, 10), path)
    for size in BYTES:
        when = f"killed after {size} bytes"
        if not ranks.killed_after(size, lambda: theirs.save(_state(ranks, 20), path)):
            ranks.fail(f"save does not write {size} bytes: is the state in it?")
        got = _load(theirs, ranks, path, when)
        if got is None:
            ranks.fail(
                f"{when}, there is no checkpoint any more", "the old one stays until the new one is whole"
            )
        ranks.same(f"the step that is there when {when}", got["step"], 10)
        ranks.expect("its weight", got["weight"], _state(ranks, 10)["weight"])


def after(theirs, ranks):
    """and the next save is as if nothing had happened"""
    path = _path(ranks, "after")
    theirs.save(_state(ranks, 10), path)
    ranks.killed_after(5000, lambda: theirs.save(_state(ranks, 20), path))
    theirs.save(_state(ranks, 30), path)
    got = _load(theirs, ranks, path, "after a save that was killed and one that was not")
    ranks.same("the step that was loaded", got["step"], 30)


def flushed(theirs, ranks):
    """the bytes are on the disk before the new name is"""
    done, real = [], {name: getattr(os, name) for name in ("fsync", "replace", "rename")}
    path, folders = _path(ranks, "flushed"), []

    def told(name):
        def call(*args, **kwargs):
            done.append(name)
            if name != "fsync":
                folders.append(Path(args[0] if args else kwargs["src"]).resolve().parent)
            return real[name](*args, **kwargs)

        return call

    for name in real:
        setattr(os, name, told(name))
    try:
        theirs.save(_state(ranks, 10), path)
    finally:
        for name, function in real.items():
            setattr(os, name, function)
    named = next((n for n, name in enumerate(done) if name != "fsync"), None)
    if named is None:
        ranks.fail("nothing was renamed", "write it under another name, then os.replace")
    if "fsync" not in done[:named]:
        ranks.fail(
            "the file was renamed before its bytes were on the disk",
            "flush and os.fsync come before os.replace",
        )
    if path.resolve().parent not in folders:
        ranks.fail(
            f"the new file lies in {folders[0]}, not beside the old one",
            "there it may be on another disk, and nothing is renamed from one disk to another",
        )
