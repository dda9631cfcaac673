"""Home and the end of a sitting as styled lines. Pure.

Nothing here punishes: what was not done is not counted, and no number is red.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, NamedTuple

from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.figures.progress_bar import progress
from tui.panes.edges import footer_lines
from tui.panes.edges.footer_lines import BOLD, DIM, FAINT, both_ends

HEAD = Style("dim", bold=True)
GOOD = Style("good", bold=True)
MEASURE = 96  # cells of a line, at most
BAR = 24
Target = Literal["due", "round", "lesson", "exercise", "again"]
Say = Callable[[str], str]  # puts the program's own words into a language


class Row(NamedTuple):
    """Something that can be chosen: `target` and the lesson's id, or an exercise's name (`again`: the smaller
    version of one that was solved). `seen` of `total` slides, `due` questions; `aside` says more in dim,
    `number` is that of a lesson, 0 beside others that have one."""

    target: Target
    lesson: str
    text: str
    seen: int = 0
    total: int = 0
    done: bool = False
    due: int = 0
    aside: str = ""
    number: int | None = None

    @property
    def numbered(self) -> str:
        """The number, blanks where only other rows have one, "" where none has."""
        return "" if self.number is None else f"{self.number or '':>2}  "


class Weak(NamedTuple):
    """`right` of the `asked` newest answers about a topic."""

    name: str
    right: int
    asked: int


@dataclass(frozen=True, slots=True)
class Home:
    """`today` is what is due, `onward` where somebody was, `rest` says when more is due, where nothing is;
    `hands` is the next exercise."""

    today: tuple[Row, ...]
    onward: tuple[Row, ...]
    lessons: tuple[Row, ...]
    weak: tuple[Weak, ...] = ()
    rest: str = ""
    days: int = 0
    month: str = ""
    trouble: str = ""
    hands: tuple[Row, ...] = ()

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows of the page that can be chosen, from top to bottom."""
        return (*self.today, *self.onward, *self.lessons, *self.hands)


def home(data: Home, chosen: int, width: int, height: int, say: Say = str) -> list[Line]:
    """Exactly `height` lines of at most `width` cells; `chosen` counts all rows that can be, `say` puts the
    program's own words into the language of the lessons."""
    inner = max(20, min(width - 4, MEASURE))
    left = (width - inner) // 2
    airy = height >= 22
    foot = _foot(data, inner, say)
    top = [*[()] * (2 if height >= 36 else 1), *_title(data, inner, say), ()]
    before = _section("TODAY", data.today, 0, chosen, inner, say)
    before += [] if data.today else _rest(data, inner, say)
    if data.onward:
        before += [(), *_section("WHERE YOU WERE", data.onward, len(data.today), chosen, inner, say)]
    before += [(), (Span(say("LESSONS"), HEAD),)]
    weak = _weak(data.weak, inner, 4 if airy else 1, say)
    first = len(data.today) + len(data.onward)
    hands: list[Line] = []
    if data.hands:
        hands = [(), *_section("HANDS ON", data.hands, first + len(data.lessons), chosen, inner, say)]
    taken = len(hands) + (len(weak) + 1 if weak else 0)
    room = height - len(top) - len(before) - len(foot) - taken - 1
    lessons = _window(data.lessons, chosen - first, max(1, room), inner, say)
    body = [*top, *before, *lessons, *hands, *([(), *weak] if weak else [])]
    body = body[: height - len(foot)]
    body += [()] * (height - len(foot) - len(body))
    return [cells.clip((Span(" " * left), *line), width) if line else () for line in [*body, *foot]]


def _title(data: Home, width: int, say: Say) -> list[Line]:
    days = ""
    if data.days:
        days = say(f"studied on {data.days} day{'s' if data.days > 1 else ''} in {data.month}")
    return [both_ends((Span(say("Study"), BOLD),), (Span(days, DIM),), width), footer_lines.rule(width)]


def _rest(data: Home, width: int, say: Say) -> list[Line]:
    return [(Span("  "), *line) for line in cells.wrap((Span(say(data.rest), DIM),), width - 2)]


def _section(name: str, rows: Sequence[Row], first: int, chosen: int, width: int, say: Say) -> list[Line]:
    below = (_row(row, first + n == chosen, width, say) for n, row in enumerate(rows))
    return [(Span(say(name), HEAD),), *below]


