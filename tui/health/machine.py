"""The machine: Python, whose packages it imports, torch, gloo, GPUs, cores, memory, sockets, disk, sound."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import teachrun
from runtime import paths
from runtime.launch import device_choice, gpus
from tui.health.finding import Finding

AREA = "machine"
PYTHONS = ((3, 11), (3, 13))
TORCH_WITHIN_S = 60.0
SLOW_IMPORT_S = 15.0
CPU_BUILD = (
    'The build for the CPU is enough, and 5 GB smaller: PyTorch\'s page "Get started" has its command.'
)
NEEDS = "the stage and 8 ranks of the small model take about 0.6 GB"  # measured: a fork shares most of it
_PORTS = 16
_MB = 1_000_000


# --- Python and torch -------------------------------------------------------------------------------------


def python() -> Iterator[Finding]:
    """Check the interpreter and the packages that the base and the demos need."""
    lowest, highest = PYTHONS
    said = f"{'.'.join(map(str, sys.version_info[:3]))}, {sys.executable}"
    known = lowest <= sys.version_info[:2] <= highest
    mend = f"Install teachrun with Python {lowest[0]}.{lowest[1]} to {highest[0]}.{highest[1]}."
    yield Finding("python", "Python", "good" if known else "bad", said, "" if known else mend)
    home = Path(__file__).parents[2]
    yield _packages(str(home))
    yield _textual()
    yield _pillow()
    yield from _packages_of_demos()
    yield from _brought()


def _packages(home: str) -> Finding:
    """Whether the plain names of our packages are ours alone in this environment."""
    others, changed = teachrun.foreign_files(), teachrun.changed_files()
    mend = "Install teachrun in an environment of its own: pipx, `uv tool`, or python3 -m venv."
    if changed:
        said = f"changed since installation: {', '.join(changed[:3])}{' …' if len(changed) > 3 else ''}"
        many = "s" if len(others) == 1 else ""
        who = f", which {' and '.join(others)} share{many}" if others else ""
        return Finding("python", "packages", "bad", said + who, mend)
    if others:
        name, file = next(iter(others.items()))
        said = f"{name} has files in a folder of ours ({file}): one overwrites the other when it is updated"
        return Finding("python", "packages", "warning", said, mend)
    return Finding("python", "packages", "good", f"tui, slides, runtime and quiz of {home}")


def _packages_of_demos() -> Iterator[Finding]:
    """What single demos import beside torch. Nothing is wrong with doing without them."""
    from runtime.catalog.registry import DEMOS

    for spec in DEMOS.values():
        if spec.needs:
            gone = (
                f"not installed, only the demo {spec.name} needs it: {spec.missing.mend}"
                if spec.missing
                else ""
            )
            yield Finding("python", spec.needs, "good", gone or f"installed, for the demo {spec.name}")


def _brought() -> Iterator[Finding]:
    """What other packages bring: each with the package, so that who is to blame is known."""
    import teachrun
    from runtime.catalog import registry
    from runtime.catalog.params import DemoSpec, Refusal
    from runtime.snippets import language_commands
    from slides import palette
    from tui.config import user_theme

    for kind in teachrun.BRINGS:
        for name in teachrun.brought(kind):
            why, what = "", f"{kind[:-1]} {name} of {teachrun.bringer(kind, name)}"
            if kind == "demos":
                found = registry.listed().get(name)
                taken = isinstance(found, DemoSpec) and name in registry.OURS
                why = found.why if isinstance(found, Refusal) else ""
            elif kind == "executors":
                taken = name in language_commands.EXECUTORS or name in language_commands.ALIASES
                runs = language_commands.executor(name)
                why = runs.why if isinstance(runs, Refusal) and not taken else ""
            elif kind == "themes":
                taken = name in palette.NAMES
                problem = user_theme.bring(name)
                why = problem.message if problem is not None else ""
            elif kind == "views":
                from tui.views import plugins
                from tui.views.registry import OURS

                taken = name in OURS
                why = "" if taken else plugins.trouble(name)
            elif kind == "courses":
                from tui.study import course

                taken = name in course.names()
                try:
                    course.brought(name)
                except course.CourseError as error:
                    why = str(error)
            else:
                from slides.dialects import NAMES

                taken = name in NAMES
                try:
                    read = getattr(teachrun.bring(kind, name), "read", None)
                    why = "" if callable(read) else f"{what} has no read(text, source)"
                except teachrun.Unusable as error:
                    why = str(error)
                except Exception as error:  # theirs, so it may be anything
                    why = f"{what} is broken: {type(error).__name__}: {error}"
            if taken or why:
                said = why or f"{what} is not used: teachrun has one of that name"
                yield Finding("python", "brought", "warning", said, "Fix it, or remove that package.")
            else:
                yield Finding("python", "brought", "good", what)


def _pillow() -> Finding:
    from slides.drawing.blocks import image

    if image.available():
        return Finding("python", "Pillow", "good", "pictures are drawn")
    said = "not installed: pictures show as their descriptions"
    return Finding("python", "Pillow", "warning", said, teachrun.install("pillow"))


def _textual() -> Finding:
    """The one library whose private names are used: another version may lack them."""
    wanted = next((w for w in teachrun.requirements() if w.startswith("textual")), "").partition(";")[0]
    try:
        there = metadata.version("textual")
    except metadata.PackageNotFoundError:
        return Finding("python", "Textual", "bad", "not installed", teachrun.install(wanted or "textual"))
    _, pinned, version = wanted.partition("==")
    if pinned and version.strip() != there:
        said = f"{there}, made for {version.strip()}"
        return Finding("python", "Textual", "bad", said, teachrun.install(wanted))
    return Finding("python", "Textual", "good", there)


class Torch:
    """torch as a child of ours finds it, asked at once and waited for when it is wanted."""

    def __init__(self) -> None:
        environ = {**os.environ, "OMP_NUM_THREADS": "1"}
        self._child = subprocess.Popen(
            [sys.executable, "-P", "-m", "runtime.ranks.self_check"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environ,
            start_new_session=True,
        )

    def findings(self, counted: int) -> Iterator[Finding]:
        """`counted` GPUs are there by their driver."""
        try:
            out, err = self._child.communicate(timeout=TORCH_WITHIN_S)
        except subprocess.TimeoutExpired:
            self.end()
            mend = "Try it alone: python -c 'import torch'. A slow network disk is a usual cause."
            yield Finding("python", "torch", "bad", f"not imported within {TORCH_WITHIN_S:.0f} s", mend)
            return
        try:
            found = json.loads(out)
        except ValueError:
            last = err.decode(errors="replace").strip().splitlines()[-1:] or ["it said nothing"]
            mend = "Try it alone: python -c 'import torch'"
            yield Finding("python", "torch", "bad", f"the child ended: {last[0]}", mend)
            return
        yield from judged(found, counted)

    def end(self) -> None:
        """Kill the child that imports torch if it still runs, and reap it."""
        if self._child.poll() is None:
            self._child.kill()
        self._child.communicate()


def judged(found: dict[str, Any], counted: int) -> Iterator[Finding]:
    """What `runtime.ranks.self_check` found, with what mends it."""
    home = str(Path(__file__).parents[2] / "runtime")
    if found["runtime"] != home:
        mend = "Install teachrun in an environment of its own: pipx, `uv tool`, or python3 -m venv."
        yield Finding(
            "python", "our runtime", "bad", f"ranks import a different one: {found['runtime']}", mend
        )
    else:
        yield Finding("python", "our runtime", "good", "the ranks import it, and no other of that name")
    low, high = torch_range()
    install = f"{teachrun.install(f'torch>={low},<{high}')}. {CPU_BUILD}"
    if "error" in found:
        if found["missing"]:
            said = "not installed: slides and quizzes work, no demo runs"
            yield Finding("python", "torch", "warning", said, install)
        else:
            yield Finding("python", "torch", "bad", f"cannot be imported: {found['error']}", install)
        return
    version = found["torch"]
    said = f"{version}, imported in {found['import_s']:.1f} s"
    if _numbers(version) >= _numbers(high):
        said += (
            f". Newer than what teachrun was tested with (up to below {high}): anything missing is reported"
        )
    if _numbers(version) < _numbers(low):
        yield Finding("python", "torch", "bad", f"{said}; {low} is the oldest that works", install)
    elif found["import_s"] > SLOW_IMPORT_S:
        mend = "Open the class early: the first demo waits for it once."
        yield Finding("python", "torch", "warning", said, mend)
    else:
        yield Finding("python", "torch", "good", said)
    if found["gloo"]:
        mend = "Say which interface it may use: export GLOO_SOCKET_IFNAME=lo"
        yield Finding("python", "gloo", "bad", found["gloo"].splitlines()[0][:160], mend)
    else:
        yield Finding("python", "gloo", "good", "a collective went through")
    if counted and not found["cuda"]:
        mend = "Install a CUDA build of torch, or run demos with device=cpu."
        yield Finding(AREA, "CUDA", "warning", f"{counted} GPUs, and a torch without CUDA", mend)
    elif counted > found.get("gpus", 0):
        why = found.get("gpu_error") or "see CUDA_VISIBLE_DEVICES and the driver's version"
        yield Finding(
            AREA, "CUDA", "warning", f"torch sees {found.get('gpus', 0)} of {counted} GPUs", f"{why}."
        )


def torch_range() -> tuple[str, str]:
    """Lowest version and the one it must be below, as this installation asks for it."""
    wanted = next((w for w in teachrun.requirements() if re.match(r"torch\b", w)), "")
    low, high = re.search(r">=([\d.]+)", wanted), re.search(r"<([\d.]+)", wanted)
    return (low[1] if low else "2.11", high[1] if high else "2.14")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version.partition("+")[0])[:2])


# --- what demos run on ------------------------------------------------------------------------------------


def counted_gpus() -> int:
    """Return how many GPUs there are; 0 without a driver, when torch is not asked."""
    return gpus.ask() if gpus.driver() else 0


def gpu(counted: int) -> Finding:
    """Report the GPUs that were counted, by the names nvidia-smi gives."""
    if not counted:
        return Finding(AREA, "GPUs", "good", "none: demos run on the CPU and say so")
    named = _ask("nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader") or ""
    kinds = list(dict.fromkeys(line.strip() for line in named.splitlines() if line.strip()))
    return Finding(AREA, "GPUs", "good", f"{counted}: {'; '.join(kinds) or 'of a kind that is not named'}")


def cores() -> Finding:
    """Report the processor cores that this process may use; one is a warning."""
    count = device_choice.cores()
    if count == 1:
        mend = "Ranks take turns: show fewer of them, and do not compare their times."
        return Finding(AREA, "cores", "warning", "1", mend)
    return Finding(AREA, "cores", "good", f"{count}")


def memory() -> Finding:
    """Report the memory that is free; a warning below 1.5 GB, bad below 500 MB."""
    free = available_bytes()
    if free is None:
        return Finding(AREA, "memory", "good", "not known")
    said = f"{free / 1e9:.1f} GB free; {NEEDS}"
    if free < 500 * _MB:
        return Finding(AREA, "memory", "bad", said, "Close other programs: ranks would be killed.")
    if free < 1500 * _MB:
        return Finding(AREA, "memory", "warning", said, "Close other programs, or show fewer ranks.")
    return Finding(AREA, "memory", "good", said)


def available_bytes() -> int | None:
    """What new processes may have, by the kernel and by the limits of a container; None: not known."""
    known = []
    try:
        text = Path("/proc/meminfo").read_text()
        if found := re.search(r"^MemAvailable:\s*(\d+) kB", text, re.MULTILINE):
            known.append(int(found[1]) * 1024)
        limit = Path("/sys/fs/cgroup/memory.max").read_text().strip()
        if limit.isdigit():
            known.append(int(limit) - int(Path("/sys/fs/cgroup/memory.current").read_text()))
    except (OSError, ValueError):
        pass
    return max(0, min(known)) if known else None


def loopback() -> Finding:
    """Ranks meet on 127.0.0.1: ports are opened and one byte goes through each."""
    opened: list[socket.socket] = []
    try:
        for _ in range(_PORTS):
            server = socket.create_server(("127.0.0.1", 0))
            opened.append(server)
            server.settimeout(2.0)
            with socket.create_connection(server.getsockname(), timeout=2.0) as near:
                far, _ = server.accept()
                with far:
                    near.sendall(b"x")
                    far.settimeout(2.0)
                    if far.recv(1) != b"x":
                        raise OSError("what was sent did not arrive")
    except OSError as error:
        mend = "Ranks cannot meet: see the firewall's rules for lo, and `ip addr show lo`."
        return Finding(AREA, "loopback", "bad", error.strerror or str(error), mend)
    finally:
        for server in opened:
            server.close()
    return Finding(AREA, "loopback", "good", f"{_PORTS} ports of 127.0.0.1 opened and used")


def sockets() -> Finding:
    """Screens reach the host of a class through a socket in the state directory."""
    try:
        path = paths.socket_path("doctor.sock")
        path.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path))
        path.unlink()
    except OSError as error:
        mend = "Set XDG_STATE_HOME to a short path on a local disk that is yours."
        return Finding(AREA, "sockets", "bad", str(error), mend)
    return Finding(AREA, "sockets", "good", str(path.parent))


def disk() -> Iterator[Finding]:
    """Check that the state and data folders can be written and have space left."""
    for name, folder_of in (("state", paths.state_dir), ("recordings", paths.data_dir)):
        try:
            folder = folder_of()
            probe = folder / f".doctor-{os.getpid()}"
            probe.write_bytes(b"x" * 4096)
            probe.unlink()
            free = shutil.disk_usage(folder).free
        except OSError as error:
            mend = "Make it a folder that you may write to, with space left."
            yield Finding(AREA, name, "bad", str(error), mend)
            continue
        said = f"{folder}, {free / 1e9:.1f} GB free"
        if free < 50 * _MB:
            yield Finding(AREA, name, "bad", said, "Make room: journals and recordings are written there.")
        elif free < 500 * _MB:
            yield Finding(
                AREA, name, "warning", said, "A run may take 50 MB. Above 2 GB the oldest are deleted."
            )
        else:
            yield Finding(AREA, name, "good", said)


def audio() -> Finding:
    """Report the speech engine that narration would use."""
    from tui.playback.narration import find

    engine = find()
    if engine is None:
        mend = "To have notes read aloud: apt install espeak-ng. Captions need nothing."
        return Finding(AREA, "voice", "warning", "no speech program: narration is captions only", mend)
    return Finding(AREA, "voice", "good", engine.name)


def _ask(*words: str) -> str | None:
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=gpus.TIMEOUT_S, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None
