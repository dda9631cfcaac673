"""Agents of machines that are not there: their connections, what ranks would say, and what was accepted.

    generated_nodes.py INVITATION NODES FIRST LAST [BYTES_S]

Speaks for nodes FIRST to LAST of NODES until its input ends; after each second a node waits until the host
has recorded what it said. Each line that is printed is of events: `accepted N` so far, and at the end `sent N
accepted N`. With BYTES_S the link carries no more than that a second.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

import cluster
from msgspec.structs import replace

from runtime.cluster.link.invitation import Invitation, read_file, write_file

PIECE_S = 0.1
WITHIN_S = 240.0


class Rounds(cluster.Node):
    """A node that says something for a second, waits until the host has recorded it, and goes on."""

    accepted = 0

    async def go_on(self, over: asyncio.Future[str]) -> None:
        tick = 0
        while not over.done():
            for _ in range(cluster.BEATS_S):
                await asyncio.sleep(1 / cluster.BEATS_S)
                for rank in self.ranks if self.run else ():
                    self.put(cluster.said(self.run, rank, tick, time.monotonic()))
                tick += 1
            said = self.sent
            assert await self.uplink.flushed(WITHIN_S)
            self.accepted = said


async def slow_link(port: int, bytes_s: int) -> int:
    """Carry connections to `port` at so many bytes a second; returns where."""

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(max(1, int(bytes_s * PIECE_S))):
            writer.write(data)
            await writer.drain()
            await asyncio.sleep(len(data) / bytes_s)
        writer.close()

    async def serve(agent: asyncio.StreamReader, to_agent: asyncio.StreamWriter) -> None:
        host, to_host = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(carry(agent, to_host), carry(host, to_agent), return_exceptions=True)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    return int(server.sockets[0].getsockname()[1])


async def main() -> None:
    file, nodes, first, last = sys.argv[1], *map(int, sys.argv[2:5])
    if bytes_s := int((sys.argv[5:] or ["0"])[0]):
        found = read_file(file)
        assert isinstance(found, Invitation), found
        file = f"{file}-slow"
        port = await slow_link(found.endpoint[1], bytes_s)
        write_file(Path(file), replace(found, address=f"127.0.0.1:{port}"))
    them = [Rounds(file, number, nodes) for number in range(first, last + 1)]
    running = [asyncio.create_task(node.uplink.run()) for node in them]
    over = asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    speaking = asyncio.gather(*(node.go_on(over) for node in them))
    while not speaking.done():
        print(f"accepted {sum(node.accepted for node in them)}", flush=True)
        await asyncio.wait((speaking,), timeout=0.2)
    speaking.result()
    print(f"sent {sum(n.sent for n in them)} accepted {sum(n.accepted for n in them)}", flush=True)
    for task in running:
        task.cancel()


if __name__ == "__main__":
    asyncio.run(main())
