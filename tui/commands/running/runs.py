"""`teachrun runs list|replay|export|keep`: the runs that were recorded, here or with the lessons.

A run is named by its id, by a unique beginning of it, as `last`, by the name of a recording that ships with
the lessons, or as a path. What is damaged is read as far as it goes, and said on stderr.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runtime.atomic_write import put
from slides.drawing.cells import clean
from tui.command_line.arguments import add_output
from tui.command_line.exit_codes import DONE, FAILED
from tui.command_line.line_folding import columns
from tui.command_line.refusals import complain
from tui.rendering.escape_filter import in_json

if TYPE_CHECKING:
    from runtime.recordings.files import About
    from runtime.recordings.recording import Recording
    from runtime.recordings.replay import Replay

_MOST_EVENTS = 2_000_000  # read by one command
_PAUSE_S = 0.05
_WIDEST = 48  # of the column with the parameters: one long line must not push the others apart
_NARROWEST = 12  # of it where the terminal is small
_LESS = ("machine", "loss", "steps", "when")  # columns that a small terminal goes without, the first first
_HEAD = ("id", "when", "demo", "ranks", "outcome", "steps", "loss", "machine")


def configure(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="runs_command", metavar="COMMAND", required=True)
    which = "its id or how that begins, `last`, the name of a recording that ships with teachrun, or a path"

    found = commands.add_parser("list", help="all recorded runs, the newest first")
    found.add_argument("--json", action="store_true", help="one JSON object")

    replay = commands.add_parser("replay", help="play back a recorded run, without a screen")
    replay.add_argument("run", metavar="RUN", help=which)
    replay.add_argument(
        "--speed", type=_speed, metavar="N", help="at N times its own speed (default: all at once)"
    )
    output = replay.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    output.add_argument(
        "--jsonl", action="store_true", help="a line of JSON per event; the table goes to stderr"
    )

    export = commands.add_parser(
        "export", help="write a run as rows, as JSON, as a trace, or for an experiment tracker"
    )
    export.usage = (
        "teachrun runs export RUN [-o FILE] "
        "--csv | --json | --perfetto FILE | --tensorboard DIR | --wandb DIR"
    )
    export.add_argument("run", metavar="RUN", help=which)
    form = export.add_mutually_exclusive_group(required=True)
    form.add_argument("--csv", action="store_true", help="a row per rank and step; seconds and bytes")
    form.add_argument("--json", action="store_true", help="what was run, its summary, and its steps")
    form.add_argument("--perfetto", metavar="FILE", help="the whole run as a trace for ui.perfetto.dev")
    form.add_argument("--tensorboard", metavar="DIR", help="event files for TensorBoard, a folder per rank")
    form.add_argument("--wandb", metavar="DIR", help="an offline run for Weights & Biases: nothing is sent")
    add_output(export, "into FILE instead of stdout")

    keep = commands.add_parser(
        "keep", help="copy a run into a folder to take with you, without what the ranks printed"
    )
    keep.add_argument("run", metavar="RUN", help=which)
    keep.add_argument("folder", metavar="FOLDER", help="a new folder, or one that holds a run")


def _speed(text: str) -> float:
    value = float(text)
    if not 0.01 <= value <= 64:
        raise argparse.ArgumentTypeError("write a number from 0.01 to 64")
    return value


def main(args: argparse.Namespace) -> int:
    from runtime.recordings.files import Unreadable, find

    if args.runs_command == "list":
        return _list(args.json)
    try:
        folder = find(args.run, by_path=True)
    except Unreadable as error:
        return complain(f"{clean(args.run)}: {clean(str(error))}")
    try:
        if args.runs_command == "replay":
            return _replay(folder, args)
        if args.runs_command == "export":
            return _export(folder, args)
        return _keep(folder, Path(args.folder))
    except Unreadable as error:
        return complain(f"{clean(args.run)}: {clean(str(error))}", FAILED)


def _dumps(found: Any) -> str:
    import msgspec

    return in_json(msgspec.json.encode(found).decode())  # what is not a number becomes null


# --- list -----------------------------------------------------------------------------------------------


def _list(as_json: bool) -> int:
    from runtime.recordings import files

    mine, kept = [_entry(folder) for folder in files.own()], [_entry(folder) for folder in files.shipped()]
    if as_json:
        print(
            _dumps(
                {"runs": [_object(*entry) for entry in mine], "shipped": [_object(*entry) for entry in kept]}
            )
        )
        return DONE
    if not mine:
        print("no run was recorded here yet: teachrun run ddp ranks=4 steps=50")
    width = columns()
    for title, entries in (("", mine), ("With the lessons:", kept)):
        if entries:
            table = table_lines([_cells(*entry) for entry in entries], width)
            print("\n".join([*([f"\n{title}"] if title else []), *table]))
    return DONE


def _entry(folder: Path) -> tuple[str, About | None, str]:
    """(name, what the run says of itself, why that cannot be read)."""
    from runtime.recordings.files import Unreadable, read_about

    try:
        return folder.name, read_about(folder), ""
    except Unreadable as error:
        return folder.name, None, str(error)


def _object(name: str, about: About | None, why: str) -> dict[str, Any]:
    if about is None:
        return {"run": name, "unreadable": why}
    import msgspec

    found: dict[str, Any] = msgspec.to_builtins(about)
    found.pop("curve")
    return {"name": name, **found, "ranks": about.world, "when": about.made, "machine": str(about.made_on)}


def _cells(name: str, about: About | None, why: str) -> tuple[str, ...]:
    if about is None:
        return (name, "-", why)
    params = " ".join(f"{key}={value}" for key, value in about.params.items() if key != "ranks")
    loss = about.figures.loss
    return (
        name,
        about.made or "-",
        _short(f"{about.demo} {params}".strip()),
        str(about.world),
        about.state or "cut off",
        "-" if about.figures.steps is None else str(about.figures.steps),
        "-" if loss is None else f"{loss:.4f}",
        str(about.made_on),
    )


def _short(text: str, most: int = _WIDEST) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def table_lines(rows: list[tuple[str, ...]], most: int | None) -> list[str]:
    """The rows below their heads. In `most` cells the demo is shortened and columns left out, in the order
    of `_LESS`, but never the id: it is what the other commands are given."""
    body = [_HEAD, *(tuple(clean(cell) for cell in row) for row in rows)]
    heads, widths = list(_HEAD), _widths(body)
    left_out = iter(_LESS)
    while most is not None and (over := sum(widths) + 2 * len(widths) - 2 - most) > 0:
        demo = heads.index("demo")
        if len(heads) < len(_HEAD) and widths[demo] - over >= _NARROWEST:  # the machine goes first
            widths[demo] -= over
            break
        if (less := next(left_out, None)) is None:
            widths[demo] = min(widths[demo], _NARROWEST)
            break
        at = heads.index(less)
        del heads[at], widths[at]
        body = [row if len(row) < len(_HEAD) - len(_LESS) else (*row[:at], *row[at + 1 :]) for row in body]
    demo = heads.index("demo")
    body = [
        (*row[:demo], _short(row[demo], widths[demo]), *row[demo + 1 :]) if len(row) == len(heads) else row
        for row in body
    ]
    return ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=False)).rstrip() for row in body]


def _widths(body: list[tuple[str, ...]]) -> list[int]:
    full = [row for row in body if len(row) == len(_HEAD)]
    return [max(len(row[column]) for row in full) for column in range(len(_HEAD))]


# --- replay ---------------------------------------------------------------------------------------------


def _read(folder: Path) -> Recording:
    from runtime.recordings.recording import load

    recording = load(folder, most=_MOST_EVENTS)
    if recording.note:
        print(f"teachrun: {clean(recording.note)}", file=sys.stderr)
    return recording


def _replay(folder: Path, args: argparse.Namespace) -> int:
    from runtime.recordings.replay import Replay
    from tui.reports.runs.run_json import summary
    from tui.reports.runs.run_table import lines

    replay = Replay("replay", _read(folder))
    table = sys.stderr if args.jsonl else sys.stdout
    if args.speed is None:
        replay.seek(replay.length_s, 0.0)
        if args.jsonl:
            _write_events(replay, 0, len(replay.recording.events))
    else:
        _play(replay, args.speed, args.jsonl)
    shown = replay.snapshot()
    if args.json:
        played = shown.playback
        print(
            _dumps({**summary(shown), "made": played and played.made, "machine": played and played.machine})
        )
        return DONE
    assert shown.playback is not None
    head, *rest = lines(shown)
    made = f"recorded {shown.playback.made}".strip()
    print("\n".join((head, clean(f"{made} on {shown.playback.machine}"), *rest)), file=table)
    return DONE


def _play(replay: Replay, speed: float, as_lines: bool) -> None:
    """At its own times: the events as they come, or how far it is."""
    from tui.command_line.progress import Progress

    progress, told, said_at = Progress(sys.stderr), 0, 0.0
    replay.seek(0.0, speed)
    while True:
        if as_lines:
            told = _write_events(replay, told, replay.taken)
        elif time.monotonic() - said_at >= progress.pause:
            said_at = time.monotonic()
            progress.show(replay.snapshot(), "")
        if replay.speed <= 0.0:
            break
        time.sleep(_PAUSE_S)
        replay.advance()
    progress.end()


def _write_events(replay: Replay, begin: int, end: int) -> int:
    from tui.reports.runs import event_jsonl

    event_jsonl.write(replay.recording.events[begin:end], sys.stdout)
    return end


# --- export and keep ------------------------------------------------------------------------------------


def _export(folder: Path, args: argparse.Namespace) -> int:
    import msgspec

    from runtime.recordings.replay import Replay
    from runtime.recordings.summary import COLUMNS, step_rows
    from tui.reports.runs.run_json import summary

    recording = _read(folder)
    if args.perfetto:
        return _trace(recording, args.perfetto)
    replay = Replay("export", recording)
    least = None if replay.least is None else replay.least[0]
    rows = step_rows(recording.events, recording.about.world, least)
    if args.tensorboard or args.wandb:
        return _track(recording, rows, args)
    if args.csv:
        text = io.StringIO()
        table = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        table.writeheader()
        for row in rows:
            table.writerow(
                {key: clean(value) if isinstance(value, str) else value for key, value in row.items()}
            )
        return _put(text.getvalue(), args.output)
    replay.seek(replay.length_s, 0.0)
    about: dict[str, Any] = msgspec.to_builtins(recording.about)
    about.pop("curve")
    found = {"about": about, "note": recording.note, "summary": summary(replay.snapshot()), "steps": rows}
    return _put(_dumps(found) + "\n", args.output)


def _trace(recording: Recording, file: str) -> int:
    from runtime.metrics.perfetto_run import events_of

    found = {
        "displayTimeUnit": "ms",
        "otherData": {"run": recording.about.run, "demo": recording.about.demo},
        "traceEvents": list(events_of(recording.events, recording.origin)),
    }
    return _put(_dumps(found) + "\n", file)


def _track(recording: Recording, rows: list[dict[str, Any]], args: argparse.Namespace) -> int:
    """For TensorBoard or Weights & Biases, by their own libraries."""
    import teachrun
    from runtime.recordings import experiment_trackers

    extra = "tensorboard" if args.tensorboard else "wandb"
    where = args.tensorboard or args.wandb
    write = experiment_trackers.tensorboard if args.tensorboard else experiment_trackers.wandb
    try:
        count = write(recording, rows, Path(where))
    except ImportError:
        return complain(f"this needs a package: {teachrun.install_extra(extra)}", FAILED)
    print(f"{count} figures in {clean(str(where))}")
    return DONE


def _put(text: str, where: str | None) -> int:
    """Raises `OSError`, which the command line turns into a sentence."""
    if where is None or where == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        put(where, text)
    return DONE


def _keep(folder: Path, target: Path) -> int:
    from runtime.recordings.recorder import keep

    size = keep(_read(folder), target)
    print(f"{size / 1e3:.0f} kB; show it with: teachrun runs replay {clean(str(target))}")
    return DONE
