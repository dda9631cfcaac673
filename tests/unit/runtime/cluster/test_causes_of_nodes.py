"""Which node failed first, as the host says it: by its own words, not by those of a victim."""

from __future__ import annotations

import time

import msgspec
import pytest

from runtime.catalog.machines import Machines
from runtime.cluster.link.invitation import invite
from runtime.cluster.link.link_messages import Ended, Events, Here, Kill, Over, Ping, Taken, encode
from runtime.protocol.events import Beat
from runtime.protocol.framing import FrameProtocol
from runtime.recordings import recorder
from runtime.supervision.agents.node import GONE_S, STALE_S, Node
from runtime.supervision.agents.nodes import Nodes


class Line(FrameProtocol):
    """A connection that keeps what is sent."""

    def __init__(self) -> None:
        super().__init__(lambda line, payload: None)
        self.sent: list[bytes] = []

    @property
    def connected(self) -> bool:
        return True

    def send(self, payload: bytes) -> None:
        self.sent.append(payload)


class Three:
    """Three nodes of one rank that have come and begun."""

    def __init__(self) -> None:
        self.ended: list[Node] = []
        self.nodes = Nodes(
            Machines(("a", "b", "c"), "a", 1), 1, invite("/x"), lambda e, r: None, self.ended.append
        )
        self.lines = [Line() for _ in self.nodes.all]
        for n, line in enumerate(self.lines):
            assert self.nodes.greeted(n, line, Here(f"s{n}", 1, "m", 3, 1))
        self.nodes.begin("r", 1)

    def ends(
        self, n: int, state: str, why: str = "", *, victim: bool = False, rank: int | None = None
    ) -> None:
        node = self.nodes.all[n]
        self.nodes.heard(n, self.lines[n], Ended(node.taken + 1, 1, state, why, rank, victim))


GONE = "rank 0: Connection closed by peer"


@pytest.fixture
async def three() -> Three:
    return Three()


async def test_who_complains_that_another_is_gone_is_not_the_cause(three: Three) -> None:
    three.ends(0, "failed", GONE, victim=True, rank=0)
    assert three.nodes.only_victims
    three.ends(2, "failed", "rank 2 was killed by SIGKILL", rank=2)
    assert not three.nodes.only_victims
    three.ends(1, "stopped", "ended by the host")
    assert three.nodes.all_over
    assert three.nodes.cause() == ("rank 2 was killed by SIGKILL, on c", 2)


async def test_a_machine_that_is_gone_is_the_cause_of_those_who_complain(three: Three) -> None:
    three.ends(0, "failed", GONE, victim=True, rank=0)
    three.nodes.lost(1, "b is gone: its ssh ended with 255")
    assert three.nodes.cause() == ("b is gone: its ssh ended with 255", None)


async def test_if_all_complain_the_first_is_quoted(three: Three) -> None:
    for n in (1, 0, 2):
        three.ends(n, "failed", f"of {n}", victim=True, rank=n)
    assert three.nodes.cause() == ("of 1, on b", 1)


async def test_a_job_that_was_cancelled_says_by_whom(three: Three) -> None:
    three.ends(1, "stopped", "ended by SIGTERM")
    assert not three.nodes.only_victims
    assert three.nodes.cause() == ("b was ended: ended by SIGTERM", None)


async def test_a_node_that_is_not_heard_is_stale_and_after_a_minute_gone(three: Three) -> None:
    now = three.nodes.all[0].heard_at
    three.nodes.all[1].heard_at = now - STALE_S - 1
    assert three.nodes.stale_ranks(now) == {1}
    assert "nothing heard from b (for 4 s)" in three.nodes.told_of_stale(now)
    three.nodes.all[1].waits_here = True
    assert three.nodes.told_of_stale(now).startswith("what b says waits here: ")
    three.nodes.give_up(now)
    assert three.ended == []
    three.nodes.all[1].heard_at = now - GONE_S - 1
    three.nodes.give_up(now)
    assert [node.name for node in three.ended] == ["b"]
    assert three.nodes.cause()[0] == "nothing was heard from b for 61 s"


def test_of_many_stale_nodes_a_few_are_named_and_the_sentence_fits_a_panel() -> None:
    names = tuple(f"n{number}" for number in range(128))
    nodes = Nodes(Machines(names, "n0", 1), 8, invite("/x"), lambda e, r: None, lambda node: None)
    assert nodes.waits == "waiting for n0, n1, n2, n3 and 124 more"
    for node in nodes.all:
        node.session, node.heard_at, node.waits_here = "s", 1.0, node.number > 0
    assert nodes.told_of_stale(6.0) == (
        "what n1, n2, n3, n4 and 123 more say waits here: their figures are stale, this machine is too busy; "
        "nothing heard from n0 (for 5 s): its figures are stale; it has 60 s to come back"
    )


