"""The screen of an estimate and its block on a slide: any size, what is shown is what was estimated."""

from __future__ import annotations

import re

import pytest

from runtime.estimate.estimate import estimate
from runtime.estimate.request import Request, read, request
from runtime.estimate.sliders import SLIDERS, current, place, turned
from runtime.estimate.sliders import words as words_of
from runtime.estimate.strategies import strategies
from slides.deck import Estimate
from slides.drawing import cells
from slides.drawing.large.letters import letters
from slides.drawing.text import plain
from tui.views.blocks.estimate import estimate_lines, trouble
from tui.views.estimate_screen import formulas, screen

LINES = (
    "model=llama3-8b gpu=h100 dp=8 zero=3 seq=8192",
    "model=gpt2",
    "params=7.5e9 gpu=a100-80 dp=4",
    "model=mixtral gpu=h200 dp=64 ep=8 zero=1",
    "model=llama3-405b gpu=h100 dp=128 tp=8 pp=14 zero=1",
)


def asked(words: str) -> Request:
    return request(read(words.split()))


@pytest.mark.parametrize("words", LINES)
@pytest.mark.parametrize("size", [(160, 45), (100, 30), (80, 24), (200, 60), (40, 12), (20, 5)])
def test_fills_any_size_exactly(words: str, size: tuple[int, int]) -> None:
    width, height = size
    for row in (0, len(SLIDERS) - 1):
        for lines in (screen(asked(words), row, width, height), formulas(asked(words), row, width, height)):
            assert len(lines) == height
            assert all(cells.line_width(line) <= width for line in lines)


def shown(words: str, row: int = 0, size: tuple[int, int] = (160, 45)) -> list[str]:
    return [plain(line) for line in screen(asked(words), row, *size)]


def test_shows_what_is_estimated() -> None:
    lines = shown(LINES[0])
    found = estimate(asked(LINES[0]))
    row = next(line for line in lines if "▸ FSDP" in line)
    assert f"{found.memory.total / 1e9:.4g} GB fits" in row
    ddp = next(line for line in lines if " DDP " in line and "GB" in line)
    assert "does not fit" in ddp and "limit 76 GB" in "\n".join(lines)
    assert any("every figure is computed" in line for line in lines)


def test_bars_are_as_long_as_what_they_show() -> None:
    rows = strategies(asked(LINES[0]))
    most = max(row.estimate.memory.total for row in rows)
    for row, line in zip(rows, shown(LINES[0])[3::2], strict=False):
        room = 160 - 52 - 2 - 13 - 24
        bar = line.partition("│ ")[2][13 : 13 + room].replace("│", " ").rstrip()
        assert abs(len(bar) - room * row.estimate.memory.total / most) <= 1.5, row.name


def test_the_limit_cuts_no_word() -> None:
    for words in LINES[:1] + LINES[3:]:
        for size in ((160, 45), (100, 30), (80, 24)):
            text = "\n".join(shown(words, size=size))
            assert not re.search(r"[a-z]│[a-z]", text), text


@pytest.mark.parametrize("words", LINES)
def test_every_slider_turns_and_only_to_what_can_be(words: str) -> None:
    for slider in SLIDERS:
        begin = asked(words)
        for by in (1, -1):
            after = turned(slider, begin, by)
            if after is not begin:
                assert estimate(after).memory.total > 0
                assert (place(slider, after) or 0) != place(slider, begin) or current(slider, begin) is None
    end = asked("model=gpt2 gpu=h100 zero=3")
    assert turned(next(s for s in SLIDERS if s.key == "zero"), end, 1) is end


@pytest.mark.parametrize("line", LINES)
def test_words_of_what_was_turned_ask_for_it_again(line: str) -> None:
    for slider in SLIDERS:
        after = turned(slider, asked(line), 1)
        assert request(read(words_of(after))) == after


@pytest.mark.parametrize("width", [30, 60, 99, 100, 140])
@pytest.mark.parametrize("key", ["model", "dp", "bandwidth"])
def test_the_block_with_its_sliders(key: str, width: int) -> None:
    lines = estimate_lines(block(LINES[0]), "deck.md", width, key)
    assert all(cells.line_width(line) <= width for line in lines)
    title = next(slider.title for slider in SLIDERS if slider.key == key)
    assert title.removesuffix(" parallel") in "\n".join(map(plain, lines))


def test_scores_are_stored_again() -> None:
    """A layer has 5 a s² b bytes more (Korthikanti et al., section 4.1), and less by the sum of each
    softmax that flash attention keeps, 4 bytes (Dao et al., algorithm 1)."""
    kept = asked("model=gpt-7.5b gpu=a100-80 flash=1")
    stored = turned(next(s for s in SLIDERS if s.key == "flash"), kept, -1)
    more = estimate(stored).memory.activations - estimate(kept).memory.activations
    assert more == 36 * 32 * (5 * 2048**2 - 4 * 2048)
    assert "no" in "".join(shown(" ".join(words_of(stored))))


def test_states_are_sharded_over_fewer_ranks_and_over_all_again() -> None:
    over = next(s for s in SLIDERS if s.key == "shard")
    begin = asked("model=llama3-70b gpu=h100 dp=32 zero=3 recompute=full")
    after = begin
    for ranks in (2, 4, 8):
        after = turned(over, after, 1)
        assert after.layout.shard == ranks
    held = 16 * after.subject.total / 8  # Rajbhandari et al., section 3.1: 16 bytes over 8
    states = estimate(after).memory
    assert abs(states.parameters + states.gradients + states.optimizer - held) / held < 0.02
    for _ in range(3):
        after = turned(over, after, -1)
    assert after == begin and request(read(words_of(after))) == begin


