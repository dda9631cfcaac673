"""`teachrun estimate --screen`: arrows choose and turn, `f` opens the formulas, `s` shows ever more devices,
`m` measures, q closes."""

from __future__ import annotations

import asyncio

import pytest

from runtime.estimate.estimate import estimate
from runtime.estimate.explained_figures import disagreements, terms
from runtime.estimate.inputs.layout import Layout
from runtime.estimate.request import read, request
from runtime.estimate.scaling import scaling
from runtime.supervision.memory_formula_check import MemoryCheck, Term
from slides.drawing.text import plain
from tui.reports.runs import memory_measured
from tui.screens.estimate import EstimateScreen


def shown(app: EstimateScreen) -> str:
    return "\n".join(plain(line) for line in app.lines.lines)


async def test_arrows_change_the_figures() -> None:
    app = EstimateScreen(request(read(["model=llama3-8b", "gpu=h100", "dp=8", "zero=3", "seq=8192"])), "")
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        before = app.asked
        assert "▸ FSDP" in shown(app) and "8 192" in shown(app)
        await pilot.press("down", "right")
        assert app.asked.layout.seq == 16384 and "16 384" in shown(app)
        await pilot.press("left")
        assert app.asked.layout == before.layout
        await pilot.press(*["down"] * 8, "left")
        assert app.asked.layout.zero == 2 and "▸ ZeRO-2" in shown(app)
        await pilot.press("f")
        assert "memory.parameters" in shown(app) and "arXiv 1910.02054" in shown(app)
        await pilot.press("down")
        assert "params =" not in shown(app)
        await pilot.press("escape")
        assert "▸ ZeRO-2" in shown(app)
        await pilot.press("T")
        assert app.look == "light"
        await pilot.press("q")
    assert app.return_code == 0


async def test_every_formula_comes_up_on_the_smallest_screen() -> None:
    asked = request(read(["model=llama3-8b", "gpu=h100", "dp=8", "zero=3"]))
    app = EstimateScreen(asked, "")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f")
        seen = shown(app)
        for _ in range(60):
            await pilot.press("down")
            seen += shown(app)
    for term in terms(estimate(asked)):
        assert f"{term.name} = " in seen
    for said in disagreements(estimate(asked)):
        assert said.split()[-1] in seen and " ".join(said.split()[:3]) in seen
    assert shown(app).count("sources disagree") == 1  # the last, and nothing behind it


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 45)])
async def test_s_shows_where_each_strategy_ends(size: tuple[int, int]) -> None:
    asked = request(read(["model=llama3-8b", "gpu=h100", "dp=8", "zero=3"]))
    app = EstimateScreen(asked, "")
    async with app.run_test(size=size) as pilot:
        await pilot.press("s")
        text = shown(app)
        assert "16k" in text and "computed" in text
        for row in scaling(asked):
            assert row.name in text
            if row.stops and row.begins:
                assert f"fits from {row.begins}, makes sense below {row.stops}: {row.term}" in text
        await pilot.press("right", "down")
        assert app.asked.layout.dp == 16 and app.chosen == 0
        await pilot.press("escape")
        assert "one step" in shown(app)
        await pilot.press("s", "f")
        assert "params =" in shown(app)


async def test_m_runs_the_matching_demo_and_says_it_was_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Layout] = []
    go = asyncio.Event()

    async def measure(layout: Layout) -> MemoryCheck:
        asked.append(layout)
        await go.wait()
        peak = Term("peak", 990_000, 1_000_000)
        return MemoryCheck("fsdp ranks=4", 0, 4, (), peak, 1_000_000, "LIVE CPU")

    monkeypatch.setattr(memory_measured, "measure", measure)
    app = EstimateScreen(request(read(["model=gpt2", "gpu=h100", "dp=4", "zero=3"])), "")
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press("m", "m")
        await pilot.press("down", "right")  # it goes on meanwhile
        assert "running the demo" in shown(app) and app.asked.layout.seq == 2048
        go.set()
        await pilot.pause()
        assert "Measured" in shown(app) and "allocator's peak 1 MB, -1.00%" in shown(app)
        assert [layout.zero for layout in asked] == [3]
        go.clear()
        await pilot.press("m", "q")  # what is still running is ended with the screen
    assert app.return_code == 0 and len(asked) == 2
