"""A deck as frozen data: slides, steps and blocks, with the line of the file each came from.

Parsing is lazy: `Deck.slides` are cheap heads made by a line scanner; `slides.reading.parse.parse_slide`
makes a `Slide` of one of them. Nothing here knows a size, a terminal or a quiz grammar.

Steps: a slide has `steps` >= 1 states, numbered from 0. A block is on screen from its `at` on. A block that
changes by itself (code focus, an animation) goes through `frames` states from its `at` on, one a step.
"""

from __future__ import annotations

from msgspec import Struct, field

from slides.drawing.text import PLAIN, Style
from slides.problems import Problem


class Inline(Struct, frozen=True):
    """A run of inline content. `math` marks TeX source, `image` alternative text of the picture at `href`.

    `script` is "sup" or "sub" where it is raised or lowered: `text` is what was written, and whoever shows it
    without either asks `slides.drawing.superscripts`.
    """

    text: str
    style: Style = PLAIN
    href: str = ""
    math: bool = False
    image: bool = False
    hard_break: bool = False
    script: str = ""


Inlines = tuple[Inline, ...]


class Block(Struct, frozen=True, kw_only=True):
    """`line` counts from 1 in the deck's file, or in the `file` that a slide includes; `at` is the first step
    that shows the block. `side`: "" (left), `center` or `right`, as its author had it with a comment."""

    line: int = 0
    file: str = ""
    at: int = 0
    frames: int = 1
    side: str = ""


class Heading(Block, frozen=True):
    """A heading; `level` is 1 to 6."""

    level: int
    content: Inlines


class Paragraph(Block, frozen=True):
    """Running text on one or more lines."""

    content: Inlines


class Item(Struct, frozen=True):
    """One list item. `task` is None for a plain item, else whether the box is ticked."""

    blocks: tuple[AnyBlock, ...]
    at: int = 0
    task: bool | None = None


class List(Block, frozen=True):
    """A list; `start` is the first number of an ordered one, `tight` has no blank lines between items."""

    items: tuple[Item, ...]
    ordered: bool = False
    start: int = 1
    tight: bool = True


class Quote(Block, frozen=True):
    """Blocks that are quoted (`>`)."""

    blocks: tuple[AnyBlock, ...]


class Table(Block, frozen=True):
    """`align` is `left`, `right`, `center` or "" per column; every row has as many cells as the head."""

    head: tuple[Inlines, ...]
    rows: tuple[tuple[Inlines, ...], ...]
    align: tuple[str, ...]


class Code(Block, frozen=True):
    """Source with `focus` line sets (1-based within the block; an empty set is "all"), one per frame.

    `path` and `sha` say which real file the lines are from, `first` the number of the first line shown;
    `pinned` is the hash the author wrote down where that is another one: the file has changed since.
    `diff` has a sign for each line of `source`: ` `, `-`, `+`, or `@` for lines left out; `stepwise` applies
    its changes one a frame.

    `run` makes it a snippet, which a key runs as block `id` for at most `timeout_s`: `program` where lines of
    it are not shown, else `source`. `fails`: it is meant to. `terminal`: it is a command, and what is run has
    a terminal that can be typed into. `gives` says what stands in its place once it has run: what it printed
    ("output"), the picture that it made ("picture"), or it stays ("").

    `states` are this block and those that take its place with later steps, each with its own `at`; none where
    it stays. The frames of the block are those of all of them.
    """

    lang: str
    source: str
    focus: tuple[frozenset[int], ...] = ()
    path: str = ""
    sha: str = ""
    first: int = 1
    numbers: bool = False
    pinned: str = ""
    diff: str = ""
    stepwise: bool = False
    run: bool = False
    id: str = ""
    program: str = ""
    timeout_s: float = 30.0
    fails: bool = False
    terminal: bool = False
    gives: str = ""
    instead: bool = False
    states: tuple[Code, ...] = ()

    def state(self, step: int) -> Code:
        """Return the code that stands here at a step of the slide."""
        return next((one for one in reversed(self.states) if one.at <= step), self)


class Math(Block, frozen=True):
    """A formula on lines of its own, as TeX without the `$$`."""

    tex: str


class Rule(Block, frozen=True):
    """A line across the slide."""


class Image(Block, frozen=True):
    """`width` is how wide its author wants it: up to 1 a share of the room there is, above that cells."""

    path: str
    alt: str
    width: float = 0.0


class Columns(Block, frozen=True):
    """Blocks side by side; `widths` are the columns' shares of the width, one a column."""

    widths: tuple[int, ...]
    columns: tuple[tuple[AnyBlock, ...], ...]


class Demo(Block, frozen=True):
    """`::: demo name key=value …`; names and parameters are checked by whoever knows the demos."""

    id: str
    name: str
    params: dict[str, str] = field(default_factory=dict)


class Scene(Block, frozen=True):
    """`::: scene name key=value …`: a scene of `slides.scenes`; its steps are steps of the slide. One that is
    written in the deck has no name but a `body`. One by a Python file names that in `script`; its body is
    the steps that the file gave, as JSON, and "" before it has run.

    `inset` is for whoever lays it out: its words begin so many cells further in than its picture.
    `captions` are the tables that have its words in the language of the deck (`slides.scenes.captions`).
    """

    name: str
    params: dict[str, str] = field(default_factory=dict)
    inset: int = 0
    body: str = ""
    script: str = ""
    captions: tuple[str, ...] = ()


