"""A run that `teachrun run` makes, what it tells, `teachrun runs` on it, and on files that are none."""

from __future__ import annotations

import csv
import gzip
import io
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from folders import own_folders
from teachrun_process import teachrun

from tui.cli import main

pytestmark = pytest.mark.slow
ALONE = "20260101-000000-0000"
PARTS = ("data_s", "compute_s", "hidden_s", "exposed_s", "wait_s", "optimizer_s", "other_s")


@pytest.fixture(scope="module", autouse=True)
def home() -> Iterator[Path]:
    with own_folders() as home:
        yield home


@pytest.fixture(scope="module")
def live(home: Path) -> dict[str, Any]:
    """A run that was just made, as `teachrun run --json` has told it."""
    words = ("--ranks", "2", "--steps", "12", "slow_rank=1", "slow_ms=150")
    code, out, err = teachrun("run", "ddp", *words, "--json", "--jsonl", str(home / "events.jsonl"))
    assert code == 0, err
    assert "ddp  step 12/12" in err
    found: dict[str, Any] = json.loads(out)
    return found


def test_it_tells_its_figures(live: dict[str, Any]) -> None:
    assert (live["state"], live["world"], live["badge"]) == ("done", 2, "LIVE CPU")
    assert [rank["steps"] for rank in live["ranks"]] == [12, 12]
    assert live["equal"] is True
    assert live["tokens_per_s"] > 0
    assert {"stage", "fork", "rendezvous", "first step"} <= live["launch_s"].keys()
    for rank in live["ranks"]:
        assert sum(rank[part] for part in PARTS) == pytest.approx(rank["step_s"])
        assert rank["params_bytes"] > 0
    # A rank is the slowest by what it was slowed, and the other waits for it.
    assert live["slowest"] == 1
    steps_s = [rank["step_s"] for rank in live["ranks"]]  # a loaded machine holds up either by a part of it
    near = pytest.approx(0.150, abs=max(0.05, 0.25 * min(steps_s)))
    assert live["slowest_by_s"] == near and live["ranks"][0]["wait_s"] == near
    assert "rank 1 slowed 150 ms" in live["bent"]


def test_it_tells_its_events(live: dict[str, Any], home: Path) -> None:
    lines = [json.loads(line) for line in (home / "events.jsonl").read_text().splitlines()]
    for line in lines:
        assert list(line)[:5] == ["type", "run", "generation", "rank", "t"]
    steps = [(line["rank"], line["step"]) for line in lines if line["type"] == "step"]
    assert sorted(steps) == [(rank, step) for rank in (0, 1) for step in range(12)]
    kinds = {line["type"] for line in lines}
    assert kinds >= {"hello", "boot", "step", "collective", "memory", "check", "done"}


def test_it_is_listed_with_its_figures(live: dict[str, Any]) -> None:
    code, out, _ = teachrun("runs", "list", "--json")
    listed = json.loads(out)["runs"][0]
    assert code == 0
    assert (listed["run"], listed["demo"], listed["ranks"], listed["state"]) == (
        live["run"],
        "ddp",
        2,
        "done",
    )
    assert listed["figures"]["steps"] == 12
    assert listed["figures"]["loss"] == pytest.approx(sum(r["loss"] for r in live["ranks"]) / 2)
    assert listed["figures"]["collective_bytes"] == live["collective_bytes"]
    assert listed["made_on"]["cores"] and listed["made_on"]["torch"] and "torch" in listed["machine"]
    code, out, _ = teachrun("runs", "list")
    head, row = out.splitlines()[:2]
    assert code == 0 and head.split()[0] == "id"
    assert row.startswith(live["run"]) and "ddp slow_rank=1 slow_ms=150 steps=12" in row and "done" in row


