"""What torchrun does, by hand: start a script n times, tell each who it is, end all when one fails.

python torchrun_by_hand.py 4 together.py

There is no magic in a rank: it is a process, and all it knows of the others stands in its environment. What
torchrun does beside this: it brings together several machines, and starts all ranks again if told to.
"""

import os
import socket
import subprocess
import sys
import time

LOOK_EVERY_S = 0.1  # as torchrun does


def free_port() -> int:
    """A port of this machine that nobody has: rank 0 will listen there, and all others call it."""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return int(door.getsockname()[1])


def start(ranks: int, command: list[str]) -> list[subprocess.Popen[bytes]]:
    """Start `command` so many times on this machine; only `RANK` and `LOCAL_RANK` differ."""
    n, port = str(ranks), str(free_port())
    world = {"WORLD_SIZE": n, "LOCAL_WORLD_SIZE": n}
    door = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    each = {"OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": ""}
    started = []
    for rank in range(ranks):
        own = {"RANK": str(rank), "LOCAL_RANK": str(rank)}
        told = os.environ | world | door | each | own
        started.append(subprocess.Popen(command, env=told))
    return started


def watch(processes: list[subprocess.Popen[bytes]]) -> int:
    """Wait for all, and return 0; or for the first that fails, end the others, and return its status."""
    while any(process.poll() is None for process in processes):
        failed = [process for process in processes if process.poll()]
        if failed:
            rank, status = processes.index(failed[0]), failed[0].returncode
            print(f"rank {rank} has ended with {status}: all others are ended", flush=True)
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait()
            return status
        time.sleep(LOOK_EVERY_S)
    return max(abs(process.returncode) for process in processes)


def main() -> None:
    """Read how many and what, as in the line above."""
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(watch(start(int(sys.argv[1]), [sys.executable, *sys.argv[2:]])))


if __name__ == "__main__":
    main()
