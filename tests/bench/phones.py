"""What a hall of phones costs: seconds, processor time and memory, question by question.

    python tests/bench/phones.py [--phones 1000] [--questions 12] [--loss 0.1] [--gone 30] [--ranks 4]

A real host and gate; the phones are sockets of another process (`phone_crowd.py`). Every question is answered
by everybody, spread over 5 s and at the end in one burst, then revealed. With `--cut` all go through a proxy
that resets a connection for such a share of its messages (`lossy_proxy.py`). At last the journal is held
against what phones were told: an answer that is in is there, and once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from lossy_proxy import LossyProxy

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1000


DECK = "\n---\n".join(
    f"\n# Question {n}\n\n::: quiz {{#q{n}}}\nWhich collective gives every rank the sum, number {n}?\n\n"
    "- [ ] broadcast\n- [x] all_reduce\n  > Reduce, then everybody has it.\n- [ ] gather\n:::\n"
    for n in range(30)
)


async def main(args: argparse.Namespace) -> int:
    from runtime import paths
    from runtime.classroom import journal
    from runtime.classroom.actions import Answer
    from runtime.launch.processes import marked
    from runtime.protocol.messages import OpenPhones
    from slides.deck import Demo
    from tui.classroom import host_link
    from tui.classroom.room import Room
    from tui.classroom.session import Session
    from tui.deck.contents import Contents, open_deck

    deck = Path(os.environ["HOME"]) / "deck.md"
    deck.write_text(DECK)
    class_id = paths.new_class_id()
    session = Session(Contents(open_deck(deck)))
    room = Room(session, lambda what: None)
    await room.open(host_link.to_host(class_id, "console", session.screen, ""))
    room.phones.ask(OpenPhones("127.0.0.1"))
    while room.phones.now.state != "on":
        await asyncio.sleep(0.02)
    pids = {one.part: one.own.pid for one in marked(class_id)}
    if args.ranks:
        room.launch(Demo("bench", "ddp", {"ranks": str(args.ranks), "steps": "2000"}))
        while (snapshot := room.snapshots.get("bench")) is None or not snapshot.steps:
            await asyncio.sleep(0.1)
        print(f"{args.ranks} ranks train ddp beside it")
    now = room.phones.now
    proxy = LossyProxy(int(now.url.rpartition(":")[2]), args.cut)
    if args.cut:
        await proxy.__aenter__()
    crowd = await asyncio.create_subprocess_exec(
        *(sys.executable, str(Path(__file__).with_name("phone_crowd.py"))),
        *(now.url, now.code, str(args.phones), str(args.loss), str(proxy.port)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=1 << 26,
    )
    assert crowd.stdin is not None and crowd.stdout is not None

    async def do(what: str, **more: Any) -> dict[str, Any]:
        assert crowd.stdin is not None and crowd.stdout is not None
        crowd.stdin.write(json.dumps({"do": what, **more}).encode() + b"\n")
        found: dict[str, Any] = json.loads(await crowd.stdout.readline())
        return found

    print(f"{args.phones} phones join at once: {(await do('join'))['s']:.2f} s")
    # Following the ranks costs the host something too, which is no answer's.
    host, asked = cpu_s(pids["host"]), time.monotonic()
    await asyncio.sleep(args.over)
    beside = (cpu_s(pids["host"]) - host) / (time.monotonic() - asked)
    print(f"the host, with nobody answering: {1000 * beside:.0f} ms of processor time a second")
    print("question  told s  ack p50  p99    max    gate cpu s  host ms/answer  gate MB")
    for n in range(args.questions):
        gate, host = cpu_s(pids["phones"]), cpu_s(pids["host"])
        asked = time.monotonic()
        session.go((n, 0))
        room.arrived()
        told = await do("wait_for", question=f"q{n}", phase="open")
        burst = n == args.questions - 1
        waits = await do("answer", question=f"q{n}", over_s=0.0 if burst else args.over)
        spent = cpu_s(pids["host"]) - host - beside * (time.monotonic() - asked)
        each = 1000 * spent / args.phones
        room.answering.lock()
        room.answering.reveal()
        await do("wait_for", question=f"q{n}", phase="revealed")
        used = cpu_s(pids["phones"]) - gate
        line = f"{n + 1:>8}  {told['last'] - asked:6.2f}  {waits['p50']:7.3f}  {waits['p99']:5.3f}"
        line += f"  {waits['max']:5.3f}  {used:10.2f}  {each:14.3f}  {memory_mb(pids['phones']):7.1f}"
        print(f"{line}{'  in one burst' if burst else ''}", flush=True)
    if args.gone:
        back = await do("drop", share=0.5, seconds=args.gone)
        print(f"half of them without a network for {args.gone:g} s: all back after {back['s']:.2f} s")
    back = await do("drop", share=1.0, seconds=0.2)
    print(f"all lost at once: all back after {back['s']:.2f} s")

    told = await do("tell")
    kept: dict[tuple[str, str], tuple[int, ...]] = {}
    entries = journal.read(paths.journal_file(class_id))
    lines = 0
    for entry in entries:
        if isinstance(entry.action, Answer):
            lines += 1
            kept[entry.screen, entry.action.question] = entry.action.choice
    wanted: dict[str, dict[int, int]] = {}
    for phone in told["acked"]:
        for question, (_, choice) in phone.items():
            counts = wanted.setdefault(question, {})
            counts[choice] = counts.get(choice, 0) + 1
    found: dict[str, dict[int, int]] = {}
    for (_, question), choice in kept.items():
        counts = found.setdefault(question, {})
        counts[choice[0]] = counts.get(choice[0], 0) + 1
    acked = sum(map(len, told["acked"]))
    print(f"{acked} answers were told to be in, {len(kept)} are in the journal ({lines} lines)")
    print("the votes are the same" if found == wanted else f"THE VOTES DIFFER: {found} {wanted}")
    if args.cut:
        print(f"{proxy.cuts} connections were reset, {proxy.passed} messages went through")
    print(f"{told['bytes'] / args.phones / args.questions / 1000:.1f} kB a phone and question")
    crowd.stdin.close()
    await crowd.wait()
    await room.shutdown()
    await room.close()
    return 0 if found == wanted else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--phones", type=int, default=1000)
    parser.add_argument("--questions", type=int, default=12)
    parser.add_argument("--loss", type=float, default=0.0)
    parser.add_argument("--cut", type=float, default=0.0, help="share of messages that end a connection")
    parser.add_argument("--gone", type=float, default=0.0)
    parser.add_argument("--ranks", type=int, default=0)
    parser.add_argument("--over", type=float, default=5.0, help="seconds that answers are spread over")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        os.environ["HOME"] = home
        os.environ.update(
            {f"XDG_{kind}_HOME": f"{home}/{kind}" for kind in ("DATA", "STATE", "CONFIG", "CACHE")}
        )
        raise SystemExit(asyncio.run(main(parser.parse_args())))
