"""Runs on disk: written whole, read as far as they go, found by name, and chosen for what was asked."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_runs import about, events, record

from runtime.protocol.events import Event, Log, Step, Value, XRay
from runtime.recordings import files, recorder, removing_old_runs, run_choice
from runtime.recordings.files import FORMAT, Events, Unreadable, read_about
from runtime.recordings.recorded_events import Lines
from runtime.recordings.recorder import Recorder
from runtime.recordings.recording import load

A, B, C = "20261121-041000-aaaa", "20261121-041001-bbbb", "20261121-051002-cccc"


def test_what_is_recorded_is_read_again(home: Path) -> None:
    folder = record(home, A)
    source = Events(folder)
    assert list(source) == events(A)
    assert source.note == ""
    said = read_about(folder)
    assert said.format == FORMAT
    assert (said.world, said.state, said.figures.loss) == (2, "done", 2.8)
    assert said.made_on.system and said.made_on.cores == os.cpu_count() and said.made_on.python
    assert os.uname().nodename not in (folder / "run.json").read_text()


def test_a_file_of_the_first_version_has_less_to_say(home: Path) -> None:
    folder = home / A
    folder.mkdir(parents=True)
    old = {
        "run": A, "block": "run", "demo": "ddp", "params": {}, "values": {"ranks": 3}, "started": 1.0,
        "badge": "LIVE CPU", "made_on": {"system": "Linux", "cores": 1}, "state": "done", "ran_s": 2.0,
    }  # fmt: skip
    (folder / "run.json").write_text(json.dumps(old))
    said = read_about(folder)
    assert (said.world, said.state, said.figures.steps, said.curve) == (3, "done", None, None)
    assert str(said.made_on) == "Linux, 1 core"
    assert load(folder).note == "it has no events"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"", "its run.json is not one of a run"),
        (b"\xff\xfe", "its run.json is not one of a run"),
        (b"[1, 2]", "its run.json is not one of a run"),
        (b"{}", "missing required field `run`"),
        (b'{"run": "a", "demo": 5}', "Expected `str`, got `int`"),
        (b'{"run": "a", "demo": "ddp", "ranks": 1000000000}', "not one of a run"),
        (b'{"format": 99, "run": ["of", "another", "shape"]}', "a later teachrun recorded it (format 99"),
        (b"[" * 100_000, "not one of a run"),
        (b" " * (files.MAX_ABOUT_BYTES + 1), "too large"),
    ],
)
def test_a_run_json_that_is_none_is_a_sentence(home: Path, text: bytes, why: str) -> None:
    folder = home / A
    folder.mkdir(parents=True)
    (folder / "run.json").write_bytes(text)
    with pytest.raises(Unreadable) as refused:
        read_about(folder)
    assert why in str(refused.value)
    assert str(refused.value).isprintable()


def test_what_is_no_run_at_all_is_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("hello")
    for path in (file, tmp_path, tmp_path / "nowhere"):
        with pytest.raises(Unreadable, match="it is not a recorded run"):
            read_about(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(data=st.data())
def test_a_file_cut_anywhere_is_read_up_to_the_cut(home: Path, data: st.DataObject) -> None:
    folder = home / A if (home / A).exists() else record(home, A)
    file = folder / "events.jsonl.gz"
    kept = folder / "whole"
    whole = kept.read_bytes() if kept.exists() else file.read_bytes()
    kept.write_bytes(whole)
    size = data.draw(st.integers(0, len(whole) - 1))
    file.write_bytes(whole[:size])
    source, made = Events(folder), events(A)
    found = list(source)
    assert found == made[: len(found)]
    # A member that is whole loses nothing: no more is gone than the one that the cut went through.
    assert len(found) >= size / len(whole) * len(made) - len(made) / 4 - 2
    if not source.note:
        assert gzip.decompress(whole[:size]).count(b"\n") == len(found)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(data=st.data())
def test_a_file_with_any_byte_changed_never_raises(home: Path, data: st.DataObject) -> None:
    folder = home / B if (home / B).exists() else record(home, B)
    file, kept = folder / "events.jsonl.gz", folder / "whole"
    whole = kept.read_bytes() if kept.exists() else file.read_bytes()
    kept.write_bytes(whole)
    at, byte = data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(0, 255))
    file.write_bytes(whole[:at] + bytes([byte]) + whole[at + 1 :])
    assert len(load(folder).events) <= len(events(B))


def test_bad_lines_are_skipped_and_counted(home: Path) -> None:
    folder = record(home, A)
    bad = b'nonsense\n["step", 1]\n["of a later version", "r", 1, 0, 2.0]\n{}\n' + b"[" * 9000 + b"\n\xff\n"
    with (folder / "events.jsonl.gz").open("ab") as file:
        file.write(gzip.compress(bad))
    source = Events(folder)
    assert list(source) == events(A)
    assert source.note == "6 lines could not be read"


def test_a_bomb_is_not_unpacked(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = record(home, A)
    with (folder / "events.jsonl.gz").open("ab") as file:
        file.write(gzip.compress(b"x" * (8 << 20)))
    source = Events(folder)
    assert list(source) == events(A)
    assert source.note == "what follows is not the events of a run"
    monkeypatch.setattr(files, "MAX_TEXT_BYTES", 1 << 16)
    with (folder / "events.jsonl.gz").open("wb") as file:
        file.write(gzip.compress(b"\n" * (1 << 20)))
    source = Events(folder)
    assert sum(1 for _ in source) == 0
    assert source.note.startswith("only its first 0 MB are read")


def test_figures_that_are_no_numbers_survive(home: Path) -> None:
    nan = float("nan")
    made: list[Event] = [
        Value(A, 1, 0, 1.0, "buffer", "", 3, [1.0, nan]),
        Step(A, 1, 0, 2.0, 0, 1.0, nan, 1, 0.0, 0.0, 1.0, 0.0, 0.0),
    ]
    value, step = list(Events(record(home, A, made, flushes=1)))
    assert isinstance(value, Value) and value.values[0] == 1.0 and value.values[1] != value.values[1]
    assert isinstance(step, Step) and step.loss is None


# --- the writer -----------------------------------------------------------------------------------------


def test_how_it_ended_is_written_even_where_the_events_are_too_many(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "MAX_RUN_BYTES", 10)
    writer = Recorder(home, about(A, state=""))
    writer.take(events(A))
    writer.close(about(A, state="done")).result()
    assert writer.note == "only the first 0 MB of this run are recorded"
    assert read_about(home / A).state == "done"


def test_lines_that_another_machine_has_made_are_written_as_they_came(home: Path) -> None:
    writer = Recorder(home, about(A))
    writer.take(events(A)[:1])
    rest = events(A)[1:]
    made = Lines(recorder.member(rest), recorder.lines(rest), len(rest))
    writer.take(rest[:1], made)  # one to be drawn, more to be recorded
    writer.close(about(A)).result()
    assert list(Events(home / A)) == events(A)


def test_a_disk_that_takes_nothing_ends_the_recording_only(home: Path) -> None:
    home.mkdir(parents=True)
    (home / A).write_text("in the way")
    writer = Recorder(home, about(A))
    writer.take(events(A))
    writer.close(about(A)).result()
    assert writer.note.startswith("this run is not recorded any more: ")


def test_the_loop_never_waits_for_the_disk(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever hands events over is back at once while the writer hangs."""
    import threading

    stuck, go_on = threading.Event(), threading.Event()

    def hang(runs: Path, keep: str) -> None:
        stuck.set()
        go_on.wait(20)

    monkeypatch.setattr(recorder, "remove_old", hang)
    writer = Recorder(home, about(A))
    assert stuck.wait(20)
    for _ in range(10):
        writer.take(events(A))
        writer.flush()
    done = writer.close(about(A))
    assert not done.done() and not (home / A / "events.jsonl.gz").exists()
    go_on.set()
    done.result(20)
    assert len(list(Events(home / A))) == 10 * len(events(A))


