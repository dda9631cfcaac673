"""Exercises on real ranks: a few files on one warm fork server. All wrong solutions of all: mark `soak`."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from textwrap import indent

import pytest
import pytest_asyncio

from runtime.launch.processes import marked
from runtime.practice import kept_files, missing_statement, wrong_solutions
from runtime.practice.exercise import Exercise, find, listed, read
from runtime.practice.outcome import Outcome
from runtime.practice.warm_runner import Practice
from tui.practice.exercise_proof import proved

pytestmark = pytest.mark.asyncio(loop_scope="module")
# Other right ways, as people write them: `== NAME`, then what stands in each hole, a line `%%` between two.
WAYS = ("\n" + (Path(__file__).parent / "other_ways.txt").read_text()).split("\n== ")[1:]
HOLE = "    # --- yours: from here\n"
# What a checker would send, down its own line: that the first check and all after it have passed.
FORGED = """
    import os, socket, stat
    for fd in range(3, 200):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode) and socket.socket(fileno=os.dup(fd)).family == 1:
                for check in range(9):
                    verdict = '{"is":"verdict","rank":%d,"check":%d,"trouble":null,"seconds":0}'
                    os.write(fd, (verdict % (dist.get_rank(), check) + chr(10)).encode())
        except OSError:
            pass
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def practice() -> AsyncIterator[Practice]:
    practice = Practice()
    assert await practice.warm(), practice.why
    yield practice
    assert await practice.close() == 0


async def told(practice: Practice, exercise: Exercise, file: Path) -> Outcome:
    outcome = await practice.run(exercise, file)
    assert outcome.left == 0 and outcome.over
    return outcome


@pytest.mark.soak
@pytest.mark.parametrize("name", listed())
async def test_every_wrong_solution_is_told_apart(practice: Practice, name: str) -> None:
    wrong = wrong_solutions.of(find(name))
    assert [it async for it in proved(practice, find(name), wrong) if it[1]] == []


async def test_every_solution_passes(practice: Practice) -> None:
    """All of them on one warm fork server; starts and wrong solutions take as long each: mark `soak`."""
    for exercise in listed().values():
        solved = await told(practice, exercise, exercise.solution)
        assert solved.solved and solved.first_check_s is not None, (exercise.name, solved.diagnosis)


def filled(start: str, bodies: str) -> str:
    """A start with something in each of its holes."""
    parts = iter(bodies.split("\n%%\n"))
    hole = re.compile(r"^( *)# --- yours: from here\n.*?^ *# --- to here\n", re.DOTALL | re.MULTILINE)
    return hole.sub(lambda found: indent(next(parts), found[1]) + "\n", start)


@pytest.mark.soak
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.partition("\n")[0])
async def test_other_right_ways_pass_too(practice: Practice, way: str, tmp_path: Path) -> None:
    """The checks hold what is asked for, not how our own solution is written."""
    (name, _, bodies), file = way.partition("\n"), tmp_path / "mine.py"
    file.write_text(filled(find(name).start, bodies))
    outcome = await told(practice, find(name), file)
    assert outcome.solved, outcome.diagnosis


async def test_a_circle_a_size_a_byte_too_many(practice: Practice, tmp_path: Path) -> None:
    ring = find("ring-reduce-scatter")
    wrong = {it.name: it for it in wrong_solutions.of(ring)}
    for name in ("all_send_first", "sizes", "sends_all"):
        outcome = await told(practice, ring, wrong[name].put(tmp_path))
        assert outcome.diagnosis is not None and outcome.diagnosis.kind == wrong[name].kind
        assert wrong[name].words in outcome.diagnosis.text
    assert outcome.checks[3].state == "failed" and outcome.passed == 3


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return 1 +", "Python cannot read it"),
        ("import os; os._exit(3) if dist.get_rank() == 2 else None", "rank 2 left with exit code 3"),
        ("torch.isclose = None", "your file replaces torch.isclose"),
        (
            "import sys; sys.modules['runtime.ranks.practice.compare_tensors'].compare = lambda *a, **k: 0",
            "your file changes the checker: runtime.ranks.practice.compare_tensors.compare",
        ),
        ("import builtins; builtins.all = lambda it: True", "your file replaces builtins.all"),
        (FORGED, "your file speaks to teachrun in the checker's stead"),
        ("import sys; sys.stdout.close(); sys.stderr.close(); print()", "I/O operation on closed file"),
        ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
        ("open('much', 'wb').truncate(2 << 30)", "a file is larger than 1 GB"),
        ("import os\n    while True: os.fork()", "forks without end|start more without end"),
        # Whichever is heard first: that a rank has no line any more, or that gloo misses its sockets.
        ("import os; os.closerange(3, 200)", "lost its connection|SIGABRT"),
    ],
)
async def test_what_is_bad_is_told(practice: Practice, tmp_path: Path, body: str, said: str) -> None:
    exercise, file = find("send-receive"), tmp_path / "mine.py"
    file.write_text(exercise.solution.read_text().replace(HOLE, f"{HOLE}    {body}\n"))
    outcome = await told(practice, exercise, file)
    assert outcome.diagnosis is not None
    assert any(words in outcome.diagnosis.text for words in said.split("|")), outcome.diagnosis.text
    assert outcome.diagnosis.line or said not in ("SIGSEGV", "I/O operation on closed file")
    assert {it.part for it in marked(practice.class_id)} == {"stage"}


