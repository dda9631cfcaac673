"""`teachrun estimate --screen`: arrows choose and turn, `f` opens the formulas, q closes."""

from __future__ import annotations

from runtime.estimate.request import read, request
from slides.drawing.text import plain
from tui.screens.estimate import EstimateScreen


def shown(app: EstimateScreen) -> str:
    return "\n".join(plain(line) for line in app.lines._lines)


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
        await pilot.press(*["down"] * 7, "left")
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
