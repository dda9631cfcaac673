"""Machines that are reached by ssh, without another one: a stand-in program, or a real sshd on loopback."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runtime.cluster.ssh_commands import WAYS

# What it is told to forward becomes a link to our socket, and the command runs here. As a real sshd it makes
# none where one is.
STAND_IN = """#!/bin/bash
while [ $# -gt 1 ]; do
  case "$1" in -R) ln -s "${2#*:}" "${2%%:*}" || exit 255; shift;; esac
  shift
done
exec bash -c "$1"
"""
SSHD = shutil.which("sshd") or "/usr/sbin/sshd"


def stand_in(folder: Path) -> None:
    """Write the program `ssh` into a folder, which is to stand first in PATH."""
    file = folder / "ssh"
    file.write_text(STAND_IN)
    file.chmod(0o755)


def remove_left(home: Path) -> None:
    """Remove what the stand-in made for agents that were killed: links to sockets in the folder `home`."""
    folder, pattern = WAYS.rsplit("/", 1)
    for way in Path(folder).glob(pattern):
        if way.is_symlink() and home in way.readlink().parents:
            way.unlink()


def agent(node: int, home: Path) -> int:
    """The process of a node's agent whose folders are in `home`; 0: there is none."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                mine = os.fsencode(home) in (entry / "environ").read_bytes()
            except OSError:
                continue
            python = words[0].endswith((b"python", b"python3"))
            if (
                mine
                and python
                and b"--join" in words
                and words[words.index(b"--node-rank") + 1] == b"%d" % node
            ):
                return int(entry.name)
    return 0


@contextmanager
def real_sshd(folder: Path) -> Iterator[Path]:
    """A real sshd on a port of loopback; yields a folder with an `ssh` that knows it, for PATH."""

    def key(name: str) -> Path:
        file = folder / name
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(file)], check=True)
        return file

    host, mine = key("host"), key("mine")
    allowed = folder / "allowed"
    allowed.write_bytes(mine.with_suffix(".pub").read_bytes())
    allowed.chmod(0o600)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = folder / "sshd_config"
    config.write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {host}\nAuthorizedKeysFile {allowed}\n"
        f"StrictModes no\nUsePAM no\nPasswordAuthentication no\nPidFile none\nPermitUserEnvironment yes\n"
        "AcceptEnv XDG_* PYTHONPATH\n"
    )
    Path("/run/sshd").mkdir(exist_ok=True)
    server = subprocess.Popen([SSHD, "-D", "-e", "-f", str(config)], stderr=(folder / "sshd.log").open("wb"))
    program = folder / "bin"
    program.mkdir()
    real = shutil.which("ssh")
    ssh = program / "ssh"
    ssh.write_text(
        f"#!/bin/sh\nexec {real} -p {port} -i {mine} -o StrictHostKeyChecking=no "
        "-o UserKnownHostsFile=/dev/null -o LogLevel=ERROR "
        f'-o "SendEnv=XDG_* PYTHONPATH" -o User={getpass.getuser()} "$@"\n'
    )
    ssh.chmod(0o755)
    try:
        yield program
    finally:
        server.terminate()
        server.wait()