def test_tensor_parallelism_passes_by_what_does_not_divide() -> None:
    """GPT-2 has 12 heads: after 4 there is nothing that is a power of two."""
    tp = next(s for s in SLIDERS if s.key == "tp")
    begin = asked("model=gpt2 gpu=h100 tp=4")
    assert turned(tp, begin, 1) is begin
    assert turned(tp, asked("model=gpt2 gpu=h100 tp=2"), 1).layout.tp == 4


def test_strategies_have_the_devices_and_tokens_that_were_asked_for() -> None:
    for words in LINES:
        rows = strategies(asked(words))
        assert sum(row.chosen for row in rows) == 1
        for row in rows:
            layout, base = row.estimate.request.layout, asked(words).layout
            assert (layout.devices, layout.tokens) == (base.devices, base.tokens)


def block(words: str) -> Estimate:
    return Estimate(tuple(words.split()), line=7)


@pytest.mark.parametrize("slider", ["", "dp"])
@pytest.mark.parametrize("words", LINES)
def test_the_block_fits_under_a_title_of_80x24(words: str, slider: str) -> None:
    """A title with its line, air, keys and footer leave 18 of 24 rows; six strategies have two each."""
    lines = estimate_lines(block(words), "deck.md", 74, slider)
    assert len(lines) <= 18, len(lines)


@pytest.mark.parametrize("width", [30, 60, 80, 120])
def test_the_block_on_a_slide(width: int) -> None:
    lines = estimate_lines(block(LINES[0]), "deck.md", width)
    assert all(cells.line_width(line) <= width for line in lines)
    text = "\n".join(map(plain, lines))
    assert "Llama 3 8B" in text and "ZeRO-1" in text
    assert width < 80 or "computed, not measured" in text


@pytest.mark.parametrize(
    ("words", "why"),
    [("model=lama3-8b", "there is no model"), ("model=/etc/passwd", "there is no model"),
     ("model=./config.json", "there is no model"), ("model=gpt2 tp=5", "tp=5 does not divide 12 heads"),
     ("model=gpt2 gpus=8", "has no place on a slide"), ("tp=2", "nothing says what is trained")],
)  # fmt: skip
def test_what_cannot_be_is_a_box_with_its_line(words: str, why: str) -> None:
    """A deck reads no file of the machine: its models are the presets."""
    problem = trouble(block(words), "deck.md")
    assert problem is not None and why in problem.message and (problem.file, problem.line) == ("deck.md", 7)
    assert "deck.md:7" in "\n".join(map(plain, estimate_lines(block(words), "deck.md", 100)))


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 45), (200, 60)])
def test_every_strategy_has_both_bars_and_nothing_passes_for_measured(size: tuple[int, int]) -> None:
    """At 80x24 the last strategy had memory and no step, and nothing said that all of it is computed."""
    words = ["model=llama3-8b", "gpu=h100", "dp=12", "tp=2", "pp=2", "zero=1"]
    text = [plain(line) for line in screen(request(read(words)), 0, *size)]
    at = next(n for n, line in enumerate(text) if "one step" in line)
    names = ("DDP", "ZeRO-1", "ZeRO-2", "FSDP", "HSDP", "FSDP, TP 4", "PP 4")

    def drawn(lines: list[str]) -> list[str]:
        said = {name: {f" {name}  ", (letters(name, 99, ("slim",), 1) or [name])[0]} for name in names}
        rights = [line.partition("│")[2] for line in lines]
        return [name for name in names for right in rights if any(one in right for one in said[name])]

    assert drawn(text[:at]) == drawn(text[at:]) and "ZeRO-1" in drawn(text[:at])
    assert "computed" in text[-1]


def test_where_rows_are_few_strategies_go_and_experts_stay() -> None:
    words = "model=mixtral gpu=h100 dp=16 zero=3 seq=4096 recompute=full"
    every = [plain(line) for line in estimate_lines(block(words), "deck.md", 96)]
    few = [plain(line) for line in estimate_lines(block(words), "deck.md", 96, room=len(every) - 1)]
    assert len(few) < len(every) and any("PP 2" in line for line in every)
    assert not any("PP 2" in line for line in few)
    narrow = "\n".join(plain(line) for line in estimate_lines(block(words), "deck.md", 74))
    for text in ("\n".join(few), narrow):
        assert "EP 8" in text and "▸ FSDP" in text and "DDP" in text


def test_strategies_go_for_letters_only_where_these_have_room() -> None:
    """A few of them stood in ordinary rows, where all of them have room in such."""
    lines = [plain(line) for line in estimate_lines(block(LINES[0]), "deck.md", 74, room=36)]
    text = "\n".join(lines)
    assert len(lines) <= 36
    assert [row.name for row in strategies(asked(LINES[0])) if f" {row.name} " not in text] == []


@pytest.mark.parametrize(("size", "close"), [((80, 24), True), ((160, 45), False)])
def test_bars_right_below_each_other_are_no_block(size: tuple[int, int], close: bool) -> None:
    """Where no row is free between them they are lower than their rows; what nothing hides is hatched."""
    words = "model=llama3-8b gpu=h100 dp=16 tp=2 zero=3 recompute=selective"
    lines = shown(words, size=size)
    step = next(n for n, line in enumerate(lines) if "one step" in line)
    rows = [line for line in lines[step + 1 :] if " · " in line and "%" in line]
    assert len(rows) >= 4 and all("╱" in line for line in rows if "TP" in line)
    assert all(("▆" in line) == close and ("█" in line) != close for line in rows)
