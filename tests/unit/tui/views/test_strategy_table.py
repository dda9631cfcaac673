"""The strategy table on a slide: computed for the model that is named; beside it what was measured here."""

from __future__ import annotations

import pytest
import read_letters

from runtime.estimate.estimate import estimate
from runtime.estimate.inputs.layout import STRATEGIES
from runtime.estimate.report import strategy_rows
from runtime.estimate.request import read, request
from runtime.estimate.strategies import SAID
from runtime.estimate.strategy_table import SPLIT, Row, table
from runtime.protocol.figures import Comparison, Strategy
from slides.deck import Estimate
from slides.drawing import cells
from slides.drawing.large.letters import letters
from slides.drawing.text import plain
from slides.languages.program_words import say_in
from slides.reading.split import split
from slides.reading_order import blocks as walk
from slides.screen_size import Size
from tui.deck.contents import Contents
from tui.export.estimate_figure import estimate_figure
from tui.rendering.pages.offscreen import Offscreen
from tui.views.blocks.estimate import asked, estimate_lines, told, trouble

LINE = "model=llama3-8b gpu=h100 gpus=64"
GPT = "model=gpt-7.5b gpu=a100-40 gpus=64 flash=1"
MEASURED = Comparison(
    (
        Strategy("ddp", "ddp", state="done", memory_bytes=12_000_000, step_s=0.05),
        Strategy("zero stage=1", "zero", state="done", memory_bytes=8_000_000, step_s=0.06),
        Strategy("fsdp", "fsdp", state="running", memory_bytes=3_000_000, step_s=0.07),
    ),
    ranks=4, runs=3, steps=20,
)  # fmt: skip


def block(words: str = LINE) -> Estimate:
    return Estimate(tuple(words.split()), table=True, line=7)


def rows(words: str) -> dict[str, Row]:
    found = table(asked(block(words)))
    assert tuple(row.name.split()[0] for row in found) == STRATEGIES
    return {row.name.split()[0]: row for row in found}


def test_a_leaf_of_a_deck_is_the_table() -> None:
    slide = Contents(split(f"# Which?\n\n::: strategies {LINE}\n", "deck.md")).slide(0)
    found = [one for one in walk(slide.blocks) if isinstance(one, Estimate)]
    assert found and found[0].table and found[0].words == tuple(LINE.split())


def test_each_row_keeps_devices_and_batch() -> None:
    found = rows(LINE)
    base = request(read(["model=llama3-8b", "gpu=h100", "dp=64"]))
    assert asked(block()).layout == base.layout
    assert found["DP"].why and found["DP"].memory is None  # 64 devices are more than one machine
    memory = [found[name].memory or 0 for name in ("DDP", "ZeRO-1", "ZeRO-2", "FSDP")]
    assert memory == sorted(memory, reverse=True)
    assert found["FSDP"].traffic == pytest.approx(1.5 * (found["DDP"].traffic or 0))
    assert found["DDP"].chosen and not found["FSDP"].chosen


def test_one_process_holds_and_waits_for_more() -> None:
    """Device 0 has the logits of all others, and hides nothing of what it sends."""
    found = rows("model=gpt2-xl gpu=a100-40 gpus=8 seq=1024")
    dp, ddp = found["DP"], found["DDP"]
    assert (dp.memory or 0) - (ddp.memory or 0) == 7 * 4 * 1024 * 50257
    assert dp.traffic == 1_557_611_200 * 4 and (dp.step or 0) > (ddp.step or 0)
    assert found["TP"].why == "heads and ranks share no factor"  # 25 heads


@pytest.mark.parametrize("width", [30, 60, 74, 100, 152])
@pytest.mark.parametrize("measured", [None, MEASURED])
def test_the_table_at_any_width(width: int, measured: Comparison | None) -> None:
    lines = estimate_lines(block(), "deck.md", width, "dp", measured)
    text = [plain(line) for line in lines]
    assert all(cells.line_width(line) <= width for line in lines)
    assert all(any(name in line for line in text) for name in STRATEGIES)
    assert width < 60 or any("179 GB" in line for line in text)


def test_what_was_measured_stands_beside_and_says_so() -> None:
    text = "\n".join(plain(line) for line in estimate_lines(block(), "deck.md", 152, "", MEASURED))
    ddp = next(line for line in text.splitlines() if " DDP " in line)
    fsdp = next(line for line in text.splitlines() if " FSDP " in line)
    assert "12 MB" in ddp and "50 ms" in ddp and "3 MB" not in fsdp  # that one is not done
    assert "measured on this machine" in text and "all else is computed" in text
    alone = "\n".join(plain(line) for line in estimate_lines(block(), "deck.md", 152))
    assert "measured on this machine" not in alone and "computed, not measured" in alone


