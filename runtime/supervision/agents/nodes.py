"""All nodes of a run on several machines: begun together, ended together, and which of them failed first."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from runtime.catalog.machines import Machines
from runtime.cluster import preflight
from runtime.cluster.link.clock import Difference
from runtime.cluster.link.invitation import Invitation
from runtime.cluster.link.link_messages import (
    Begin,
    Ended,
    Events,
    FromAgent,
    Here,
    Kill,
    Order,
    Over,
    Ping,
    Pong,
    Signal,
    Taken,
)
from runtime.protocol import rank_decoder
from runtime.protocol.events import AnyEvent
from runtime.protocol.framing import FrameProtocol
from runtime.protocol.rank_decoder import BadFrame
from runtime.recordings.recorded_events import Lines, NotEvents, read_member
from runtime.supervision.agents.node import GONE_S, STALE_S, Node

NOTICE_S = 10.0  # in which a node says what it died of, after another has complained that it is gone
# An agent keeps what was not acknowledged; only at an end it waits for that. As a rule the answer to its next
# `Ping` says it, which comes before.
ACKNOWLEDGE_S = 1.5
MOST_NAMED = 4  # machines in a sentence
KILLED_WITHIN_S = 8.0  # torchrun has three seconds to tidy up, and the network is in between


class Nodes:
    """`on_events(drawn, recorded)` gets what ranks send (`link_messages.Events`), all of it of their own node
    and of this generation; `on_ended(node)` is called when a node's part of a generation is over."""

    def __init__(
        self,
        machines: Machines,
        ranks: int,
        invitation: Invitation,
        on_events: Callable[[Sequence[AnyEvent], Lines], None],
        on_ended: Callable[[Node], None],
        *,
        gpus: bool = False,
    ) -> None:
        """`ranks` are those of each node, which may compute on `gpus`."""
        self._gpus = gpus
        self.machines, self.invitation = machines, invitation
        self.token = bytes.fromhex(invitation.token)
        self.all = [Node(n, name, range(n * ranks, (n + 1) * ranks)) for n, name in enumerate(machines.names)]
        self._on_events, self._on_ended = on_events, on_ended
        self._begin: Begin | None = None
        self._killed = 0  # the newest generation whose ranks are to end
        self._order_of_ends: list[Node] = []
        self.unfit = ""  # why a node that came cannot take part, however often all begin again

    # --- what is shown ----------------------------------------------------------------------------------

    @property
    def waits(self) -> str:
        """Which machines have not come yet, "" where all are there."""
        missing = [node.name for node in self.all if not node.session and not node.over]
        return f"waiting for {_some(missing)}" if missing else ""

    @property
    def bent(self) -> tuple[str, ...]:
        """What a badge says: how many machines, and how sure their clocks are."""
        within = self.within_s
        clocks = () if within is None else (f"clocks within {1000 * within:.2g} ms",)
        return (f"{len(self.all)} machines", *clocks)

    @property
    def within_s(self) -> float | None:
        """How far the clocks of two machines may be apart at most, None before it is known: each is known by
        the host's."""
        known = sorted(node.clock.within for node in self.all if node.clock is not None)
        return sum(known[-2:]) if known else None

    def stale(self, now: float) -> list[Node]:
        """Return the nodes that have not been heard for a while, and may come back."""
        return [node for node in self.all if node.stale_s(now)]

    def stale_ranks(self, now: float) -> frozenset[int]:
        """Return the ranks whose figures are old for that reason."""
        return frozenset(
            rank for node in self.all if node.stale_s(now) or node.behind_s for rank in node.ranks
        )

    def told_of_stale(self, now: float) -> str:
        """Say which nodes are stale, "" where none is."""
        late = self.stale(now)
        if not late:
            slow = [f"{node.name} (by {node.behind_s:.0f} s)" for node in self.all if node.behind_s]
            one = len(slow) == 1
            old = f"{'is' if one else 'are'} heard late: {_figures(one)}, the link here is too slow for "
            return f"{_some(slow)} {old}{'it' if one else 'them'}" if slow else ""
        told = []
        if held := [node.name for node in late if node.waits_here]:
            one = len(held) == 1
            say = "says" if one else "say"
            told.append(f"what {_some(held)} {say} waits here: {_figures(one)}, this machine is too busy")
        if silent := [node for node in late if not node.waits_here]:
            said = _some([f"{node.name} (for {node.stale_s(now):.0f} s)" for node in silent])
            one = len(silent) == 1
            back = f"{'it has' if one else 'they have'} {GONE_S:.0f} s to come back"
            told.append(f"nothing heard from {said}: {_figures(one)}; {back}")
        return "; ".join(told)

    @property
    def at_work(self) -> bool:
        """Whether ranks of some node ran or wanted to, as the nodes have said last."""
        return any(node.at_work and not node.over for node in self.all)

    # --- what they are told -----------------------------------------------------------------------------

    def begin(self, run: str, generation: int) -> None:
        """Have every node start its ranks; who comes later is told then."""
        self._begin = Begin(run, generation, self.machines.meet, self.machines.port)
        self._order_of_ends = []
        for node in self.all:
            node.begin_again()
            self._tell_to_begin(node)

    def _tell_to_begin(self, node: Node) -> None:
        if self._begin is not None and not node.over and node.send(self._begin):
            node.told = self._begin.generation

    def tell(self, order: Mapping[str, Any], rank: int | None = None) -> bool:
        """Send an order to one rank, to all with None; False: nobody could be told."""
        told = [
            node.send(Order(rank, dict(order)))
            for node in self.all
            if not node.over and (rank is None or rank in node.ranks)
        ]
        return any(told)

    def signal(self, rank: int, harm: str) -> bool:
        """Have a rank sent a signal; False: its node could not be told."""
        return any(node.send(Signal(rank, harm)) for node in self.all if rank in node.ranks and not node.over)

    async def kill(self, generation: int) -> None:
        """Have all nodes end their ranks of a generation, and wait a while for them to say that they did;
        those of a node that does not answer end with its agent."""
        self._killed = generation
        for node in self._left_of(generation):
            if not node.send(Kill(generation)) and not node.session:
                self._lose(node, f"{node.name} never connected")
        until = time.monotonic() + KILLED_WITHIN_S
        while self._left_of(generation) and time.monotonic() < until:
            await asyncio.sleep(0.02)

    def _left_of(self, generation: int) -> list[Node]:
        begin = self._begin
        gone_on = begin is None or begin.generation != generation
        return [] if gone_on else [node for node in self.all if not node.over]

    def over(self) -> None:
        """Tell all that nothing follows."""
        for node in self.all:
            if node.owed is not None:
                self._acknowledge(node)
            node.send(Over())
        self._begin = None

    # --- what they say ----------------------------------------------------------------------------------

    def greeted(self, number: int, line: FrameProtocol, here: Here) -> bool:
        """Take in an agent that has shown that it may come; False: another one speaks for that node."""
        node = self.all[number]
        now = time.monotonic()
        if node.line is not None and node.line.connected and here.session != node.session:
            if not node.stale_s(now) and not node.over:
                return False
            node.line.abort()
        elif node.line is not None and node.line is not line:
            node.line.abort()  # the same agent, which has noticed first that the old connection is dead
        gone = ""
        if here.session != node.session:
            came_back = bool(node.session)
            # Of a generation that began while it was away it had no ranks: it begins with them now.
            begun = self._begin is not None and node.told == self._begin.generation and not node.over
            node.session, node.taken, node.told = here.session, 0, 0
            if came_back and begun:
                gone = f"{node.name} was started again, and the ranks that it had are gone"
        node.line, node.heard_at = line, now
        self._acknowledge(node)  # it sends the rest, and nothing before it knows what that is
        node.machine, node.torch, node.gpus = here.machine, here.torch, here.gpus
        unfit = self._unfit(node, here)
        self.unfit = unfit or self.unfit  # before it is lost, since that decides whether all begin again
        if (unfit or gone) and not node.over:
            self._lose(node, "; ".join(filter(None, (gone, unfit))))
        if unfit:
            return True  # it hears that it is over
        # What was sent on a connection that was dead already has not come: it is said again, and an agent
        # takes no generation twice.
        self._tell_to_begin(node)
        if self._begin is not None and self._killed == self._begin.generation and not node.over:
            node.send(Kill(self._killed))
        return True

    def _unfit(self, node: Node, here: Here) -> str:
        """Return why an agent cannot take part: who started it by hand was not looked at before."""
        started, wanted = (here.nodes, here.ranks), (len(self.all), len(node.ranks))
        if started != wanted:
            return (
                f"{node.name} was started for {started[0]} nodes of {started[1]} ranks, and this run has "
                f"{wanted[0]} of {wanted[1]}: start it by the line that is shown for it"
            )
        for other in self.all:
            if other.torch and here.torch:
                unequal = preflight.unequal(node.name, here, other.name, other, gpus=self._gpus)
                if unequal is not None:
                    return f"{unequal.why}: {unequal.mend}"
        return ""

    def heard(self, number: int, line: FrameProtocol, message: FromAgent) -> list[AnyEvent]:
        """Take in a message of a node; returns the events in it that were taken. Raises `BadFrame`."""
        node = self.all[number]
        if node.line is not line:
            return []  # another connection has taken its place
        node.heard_at = time.monotonic()
        match message:
            case Ping():
                node.send(Pong(message.sent, node.heard_at, node.taken))
                node.owes_nothing()
                node.at_work = message.at_work
                if message.ahead is not None and message.within is not None:
                    node.clock = Difference(message.ahead, message.within)
            case Events() | Ended() if message.number <= node.taken:
                self._acknowledge_soon(node)  # sent again, since our answer was lost
            case Events():
                own = self._own(node, message)
                node.taken = message.number
                self._acknowledge_soon(node)
                if own is None:
                    return []
                events, recorded = own
                if events and node.clock is not None:
                    node.late_s = node.heard_at - events[-1].t
                self._on_events(events, recorded)
                return events
            case Ended():
                node.taken = message.number
                self._acknowledge(node)
                if self._begin is not None and message.generation == self._begin.generation and not node.over:
                    node.ended = message
                    self._order_of_ends.append(node)
                    self._on_ended(node)
            case _:
                pass
        return []

    def _acknowledge_soon(self, node: Node) -> None:
        """Say what was taken in, once for all that comes in a moment: an answer costs more than a message."""
        if node.owed is None:
            node.owed = asyncio.get_running_loop().call_later(ACKNOWLEDGE_S, self._acknowledge, node)

    def _acknowledge(self, node: Node) -> None:
        node.owes_nothing()
        node.send(Taken(node.taken))

    def _own(self, node: Node, message: Events) -> tuple[list[AnyEvent], Lines] | None:
        """Return what is to be drawn of ranks that the node has, and what is to be recorded, which is its own
        to the last line; None: it is not of this generation."""
        begin = self._begin
        if begin is None or message.generation != begin.generation:
            return None
        try:
            recorded = read_member(message.recorded, begin.run, begin.generation, node.ranks)
        except NotEvents as error:
            raise BadFrame(f"lines to be recorded: {error}") from error
        run, generation, ranks = begin.run, begin.generation, node.ranks
        drawn = [
            event
            for event in rank_decoder.decode(message.drawn)
            if event.rank in ranks and event.generation == generation and event.run == run
        ]
        return drawn, recorded

    def hung_up(self, number: int, line: FrameProtocol) -> None:
        """A connection has ended; the agent may come back."""
        node = self.all[number]
        if node.line is line:
            node.line = None

    def lost(self, number: int, why: str) -> None:
        """Nothing will be heard of a node any more: whoever started it has seen it end."""
        node = self.all[number]
        if not node.over:
            self._lose(node, why)
        node.session, node.line = "", None

    def say_taken(self, now: float) -> None:
        """Show that we are here to nodes that were not heard for a while: we may be late ourselves, and they
        would take us for dead, and come again all at once."""
        for node in self.all:
            if now - max(node.heard_at, node.shown_at) > STALE_S:
                node.shown_at = now
                node.send(Taken(node.taken))

    def give_up(self, now: float) -> None:
        """Give up nodes that have not been heard for `GONE_S`: their ranks have ended themselves."""
        for node in self.all:
            if (for_s := node.stale_s(now)) >= GONE_S:
                self._lose(node, f"nothing was heard from {node.name} for {for_s:.0f} s")

    def _lose(self, node: Node, why: str) -> None:
        node.lost = why
        self._order_of_ends.append(node)
        self._on_ended(node)

    # --- what came of it --------------------------------------------------------------------------------

    @property
    def left(self) -> int:
        """Ranks that could not be ended, once this generation was: as their nodes say, or all of a node that
        began, is connected and says nothing; those of one that hung up or is lost end with its agent."""
        if self._begin is None:
            return 0
        told, silent = self._begin.generation, [node for node in self.all if node.line and not node.over]
        said = sum(node.ended.left for node in self.all if node.ended is not None)
        return said + sum(len(node.ranks) for node in silent if node.told == told)

    @property
    def all_over(self) -> bool:
        """Whether every node's part of the present generation is over."""
        return all(node.over for node in self.all)

    @property
    def failed(self) -> bool:
        """Whether one of them has failed, or is gone."""
        return any(node.lost or (node.ended is not None and node.ended.state != "done") for node in self.all)

    @property
    def only_victims(self) -> bool:
        """Whether those that have failed complain only that another one is gone."""
        failed = [
            node
            for node in self._order_of_ends
            if node.lost or node.ended is None or node.ended.state != "done"
        ]
        return all(node.ended is not None and node.ended.victim for node in failed)

    def cause(self) -> tuple[str, int | None]:
        """Return what failed first, in words, and the rank if it was one."""
        ends = [node for node in self._order_of_ends if node.lost or node.ended is not None]
        own = [node for node in ends if node.ended is not None and node.ended.state in ("failed", "lost")]
        first = next((node for node in own if node.ended is not None and not node.ended.victim), None)
        if first is not None and first.ended is not None:
            return f"{first.ended.why}, on {first.name}", first.ended.rank
        gone = next((node for node in ends if node.lost), None)
        if gone is not None:
            return gone.lost, None
        if own and own[0].ended is not None:
            return f"{own[0].ended.why}, on {own[0].name}", own[0].ended.rank
        ended = next(
            (node for node in ends if node.ended is not None and node.ended.state == "stopped"), None
        )
        if ended is not None and ended.ended is not None:  # by whoever started it there, such as Slurm
            silent = [node.name for node in self.all if node.session and not node.over and node.line is None]
            before = f"{', '.join(silent)} hung up without a word, and " if silent else ""
            return f"{before}{ended.name} was ended: {ended.ended.why}", None
        return "not every node finished", None


def _some(names: Sequence[str]) -> str:
    """Name a few: of a hundred machines the rest of the sentence would have no room."""
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _figures(one: bool) -> str:
    return f"{'its' if one else 'their'} figures are stale"