def _row(row: Row, here: bool, width: int, say: Say) -> Line:
    ground = "select" if here else ""
    mark = Span("▸ " if here else "  ", Style("accent", ground, bold=True))
    name = Style("heading" if here else "text", ground, bold=here)
    if row.target != "lesson" or not row.total:
        say = str if row.target == "lesson" else say  # its title is the author's
        aside = (Span(f"   {cells.clean(say(row.aside))}", Style("dim", ground)),) if row.aside else ()
        line = (mark, Span(cells.clean(say(row.text)), name), *aside)
        return cells.fit(cells.clip(line, width), width, Style("text", ground))
    bar = BAR if width >= 90 else 12
    right = _standing(row, bar, ground, say)
    number = row.numbered
    room = max(8, width - cells.line_width(right) - 4 - len(number))
    title = cells.clip_text(cells.clean(row.text), room)
    gap = width - 2 - len(number) - cells.width(title) - cells.line_width(right)
    return (
        mark,
        Span(number, Style("dim", ground)),
        Span(title, name),
        Span(" " * max(1, gap), Style("text", ground)),
        *right,
    )


def _standing(row: Row, bar: int, ground: str, say: Say) -> Line:
    """Progress bar, slides, questions due; always as wide, so that columns stand."""
    done = f"✓ {say('done')}" if row.done else f"{row.seen}/{row.total}" if row.seen else say("new")
    style = Style("good" if row.done else "dim", ground)
    due = say(f"{row.due} due") if row.due else ""
    wide, most = max(8, cells.width(f"✓ {say('done')}")), max(7, cells.width(say("99 due")))
    drawn = (Span(text, style._replace(ground=ground)) for text, style in progress(_part(row), bar))
    return (
        *drawn,
        Span(f"  {done:<{wide}}", style),
        Span(f"{due:>{most}} ", Style("accent", ground, bold=True)),
    )


def _part(row: Row) -> float:
    return 1.0 if row.done else row.seen / max(1, row.total)


