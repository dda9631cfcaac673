"""The strategy table, in pictures: before the first run, half way, complete, and with one that failed."""

from __future__ import annotations

from html.parser import HTMLParser

import made_snapshots as made
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from pictured import same_as_picture

from runtime.protocol.figures import Comparison, Strategy
from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import plain
from tui.reports.runs.comparison_page import page
from tui.views.compare import compare

N = 3_475_456


def strategy(label: str, parts: float, ms: float, **changes: object) -> Strategy:
    memory = {
        "params": int(4 * N / (parts if label.startswith(("fsdp", "hsdp")) else 1)),
        "grads": int(4 * N / (parts if label.startswith(("fsdp", "hsdp")) else 1)),
        "optimizer_bytes": int(8 * N / parts),
        "activations": 13_200_000,
        "gathered": 5_800_000 if label.startswith(("fsdp", "hsdp")) else 0,
    }
    made = Strategy(
        label, label.split()[0], "done", "", 3, sum(memory.values()), memory,
        ms / 1e3, ms / 1.05e3, ms / 0.97e3, 2048 / ms * 1e3, int(4 * N * (3 if parts > 2 else 1)),
        int(6 * N * (2 if parts > 2 else 1)), int(6 * N * (1.5 if parts > 2 else 1)), "",
        () if label == "ddp" else ("its reduce-scatter is an all-reduce inside",), 0.09, 1.79,
        True, "when the model fits on every rank" if label == "ddp" else "when its optimizer state does not",
    )  # fmt: skip
    return replace(made, **changes)


def snapshot(*rows: Strategy) -> Snapshot:
    return replace(made.running(), comparison=Comparison(rows, 4, 3, 24))


FULL = snapshot(
    strategy("ddp", 1, 106.2),
    strategy("zero stage=1", 4, 112.5),
    strategy("fsdp", 4, 223.8, exposed=0.36),
    strategy("hsdp", 2, 228.5, exposed=0.24, loss=1.9, same=False),
)
BEGUN = snapshot(
    replace(FULL.comparison.rows[0], runs=1, state="running"),
    Strategy("zero stage=1", "zero"),
    Strategy("fsdp", "fsdp", "failed", "rank 2 was killed by SIGKILL (after step 3)"),
)
CASES = {
    "compare_60x12": (FULL, 60, 12),
    "compare_80x14": (FULL, 80, 14),
    "compare_100x16": (FULL, 100, 16),
    "compare_160x18": (FULL, 160, 18),
    "compare_begun_100x14": (BEGUN, 100, 14),
}


@pytest.mark.parametrize("name", CASES)
def test_pictures(name: str) -> None:
    drawn = "\n".join(plain(line).rstrip() for line in compare(*CASES[name])) + "\n"
    same_as_picture(name, drawn)


def test_without_a_comparison_it_says_so() -> None:
    assert plain(compare(made.running(), 40, 3)[0]).startswith("nothing is compared")


def test_the_page_is_whole_and_says_what_the_table_says() -> None:
    hostile = replace(BEGUN.comparison, rows=(*BEGUN.comparison.rows, strategy("<script>x</script>", 1, 5.0)))
    text = page(hostile, "4 ranks", "LIVE CPU", "2026-11-21", "Linux & friends")
    read = Reader()
    read.feed(text)
    read.close()
    assert read.open == [] and "script" not in read.tags
    assert {"68.8 MB", "106 ms", "failed: rank 2 was killed by SIGKILL (after step 3)"} <= set(read.words)
    assert "Measured 2026-11-21 on Linux & friends." in "".join(read.words)
    assert "//" not in text and "default-src 'none'" in text  # nothing is loaded


class Reader(HTMLParser):
    """Words and tags of a page; `open` are the tags that were never closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open, self.tags, self.words = list[str](), set[str](), list[str]()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        if tag not in ("meta", "rect", "line", "circle", "html"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


@settings(max_examples=60)
@given(st.integers(1, 200), st.integers(0, 30), st.sampled_from([FULL, BEGUN]))
def test_any_size_is_filled_exactly(width: int, height: int, shown: Snapshot) -> None:
    lines = compare(shown, width, height)
    assert len(lines) == height
    assert all(cells.line_width(line) in (0, width) for line in lines)


def test_what_crosses_nodes_has_a_column_where_there_are_several() -> None:
    assert FULL.comparison is not None
    assert "crossing" not in "\n".join(plain(line) for line in compare(FULL, 160, 18))
    rows = tuple(
        replace(row, crossing=size) for row, size in zip(FULL.comparison.rows, (3, 3, 6, 2), strict=True)
    )
    for width, height in ((160, 18), (100, 16), (80, 14)):
        found = [plain(line) for line in compare(snapshot(*rows), width, height)]
        assert "crossing" in "\n".join(found)
        assert any("fsdp" in line and "6 B" in line for line in found)