def test_shown_again_it_is_the_same_run(live: dict[str, Any]) -> None:
    """Every figure that the live run ended with, from the file alone."""
    code, out, err = teachrun("runs", "replay", live["run"][:-2], "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert (found.pop("badge"), found["state"], found["run"]) == ("REPLAY", "done", live["run"])
    assert found.pop("made") and "torch" in found.pop("machine")
    assert {key: found[key] for key in found} == {key: live[key] for key in found}

    code, out, _ = teachrun("runs", "replay", "last")
    first, second, *_ = out.splitlines()
    assert code == 0 and first == "ddp · 2 ranks · gloo · cpu · REPLAY · rank 1 slowed 150 ms"
    assert second.startswith("recorded 20") and " on " in second and "cores" in second


def test_at_its_own_time_it_takes_its_time(live: dict[str, Any]) -> None:
    began = time.monotonic()
    code, out, err = teachrun("runs", "replay", "last", "--speed", "2", "--jsonl")
    lines = [json.loads(line) for line in out.splitlines()]
    times = [line["t"] for line in lines if line["rank"] >= 0 and line["type"] != "log"]
    assert code == 0 and "REPLAY" in err
    assert time.monotonic() - began >= (max(times) - times[0]) / 2
    assert sum(line["type"] == "step" for line in lines) == 24
    assert len(lines) == len(teachrun("runs", "replay", "last", "--jsonl")[1].splitlines())


def test_a_row_per_rank_and_step(live: dict[str, Any], home: Path) -> None:
    file = home / "steps.csv"
    code, out, _ = teachrun("runs", "export", "last", "--csv", "-o", str(file))
    assert (code, out) == (0, "")
    rows = list(csv.DictReader(io.StringIO(file.read_text())))
    assert [(row["step"], row["rank"]) for row in rows] == [
        (str(s), str(r)) for s in range(12) for r in (0, 1)
    ]
    for row in rows:
        assert sum(float(row[part]) for part in PARTS) == pytest.approx(float(row["step_s"]))
    assert float(rows[-1]["loss"]) == live["ranks"][1]["loss"]
    code, out, _ = teachrun("runs", "export", "last", "--json")
    found = json.loads(out)
    assert code == 0 and len(found["steps"]) == 24
    assert found["about"]["values"]["lr"] == 0.003
    assert found["summary"]["collective_bytes"] == live["collective_bytes"]
    assert found["steps"][0]["params_bytes"] == live["ranks"][0]["params_bytes"]


def test_it_is_taken_along(live: dict[str, Any], home: Path) -> None:
    code, out, _ = teachrun("runs", "keep", "last", str(home / "kept"))
    assert code == 0 and "kB" in out
    assert "2 ranks" in teachrun("runs", "replay", str(home / "kept"))[1]
    code, _, err = teachrun("runs", "keep", "last", str(home))
    assert code == 1 and "holds no run" in err


def test_without_a_run_it_says_how_to_make_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    code, out, _ = teachrun("runs", "list")
    assert code == 0 and out.startswith("no run was recorded here yet: teachrun run ddp")
    assert json.loads(teachrun("runs", "list", "--json")[1])["runs"] == []


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("replay", "nosuch"), 2, "no recorded run has this id"),
        (("export", "nosuch", "--csv"), 2, "no recorded run has this id"),
        (("replay", "./pyproject.toml"), 1, "it is not a recorded run"),
        (("replay", "/nowhere/run.json"), 1, "it is not a recorded run"),
        (("replay", "last", "--speed", "0"), 2, "write a number from 0.01 to 64"),
        (("replay", "last", "--speed", "nan"), 2, "write a number from 0.01 to 64"),
        (("export", "last"), 2, "one of the arguments --csv --json"),
        (("export", "last", "--csv", "-o", "/nowhere/at/all"), 1, "No such file or directory"),
        ((), 2, "required"),
    ],
)
def test_bad_input_is_a_line_and_a_status(
    live: dict[str, Any], words: tuple[str, ...], code: int, says: str
) -> None:
    found, out, err = teachrun("runs", *words)
    assert (found, out) == (code, "")
    assert says in err and "Traceback" not in err


def broken(folder: Path, text: bytes | None, events: bytes) -> None:
    folder.mkdir(exist_ok=True)
    whole = {"run": "x", "demo": "\x1b[2Jx\n", "ranks": 1, "state": "done", "params": {"a": "\x1b]0;t\x07"}}
    (folder / "run.json").write_bytes(json.dumps(whole).encode() if text is None else text)
    (folder / "events.jsonl.gz").write_bytes(events)


def test_damaged_and_hostile_files_are_read_as_far_as_they_go(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    step = b'["step","x",1,0,2.5,0,1.5,null,1,0.0,0.5,0.5,0.0,0.0]\n'
    evil = b'["log","x",1,0,2.0,"out","\\u001b[31mred"]\n["beat","x",1,0,2.6,"\\u001b[2J",0,0,0,0]\n'
    evil += (
        b'["check","x",1,0,2.6,0,"\\u001b[5m",null]\n["value","x",1,0,2.6,"\\u001b[1m","\\u0007",0,[1.0]]\n'
    )
    cases = {
        "cut": (None, gzip.compress(step) + gzip.compress(evil * 50)[:-20], 0, "its end is cut off"),
        "evil": (None, gzip.compress(step + evil), 0, ""),
        "lines": (None, gzip.compress(step + b"nonsense\n" + step), 0, "1 line could not be read"),
        "damaged": (None, gzip.compress(step)[:-3] + b"abc", 0, "damaged"),
        "none": (None, b"PK\x03\x04", 0, "its events are damaged, or not those"),
        "later": (b'{"format": 7}', b"", 1, "a later teachrun recorded it (format 7"),
        "shape": (b'{"run": 1}', b"", 1, "its run.json is not one of a run"),
        "huge": (b'{"run": "x", "demo": "x", "ranks": 99999999}', b"", 1, "is not one of a run"),
    }
    for name, (text, events, status, says) in cases.items():
        broken(home / name, text, events)
        for words in (("replay",), ("export", "--csv"), ("export", "--json"), ("replay", "--json")):
            code = main(["runs", words[0], str(home / name), *words[1:]])
            out, err = capfd.readouterr()
            assert code == status, (name, words, err)
            assert says in err and "Traceback" not in err and len(err.splitlines()) <= 1, (name, err)
            assert "\x1b" not in out + err and "\x07" not in out + err, (name, words)


def test_a_listing_with_strangers_in_it(live: dict[str, Any], home: Path) -> None:
    runs = home / "data" / "teachrun" / "runs"
    broken(runs / ALONE, None, b"")
    broken(runs / "20250101-000000-0000", b"{", b"")
    (runs / "note.txt").write_text("not mine")
    code, out, err = teachrun("runs", "list")
    assert (code, err) == (0, "")
    assert "\x1b" not in out and "its run.json is not one of a run" in out
    found = json.loads(teachrun("runs", "list", "--json")[1])["runs"]
    assert [run.get("unreadable", "") != "" for run in found] == [False, False, True]
    for folder in (runs / ALONE, runs / "20250101-000000-0000"):
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