def _window(rows: Sequence[Row], chosen: int, room: int, width: int, say: Say) -> list[Line]:
    """As many lessons as fit, the chosen one among them, and how many there are besides."""
    if len(rows) <= room:
        return [_row(row, n == chosen, width, say) for n, row in enumerate(rows)]
    room = max(1, room - 1)
    top = max(0, min(chosen - room // 2, len(rows) - room))
    shown = [_row(row, top + n == chosen, width, say) for n, row in enumerate(rows[top : top + room])]
    return [*shown, (Span(f"  {say(f'{len(rows) - room} more')}: ↑ ↓", FAINT),)]


def _weak(weak: Sequence[Weak], width: int, most: int, say: Say) -> list[Line]:
    if not weak:
        return []
    name = max(cells.width(one.name) for one in weak[:most])
    rows: list[Line] = [(Span(say("WORTH ANOTHER LOOK"), HEAD),)]
    for one in weak[:most]:
        title = cells.clip_text(cells.clean(one.name), max(8, width - 24))
        pad = " " * max(2, min(name, width - 24) - cells.width(title) + 2)
        rows.append((Span(f"  {title}"), Span(pad), Span(say(f"{one.right} of {one.asked} right"), DIM)))
    return rows


def _foot(data: Home, width: int, say: Say) -> list[Line]:
    keys = [("↑ ↓", "choose"), ("Enter", "open")]
    if data.today:
        keys.append(("d", "ask what is due"))
    keys += [("T", "theme"), ("q", "quit")]
    line = footer_lines.hints(tuple(keys), width, say)
    if not data.trouble:
        return [(), line]
    told = cells.wrap((Span(f"{say('not kept')}: {cells.clean(data.trouble)}", Style("warning")),), width)
    return [*told[:2], line]


# --- the end of a sitting ---------------------------------------------------------------------------------


class Miss(NamedTuple):
    """A topic that was not known at first, and the command that runs its demo again ("": there is none)."""

    topic: str
    right: int
    asked: int
    command: str


@dataclass(frozen=True, slots=True)
class End:
    """How a sitting went. `later`: not right at first, but when it came back. `left` were not answered.
    `coming` are days, in words, with how many of its questions come back then; `home`: there is one to go to;
    `onward` is the title of the lesson after this one, "" where there is none.
    """

    title: str
    points: float
    out_of: float
    right: int
    asked: int
    later: int = 0
    left: int = 0
    misses: tuple[Miss, ...] = ()
    coming: tuple[tuple[str, int], ...] = ()
    trouble: str = ""
    home: bool = True
    onward: str = ""


def end(card: End, width: int, height: int, say: Say = str) -> list[Line]:
    """Exactly `height` lines: what was reached, what is weak and how to see it again, when it comes back;
    `say` puts the program's own words into the lesson's language."""
    inner = max(20, min(width - 4, MEASURE))
    left = (width - inner) // 2
    lines: list[Line] = [*[()] * (2 if height >= 36 else 1)]
    many = say(f"{card.left} question{'s' if card.left > 1 else ''} open")
    state = Span(f": {many}", Style("warning")) if card.left else Span(f": {say('done')}", GOOD)
    lines += [(Span(cells.clean(card.title), BOLD), state), footer_lines.rule(inner), ()]
    lines += _score(card, inner, say)
    coming = _coming(card.coming, inner, height >= 20, say)
    foot: list[Line] = []
    if card.trouble:
        told = (Span(f"not kept: {cells.clean(card.trouble)}", Style("warning")),)
        foot = cells.wrap(told, inner)[:2]
    if card.onward:
        foot.append(cells.clip((Span(f"{say('NEXT')}  ", HEAD), Span(cells.clean(card.onward), BOLD)), inner))
    foot.append(footer_lines.hints(_ways(card), inner, say))
    lines += _misses(card.misses, inner, height - len(lines) - len(coming) - len(foot), say)
    lines += coming
    lines = lines[: height - len(foot)]
    lines += [()] * (height - len(foot) - len(lines))
    return [cells.clip((Span(" " * left), *line), width) if line else () for line in [*lines, *foot]]


def _ways(card: End) -> tuple[tuple[str, str], ...]:
    """Where the keys lead: Enter to what is nearest."""
    keys = [("o", "to the open questions")] * bool(card.left) + [("n", "next lesson")] * bool(card.onward)
    if keys:
        first, word = keys[0]
        keys[0] = (f"Enter {first}", word)
    leaves = "to the lessons" if card.home else "leaves"
    return (*keys, ("q" if keys else "Enter", leaves), ("Esc", "back to the slides"))


def _score(card: End, width: int, say: Say) -> list[Line]:
    if not card.asked:
        return [(Span(say("No question was answered yet."), DIM),)] if card.left else []
    full = card.points >= card.out_of
    words = say(f"{card.points:.3g} of {card.out_of:.3g} points")
    bar = progress(card.points / card.out_of if card.out_of else 0.0, BAR if width >= 70 else 12)
    rows: list[Line] = [(Span(words, GOOD if full else BOLD), Span("   "), *bar), ()]
    told = [f"{card.right} of {card.asked} right at once"]
    if card.later:
        told.append(f"{card.later} when it came back")
    if card.left:
        told.append(f"{card.left} open")
    return [*rows, *cells.wrap((Span(say(" · ".join(told)), DIM),), width)]


def _coming(days: Sequence[tuple[str, int]], width: int, airy: bool, say: Say) -> list[Line]:
    if not days:
        return []
    head = say("COMES BACK")
    days = [(_day(day, say), count) for day, count in days]
    if not airy:
        words = ", ".join(f"{day} {count}" for day, count in days)
        return [cells.clip((Span(f"{head}  ", HEAD), Span(words, DIM)), width)]
    name = max(cells.width(day) for day, _ in days)
    rows: list[Line] = [(), (Span(head, HEAD),)]
    for day, count in days:
        many = say(f"{count} question{'s' if count > 1 else ''}")
        rows.append((Span(f"  {day:<{name}}"), Span(f"   {many}", DIM)))
    return rows


def _day(day: str, say: Say) -> str:
    """A day in words: of a date the day of the week is said, its number and month stay."""
    words = day.split()
    return " ".join((say(" ".join(words[:2])), *words[2:]))


def _misses(misses: Sequence[Miss], width: int, room: int, say: Say) -> list[Line]:
    """Those of the same demo stand together, and its command below them: no topic without it."""
    if not misses or room < 3:
        return []
    name = min(max(cells.width(cells.clean(miss.topic)) for miss in misses), max(8, width - 20))
    rows: list[Line] = [(), (Span(say("WORTH ANOTHER LOOK"), HEAD),)]
    shown = 0
    for command, together in groupby(misses, key=lambda miss: miss.command):
        topics = list(together)
        shell = (Span(command, Style("accent")),)
        below = [(Span("    "), *line) for line in cells.wrap(shell, max(8, width - 4))] if command else []
        left = len(misses) - shown - len(topics)
        fits = min(len(topics), room - len(rows) - len(below) - (left > 0))
        if fits < len(topics):
            fits -= left == 0  # a row for how many there are besides
        if fits < 1 and not shown:  # better without its command than not at all
            fits, below = min(len(topics), room - len(rows) - 1), []
        if fits < 1:
            break
        rows += [*(_miss(topic, name, say) for topic in topics[:fits]), *below]
        shown += fits
        if fits < len(topics):
            break
    if shown < len(misses):
        more = len(misses) - shown
        told = say(f"{more} more topic{'s' if more > 1 else ''}")
        rows.append((Span(f"  {told}", FAINT),))
    return rows


def _miss(miss: Miss, name: int, say: Say) -> Line:
    topic = cells.clip_text(cells.clean(miss.topic), name)
    pad = " " * (name - cells.width(topic) + 3)
    return (Span(f"  {topic}"), Span(pad + say(f"{miss.right} of {miss.asked} right"), DIM))
