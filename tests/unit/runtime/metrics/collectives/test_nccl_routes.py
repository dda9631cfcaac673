"""What NCCL prints where it is asked to, of its versions from 2.4 on, and what of it is believed."""

from __future__ import annotations

import pytest

from runtime.metrics.collectives.nccl_routes import MOST_WORDS, NcclRoutes
from runtime.metrics.run_figures import figures
from runtime.metrics.store import RunStore
from runtime.protocol.events import Log


def log(rank: int, line: str) -> Log:
    return Log("r", 1, rank, 0.0, "out", f"host:25148:25826 [{rank}] {line}")


@pytest.mark.parametrize(
    ("rank", "line", "said"),
    [
        (0, "NCCL INFO Ring 00 : 0 -> 3 [send] via NET/Socket/0", (0, 3, "NET/Socket/0")),
        (1, "NCCL INFO Ring 00 : 0 -> 1 [receive] via NET/Socket/0", (0, 1, "NET/Socket/0")),
        (2, "NCCL INFO Channel 00 : 2[a000] -> 3[b000] via P2P/direct pointer", (2, 3, "P2P/direct pointer")),
        (3, "NCCL INFO Channel 00 : 3[3] -> 0[0] via SHM/direct/direct", (3, 0, "SHM/direct/direct")),
        (1, "NCCL INFO Channel 05/0 : 1[1] -> 2[2] via P2P/CUMEM", (1, 2, "P2P/CUMEM")),
        (3, "NCCL INFO Channel 03/0 : 3[7] -> 2[6] [send] via NET/IB/3/GDRDMA", (3, 2, "NET/IB/3/GDRDMA")),
        (1, "NCCL INFO Channel 02/0 : 3[1] -> 1[1] [receive] via NET/IB/2/GDRDMA", (3, 1, "NET/IB/2/GDRDMA")),
        (3, "NCCL INFO Channel 07 : 3[3] -> 2[2] via P2P/IPC/read", (3, 2, "P2P/IPC/read")),
        (
            0,
            "NCCL INFO Channel 00/1 : 0[0] -> 1[1] via P2P/direct pointer/read",
            (0, 1, "P2P/direct pointer/read"),
        ),
        (0, "NCCL INFO Channel 04 : 0[0] -> 1[1] via SHM/CE/direct", (0, 1, "SHM/CE/direct")),
        (2, "NCCL INFO Channel 09/0 : 2[2] -> 1[1] via P2P/MNNVL", (2, 1, "P2P/MNNVL")),
        (0, "NCCL INFO Channel 01/0 : 0[4] -> 1[5] via P2P/indirect/6[6]", (0, 1, "P2P/indirect/6[6]")),
        (
            0,
            "NCCL INFO Channel 03/0 : 0[0] -> 2[0] [send] via NET/IBext_v8/3(1)/GDRDMA(PCI)/Shared",
            (0, 2, "NET/IBext_v8/3(1)/GDRDMA(PCI)/Shared"),
        ),
    ],
)
def test_lines_of_all_its_versions(rank: int, line: str, said: tuple[int, int, str]) -> None:
    found = NcclRoutes(4)
    found.add(log(rank, line))
    assert found.told() == (said,)


@pytest.mark.parametrize(
    ("rank", "line"),
    [
        (0, "NCCL INFO Channel 00/02 :    0   1   2   3"),
        (0, "NCCL INFO Trees [0] 1/-1/-1->0->-1 [1] 1/-1/-1->0->-1"),
        (0, "NCCL INFO Ring 00 : 3 -> 0 -> 1"),
        (0, "NCCL INFO Connected all rings"),
        (0, "NCCL INFO Channel 00/0 : 1[1] -> 2[2] via P2P/CUMEM"),  # of another numbering than the run's
        (0, "NCCL INFO Channel 00/0 : 0[0] -> 9[9] via P2P/CUMEM"),
        (0, "NCCL WARN Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM"),
        (0, "loss 0[0] -> 1[1] via P2P/CUMEM"),
    ],
)
def test_what_is_no_way_of_this_run_is_not_taken_for_one(rank: int, line: str) -> None:
    found = NcclRoutes(4)
    found.add(log(rank, line))
    assert found.told() == ()


def test_a_communicator_of_fewer_ranks_counts_otherwise_and_is_not_believed() -> None:
    found = NcclRoutes(4)
    found.add(log(0, "NCCL INFO comm 0x5b0bc60 rank 0 nRanks 4 nNodes 2 localRanks 2 localRank 0 MNNVL 0"))
    found.add(log(0, "NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM"))
    found.add(log(0, "NCCL INFO ncclCommSplit comm 0x7f rank 0 nranks 2 cudaDev 0 nvmlDev 0 - Init START"))
    found.add(log(0, "NCCL INFO Channel 00/0 : 0[0] -> 1[2] via NET/IB/0"))  # 1 of the two is rank 2
    assert found.told() == ((0, 1, "P2P/CUMEM"),)


def test_one_that_connects_when_another_has_begun_is_known_by_the_gpus_it_names() -> None:
    """Of four ranks 0 and 2 are a group, in which 2 has the number 1; the world begins before it is used."""
    found = NcclRoutes(4)
    found.add(log(1, "NCCL INFO Channel 00/0 : 1[1] -> 2[2] via P2P/CUMEM"))
    found.add(log(0, "NCCL INFO ncclCommSplit comm 0x7f rank 0 nranks 2 cudaDev 0 nvmlDev 0 - Init COMPLETE"))
    found.add(
        log(0, "NCCL INFO ncclCommInitRank comm 0x7e rank 0 nranks 4 cudaDev 0 nvmlDev 0 - Init COMPLETE")
    )
    found.add(log(0, "NCCL INFO Channel 00/0 : 0[0] -> 1[2] via P2P/CUMEM"))
    assert found.told() == ((1, 2, "P2P/CUMEM"),)
    found.add(log(0, "NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM"))
    assert found.told() == ((0, 1, "P2P/CUMEM"), (1, 2, "P2P/CUMEM"))


def test_a_run_has_them_among_its_figures_however_long_the_line() -> None:
    store = RunStore(2)
    store.ingest(log(0, "NCCL INFO Channel 00/0 : 0[0] -> 1[1] via " + "x" * 4000))
    assert figures(store, "nccl").routes == ((0, 1, "x" * MOST_WORDS),)
