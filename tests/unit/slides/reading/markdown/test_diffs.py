"""Diffs: what people write, what two versions give, and what each step shows of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slides.deck import Code
from slides.drawing.blocks.listing import listing
from slides.drawing.text import plain
from slides.problems import Mistake
from slides.reading.from_disk.named_files import Sources
from slides.reading.markdown import diffs
from slides.reading.markdown.fences import parse_info, read_code

OLD = "import torch\n\nmodel = Net()\nloss = 0\nfor x in data:\n    step(x)\nprint(loss)"
NEW = OLD.replace("torch\n", "torch\nimport dist\n").replace("Net()", "DDP(Net())") + "\nend()"


def test_both_ways_of_writing_signs_mean_the_same() -> None:
    tight = diffs.parse(" a = 1\n-b = 2\n+b = 3\n\n     c")
    loose = diffs.parse("a = 1\n- b = 2\n+ b = 3\n\n    c")
    assert tight == loose == diffs.Signed("a = 1\nb = 2\nb = 3\n\n    c", " -+  ")


def test_heads_of_git_diff_name_the_file_and_are_not_shown() -> None:
    found = diffs.parse(
        "diff --git a/t.py b/t.py\nindex 1..2 100644\n--- a/t.py\n+++ b/t.py\n@@ -2 +2 @@\n-a\n+b"
    )
    assert found == diffs.Signed("@@ -2 +2 @@\na\nb", "@-+", "t.py")


def test_rows_are_numbered_in_their_own_version() -> None:
    signed = diffs.between(OLD, NEW, 1)
    found = diffs.rows(*signed[:2])
    seen = [(found[n].sign, number, found[n].change) for n, _, number in diffs.shown(found, None)]
    assert seen == [
        (" ", 1, 0),
        ("+", 2, 1),
        (" ", 3, 0),  # a blank line alone parts no change
        ("-", 3, 1),
        ("+", 4, 1),
        (" ", 5, 0),
        ("@", 8, 0),
        (" ", 8, 0),
        ("+", 9, 2),
    ]
    assert [row.left_out for row in found if row.sign == "@"] == [2]


def test_numbers_of_a_step_are_those_of_the_file_as_it_is_then() -> None:
    found = diffs.rows(*diffs.between("a\nb\nc\nd", "A\nA2\nb\nc\nD", None)[:2])
    numbers = [[number for _, _, number in diffs.shown(found, frame)] for frame in range(4)]
    assert numbers == [[1, 2, 3, 4], [1, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 5], [1, 2, 3, 4, 5]]


def steps(old: str, new: str) -> list[list[str]]:
    signed = diffs.between(old, new, None)
    code = Code("python", signed.source, diff=signed.signs, stepwise=True)
    count = diffs.changes(code.source, code.diff)
    return [[plain(line).strip() for line in listing(code, n, 60)] for n in range(count + 2)]


def test_steps_lead_from_the_older_version_to_the_newer() -> None:
    first, one, two, last = steps("a\nb\nc\nd\ne", "a\nB\nc\nd\nE\nf")
    assert [line for line in first if line] == list("abcde")
    assert [line for line in one if line] == ["a", "- b", "+ B", "c", "d", "e"]
    assert [line for line in two if line] == ["a", "+ B", "c", "d", "- e", "+ E", "+ f"]
    assert [line for line in last if line] == ["a", "+ B", "c", "d", "+ E", "+ f"]
    assert len({len(lines) for lines in (first, one, two, last)}) == 1  # the slide never jumps


def test_changed_words_are_told_apart() -> None:
    assert diffs.words_changed("model = Net()", "model = DDP(Net())") == ([], [(8, 12), (17, 18)])
    assert diffs.words_changed("a = 1", "import torch.distributed") == ([], [])


def test_unchanged_lines_are_dim_and_changed_ones_keep_their_colours() -> None:
    code = read_code(parse_info("diff python"), " import a\n-x = 1\n+x = 2", Sources())
    inks = {
        plain(line).strip()[:1]: {s.style.ink for s in line if s.text.strip()}
        for line in listing(code, 0, 40)
    }
    grounds = {plain(line).strip()[:1]: {s.style.ground for s in line} for line in listing(code, 0, 40)}
    assert inks["i"] == {"dim"}
    assert "code.number" in inks["+"] and "good" in inks["+"] and "bad" in inks["-"]
    assert (grounds["+"], grounds["-"], grounds["i"]) == ({"added"}, {"removed"}, {"panel"})


def test_versions_that_cannot_be_compared() -> None:
    with pytest.raises(Mistake, match="the same"):
        diffs.between("a", "a")
    with pytest.raises(Mistake, match="at most"):
        diffs.between("a", "b\n" * 3000)


text = st.lists(
    st.sampled_from(["a", "  b", "", "+c", "-d", " e", "@@ -1 +1 @@"]), min_size=1, max_size=12
).map("\n".join)


@given(text, text, st.none() | st.integers(0, 3))
def test_what_two_versions_give_is_read_back(old: str, new: str, context: int | None) -> None:
    if old == new:
        return
    signed = diffs.between(old, new, context)
    again = diffs.parse(diffs.written(signed.source, signed.signs))
    assert again[:2] == signed[:2]
    if context is None:
        assert diffs.version(*signed[:2], "-") == old
        assert diffs.version(*signed[:2], "+") == new


@given(st.text(alphabet="+- @a1,\n\\", max_size=80), st.integers(1, 50))
def test_any_text_is_drawn(body: str, width: int) -> None:
    signed = diffs.parse(body)
    for stepwise in (False, True):
        code = Code("python", signed.source, diff=signed.signs, stepwise=stepwise, numbers=True)
        listing(code, 1, width)


def test_a_part_of_a_diff_is_lines_of_the_newer_file_and_what_was_removed_before_them() -> None:
    whole = diffs.between("a\nb\nold\nc\nd", "a\nb\nnew\nc\nd", None)
    part = diffs.part(whole, 3, 4)
    assert (part.signs[1:], part.source.split("\n")[1:]) == ("-+ ", ["old", "new", "c"])
    assert part.signs[0] == "@" and part.source.startswith("@@ -3")
    assert diffs.part(whole, 1, 5) == whole