class Estimate(Block, frozen=True):
    """`::: estimate model=… gpu=…`; what the words mean is known to whoever draws it. `table`: written as
    `::: strategies`, every way to split the model as rows. `duel`: as `::: duel`, two layouts to compare."""

    words: tuple[str, ...] = ()
    table: bool = False
    duel: bool = False

    @property
    def name(self) -> str:
        """The word that it is written with."""
        return "duel" if self.duel else "strategies" if self.table else "estimate"


class Exercise(Block, frozen=True):
    """`::: exercise name` or `::: puzzle name`: to be done by hand; what there is, whoever draws it knows."""

    name: str


CHARTS = ("bars", "stacked", "line", "scatter")
"""The kinds of charts there are."""


class Chart(Block, frozen=True):
    """`::: chart kind …`: `values` has a row for each of `labels`, with a number or None a series.

    `xs` is where rows stand along x, for `line` and `scatter`. `limit` is a line across the values, in their
    `unit`, `limit_label` what it is. `x` and `y` name the axes; those in `log` ("", "x", "y" or "xy") are
    logarithmic. `unplaced` has the row and the column of values that are nan or infinite.
    """

    kind: str
    series: tuple[str, ...]
    labels: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    xs: tuple[float, ...] = ()
    title: str = ""
    unit: str = ""
    limit: float | None = None
    limit_label: str = ""
    x: str = ""
    y: str = ""
    log: str = ""
    run: tuple[tuple[str, str], ...] = ()
    source: str = ""
    unplaced: tuple[tuple[int, int], ...] = ()


class Quiz(Block, frozen=True):
    """A question as raw text (`body_line` is the file's line of its first line); `quiz` parses it."""

    id: str
    kind: str
    attrs: dict[str, str]
    body: str
    body_line: int
    directive: str = "quiz"  # quiz, predict or poll


class Box(Block, frozen=True):
    """Shown in place of an element that could not be read. `raw` is the author's text."""

    problem: Problem
    raw: str = ""


AnyBlock = (
    Heading
    | Paragraph
    | List
    | Quote
    | Table
    | Code
    | Math
    | Rule
    | Image
    | Columns
    | Demo
    | Scene
    | Estimate
    | Exercise
    | Chart
    | Quiz
    | Box
)


class Note(Struct, frozen=True):
    """Speaker notes as Markdown, shown from step `at` on."""

    markdown: str
    at: int = 0
    line: int = 0


class Head(Struct, frozen=True):
    """What the line scanner knows of a slide before it is parsed. `raw` begins on `line` of the file, and on
    `row` of `Deck.source`: another number only in a deck that was written for another program.

    `backup`: it stands behind the mark that ends the talk, and is shown only to who goes there. `tries`: what
    it asks to be tried, in words of whoever shows it. `steps`: how many it has, told by whoever read the text
    that this was made of; 0: as many as are read.
    """

    id: str
    index: int
    line: int
    title: str
    raw: str
    section: str = ""
    time_s: float | None = None
    optional: bool = False
    hidden: bool = False
    backup: bool = False
    layout: str = ""
    size: str = ""
    row: int = 0
    tries: tuple[str, ...] = ()
    steps: int = 0


class Slide(Struct, frozen=True):
    """One slide, parsed. `index` counts from 0, `line` is 1-based, `time_s` the seconds planned or None."""

    id: str
    index: int
    line: int
    title: str
    blocks: tuple[AnyBlock, ...]
    notes: tuple[Note, ...] = ()
    steps: int = 1
    section: str = ""
    time_s: float | None = None
    optional: bool = False
    hidden: bool = False
    problems: tuple[Problem, ...] = ()
    layout: str = ""
    size: str = ""
    files: tuple[str, ...] = ()
    """Other files that it shows, whether they are there or not."""


LAYOUTS = ("title", "section", "two columns", "big number", "quote", "image", "code")
"""How a slide may be set, by `<!-- slide: {layout: …} -->`; "" is from top to bottom."""

SIZES = ("large",)
"""How large a slide may be, by `<!-- slide: {size: …} -->`; "" is as large as its words have room."""


NATIVE = "teachrun"
"""The `Deck.format` of a deck in our own grammar; the others are the names in `slides.dialects`."""


class Deck(Struct, frozen=True):
    """`rev` is a hash of the text; `time_s` the planned length of the whole; `meta` the front matter.

    `format` says for which program the file was written. `source` is native whatever that was, and `places`
    then holds, for each of its lines, the line of the file it was made of; empty: they are the file's own.
    `files` are other files it was made of, or would have been; those that slides show they name themselves.
    """

    path: str
    rev: str
    title: str
    slides: tuple[Head, ...]
    time_s: float | None = None
    meta: dict[str, str] = field(default_factory=dict)
    source: str = ""
    problems: tuple[Problem, ...] = ()
    format: str = NATIVE
    places: tuple[int, ...] = ()
    files: tuple[str, ...] = ()
