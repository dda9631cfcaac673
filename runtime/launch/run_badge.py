"""What the badge of a run says: live or simulated, on what, and what was padded, paced, slowed or shared."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from runtime.catalog.registry import Launchable
from runtime.protocol import ranks_on_cores
from runtime.protocol.figures import Named
from runtime.protocol.link_speeds import UNLIMITED, in_words

SIMULATED = "SIMULATED"
PADDED = "padded as measured"  # a pad that a script finds by its own steps


def live(device: str) -> str:
    """Return the badge of ranks that are real, by where they compute: "cpu", "cuda" or "cuda:0"."""
    return "LIVE GPU" if device.startswith("cuda") else "LIVE CPU"


def bent(demo: Launchable, device: str, ranks: int, why: str, cores: int) -> list[str]:
    """Return in words what makes a run another than it would be elsewhere. `ranks` are those of this machine;
    `why` is what there is to say about the choice of the `device`, "" if nothing."""
    shared = ranks_on_cores.note(ranks, cores) if device == "cpu" else ""
    bent = [words for words in (why, shared) if words]
    if demo.node is not None:
        bent.append(demo.node.note)
    elif demo.nodes > 1:
        why = f": {demo.stays}" if demo.stays else ""
        bent.append(f"{demo.nodes} nodes x {demo.ranks // demo.nodes} ranks, on one machine{why}")
    if demo.network == "netns":
        shaped = f" shaped to {in_words(demo.link)}" if demo.link != UNLIMITED else ""
        late = f", {demo.latency_s * 1000:g} ms each way" if demo.latency_s else ""
        bent.append(f"nodes in network namespaces, joined by a link{shaped}{late}")
    rank = demo.values.get("slow_rank")
    if isinstance(rank, int) and rank >= 0:
        slowed = ((demo.values.get("slow_ms"), "ms"), (demo.values.get("slow_factor"), "of its steps"))
        much = [f"{by:g} {unit}" for by, unit in slowed if isinstance(by, int | float) and by > 0]
        bent += [f"rank {rank} slowed {' and '.join(much)}"] if much else []
    pad_ms, pause_ms = demo.values.get("pad_ms"), demo.values.get("pause_ms")
    if pad_ms == "auto" and device == "cpu" and ranks > cores:  # as the script decides it (`demos.padded`)
        bent.append(PADDED)
    if isinstance(pad_ms, int | float) and pad_ms > 0:
        bent.append(f"padded {pad_ms:g} ms")
    if isinstance(pause_ms, int | float) and pause_ms > 0:
        bent.append(f"paused {pause_ms:g} ms")  # to look at; no work is lengthened
    link_mbit = demo.values.get("link_mbit")
    if isinstance(link_mbit, int | float) and link_mbit > 0:
        can = sys.platform == "linux"  # as the script decides it (`demos.links`)
        bent.append(
            f"links paced to {link_mbit:g} Mbit/s" if can else "links are not paced: only Linux can do it"
        )
    return bent


def as_measured(bent: tuple[str, ...], said: Iterable[Named]) -> tuple[str, ...]:
    """What was bent, with the figures that the ranks have found for it meanwhile."""
    for named in said:
        ms = {rank: own[-1] for rank, own in enumerate(named.ranks) if own}
        if named.name == "padded" and ms:
            bent = tuple(f"padded {max(ms.values()):.0f} ms" if word == PADDED else word for word in bent)
        elif named.name == "slowed":
            for rank, slept in ms.items():
                start = f"rank {rank} slowed "
                bent = tuple(f"{start}{slept:.0f} ms" if w.startswith(start) else w for w in bent)
    return bent
