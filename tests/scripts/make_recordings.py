"""Makes the recordings that ship: one a demo, and all that a deck of ours asks for.

    python tests/scripts/make_recordings.py                # all of them; on a machine that is otherwise idle
    python tests/scripts/make_recordings.py ddp ringtree   # those of these demos only
    python tests/scripts/make_recordings.py fsdp-reshard-0 # one, by the name of its folder
    python tests/scripts/make_recordings.py --list

Each run is launched by the supervisor of a class, in folders of its own, and kept without what its ranks
printed (`runtime.recordings.recorder.keep`). One that is too large is made again with fewer steps. A folder
that nobody asks for any more is removed. Look at what came out: `teachrun runs replay NAME --speed 4`.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "runtime" / "recordings" / "shipped"
LESSONS = sorted((ROOT / "slides" / "courses").glob("*/[0-9]*.md"))
DECKS = (ROOT / "slides/courses/tour.md", *LESSONS, ROOT / "slides/templates/deck.md")
LARGEST = 180_000  # bytes
LONGEST_NAME = 40  # of a folder, in characters
OF_EACH = (
    "single steps=60", "ranks ranks=4 steps=20", "allreduce ranks=4 rounds=4", "collectives ranks=4",
    "ringtree ranks=4", "dp ranks=1", "ddp ranks=4 steps=200",
    "ddp_mistakes ranks=4 steps=40",
    "buckets ranks=4 steps=40", "scaling ranks=4 steps=12", "accumulate ranks=4 steps=40",
    "zero ranks=4 steps=40", "zero ranks=4 steps=40 stage=0", "fsdp ranks=4 steps=30",
    "hsdp ranks=4 steps=30", "interconnect",
    "checkpointing", "pipeline ranks=4 steps=20", "pipeline ranks=4 steps=12 schedule=interleaved pad_ms=200",
    "tensor ranks=4 steps=40", "context ranks=4", "expert ranks=4", "failover ranks=4",
)  # fmt: skip


def wanted() -> dict[str, str]:
    """Folder and line of each: `ddp-slow_rank-2`, `ddp ranks=4 slow_rank=2`."""
    from runtime.catalog import registry
    from runtime.recordings import run_choice
    from tui.classroom.runs import demo_requests
    from tui.deck.contents import Contents, open_deck

    lines = list(OF_EACH)
    for path in DECKS:
        contents = Contents(open_deck(str(path)))
        for slide in contents.deck.slides:
            for demo in contents.demos(slide.index):
                checked = registry.check(demo.name, demo_requests.asked(demo))
                if isinstance(checked, registry.Launchable) and checked.builtin:
                    only = run_choice.computed(demo.name, demo_requests.asked(demo))
                    asked = {key: value for key, value in demo_requests.asked(demo).items() if key in only}
                    lines.append(" ".join((demo.name, *(f"{key}={value}" for key, value in asked.items()))))
    found: dict[str, str] = {}
    for line in lines:
        parsed = registry.parse_line(line)
        assert not isinstance(parsed, registry.Refusal), parsed
        name, params = parsed
        apart = {k: v for k, v in params.items() if k not in ("ranks", "steps", "rounds")}
        ranks = {"ranks": params["ranks"]} if params.get("ranks", "4") not in ("1", "4") else {}
        folder = name
        for key, value in (ranks | apart).items():
            if len(folder) + len(f"-{key}-{value}") <= LONGEST_NAME:  # it is a column of `runs list`
                folder += f"-{key}-{value}"
        if params.get("ranks", "4") == "1" and "ranks=1" not in found.get(folder, "ranks=1").split():
            folder += "-ranks-1"  # the same of four has that name
        found.setdefault(folder, line)  # of several lengths the first
    return found


async def make(line: str, folder: str) -> int:
    """Runs it and keeps it; returns its bytes."""
    from runtime import paths
    from runtime.catalog import registry
    from runtime.recordings import recorder
    from runtime.recordings.recording import load
    from runtime.supervision.supervisor import Supervisor

    parsed = registry.parse_line(line)
    assert not isinstance(parsed, registry.Refusal)
    demo = registry.check(*parsed)
    if isinstance(demo, registry.Refusal):
        raise SystemExit(f"{line}: {demo.why}: {demo.mend}")
    name = f"recordings-{os.getpid()}"
    supervisor = Supervisor(name, paths.rank_socket(name))
    await supervisor.start()
    try:
        run = await supervisor.launch("recorded", demo)
        await run.over.wait()
    finally:
        await supervisor.close()
    shown = run.snapshot()
    if shown.state != "done":
        raise SystemExit(f"{line}: {shown.state}: {shown.why}")
    if shown.unshown:
        print(f"{folder}: this run does not show it: {shown.unshown}", file=sys.stderr)
    recording = load(paths.runs_dir() / run.id)
    shutil.rmtree(SHIPPED / folder, ignore_errors=True)
    return recorder.keep(recording, SHIPPED / folder)


def shorter(line: str) -> str:
    """The same with three quarters of its steps."""
    words = line.split()
    known = {word.partition("=")[0]: word for word in words[1:]}
    if "steps" not in known:
        raise SystemExit(f"{line} is too large to ship, and has no steps= to make it shorter by")
    steps = int(known["steps"].partition("=")[2]) * 3 // 4
    return " ".join([w for w in words if w != known["steps"]] + [f"steps={steps}"])


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("demos", nargs="*", help="only those of these demos, or of these folders")
    parser.add_argument("--list", action="store_true", help="say which there are to be, and make none")
    args = parser.parse_args()
    lines = wanted()
    if args.list:
        print("\n".join(f"{folder:40} {line}" for folder, line in lines.items()))
        return 0
    with tempfile.TemporaryDirectory() as home:
        for kind in ("STATE", "DATA", "CONFIG"):
            os.environ[f"XDG_{kind}_HOME"] = str(Path(home) / kind.lower())
        for folder, line in lines.items():
            if args.demos and not {folder, line.split()[0]} & set(args.demos):
                continue
            while (size := asyncio.run(make(line, folder))) >= LARGEST:
                line = shorter(line)
            print(f"{folder:40} {size:7} bytes  {line}", flush=True)
    if not args.demos:
        for left in (folder for folder in SHIPPED.iterdir() if folder.is_dir() and folder.name not in lines):
            shutil.rmtree(left)
            print(f"{left.name}: nobody asks for it any more, removed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
