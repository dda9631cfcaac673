"""What a program prints: nothing lost but the oldest, nothing unbounded, however it comes in pieces."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from runtime.snippets.output_lines import LONGEST, MOST_CHARS, MOST_LINES, Printed


def printed(*pieces: bytes, final: bool = True) -> Printed:
    found = Printed()
    for piece in pieces:
        found.feed(piece)
    if final:
        found.feed(b"", final=True)
    return found


def lines(found: Printed) -> tuple[str, ...]:
    return found.lines(0, MOST_CHARS)[1]


def test_lines_and_the_one_without_an_end() -> None:
    found = printed(b"one\ntwo\r\n\nthr", final=False)
    assert (lines(found), found.open) == (("one", "two", ""), "thr")
    found.feed(b"ee\xe2")
    found.feed(b"\x82\xac", final=True)
    assert (lines(found), found.open) == (("one", "two", "", "three€"), "")


def test_a_progress_bar_overwrites_itself() -> None:
    found = printed(b" 10 %\r 20 %\r", b" 30 %", final=False)
    assert found.open == " 30 %"
    found.feed(b"\rdone\n")
    assert lines(found) == ("done",)


@given(
    st.lists(st.sampled_from([b"a", b"\r", b"\n", b"\r\n", b"\xe2\x82\xac", b"\xff"]), max_size=20), st.data()
)
def test_pieces_may_be_cut_anywhere(parts: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(parts)
    cut = data.draw(st.integers(0, len(whole)))
    assert lines(printed(whole[:cut], whole[cut:])) == lines(printed(whole))


def test_the_oldest_goes_first_and_numbers_stay() -> None:
    found = printed(*(b"%d\n" % n for n in range(MOST_LINES + 10)))
    assert (found.first, found.end) == (10, MOST_LINES + 10)
    assert found.lines(0, 8) == (10, ("10", "11", "12"))
    assert found.lines(12, 1) == (12, ("12",))
    assert found.lines(10**9, 8) == (MOST_LINES + 10, ())


def test_a_line_without_end_is_broken() -> None:
    found = printed(*[b"x" * 65536] * 64, final=False)
    assert len(found.open) <= LONGEST
    assert sum(map(len, lines(found))) <= MOST_CHARS
    assert {len(line) for line in lines(found)} == {LONGEST}
