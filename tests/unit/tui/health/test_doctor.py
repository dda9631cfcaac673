"""`teachrun doctor`: each look at what is well and what is ill; every ill has a mend; nothing hangs."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from teachrun_process import teachrun

from tui import cli
from tui.health import leftovers, machine, terminal, terminal_queries
from tui.health.finding import Finding
from tui.health.terminal_queries import Terminal


def named(findings: Iterator[Finding] | list[Finding], name: str) -> Finding:
    return next(finding for finding in findings if finding.name == name)


def state(finding: Finding) -> str:
    assert bool(finding.mend) == (finding.state != "good"), finding
    return finding.state


# --- a terminal that is played by the test ----------------------------------------------------------------


class Played:
    """The other end of a terminal: answers what `answer` has for the bytes it got."""

    def __init__(self, answer: Callable[[bytes], bytes]) -> None:
        self.master, self.slave = pty.openpty()
        self._answer, self._over = answer, False
        import tty

        tty.setcbreak(self.slave)
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()
        self.asked = Terminal(self.slave, self.slave)

    def _play(self) -> None:
        while not self._over:
            if select.select([self.master], [], [], 0.02)[0]:
                os.write(self.master, self._answer(os.read(self.master, 65536)))

    def close(self) -> None:
        self._over = True
        self._thread.join()
        os.close(self.master)
        os.close(self.slave)


@pytest.fixture
def played() -> Iterator[Callable[[Callable[[bytes], bytes]], Terminal]]:
    made: list[Played] = []

    def play(answer: Callable[[bytes], bytes]) -> Terminal:
        made.append(Played(answer))
        return made[-1].asked

    yield play
    for one in made:
        one.close()


def emulator(width: Callable[[str], int], *, true_colour: bool = True) -> Callable[[bytes], bytes]:
    """Answers as a terminal does that gives each text `width` cells."""

    def answer(question: bytes) -> bytes:
        said = b""
        for text in re.findall(rb"\x1b\[2K([^\x1b]*)\x1b\[6n", question):
            said += b"\x1b[1;%dR" % (width(text.decode()) + 1)
        if b"$qm" in question:
            said += b"\x1bP1$r48:2::17:34:51m\x1b\\" if true_colour else b"\x1bP1$r48:5:16m\x1b\\"
        return said + b"\x1b[?62;22c"

    return answer


TRUE = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}


def test_a_terminal_that_is_well(played: Any) -> None:
    from slides.drawing.cells import width

    found = list(terminal.findings(played(emulator(width)), TRUE))
    for name in ("kind", "answers", "colours", *terminal.SAMPLES):
        assert state(named(found, name)) == "good", named(found, name)
    assert named(found, "colours").said == "16 million, as measured"


def test_signs_of_two_cells_are_found_and_named(played: Any) -> None:
    from slides.drawing.cells import width

    def cells(text: str) -> int:
        return 2 if text in "●▶→" else width(text)

    found = list(terminal.findings(played(emulator(cells)), TRUE))
    wrong = named(found, "signs")
    assert state(wrong) == "bad" and "● takes 2 cells, not 1" in wrong.said and "…" not in wrong.said
    assert "ambiguous width" in wrong.mend
    assert state(named(found, "wide letters")) == "good"


def test_a_terminal_that_gives_vowel_signs_cells_is_named(played: Any) -> None:
    from slides.drawing.cells import room

    wrong = named(terminal.findings(played(emulator(room)), TRUE), "vowel signs")
    assert state(wrong) == "warning" and "समझो ज़रा takes 8 cells, not 6" in wrong.said
    assert "stays aligned" in wrong.mend


@pytest.mark.parametrize(
    ("true_colour", "environ", "wanted", "mend"),
    [
        (True, {"TERM": "xterm"}, "warning", "export COLORTERM=truecolor"),
        (False, {"TERM": "xterm"}, "warning", "projector"),
        (False, TRUE, "good", ""),
    ],
)
def test_colours(played: Any, true_colour: bool, environ: dict[str, str], wanted: str, mend: str) -> None:
    asked = played(emulator(len, true_colour=true_colour))
    found = named(terminal.findings(asked, environ), "colours")
    assert state(found) == wanted and mend in found.mend


@pytest.mark.parametrize(
    ("name", "environ", "wanted"),
    [
        (b"\x1bP>|kitty(0.41.1)\x1b\\", {}, "kitty's protocol, kitty(0.41.1)"),
        (b"\x1bP>|XTerm(379)\x1b\\", {}, "sixels, XTerm(379)"),
        (
            b"\x1bP>|XTerm(379)\x1b\\",
            {"SSH_TTY": "/dev/pts/1"},
            "none that a slide can use: pictures are half blocks, X",
        ),
        (b"", {"TERM": "linux"}, "none that a slide can use: pictures are half blocks"),
    ],
)
def test_whose_pixels_pictures_have(played: Any, name: bytes, environ: dict[str, str], wanted: str) -> None:
    questions: list[bytes] = []

    def answer(question: bytes) -> bytes:
        questions.append(question)
        return (name if b"\x1b[>q" in question else b"") + question.count(b"\x1b[c") * b"\x1b[?63;4c"

    asked = played(answer)
    found = named(terminal.findings(asked, {"TERM": "xterm-256color", **environ}), "pixels")
    assert state(found) == "good" and found.said.startswith(wanted)
    assert all(question.count(b"\x1b[c") == 1 for question in questions)  # no answer is left for the next


def test_a_terminal_that_says_nothing_costs_its_limit_and_no_more(
    played: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Terminal.ask, "__defaults__", (0.05,))
    found = list(terminal.findings(played(lambda question: b""), TRUE))
    assert state(named(found, "answers")) == "warning"
    assert not [finding for finding in found if finding.name in terminal.SAMPLES]


def test_half_an_answer_is_no_answer(played: Any) -> None:
    asked = played(lambda question: b"\x1b[1;2R\x1b[?62c")
    assert asked.widths(["a", "b"]) == [None, None]
    assert asked.widths(["a"]) == [1]


def test_no_terminal_is_not_asked() -> None:
    found = list(terminal.findings(None, {"TERM": "dumb"}))
    assert state(named(found, "kind")) == "bad"
    assert state(named(found, "answers")) == "warning"
    with terminal_queries.terminal() as asked:
        assert asked is None


@pytest.mark.parametrize(
    ("size", "wanted"), [((50, 20), "bad"), ((80, 24), "warning"), ((100, 30), "good"), ((0, 0), "warning")]
)
def test_sizes(size: tuple[int, int], wanted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal.shutil, "get_terminal_size", lambda fallback: os.terminal_size(size))
    assert state(named(terminal.findings(None, TRUE), "size")) == wanted


@pytest.mark.parametrize(
    ("features", "lag", "wanted"),
    [("3.4 256,RGB,title", "10", {"tmux": "good"}),
     ("3.4 256,title", "500", {"tmux": "warning", "Esc in tmux": "warning"}),
     (None, None, {"tmux": "warning"})],
)  # fmt: skip
def test_what_tmux_makes_of_it(
    features: str | None, lag: str | None, wanted: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "ask_tmux", lambda *w: features if w[0] == "display-message" else lag)
    found = [f for f in terminal.findings(None, {**TRUE, "TMUX": "x"}) if "tmux" in f.name]
    assert {finding.name: state(finding) for finding in found} == wanted


# --- the machine ------------------------------------------------------------------------------------------

RUNTIME = str(Path(machine.__file__).parents[2] / "runtime")
WELL = {"runtime": RUNTIME, "torch": "2.13.0+cpu", "import_s": 2.0, "cuda": None, "gloo": "", "gpus": 0}


def test_a_torch_that_is_well() -> None:
    assert {state(finding) for finding in machine.judged(WELL, 0)} == {"good"}


@pytest.mark.parametrize(
    ("changed", "gpus", "name", "wanted", "mend"),
    [
        ({"runtime": "/home/x/runtime"}, 0, "our runtime", "bad", "pipx"),
        ({"error": "ModuleNotFoundError: torch", "missing": True}, 0, "torch", "warning", "pip install"),
        ({"error": "OSError: libcudart", "missing": False}, 0, "torch", "bad", "pip install"),
        ({"torch": "2.10.1"}, 0, "torch", "bad", "pip install"),
        ({"torch": "2.14.0"}, 0, "torch", "good", ""),
        ({"torch": "2.15.0+cu130"}, 0, "torch", "good", ""),
        ({"import_s": 40.0}, 0, "torch", "warning", "Open the class early"),
        ({"gloo": "RuntimeError: Unable to resolve hostname"}, 0, "gloo", "bad", "GLOO_SOCKET_IFNAME"),
        ({}, 2, "CUDA", "warning", "CUDA build"),
        ({"cuda": "12.8", "gpus": 0, "gpu_error": "driver too old"}, 2, "CUDA", "warning", "driver too old"),
    ],
)
def test_a_torch_that_is_not(changed: dict[str, Any], gpus: int, name: str, wanted: str, mend: str) -> None:
    found = named(machine.judged(WELL | changed, gpus), name)
    assert state(found) == wanted and mend in found.mend


def test_the_range_of_torch_is_that_of_the_installation() -> None:
    pyproject = (Path(machine.__file__).parents[2] / "pyproject.toml").read_text()
    low, high = machine.torch_range()
    assert f'"torch>={low},<{high}"' in pyproject


@pytest.mark.parametrize(
    ("free", "wanted"), [(100e6, "bad"), (1e9, "warning"), (8e9, "good"), (None, "good")]
)
def test_memory(free: float | None, wanted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "available_bytes", lambda: free)
    assert state(machine.memory()) == wanted


@pytest.mark.parametrize(("count", "wanted"), [(1, "warning"), (2, "good")])
def test_cores(count: int, wanted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.device_choice, "cores", lambda: count)
    assert state(machine.cores()) == wanted


def test_a_disk_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    found = list(machine.disk())
    assert [state(finding) for finding in found] == ["good", "bad"]
    assert list((tmp_path / "state" / "teachrun").glob(".doctor*")) == []


def test_sockets_and_loopback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert state(machine.loopback()) == "good"
    assert state(machine.sockets()) == "good"
    assert list((tmp_path / "teachrun" / "run").iterdir()) == []


def process(class_id: str, what: str, pid: int = 7) -> dict[str, Any]:
    return {"class": class_id, "pid": pid, "what": what, "rank": None, "run": "", "age_s": 1.0}


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        ([], "good"),
        ([process("monday", "host"), process("monday", "stage")], "good"),
        ([process("monday", "stage")], "bad"),
        ([process(f"run-{os.getpid()}", "stage")], "good"),
        ([process("run-4194305", "stage")], "bad"),
    ],
)
def test_leftovers(
    found: list[dict[str, Any]], wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tui.health import running_processes

    async def everything() -> list[dict[str, Any]]:
        return found

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(running_processes, "everything", everything)
    left = named(leftovers.found(), "leftovers")
    assert state(left) == wanted
    assert wanted == "good" or "teachrun stop --class" in left.mend


def test_a_dead_socket_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(machine.paths.socket_path("dead.sock")))
    assert state(named(leftovers.found(), "dead sockets")) == "warning"


def test_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    from slides.drawing.blocks import image

    assert state(named(machine.python(), "Pillow")) == "good"
    monkeypatch.setattr(image, "available", lambda: False)
    assert state(named(machine.python(), "Pillow")) == "warning"


def test_voices(monkeypatch: pytest.MonkeyPatch) -> None:
    from tui.playback import narration

    monkeypatch.setattr(narration, "find", lambda: None)
    assert state(machine.audio()) == "warning"


# --- the command ------------------------------------------------------------------------------------------


def test_a_torch_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = machine.Torch.__new__(machine.Torch)
    torch._child = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(60)"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    monkeypatch.setattr(machine, "TORCH_WITHIN_S", 0.05)
    (found,) = torch.findings(0)
    assert state(found) == "bad" and "not imported within" in found.said
    assert torch._child.poll() is not None


def test_over_a_pipe(tmp_path: Path) -> None:
    """The real thing, in a process of its own without any terminal."""
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "s"), "XDG_DATA_HOME": str(tmp_path / "d")}
    env |= {"TERM": "xterm-256color", "PYTHONUTF8": "1"}
    code, out, err = teachrun("doctor", "--json", env=env)
    said = json.loads(out)
    found = {check["name"]: check for check in said["checks"]}
    assert code == (0 if said["well"] else 1), err
    assert {"kind", "size", "torch", "gloo", "loopback", "leftovers", "state"} <= found.keys()
    assert found["gloo"]["state"] == "good" and found["our runtime"]["state"] == "good"
    assert all(check["mend"] for check in said["checks"] if check["state"] != "good")


def test_the_card_without_a_terminal_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor", "--card"]) == 0
    assert "Test card" in capsys.readouterr().out


def test_what_is_said_keeps_to_its_column(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tui.commands.getting_help import doctor
    from tui.health.finding import Finding

    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")
    doctor.say_finding(Finding("machine", "memory", "warning", "so much " * 9, "free some"), first=False)
    first, *rest = capsys.readouterr().out.splitlines()
    assert first.startswith("  ! memory") and len(rest) > 1 and max(map(len, (first, *rest))) <= 60
    assert {row[: len(row) - len(row.lstrip())] for row in rest} == {" " * first.index("so")}
    doctor.say_finding(Finding("between", "machine-a - machine-b", "good", "so much"), first=False)
    name, words = capsys.readouterr().out.splitlines()
    assert name.endswith("✓ machine-a - machine-b") and words.index("so") == first.index("so")
