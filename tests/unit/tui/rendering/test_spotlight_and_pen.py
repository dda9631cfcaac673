"""What can be pointed at on a page, where it stands on another screen's, and how it looks."""

from __future__ import annotations

from runtime.protocol.class_messages.pointing import Place, Point
from slides.drawing.large.letters import letters
from slides.drawing.layout import layout
from slides.drawing.text import Line, Span, plain
from slides.reading.split import split
from tui.deck.contents import Contents
from tui.rendering.spotlight_and_pen import PEN, on_page, part_at, parts, parts_of, unit_at, units

DECK = """# All reduce in a ring

Every rank sends its gradients to the next one and gets those of the one before, until all have all.

- S bytes each
- twice the bytes of a broadcast, spread over all links of the machine and all of its neighbours

| rank | bytes | time |
|---|---|---|
| 0 | 96 MB | 12 ms |
| 1 | 96 MB | 15 ms |
"""


def page(width: int, height: int = 0, text: str = DECK) -> list[Line]:
    return layout(Contents(split(text, "deck.md")).slide(0), 0, width, height)


def texts(lines: list[Line], places: tuple[Place, ...]) -> str:
    return " ".join(
        plain(line).strip() for one in places for line in lines[one.row : one.row + one.rows] if line
    )


def row_of(lines: list[Line], words: str) -> int:
    return next(n for n, line in enumerate(lines) if words in plain(line))


def test_rows_with_words_are_units_and_rules_are_not() -> None:
    lines = page(80)
    rows = [plain(lines[one.row]).strip() for one in units(lines)]
    assert rows[0] == "All reduce in a ring" and not any(set(row) <= set("━─") for row in rows)
    assert any("96 MB" in row for row in rows)


def test_a_title_in_letters_is_one_unit() -> None:
    lines = page(112, 40)
    first = units(lines)[0]
    assert first.rows >= 3 and unit_at(lines, first.row + 1) == first
    assert unit_at(lines, first.row + first.rows + 1) is None  # the rule's row, or the blank one below it


def test_cells_of_a_table_and_words_of_a_line() -> None:
    lines = page(80)
    row = lines[row_of(lines, "15 ms")]
    told = [plain(row)[first:last] for first, last in parts(row)]
    assert told == ["1", "96 MB", "15 ms"]
    place = Place(row_of(lines, "15 ms"))
    assert part_at(lines, place, plain(row).index("15")) == parts(row)[2]
    assert part_at(lines, place, 0) in (None, parts(row)[0])
    assert [plain(row)[a:b] for row in [(Span("one two-three"),)] for a, b in parts(row)] == [
        "one",
        "two-three",
    ]


def test_wrapped_otherwise_the_same_words_are_lit() -> None:
    wide, narrow = page(91, 25), page(50)
    point = Point("x", light=Place(row_of(wide, "spread over")))
    shown = on_page(point, wide, narrow, 0, True)
    words = texts(narrow, shown.light)
    assert "twice the bytes" in words and "S bytes each" not in words and "Every rank" not in words
    rows = [place.row for place in shown.light]
    assert len(rows) >= 2 and rows == list(range(rows[0], rows[0] + len(rows)))
    there = Place(row_of(narrow, "15 ms"))
    back = on_page(Point("x", light=there), narrow, wide, 0, True)
    assert "15 ms" in texts(wide, back.light) and "12 ms" not in texts(wide, back.light)


def test_the_title_is_found_in_letters_and_of_rows_alike_the_same_one() -> None:
    small, large = page(80), page(112, 40)
    assert on_page(Point("x", light=units(small)[0]), small, large, 0, True).light == (units(large)[0],)
    alike = "# T\n\n" + "\n\n".join(["again"] * 4)
    one, other = page(40, text=alike), page(112, 40, alike)
    rows = [n for n, line in enumerate(one) if "again" in plain(line)]
    there = units(other)[3]  # behind the title and two of them, of which the first is in letters
    assert on_page(Point("x", light=Place(rows[2])), one, other, 0, True).light == (there,)


def test_words_are_found_again_where_they_are_in_letters() -> None:
    text = (
        "# T\n\n- Own data, and **losses** differ.\n- Of one mean, step after step, all parameter checksums"
    )
    text += " agree.\n- Each $t_i$.\n"
    small, large = page(80, text=text), page(112, 40, text)
    there = on_page(Point("x", light=Place(row_of(small, "checksums"))), small, large, 0, True).light
    title, first, *second, last = units(large)
    assert len(second) == 2 and there == tuple(second), "both rows of the wrapped item"
    back = on_page(Point("x", light=second[1]), large, small, 0, True).light
    assert [one.row for one in back] == [row_of(small, "checksums")]
    assert on_page(Point("x", light=first), large, small, 0, True).light == (Place(row_of(small, "losses")),)
    cell = parts(small[row_of(small, "losses")])[1]
    lit = on_page(Point("x", light=Place(row_of(small, "losses"), 1, *cell)), small, large, 0, True)
    assert lit.light == (first,) and title.rows == last.rows == 3


def test_a_cell_of_a_table_is_the_same_cell() -> None:
    one, other = page(50), page(91, 25)
    row = row_of(one, "12 ms")
    first, last = parts(one[row])[2]
    (there,) = on_page(Point("x", light=Place(row, 1, first, last)), one, other, 0, True).light
    assert plain(other[there.row])[there.first : there.last] == "12 ms"


