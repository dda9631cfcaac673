"""A scene written in a deck: what its lines make, and what is said of those that cannot be read."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from read_letters import read as said_by

from slides.check import reading
from slides.deck import Box as Boxed
from slides.deck import Scene, Slide
from slides.drawing.layout import layout
from slides.drawing.text import plain
from slides.palette import DARK, THEMES
from slides.reading.parse import parse_slide
from slides.reading.split import split
from slides.scenes.author_scene import WORDS, NotWritten, mistakes, states
from slides.scenes.painting import lines as painted
from slides.scenes.painting import marks_of, written
from slides.scenes.shapes import Box, Label, Packet, Path, State

BODY = """\
row: rank 0, rank 1 (grads)
row: _, sum (good), _
link: rank 0 -> sum
link: rank 0 -- rank 1
legend: gradients (grads)

step: Each has its own
They are of one size.
Everywhere.
step: Rank 0 sends
light: rank 0
show: sum
send: rank 0 -> sum (12 MB)
note: sum = 12 MB
step: And is gone
hide: rank 0
ink: rank 1 (params)
"""


def of(state: State, kind: type) -> dict[str, object]:
    return {shape.id: shape for shape in state.shapes if isinstance(shape, kind)}


def slide(body: str) -> Slide:
    return parse_slide(split(f"# A\n\n::: scene\n{body}:::\n\nafter\n", "d.md"), 0)


def test_its_lines_make_boxes_links_and_steps() -> None:
    first, second, third = states(BODY)
    assert (first.lead, first.caption) == ("Each has its own", "They are of one size. Everywhere.")
    assert first.legend == (("grads", "gradients"),)
    assert set(of(first, Box)) == {"box rank 0", "box rank 1"}  # what a step shows is not there before it
    assert len(of(first, Path)) == 1 and len(of(second, Path)) == 2
    assert [shape.head for shape in second.shapes if isinstance(shape, Path)] == [True, False]
    lit = [shape.id for shape in second.shapes if isinstance(shape, Box) and shape.glow]
    assert lit == ["box rank 0"]
    (packet,) = (shape for shape in second.shapes if isinstance(shape, Packet))
    assert packet.text == "12 MB"
    assert [shape.text for shape in third.shapes if isinstance(shape, Label)] == ["12 MB"]  # it stays
    inks = {shape.id: shape.ink for shape in third.shapes if isinstance(shape, Box)}
    assert inks == {"box rank 1": "params", "box sum": "good"}


def test_a_box_has_one_place_in_all_steps() -> None:
    places = [
        {shape.id: shape.at for shape in state.shapes if isinstance(shape, Box)} for state in states(BODY)
    ]
    assert places[0].items() <= places[1].items()


def cells(body: str, step: int, columns: int, rows: int) -> list[str]:
    return [plain(line) for line in painted(states(body)[step], columns, rows, DARK, "quadrants")]


NOTED = """\
row: left, middle, right
row: _, sum, _
link: left -> sum
link: right -> sum
step: What each has
note: left = has 12
note: right = has 4
send: left -> sum (12 out)
"""


def test_links_of_a_row_do_not_cross_on_their_way_to_one_box() -> None:
    """Each box has words under it, so that its link begins at its side."""
    names = [f"rank {n}" for n in range(4)]
    body = f"row: {', '.join(names)}\nrow: mean\n"
    body += "".join(f"link: {name} -> mean\n" for name in names)
    body += "step: all\n" + "".join(f"note: {name} = {n}\n" for n, name in enumerate(names))
    paths = [shape.points for shape in states(body)[0].shapes if isinstance(shape, Path)]
    for x in (0, -1):
        assert [path[x][0] for path in paths] == sorted({path[x][0] for path in paths})


@pytest.mark.parametrize(("columns", "rows"), [(76, 15), (96, 18), (156, 30), (196, 42)])
def test_links_go_past_what_a_box_says_and_behind_what_is_sent(columns: int, rows: int) -> None:
    drawn = cells(NOTED, 0, columns, rows)
    for words, left, right in (("has 12", 0.0, 0.3), ("12 out", 0.27, 0.40), ("has 4", 0.77, 1.0)):
        strip = "\n".join(row[int(left * columns) : int(right * columns)] for row in drawn)
        assert words in said_by(strip), strip
    for row in (row for row in drawn if "has 12" in row):
        beside = row[: row.index("has 12") + len("has 12") + 1]
        assert not any("\u2800" <= sign <= "\u28ff" for sign in beside), row
    state = states(NOTED)[0]
    marks, words = marks_of(state, columns, rows)
    box = next(word.within for word in words if word.text == "12 out")
    assert box is not None
    inside = [
        glyph.text
        for (row, column), glyph in written(marks, words, columns, rows, state).cells.items()
        if box[0] < (column + 0.5) / columns < box[2] and box[1] < (row + 0.5) / rows < box[3]
    ]
    assert inside and not any("\u2800" <= sign <= "\u28ff" for sign in inside)


def test_what_two_boxes_send_each_other_is_seen_both_ways() -> None:
    body = "row: a, b\nlink: a -- b\nstep: swap\nsend: a -> b (8)\nsend: b -> a (4)\n"
    for columns, rows in ((76, 15), (96, 18), (156, 30)):
        said = said_by("\n".join(cells(body, 0, columns, rows)))
        assert "8" in said and "4" in said, said
    packets = [one for one in states(body)[0].shapes if isinstance(one, Packet)]
    assert [one.along for one in packets] == pytest.approx([1 / 3, 1 / 3])  # each a third of its own way


@pytest.mark.parametrize("rows", [15, 18, 30])
def test_in_three_rows_a_link_goes_past_what_stands_under_its_box(rows: int) -> None:
    body = (
        "row: a, b\nrow: c\nrow: d\nlink: a -> c\nlink: c -> d\nstep: x\nnote: a = has 12\nnote: c = is 7\n"
    )
    drawn = cells(body, 0, 96, rows)
    assert not any("has 12" in row and "⠒⠒⠒⠒" in row for row in drawn), drawn
    noted = {box.id: box for box in states(body)[0].shapes if isinstance(box, Box)}
    for path in (one for one in states(body)[0].shapes if isinstance(one, Path)):
        (_, top), (_, bottom) = path.points
        above, below = (noted[f"box {name}"] for name in path.id.replace("link box ", "").split(" box "))
        assert (top, bottom) == (above.at[1] + above.size[1], below.at[1])


def test_names_are_in_letters_on_the_screen_of_a_room_and_of_one_size_in_all_steps() -> None:
    body = NOTED + "step: And then\nlight: sum\nstep: The last\nhide: middle\n"
    for step in range(3):
        drawn = cells(body, step, 156, 30)
        assert not any("sum" in row or "left" in row for row in drawn)
        assert "sum" in said_by("\n".join(drawn)) and "left" in said_by("\n".join(drawn))
    assert any("left" in row for row in cells(body, 0, 96, 30))


def test_in_a_deck_its_steps_are_steps() -> None:
    read = slide(BODY)
    assert read.steps == 3 and not any(isinstance(block, Boxed) for block in read.blocks)
    said = said_by("\n".join(plain(line) for line in layout(read, 1, 110, 34)))
    assert "Rank 0 sends" in said and "rank 1" in said and "after" in said


@pytest.mark.parametrize(
    ("line", "at", "said"),
    [
        ("rwo: a, b", 0, "Did you mean `row:`?"),
        ("row: a, a", 0, "there twice"),
        ("row: a (blu)", 0, "there is no ink"),
        ("row: a, b\nlink: a -> c", 1, "there is no box `c`"),
        ("row: rank 0\nstep: x\nlight: rnk 0", 2, "Did you mean `rank 0`?"),
        ("row: a\nlight: a", 1, "before the first step"),
        ("row: a\nstep: x\nrow: b", 2, "behind a step"),
        ("row: a\nstep: x\nsend: a", 2, "from one box to another"),
        ("row: a\nstep: x\nsend: a ->", 2, "the name of a box is missing"),
        ("row: a\nstep: x\nink: a", 2, "in brackets behind the box"),
        ("step: nothing there", 0, "needs boxes"),
        ("", 0, "needs boxes"),
        ("row: a, ", 0, "without a name"),
        ("row: " + ", ".join(f"b{n}" for n in range(64)), 0, "more than 20 boxes in a row"),
        ("\n".join("row: " + ", ".join(f"b{n}.{m}" for m in range(17)) for n in range(4)), 3, "more than 64"),
    ],
)
def test_what_cannot_be_read_is_a_box_at_its_line(line: str, at: int, said: str) -> None:
    deck = split(f"# A\n\n::: scene\n{line}\n:::\n", "d.md")
    read = parse_slide(deck, 0)
    (box,) = (block for block in read.blocks if isinstance(block, Boxed))
    assert said in f"{box.problem.message} {box.problem.mend}"
    assert box.problem.line == 4 + at
    assert reading(deck, [read])


def test_one_that_is_not_closed_says_what_is_missing() -> None:
    read = parse_slide(split("# A\n\n::: scene\nrow: a\n", "d.md"), 0)
    assert any(isinstance(block, Boxed) for block in read.blocks)
    assert not any(isinstance(block, Scene) for block in read.blocks)


@pytest.mark.parametrize(
    ("item", "name", "ink"),
    [("a (grads)", "a", "grads"), ("a b(grads) ", "a b", "grads"), ("a (x) (grads)", "a (x)", "grads")],
)
def test_an_ink_is_what_the_last_brackets_hold(item: str, name: str, ink: str) -> None:
    made = states(f"row: {item}, z")
    assert any(shape.id == name or getattr(shape, "text", "") == name for shape in made[0].shapes), made
    with pytest.raises(NotWritten, match="no ink"):
        states(f"row: {item.replace(ink, 'blu')}, z")


lines = st.tuples(
    st.sampled_from([*WORDS, "", "x"]), st.text(st.sampled_from("ab,_->()= \x1b漢"), max_size=20)
)


@settings(deadline=None, max_examples=150)
@given(st.lists(lines.map(lambda line: f"{line[0]}: {line[1]}"), max_size=12))
def test_no_line_breaks_it(found: list[str]) -> None:
    try:
        made = states("\n".join(["row: a, b", *found]))
    except NotWritten as why:
        assert why.message and why.mend and 0 <= why.line <= len(found)
        return
    for state in made:
        assert len({shape.id for shape in state.shapes}) == len(state.shapes)


def said(body: str) -> list[str]:
    return [f"{one.line}: {one.message}. {one.mend}" for one in mistakes(body)]


def test_every_mistake_of_a_block_is_named_and_none_that_follows_from_another() -> None:
    found = said("row: a, b (blu), c\nlink: a -> c\nstep: x\nsend: a -> q\nlight: a\nink: a (rde)\nnote: a")
    assert [line[:2] for line in found] == ["0:", "5:", "6:"]
    assert [line[:2] for line in said("row: a, b\nlink: a -> q\nsetp: x\nlight: b\nsend: b -> q")] == [
        "1:", "2:", "4:",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("sned: worker 0 -> server (g)", "send"),
        ("colour: red", "ink"),
        ("lihgt: server", "light"),
        ("shows: nobody", "show"),
        ("nte: server = 3", "note"),
        ("Send it: to all", ""),
        ("Now: everybody waits", ""),
        ("now: everybody waits", ""),
        ("ring: everybody sends", ""),
        ("time: 3 ms", ""),
        ("cost: 12 MB", ""),
        ("https: a protocol", ""),
    ],
)
def test_a_mistyped_word_is_told_from_words_of_the_step(line: str, meant: str) -> None:
    found = said(f"row: server, worker 0\nstep: Push\n{line}\nlight: server")
    assert [one for one in found if f"Did you mean `{meant}:`?" in one and one.startswith("2:")] == found
    assert bool(found) == bool(meant)


def test_check_names_all_of_them_and_a_doubt_leaves_the_scene_as_it_is() -> None:
    deck = split("# A\n\n::: scene\nrow: a, b\nstep: x\nsned: a -> b\ncolour: red\n:::\n", "d.md")
    read = parse_slide(deck, 0)
    assert any(isinstance(block, Scene) for block in read.blocks)
    said = [(problem.line, problem.mend.split("`")[1]) for problem in read.problems]
    assert said == [(6, "send:"), (7, "ink:")]
    bad = split("# A\n\n::: scene\nrow: a (q)\nstep: x\nink: a (r)\n:::\n", "d.md")
    assert [problem.line for problem in reading(bad, [parse_slide(bad, 0)])] == [4, 6]


def test_several_ways_stand_on_one_line_and_a_box_alone_is_led_to_by_the_last_start() -> None:
    rows = "row: a, b, c\nlink: a -> b, b -> c\nstep: One\nsend: a -> b (1 MB, half), c (2 MB), c -> b\n"
    state = states(rows)[0]
    assert set(of(state, Path)) == {"link box a box b", "link box b box c"}
    sent = {(shape.text, shape.points[0] < shape.points[-1]) for shape in of(state, Packet).values()}  # type: ignore[attr-defined]
    assert sent == {("1 MB, half", True), ("2 MB", True), ("", False)}
    for line, says in (
        ("link: a", "goes from one box"),
        ("link:", "is missing"),
        ("link: a -> b (x)", "no words"),
    ):
        [wrong] = mistakes(f"row: a, b\n{line}\nstep: One\n")
        assert says in wrong.message and wrong.mend


@pytest.mark.parametrize(
    "line", ["send: " + "," * 100_000, "send: " + "(" * 100_000, "send: a -> b" + ", (" * 50_000]
)
def test_a_long_line_of_ways_takes_no_time(line: str) -> None:
    assert mistakes(f"row: a, b\nstep: One\n{line}\n")


def test_a_legend_without_colours_has_the_textures_of_its_picture() -> None:
    """In mono every mark is another, and the same as the boxes of that ink have."""
    boxes = "row: a (params), b (grads), c (optimizer), d (activations)\n"
    legend = "legend: one (params), two (grads), three (optimizer), four (activations)\nstep: All\n"
    slide = parse_slide(split(f"# A\n\n::: scene\n{boxes}{legend}:::\n", ""), 0)
    [line] = [row for row in layout(slide, 0, 76, 22) if "three" in plain(row)]
    marks = [span for span in line if span.style.ink == span.style.ground]
    assert len({mark.text for mark in marks}) == 4
    state = states(boxes + legend)[0]
    drawn = "".join(map(plain, painted(state, 72, 12, THEMES["mono"], "characters")))
    assert all(mark.text in drawn for mark in marks)


def test_what_is_sent_goes_along_its_link_in_both_directions() -> None:
    """Also where words under a box push the link aside."""
    rows = "row: a\nrow: b\nlink: b -- a\nstep: One\nnote: a = words\nsend: a -> b\nsend: b -> a\n"
    state = states(rows)[0]
    [link] = of(state, Path).values()
    down, up = of(state, Packet).values()
    assert up.points == link.points and down.points == link.points[::-1]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("send", "noted"), [("a -> b", "a"), ("b -> a", "a"), ("a -> b", "b"), ("b -> a", "b")]
)
def test_what_is_sent_does_not_lie_on_the_note_of_the_upper_box(send: str, noted: str) -> None:
    body = f"row: a\nrow: b\nlink: a -> b\nstep: one\nsend: {send} (24 MB)\nnote: {noted} = 3 x 24 MB in\n"
    (state,) = states(body)
    packet = next(shape for shape in state.shapes if isinstance(shape, Packet))
    note = next(shape for shape in state.shapes if isinstance(shape, Label))
    y0, y1 = (y for _, y in packet.points)
    y = y0 + (y1 - y0) * packet.along
    assert abs(y - note.at[1]) >= packet.size[1] / 2 + 1.5, "half a row of 60/20 units"