def test_the_table_is_in_the_language_of_the_deck() -> None:
    say = say_in("hi-Latn")
    words = {text for said in SAID.values() for text in said if text} | set(SPLIT.values())
    words |= {row.why for name in STRATEGIES if (row := rows("model=gpt2 gpus=4")[name]).why}
    assert sorted(text for text in words if say(text) == text) == []
    shown = [plain(line) for line in estimate_lines(block(GPT), "deck.md", 152, "", MEASURED, 0, say)]
    assert "hisaab hai, naap nahin" in shown[0] and "har step bheja" in shown[1] and "✗ fit nahin" in shown[3]
    assert len({line.index("B ") for line in shown[3:6]}) == 1  # of the bytes, below each other


@pytest.mark.parametrize(
    ("words", "why"),
    [("model=gpt2 gpus=8 dp=8", "gpus and dp say the same thing"),
     ("model=gpt2 tp=3 gpus=8", "not a multiple of tp x pp x cp = 3"),
     ("gpus=8", "nothing says what is trained"),
     ("model=gpt2 gpus=8 until=fsdb", "until=fsdb is not known"),
     ("model=gpt2 gpus=8 until=FSDP new=CP", "new=cp comes behind until=fsdp")],
)  # fmt: skip
def test_what_cannot_be_is_a_box(words: str, why: str) -> None:
    problem = trouble(block(words), "deck.md")
    assert problem is not None and why in problem.message


def test_a_screen_with_room_has_the_figures_in_letters() -> None:
    """Below them every row takes one line; the last row of a room reads neither."""
    large = estimate_lines(block(), "deck.md", 128, room=36)
    text = "\n".join(map(plain, large))
    assert len(large) == 2 + 3 * len(STRATEGIES) and max(map(cells.line_width, large)) <= 128
    assert "ZeRO-1" not in text and "fits one device" in text and "sent a step" in text
    drawn = letters("15.96 GB", 100, ("low",), 1) or []
    rows = [plain(line) for line in estimate_lines(block(GPT), "deck.md", 128, room=36)]
    at = next(n for n, row in enumerate(rows) if drawn[0].rstrip() in row)
    assert len({rows[at + n].index(part) for n, part in enumerate(drawn)}) == 1, (
        "its rows stand below each other"
    )
    spaced = [plain(line) for line in estimate_lines(block(), "deck.md", 128, room=24)]
    assert "" in spaced and any("ZeRO-1" in row for row in spaced)


def test_bars_are_as_thick_as_there_is_room() -> None:
    def rows_of_bars(room: int) -> int:
        words = Estimate(("model=llama3-70b", "gpu=h100", "gpus=64"), duel=True)
        return sum("optimizer" not in plain(line) and any(span.style.ground == "optimizer" for span in line)
                   for line in estimate_lines(words, "deck.md", 128, room=room))  # fmt: skip

    assert [rows_of_bars(room) for room in (0, 24, 40)] == sorted(rows_of_bars(room) for room in (0, 24, 40))
    assert rows_of_bars(40) >= 4


def test_context_and_experts_have_rows() -> None:
    """Context parallelism cuts activations and no state, experts what a token does not use."""
    found = rows("model=mixtral-8x7b gpu=b200 gpus=64 seq=32768")
    whole = estimate(asked(block("model=mixtral-8x7b gpu=b200 gpus=64 seq=32768"))).memory
    assert (found["CP"].memory or 0) == pytest.approx(whole.total - 7 / 8 * whole.activations)
    experts = found["EP"]
    assert experts.name == "EP 8" and experts.when and experts.complexity and experts.step
    stored = 46.70e9 - 7 / 8 * (46.70e9 - 1.605e9)  # the rest is 1.605e9
    assert (experts.memory or 0) - (found["DDP"].memory or 0) == pytest.approx(
        16 * (stored - 46.70e9), rel=0.01
    )
    assert rows(LINE)["EP"].why == "the model has no experts"


def test_a_small_terminal_has_room_for_all_rows() -> None:
    """Under a title 80x24 has 18 rows, of 74 cells."""
    words = "model=mixtral-8x7b gpu=b200 gpus=64 seq=32768"
    assert len(estimate_lines(block(words), "deck.md", 74, "dp", MEASURED)) <= 18
    head, titles, *body = (plain(line) for line in estimate_lines(block(words), "deck.md", 74))
    assert "computed, not measured" in head
    assert titles.split() == ["strategy", "memory", "step", "sent", "when"]
    assert all("…" not in line for line in body)


def test_what_was_asked_for_has_a_row_of_its_own() -> None:
    found = table(asked(block("model=llama3-8b gpu=h100 tp=4 dp=4 zero=3 shard=2")))
    assert found[0].name == "as given" and found[0].chosen and found[0].memory
    assert sum(row.chosen for row in found) == 1