def test_the_oldest_runs_go_when_all_are_too_large(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for n, run in enumerate((A, B, C)):
        folder = record(home, run)
        (folder / "log").mkdir()
        (folder / "log" / "rank-0.log").write_bytes(b"x" * 10_000)
        for path in (*folder.rglob("*"), folder):
            os.utime(path, (1000.0 + n, 1000.0 + n))
    one = sum(f.stat().st_size for f in (home / A).rglob("*") if f.is_file())
    monkeypatch.setattr(removing_old_runs, "MAX_ALL_BYTES", 2 * one + 100)
    new = record(home, "20261121-061002-dddd")  # not counted itself: it has only begun
    assert sorted(folder.name for folder in home.iterdir()) == [B, C, new.name]
    removing_old_runs.remove_old(home, B)
    assert sorted(folder.name for folder in home.iterdir()) == [B, C, new.name]
    monkeypatch.setattr(removing_old_runs, "MAX_ALL_BYTES", 0)
    removing_old_runs.remove_old(home, B)
    assert [folder.name for folder in home.iterdir()] == [B]


def test_what_is_kept_names_no_path_and_is_the_same_every_time(home: Path, tmp_path: Path) -> None:
    looked = XRay(A, 1, 0, 1000.2, 1, 1000.1, 1000.2, 5, "/home/somebody/trace.json", "", [])
    folder = record(home, A, [*events(A), looked])
    first, second = tmp_path / "one", tmp_path / "two"
    size = recorder.keep(load(folder), first)
    recorder.keep(load(folder), second)
    assert size == sum(f.stat().st_size for f in first.iterdir())
    for name in ("run.json", "events.jsonl.gz"):
        assert (first / name).read_bytes() == (second / name).read_bytes()
    kept = load(first)
    assert kept.events[:-1] == [event for event in events(A) if not isinstance(event, Log)]
    assert b"somebody" not in gzip.decompress((first / "events.jsonl.gz").read_bytes())
    assert (kept.about.made_on.release, kept.about.block, kept.about.state) == ("", "", "done")
    recorder.keep(load(folder), first)  # over itself
    with pytest.raises(Unreadable, match="holds no run"):
        recorder.keep(load(folder), tmp_path)


# --- which one ------------------------------------------------------------------------------------------


def test_a_run_is_found_by_its_beginning_by_last_and_by_path(home: Path, tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="no run was recorded here yet"):
        files.find("last")
    for run in (A, C, B):
        record(home, run)
    assert files.find("last").name == C
    assert files.find(A).name == A
    assert files.find("20261121-05").name == C
    with pytest.raises(Unreadable, match="2 runs begin so"):
        files.find("20261121-04")
    with pytest.raises(Unreadable, match="no recorded run has this id"):
        files.find("2025")
    elsewhere = tmp_path / "elsewhere"
    recorder.keep(load(home / A), elsewhere)
    for path in (elsewhere, elsewhere / "run.json", elsewhere / "events.jsonl.gz"):
        assert files.find(str(path), by_path=True) == elsewhere
        with pytest.raises(Unreadable):
            files.find(str(path))


def test_what_fits_is_the_same_and_another_only_with_what_differs(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "SHIPPED", tmp_path / "shipped")
    asked = {"ranks": "2", "steps": "8"}
    with pytest.raises(Unreadable, match="there is no recorded run of ddp yet"):
        run_choice.fitting("ddp", asked)
    record(home, C, params={"ranks": "2", "steps": "8", "lr": "0.5"})
    assert run_choice.fitting("ddp", asked) == (home / C, ("lr=0.5 (asked 0.003)",))
    # Of equally near ones the one that ships; several of one demo may, under any name.
    recorder.keep(load(record(home, "20200101-000000-eeee")), files.SHIPPED / "ddp")
    slow = {**asked, "slow_rank": "1", "slow_ms": "50"}
    recorder.keep(load(record(home, "20200101-000001-eeee", params=slow)), files.SHIPPED / "ddp-slow")
    for folder in home.glob("2020*"):
        shutil.rmtree(folder)
    assert run_choice.fitting("ddp", asked) == (files.SHIPPED / "ddp", ())
    assert run_choice.fitting("ddp", slow) == (files.SHIPPED / "ddp-slow", ())
    assert run_choice.fitting("ddp", {"ranks": "3"}) == (
        files.SHIPPED / "ddp",
        ("ranks=2 (asked 3)", "steps=8 (asked 200)"),
    )
    record(home, A)
    record(home, B, state="failed")
    assert run_choice.fitting("ddp", asked) == (home / A, ())
    # A budget and what was written as the default change nothing; a broken run is no example.
    assert run_choice.fitting("ddp", {**asked, "budget": "30s", "lr": "0.003"}) == (home / A, ())
    record(home, "20261121-071002-ffff", faulted=True)
    assert run_choice.fitting("ddp", asked) == (home / A, ())
    with pytest.raises(Unreadable, match="there is no recorded run of zero yet"):
        run_choice.fitting("zero", {})


def test_a_run_without_a_slow_rank_is_not_passed_off_as_one_with(home: Path) -> None:
    """The very fault: the lesson's slide with a slow rank showed a run in which nobody was slow."""
    record(home, A)
    folder, differs = run_choice.fitting(
        "ddp", {"ranks": "2", "steps": "8", "slow_rank": "1", "slow_ms": "50"}
    )
    assert folder == home / A
    assert differs == ("slow_rank=-1 (asked 1)", "slow_ms=0 (asked 50)")
    far = {"ranks": "2", "width": "64", "layers": "4", "batch": "2", "seq": "16"}
    with pytest.raises(Unreadable, match=r"no recorded run of ddp is like this one: the nearest has .*width"):
        run_choice.fitting("ddp", far)


def test_check_notes_a_demo_without_a_recording_of_its_parameters(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tui.cli import main

    monkeypatch.setattr(files, "SHIPPED", tmp_path / "shipped")
    record(home, A)
    deck = tmp_path / "deck.md"
    text = "# One\n\n::: demo ddp ranks=2 steps=90\n\n---\n\n# Two\n\n::: demo ddp ranks=2 slow_rank=1\n"
    deck.write_text(text + "\n---\n\n# Three\n\n::: demo zero ranks=2\n")
    assert main(["check", str(deck)]) == 0
    first, second, _ = capsys.readouterr().out.splitlines()
    assert first.startswith(
        f"note: {deck}:9: s would show a run with steps=8 (asked 200), slow_rank=-1 (asked 1)"
    )
    assert "deck.md:15: s would show nothing: there is no recorded run of zero yet" in second
    assert second.endswith("teachrun run zero ranks=2")


def test_a_default_that_was_another_makes_it_another_run(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`values` is what it had; its `params` say nothing of a default that has changed since."""
    monkeypatch.setattr(files, "SHIPPED", tmp_path)
    record(home, A, values={"ranks": 2, "steps": 8, "width": 64})
    assert run_choice.fitting("ddp", {"ranks": "2", "steps": "8"}).differs == ("width=64 (asked 128)",)


def test_every_shipped_recording_is_small_whole_and_of_a_demo_there_is(home: Path) -> None:
    from runtime.catalog.registry import DEMOS

    assert {"ddp", "allreduce", "zero", "fsdp", "hsdp", "accumulate"} <= {f.name for f in files.shipped()}
    for folder in files.shipped():
        recording = load(folder)
        said = recording.about
        assert recording.note == ""
        assert sum(f.stat().st_size for f in folder.iterdir()) < 180_000
        assert (said.state, said.demo in DEMOS, said.figures.steps) == ("done", True, said.steps)
        assert said.started > 1.6e9 and said.made_on.cores and said.made_on.torch
        text = (folder / "run.json").read_bytes() + gzip.decompress((folder / "events.jsonl.gz").read_bytes())
        for private in (b"/home", b"/root", b"/tmp", b"/usr", os.uname().nodename.encode()):
            assert private not in text, (folder, private)
        assert not any(isinstance(event, Log) for event in recording.events)
