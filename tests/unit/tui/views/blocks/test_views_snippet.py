"""Pictures of code that changes and code that runs: a diff, step by step, and the output pane."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pictured import same_as_picture

from runtime.protocol.messages import Output
from slides.audience_deck import audience_deck
from slides.deck import Code
from slides.drawing.blocks.listing import listing
from slides.drawing.text import Line, plain
from slides.problems import Mistake
from slides.reading.from_disk.named_files import Sources
from slides.reading.markdown import diffs
from slides.reading.markdown.fences import parse_info, read_code
from slides.reading.parse import parse_slide
from slides.reading.split import load
from slides.reading_order import blocks as walk
from tui.classroom.runs.snippet_outputs import Heard
from tui.views.blocks.snippet import pane

SINGLE = """\
model = Net().cuda()
loader = DataLoader(data, shuffle=True)

for epoch in range(3):
    for x, y in loader:
        step(model, x, y)
    print(epoch)
    torch.save(model.state_dict(), "model.pt")"""
DDP = """\
dist.init_process_group("nccl")
model = DDP(Net().cuda())
sampler = DistributedSampler(data)
loader = DataLoader(data, sampler=sampler)

for epoch in range(3):
    sampler.set_epoch(epoch)
    for x, y in loader:
        step(model, x, y)
    print(epoch)
    torch.save(model.module.state_dict(), "model.pt")"""


def marked(line: Line) -> str:
    """A line with what tells it apart by colour: its ground, and changed words in ‹›."""
    ground = {"added": "A", "removed": "R", "select": "S"}.get(next((s.style.ground for s in line), ""), " ")
    words = "".join(f"‹{text}›" if style.underline else text for text, style in line)
    return f"{ground}│{words.rstrip()}"


def text(lines: list[str]) -> str:
    return "".join(f"{line.rstrip()}\n" for line in lines)


def test_a_diff_step_by_step() -> None:
    signed = diffs.between(SINGLE, DDP, 1)
    code = Code("python", signed.source, diff=signed.signs, stepwise=True, path="a.py → b.py", sha="1 → 2")
    lines: list[str] = []
    for frame in range(diffs.changes(code.source, code.diff) + 2):
        lines += [f"--- step {frame}", *map(marked, listing(code, frame, 72))]
    same_as_picture("diff_steps_72", text(lines))


def output(*lines: str, **changes: Any) -> Heard:
    fields: dict[str, Any] = {
        "block": "b",
        "run": "r",
        "lang": "python",
        "state": "running",
        "why": "",
        "code": None,
        "signal": None,
        "ran_s": 12.34,
        "timeout_s": 30.0,
        "first": 0,
        "at": 0,
        "end": len(lines),
        "lines": lines,
    }
    message = Output(**{**fields, **changes})
    heard = Heard(message)
    heard.take(message)
    return heard


@pytest.mark.parametrize(("width", "height"), [(60, 6), (80, 9), (120, 12)])
def test_the_pane_of_a_snippet(width: int, height: int) -> None:
    printed = [f"step {n:3}  loss {1 / (n + 1):.4f}" for n in range(30)] + ["a long line " * 9]
    ended = output(*printed, first=12000, at=12000, state="failed", why="exit code 3")
    lines: list[str] = []
    for heard, top, full in (
        (output(*printed, open="and one without an end"), None, False),
        (ended, 4, True),
        (output(), None, False),
        (output(state="done"), None, False),
    ):
        drawn = pane(heard, width, height, top=top, full=full, hints=True)
        assert len(drawn) == height
        lines += ["-" * width, *map(plain, drawn)]
    same_as_picture(f"snippet_{width}x{height}", text(lines))


lines_of = st.lists(st.text(alphabet="ab\x1b[2J漢\t", max_size=30), max_size=8)


@given(lines_of, st.integers(1, 40), st.integers(1, 12), st.none() | st.integers(0, 20))
def test_any_output_at_any_size_is_safe(printed: list[str], width: int, height: int, top: int | None) -> None:
    drawn = pane(output(*printed), width, height, top=top, full=False, hints=True)
    assert len(drawn) == height
    assert not any("\x1b" in plain(line) for line in drawn)


def test_what_is_sent_again_or_dropped_is_heard_once() -> None:
    heard = output("0", "1", "2")
    heard.take(output("2", "3", at=2, end=4).output)
    assert list(heard.lines) == ["0", "1", "2", "3"]
    heard.take(output("4", at=4, end=5, first=2).output)
    assert (heard.first, list(heard.lines)) == (2, ["2", "3", "4"])
    heard.take(output("9", at=9, end=10, first=9).output)
    assert (heard.first, list(heard.lines)) == (9, ["9"])


words = st.sampled_from(
    [
        "python",
        "diff",
        "run",
        "steps",
        "numbers",
        "{1|2}",
        "{#a}",
        "hide=1",
        "timeout=3",
        "first=4",
        "expect=failure",
        "timeout=0",
        "hide=9-1",
        "{",
        '"',
        "lines=1",
        "file=../x",
        "diff=y",
        "sha=1234567",
        "context=all",
        "\x1b[",
    ]
)


@given(st.lists(words, max_size=6).map(" ".join), st.text(alphabet="+-@ a\n", max_size=30))
def test_any_info_string_is_a_block_or_a_mistake(info: str, body: str) -> None:
    try:
        code = read_code(parse_info(info), body, Sources(Path("/nowhere")))
    except Mistake as mistake:
        assert mistake.mend.endswith((".", "?"))
        return
    assert code.frames >= 1
    for frame in range(code.frames):
        listing(code, frame, 30)


def test_an_audience_sees_the_same_code(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SINGLE + "\n")
    (tmp_path / "b.py").write_text(DDP + "\n")
    (tmp_path / "deck.md").write_text(
        "# One\n\n```python diff=a.py file=b.py steps context=1\nx\n```\n\n"
        "```python diff=a.py {1|2}\ny\n```\n\n"
        "- ```python run {#n} file=a.py lines=2-4 hide=1 sha=0123456\n  z\n  ```\n"
    )
    deck = load(tmp_path / "deck.md")
    theirs = audience_deck(deck)

    def codes(of: Any, trusted: bool) -> list[Code]:
        return [b for b in walk(parse_slide(of, 0, trusted=trusted).blocks) if isinstance(b, Code)]

    def seen(code: Code) -> Any:
        return (
            code.source,
            code.diff,
            code.path,
            code.sha,
            code.pinned,
            code.frames,
            code.run,
            code.id,
            code.first,
        )

    ours = codes(deck, True)
    assert len(ours) == 3
    assert [*map(seen, codes(theirs, False))] == [*map(seen, ours)]