def test_a_table_grows_from_lesson_to_lesson() -> None:
    """`until=` is its last row, `new=` the first that no earlier table had; what was asked for stays."""
    words = "model=gpt-7.5b gpu=a100-80 gpus=4"
    grown = f"{words} until=FSDP new=ZeRO-1"
    marks = {"DP": False, "DDP": False, "ZeRO-1": True, "ZeRO-2": True, "FSDP": True}
    assert {row.name: row.new for row in table(asked(block(grown)))} == marks
    narrow = estimate_lines(block(grown), "deck.md", 92, room=40)
    assert "33.61 GB" in "\n".join(map(plain, narrow)), "what is sent does not go for letters"
    told_large = estimate_lines(block(grown), "deck.md", 128, room=40)
    large = read_letters.read("\n".join(map(plain, told_large))).split("\n")
    assert [row for row in large if row.startswith("+ ")] == [
        "+ the optimizer does not fit", "+ nor do the gradients", "+ nor the weights (sends 1.5 x)"
    ]  # fmt: skip
    for room in (0, 24):
        text = "\n".join(plain(line) for line in estimate_lines(block(grown), "deck.md", 128, room=room))
        assert "+ new" in text.splitlines()[0] and text.count("+ ") == 1 + 3
        alone = estimate_lines(block(f"{words} until=DDP"), "deck.md", 128, room=room)
        assert "+ " not in "\n".join(map(plain, alone))
    (grid,) = estimate_figure(block(grown), "deck.md", 100).grids
    assert [row[0] for row in grid.rows][1:3] == ["DDP", "ZeRO-1 (new)"]
    assert [line.split(":")[0] for line in told(block(grown))[2:4]] == ["DDP (as given)", "ZeRO-1 (new)"]
    turned = table(asked(block(f"{words} until=DDP zero=3")))
    assert [(row.name, row.chosen) for row in turned] == [("DP", False), ("DDP", False), ("FSDP", True)]
    wrong = trouble(block(f"{words} until=fsdb"), "deck.md")
    assert wrong is not None and "fsdp" in wrong.mend and "zero-1" in wrong.mend
    for other in (
        Estimate(("model=gpt2", "until=ddp")),
        Estimate(("model=gpt2", "gpu=h100", "gpus=8", "new=tp"), duel=True),
    ):
        problem = trouble(other, "deck.md")
        assert problem is not None and "is of a strategy table" in problem.message


def test_the_same_rows_in_lines_in_a_document_and_in_json() -> None:
    """A class in lines, an export and `--strategies` had another table, without DP, TP or PP alone."""
    words = "model=mixtral-8x7b gpu=b200 gpus=64"
    (grid,) = estimate_figure(block(words), "deck.md", 100).grids
    e = estimate(asked(block(words)))
    names = [row.name for row in table(e.request)]
    assert [row[0] for row in grid.rows] == names
    assert [row["name"] for row in strategy_rows(e)] == names
    said = told(block(words))[1:]
    assert [line.split(":")[0].removesuffix(" (as given)") for line in said] == names
    assert "sent a step" in said[1] and "one process" in said[0]


@pytest.mark.parametrize(
    "words",
    [
        "model=gpt2 gpus=1",
        "model=mixtral-8x7b gpus=48",
        "params=7e9 gpu=l4 gpus=7",
        "model=gpt2 gpu=h100 gpus=6 tp=3",
    ],
)
def test_a_row_has_figures_or_says_why_not(words: str) -> None:
    for row in table(asked(block(words))):
        known = row.memory is not None
        assert known != bool(row.why) and known == (row.traffic is not None)
        assert row.when and (row.complexity or row.chosen)


def test_one_device_has_nothing_to_split() -> None:
    """It was said to want a factor in common with the heads, and another machine."""
    found = rows("model=mixtral-8x7b gpus=1")
    assert {found[name].why for name in ("DP", "TP", "PP", "CP", "EP")} == {"there is one device"}
    held = {row.name: row for row in table(asked(block("model=gpt2 gpu=h100 gpus=4 tp=4")))}
    assert held["TP"].why == held["CP"].why == "no data parallel ranks are left"


def test_words_beside_a_table_are_as_large_as_it() -> None:
    words = "Sixteen bytes a parameter."
    deck = split(f"# Which?\n\n::: strategies {GPT} until=DDP\n\n{words}\n", "deck.md")
    for size, small in ((Size(160, 45), False), (Size(80, 24), True)):
        shown = "\n".join(map(plain, Offscreen(Contents(deck)).screen(0, size)))
        assert (words in shown) == small and words in read_letters.read(shown)