def test_a_cell_of_a_table_in_letters_is_a_cell() -> None:
    text = "# T\n\n| rank | bytes | time |\n|---|---|---|\n| 0 | 96 MB | 12 ms |\n| 1 | 96 MB | 15 ms |\n"
    small, large = page(80, text=text), page(112, 40, text)
    row = row_of(small, "15 ms")
    for n, cell in enumerate(parts(small[row])):
        (there,) = on_page(Point("x", light=Place(row, 1, *cell)), small, large, 0, True).light
        assert there == Place(units(large)[3].row, 3, *parts_of(large, units(large)[3])[n])
        (back,) = on_page(Point("x", light=there), large, small, 0, True).light
        assert plain(small[back.row])[back.first : back.last] == plain(small[row])[slice(*cell)]


def test_rows_of_letters_without_air_are_pointed_at_one_by_one() -> None:
    long = "- A slow node slows down everybody, and nobody tells you which of them it is, or since when.\n"
    lines = page(112, 40, "# T\n\n" + long * 5)
    title, *rest = units(lines)
    assert title.rows == 3 and len(rest) >= 10 and {one.rows for one in rest} == {3}


def test_small_words_within_letters_belong_to_their_row() -> None:
    words = Span("samples 1")
    large: list[Line] = [(Span("T"),), ()]
    for rank in ("rank 0", "rank 1"):
        rows = letters(rank, 60, ("low",), 1)
        assert rows is not None and len(rows) == 3
        large += [(Span(rows[0]),), (Span(rows[1]), Span("   "), words._replace(text=f"samples {rank[-1]}"))]
        large += [(Span(rows[2]),), ()]
    large.append((Span("Each rank reads samples of its own."),))
    small: list[Line] = [(Span(f"rank {n}   samples {n}"),) for n in (0, 1)]
    small.append((Span("Each rank reads samples of its own."),))
    assert [(one.row, one.rows) for one in units(large)] == [(0, 1), (2, 3), (6, 3), (10, 1)]
    assert on_page(Point("x", light=Place(1)), small, large, 0, True).light == (Place(6, 3),)
    assert [one.row for one in on_page(Point("x", light=Place(6, 3)), large, small, 0, True).light] == [1]
    marked = on_page(Point("x", pen=(Place(1),)), small, large, 0, True)
    spans = [span for n in (6, 7, 8) for span in marked.line(n, large[n], 0) if span.style == PEN]
    grounds = [span.text for span in spans if span.text]
    assert len(grounds) == 3 and grounds[1].endswith("samples 1 "), "all rows from the first to the last word"
    edge, first = [span for span in marked.line(6, large[6], 2) if span.text][1:3]
    assert edge.style == PEN and edge.text == " " and first.style == PEN, "ink at the edge of a mark is lost"
    assert len({len(one) for one in (grounds[0], grounds[2])}) == 1


def test_all_but_the_light_stands_back_and_the_pen_is_a_ground() -> None:
    lines = page(60)
    at = row_of(lines, "12 ms")
    shown = on_page(Point("x", light=Place(at), pen=(Place(at + 1),)), lines, lines, 0, True)
    away = shown.line(0, lines[0], 4)
    assert {span.style.ink for span in away if span.text.strip()} == {"faint"}
    lit = shown.line(at, lines[at], 4)
    assert plain(lit).startswith("  ► ") and plain(lit)[4:] == plain(lines[at])
    assert all(span.style.ink != "faint" for span in lit)
    marked = [span for span in shown.line(at + 1, lines[at + 1], 4) if span.style == PEN]
    assert "15 ms" in plain(tuple(marked))


def test_without_colours_what_is_marked_is_underlined() -> None:
    lines = page(60)
    at = row_of(lines, "12 ms")
    first, last = parts(lines[at])[2]
    shown = on_page(Point("x", light=Place(at, 1, first, last)), lines, lines, 0, False)
    under = [span.text for span in shown.line(at, lines[at], 4) if span.style.underline]
    assert "".join(under) == "12 ms"


def test_places_that_are_nowhere_light_nothing() -> None:
    lines = page(60)
    for place in (Place(-3), Place(999), Place(0, 5, 70, 3), Place(2, 99999)):
        shown = on_page(Point("x", light=place, pen=(place,)), lines, lines, 0, True)
        for row, line in enumerate(lines):
            assert plain(shown.line(row, line, 0)) == plain(line)


def test_beside_other_words_only_its_own_column_is_lit_and_marked() -> None:
    text = "# T\n\nEvery rank sends its gradients to the next one and gets those of the one before.\n\n"
    text += "- S bytes\n\n```python\ndist.all_reduce(tensor)\n```\n"
    stacked, beside = page(60, text=text), page(91, 25, text)
    row = row_of(stacked, "Every rank")
    assert any("Every rank" in plain(line) or "all_reduce" in plain(line) for line in beside)
    both = next(n for n, line in enumerate(beside) if "all_reduce" in plain(line))
    shown = on_page(Point("x", light=Place(row_of(stacked, "all_reduce"))), stacked, beside, 0, True)
    assert [place.row for place in shown.light] == [both]
    lit = "".join(s.text for s in shown.line(both, beside[both], 0) if s.style.ink != "faint")
    assert "all_reduce" in lit and "one before" not in lit
    shown = on_page(Point("x", pen=(Place(row),)), stacked, beside, 0, True)
    marked = " ".join(
        s.text for n, line in enumerate(beside) for s in shown.line(n, line, 0) if s.style == PEN
    )
    assert "Every rank sends" in marked and "all_reduce" not in marked