async def test_a_node_whose_link_is_slow_is_stale_until_it_has_caught_up_and_is_not_given_up(
    three: Three,
) -> None:
    now = time.monotonic()
    for number, late_s in ((1, 90.0), (2, 0.2)):
        three.nodes.heard(1, three.lines[1], Ping(now, 0.0, 0.001))
        said = [Beat("r", 1, 1, time.monotonic() - late_s, "train", 1, 0, 0, 0)]
        three.nodes.heard(
            1, three.lines[1], Events(number, 1, msgspec.msgpack.encode(said), recorder.member(said))
        )
        now = three.nodes.all[1].heard_at
        slow = late_s > STALE_S
        assert three.nodes.stale_ranks(now) == ({1} if slow else frozenset())
        assert three.nodes.told_of_stale(now).startswith("b (by 90 s) is heard late") == slow
        three.nodes.give_up(now)
        assert three.ended == []  # all that it says comes, and once


async def test_whether_ranks_elsewhere_are_at_work_is_what_their_nodes_say(three: Three) -> None:
    assert not three.nodes.at_work
    three.nodes.heard(1, three.lines[1], Ping(1.0, at_work=True))
    three.nodes.heard(2, three.lines[2], Ping(1.0, at_work=False))
    assert three.nodes.at_work
    three.ends(1, "failed", "of its own", rank=1)
    assert not three.nodes.at_work


async def test_an_end_of_an_earlier_generation_ends_nothing(three: Three) -> None:
    three.nodes.begin("r", 2)
    three.ends(0, "failed", "old")
    assert three.ended == []
    three.nodes.heard(
        0, three.lines[0], Events(2, 1, encode(Here("x", 1, "m", 1, 1)), b"")
    )  # not even decoded
    await three.nodes.kill(1)
    assert encode(Kill(1)) not in three.lines[0].sent


async def test_ranks_of_a_node_that_hung_up_end_with_its_agent_and_are_not_left(three: Three) -> None:
    three.ends(0, "stopped")
    assert three.nodes.left == 2  # the others are connected, and have said nothing
    three.nodes.hung_up(1, three.lines[1])
    assert three.nodes.left == 1
    three.nodes.lost(2, "its ssh is gone")
    assert three.nodes.left == 0


async def test_who_hung_up_before_another_was_ended_is_named_first(three: Three) -> None:
    """As Slurm does it: the agent of a node is killed, and the other nodes are ended for that."""
    three.nodes.hung_up(1, three.lines[1])
    three.ends(0, "stopped", "ended by SIGTERM")
    assert three.nodes.cause() == ("b hung up without a word, and a was ended: ended by SIGTERM", None)


@pytest.mark.parametrize(
    ("here", "why"),
    [
        (
            Here("s1", 1, "m", 3, 1, "2.12.1\x1b[2J"),
            "b has torch 2.12.1?[2J, a has torch 2.13.0: install the same on all machines",
        ),
        (
            Here("s1", 1, "m", 3, 1, "2.13.0", ("H100", "H\x1b[2J")),
            "b has 1 H100 + 1 H?[2J, a has no GPUs: write device=cpu, or leave one out",
        ),
        (
            Here("s1", 1, "m", 2, 4, "2.13.0"),
            "b was started for 2 nodes of 4 ranks, and this run has 3 of 1: "
            "start it by the line that is shown for it",
        ),
    ],
)
async def test_a_node_that_cannot_take_part_ends_the_run_with_the_reason(here: Here, why: str) -> None:
    """Nobody has looked at a machine whose node comes by itself."""
    ended: list[Node] = []
    three = Machines(("a", "b", "c"), "a", 1)
    nodes = Nodes(three, 1, invite("/x"), lambda e, r: None, ended.append, gpus=True)
    nodes.begin("r", 1)
    lines = [Line() for _ in nodes.all]
    assert nodes.greeted(0, lines[0], Here("s0", 1, "m", 3, 1, "2.13.0"))
    assert nodes.greeted(1, lines[1], here)
    assert [node.name for node in ended] == ["b"]
    assert lines[1].sent == [encode(Taken(0))]  # it is not told to begin
    assert nodes.unfit == nodes.cause()[0] == why
    nodes.over()
    assert lines[1].sent[1:] == [encode(Over())]


async def test_a_node_that_is_started_again_is_looked_at_as_well(three: Three) -> None:
    """Its ranks are gone, and it would take part in the next generation."""
    again = Line()
    three.nodes.hung_up(1, three.lines[1])
    assert three.nodes.greeted(1, again, Here("s1 again", 1, "m", 2, 4))
    why = (
        "b was started for 2 nodes of 4 ranks, and this run has 3 of 1: "
        "start it by the line that is shown for it"
    )
    assert three.nodes.unfit == why
    assert three.nodes.cause()[0] == f"b was started again, and the ranks that it had are gone; {why}"
    assert [node.name for node in three.ended] == ["b"]
    assert again.sent == [encode(Taken(0))]


async def test_a_node_whose_part_is_over_is_looked_at_when_it_is_started_again(three: Three) -> None:
    three.ends(1, "failed", "rank 1 was killed by SIGKILL", rank=1)
    three.nodes.hung_up(1, three.lines[1])
    assert three.nodes.greeted(1, Line(), Here("s1 again", 1, "m", 2, 4))
    assert three.nodes.unfit.startswith("b was started for 2 nodes")
    assert three.nodes.cause()[0] == "rank 1 was killed by SIGKILL, on b"
    assert len(three.ended) == 1