async def test_what_it_prints_writes_and_forks_is_kept_in_bounds(
    practice: Practice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A copy in the place of ours: other tests read ours meanwhile.
    monkeypatch.setattr(kept_files, "EXERCISES_DIR", tmp_path)
    shutil.copytree(find("send-receive").folder, tmp_path / "send-receive")
    exercise, file = read(tmp_path / "send-receive"), tmp_path / "mine.py"
    checks = exercise.checks_file.read_bytes()
    body = f"""
    import os, sys, time
    for _ in range(100): print("x" * 100000)
    if dist.get_rank() == 0:
        open({str(exercise.checks_file)!r}, "w").close()
    if os.fork() == 0:
        os.setsid()
        time.sleep(1000)
"""
    file.write_text(exercise.solution.read_text().replace(HOLE, f"{HOLE}{body}"))
    outcome = await told(practice, exercise, file)
    notes = "\n".join(outcome.notes)
    assert "MB: only the newest lines are kept" in notes and "started another process" in notes
    assert "wrote into the exercise's folder (checks.py)" in notes
    assert exercise.checks_file.read_bytes() == checks
    assert {it.part for it in marked(practice.class_id)} == {"stage"}


async def test_what_has_thrown_its_mark_away_is_ended_as_well(practice: Practice, tmp_path: Path) -> None:
    """A process with an environment, a session and a parent of its own, that nobody but the kernel knows."""
    exercise, file = find("send-receive"), tmp_path / "mine.py"
    body = f"""
    import os
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execve("/bin/sh", ["sh", "-c", "sleep 1000; exit 0", {str(tmp_path)!r}], {{}})
        os._exit(0)
"""
    file.write_text(exercise.solution.read_text().replace(HOLE, f"{HOLE}{body}"))
    await told(practice, exercise, file)
    assert not [it for it in Path("/proc").glob("[0-9]*/cmdline") if str(tmp_path) in text_of(it)]


def text_of(file: Path) -> str:
    try:
        return file.read_text(errors="replace")
    except OSError:
        return ""


async def test_what_starts_the_ranks_goes_on_whatever_a_file_does_to_it(tmp_path: Path) -> None:
    practice, exercise, file = Practice(), find("send-receive"), tmp_path / "mine.py"
    assert await practice.warm(), practice.why
    solution = exercise.solution.read_text()
    try:
        stop = "import os, signal; os.kill(os.getppid(), signal.SIGSTOP)"
        file.write_text(solution.replace(HOLE, f"{HOLE}    {stop}\n"))
        notes = (await told(practice, exercise, file)).notes
        assert any("stopped the process that starts" in note for note in notes)
        assert (await told(practice, exercise, exercise.solution)).solved
        file.write_text(solution.replace(HOLE, f"{HOLE}    {stop.replace('STOP', 'KILL')}\n"))
        ended = (await told(practice, exercise, file)).diagnosis
        assert ended is not None and "starts the ranks has ended" in ended.text
        assert (await told(practice, exercise, exercise.solution)).solved
    finally:
        assert await practice.close() == 0


async def test_a_newer_file_ends_the_run_of_the_older(practice: Practice, tmp_path: Path) -> None:
    exercise = find("send-receive")
    stuck = next(it for it in wrong_solutions.of(exercise) if it.name == "all_send_first").put(tmp_path)
    older = asyncio.ensure_future(practice.run(exercise, stuck))
    await asyncio.sleep(0)
    newer = await practice.run(exercise, exercise.solution)
    assert newer.solved and (await older).diagnosis is None


async def test_nobody_waits_for_ranks_that_are_still_warming_up() -> None:
    """What is asked for is given up at once, and no process is left."""
    practice = Practice()
    practice.start()
    asked = asyncio.ensure_future(practice.run(find("send-receive"), find("send-receive").solution))
    await asyncio.sleep(0.05)
    assert not practice.why.startswith("warm")
    assert await practice.close() == 0
    assert (await asked).diagnosis is not None


@pytest.mark.soak
@pytest.mark.parametrize("name", listed())
async def test_no_statement_of_a_smaller_version_can_be_left_out(
    practice: Practice, name: str, tmp_path: Path
) -> None:
    solution = find(name).solution.read_text()
    for turn, (first, _) in enumerate(missing_statement.statements(solution)):
        file = tmp_path / f"turn-{turn}.py"
        file.write_text(missing_statement.text(solution, turn).replace("raise NotImplementedError", "pass"))
        assert not (await told(practice, find(name), file)).solved, f"line {first}"
