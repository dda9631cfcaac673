"""Begins and ends runs whose ranks are on other machines; their agents do what the fork server does here."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from runtime import paths
from runtime.catalog.machines import Machines
from runtime.catalog.params import Refusal
from runtime.cluster import preflight, ssh_commands
from runtime.cluster.link import certificate
from runtime.cluster.link.invitation import Invitation, invite, write_file
from runtime.cluster.plan import Plan, plan
from runtime.launch.device_choice import computes_on_gpus
from runtime.protocol.events import AnyEvent, Event, Hello, Log
from runtime.protocol.stage_messages import Exited
from runtime.recordings.recorded_events import Lines
from runtime.supervision.agents.agent_socket import AgentSocket
from runtime.supervision.agents.node import Node
from runtime.supervision.agents.nodes import NOTICE_S, Nodes
from runtime.supervision.agents.ssh_agents import SshAgents
from runtime.supervision.run import MAX_LINE, Run
from runtime.supervision.steering import hold_kill_xray


class ClusterRuns:
    """`heard(run, events, recorded)` gets what is to be drawn of what ranks send, and all of it as an agent
    has prepared it to be recorded; `exited(run, exit)` how a node's part of a run has ended; `kill(run)` ends
    all others."""

    def __init__(
        self,
        class_id: str,
        heard: Callable[[Run, Sequence[Event], Lines | None], None],
        exited: Callable[[Run, Exited], None],
        kill: Callable[[Run], None],
        full: Callable[[], bool],
    ) -> None:
        self._class_id = class_id
        self._heard, self._exited, self._kill, self._full = heard, exited, kill, full
        self._socket: AgentSocket | None = None
        self._runs: dict[bytes, Run] = {}  # by the number of their invitation
        self._ssh: dict[str, SshAgents] = {}  # by run

    @property
    def late(self) -> bool:
        """Whether agents send more than can be taken in."""
        return self._socket is not None and self._socket.late

    async def begin(self, run: Run, machines: Machines) -> bool:
        """Begin a generation; False: `run.why` says why it cannot be. Raises `OSError`."""
        if run.nodes is None:
            refusal = await self._open(run, machines)
            if refusal is not None:
                run.why = f"{refusal.why}: {refusal.mend}"
                return False
        assert run.nodes is not None
        run.processes.forked_at = time.monotonic()
        if run.recoveries:
            run.recoveries[-1].forked(run.processes.forked_at)
        run.nodes.begin(run.id, run.generation)
        if run.id in self._ssh:
            await self._ssh[run.id].start()
        return True

    async def _open(self, run: Run, machines: Machines) -> Refusal | None:
        if self._socket is None:
            self._socket = AgentSocket(self._nodes_of, self._hellos, self._full, self._expected)
        path = paths.agent_socket(self._class_id)
        if machines.ways:
            if run.spec is not None and run.spec.resumes and run.restarts_left:
                apart = await asyncio.to_thread(preflight.common_folder, machines.names, run.demo.python)
                if apart is not None:
                    return apart
            await self._socket.listen_at(path)
            first = invite("/")
        else:
            found = await self._listen(self._socket, machines)
            if isinstance(found, Refusal):
                return found
            first = found
        ranks = run.world // len(machines.names)
        nodes = Nodes(
            machines,
            ranks,
            first,
            lambda events, recorded: self._heard(run, events, recorded),
            lambda node: self._ended(run, node),
            gpus=computes_on_gpus(run.demo),
        )
        self._runs[bytes.fromhex(first.number)] = run
        run.nodes = nodes
        if machines.ways:
            planned = plan(run.demo, len(machines.names))
            if isinstance(planned, Refusal):
                return planned
            self._ssh[run.id] = SshAgents(
                len(machines.names),
                _starts(planned, machines, str(path), first),
                lambda node, line: self._printed(run, node, line),
                lambda node, code: self._gone(run, node, code),
            )
        return None

    async def _listen(self, agents: AgentSocket, machines: Machines) -> Invitation | Refusal:
        """Listen for agents by TLS; returns their invitation, which is written."""
        assert machines.listen is not None
        made = certificate.make()
        if isinstance(made, Refusal):
            return made
        host, port = machines.listen
        shown = f"[{host}]" if ":" in host else host
        file = Path(machines.invitation)
        try:
            context = certificate.server(made, paths.run_dir())
        except OSError as error:
            return _unwritten("the certificate", error, "make room there, or name another: XDG_STATE_HOME")
        try:
            port = await agents.listen(host, port, context)
        except OSError as error:
            why = os.strerror(error.errno or 0)
            return Refusal(f"nothing can listen at {shown}:{port}: {why}", "name another --listen")
        first = invite(f"{shown}:{port}", made.certificate)
        try:
            write_file(file, first)
        except OSError as error:
            return _unwritten("the invitation", error, "make room there, or name another: --out")
        return first

    async def close(self, run: Run) -> None:
        """End the agents of a run that is over."""
        if run.nodes is None:
            return
        run.nodes.over()
        ssh = self._ssh.pop(run.id, None)
        if ssh is not None:
            await ssh.close()
        self._runs.pop(bytes.fromhex(run.nodes.invitation.number), None)
        if not run.nodes.machines.ways:
            Path(run.nodes.machines.invitation).unlink(missing_ok=True)
        if not self._runs and self._socket is not None:
            self._socket.close()
            self._socket = None

    def watch(self, run: Run, now: float) -> None:
        """Look at the nodes of a run now and then."""
        if run.nodes is not None and self._socket is not None:
            run.nodes.say_taken(now)
            for node in run.nodes.stale(now):
                node.waits_here = node.line is not None and self._socket.holds_of(node.line)
            if not self.late:  # or what they said waits here, and nobody has looked at it
                run.nodes.give_up(now)

    # --- what they say ----------------------------------------------------------------------------------

    def _expected(self) -> int:
        return sum(len(run.nodes.all) for run in self._runs.values() if run.nodes is not None)

    def _nodes_of(self, invitation: bytes) -> Nodes | None:
        run = self._runs.get(invitation)
        return run.nodes if run is not None else None

    def _hellos(self, nodes: Nodes, events: Sequence[AnyEvent]) -> None:
        if Hello not in set(map(type, events)):  # as nearly always: one look for all
            return
        come = [event.rank for event in events if isinstance(event, Hello)]
        if (run := self._runs.get(bytes.fromhex(nodes.invitation.number))) is not None:
            for rank in come:  # the orders in force
                for order in hold_kill_xray.standing(run, rank):
                    nodes.tell(order, rank)

    def _ended(self, run: Run, node: Node) -> None:
        """A node's part is over. A failure ends the others; where it only complains that another one is gone,
        that one's own words are worth a moment."""
        assert run.nodes is not None
        well = node.ended is not None and node.ended.state == "done"
        if well or not run.nodes.only_victims:
            self._exited(run, Exited(run.id, run.generation, -1, 0, 0 if well else 1, None))
            return
        run.exits.append(Exited(run.id, run.generation, -1, 0, 1, None))
        asyncio.get_running_loop().call_later(NOTICE_S, self._exited_later, run, run.generation)
        if run.nodes.all_over:
            run.processes.all_exited.set()

    def _exited_later(self, run: Run, generation: int) -> None:
        if run.state == "running" and run.generation == generation and not run.processes.all_exited.is_set():
            self._kill(run)

    def _printed(self, run: Run, node: int, line: str) -> None:
        if not line.strip() or run.nodes is None:
            return
        one = run.nodes.all[node]
        one.said = [*one.said[-4:], line]
        text = f"{one.name}: {line}"[:MAX_LINE]
        self._heard(run, [Log(run.id, run.generation, -1, time.monotonic(), "err", text)], None)

    def _gone(self, run: Run, node: int, code: int) -> None:
        if run.nodes is None:
            return
        one = run.nodes.all[node]
        if code == preflight.SSHS_OWN and not one.session:
            refusal = preflight.meaning(one.name, "\n".join(one.said))
            run.nodes.lost(node, f"{refusal.why}: {refusal.mend}")
            return
        # What the agent itself said was not of its end; ssh's own words are.
        last = next((line.strip() for line in reversed(one.said) if not line.startswith("teachrun:")), "")
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"
        run.nodes.lost(node, f"{one.name} is gone: its ssh {how}{f', saying: {last}' if last else ''}")


def _starts(
    planned: Plan, machines: Machines, here: str, first: Invitation
) -> Callable[[int], tuple[Sequence[str], Invitation]]:
    """Return what starts the agent of a node: as it was shown, and later by a way of its own each time, since
    sshd makes no socket where the one of an agent that was killed still is."""
    begun: set[int] = set()

    def start(node: int) -> tuple[Sequence[str], Invitation]:
        by = replace(machines, ways=ssh_commands.ways(machines.names)) if node in begun else machines
        begun.add(node)
        words = ssh_commands.command(planned, by, node, here)
        return words, Invitation(by.ways[node], first.number, first.token)

    return start


def _unwritten(what: str, error: OSError, mend: str) -> Refusal:
    return Refusal(f"{what} cannot be written to {error.filename}: {error.strerror}", mend)
