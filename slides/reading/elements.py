"""Converts directives into the deck's blocks, as `slides.reading.markdown.blocks` does Markdown.

What depends on a slide, its reader supplies.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from msgspec.structs import replace

from slides.deck import AnyBlock, Box, Code, Columns, Demo, Estimate, Exercise, Quiz, Scene, Table
from slides.drawing.superscripts import in_words
from slides.problems import Mistake, quoted
from slides.reading import charts, directives
from slides.reading.directives import Leaf, Outline, Plot, Question, Split, Text, Words
from slides.reading.markdown import blocks, fences
from slides.reading.scan import Marks

SHELL = "$SHELL"
SAID = "ls --color=auto"
TERMINAL_S = 600.0
_EXAMPLES = {
    "demo": "demo ddp ranks=4",
    "compare": "compare ddp 'zero stage=1' fsdp",
    "estimate": "estimate model=llama3-8b gpu=h100 dp=8",
    "duel": "duel model=llama3-70b gpu=h100 gpus=64",
    "strategies": "strategies model=llama3-8b gpu=h100 gpus=64",
    "exercise": "exercise send-receive",
    "puzzle": "puzzle pipeline-fill",
    "scene": "scene ring ranks=4",
    "animate": "scene ring ranks=4",
}


class Page(blocks.Page, Protocol):
    """What directives need of a page besides."""

    marks: Marks

    def outline(self, parts: Outline) -> list[AnyBlock]:
        """Return the blocks inside a directive."""

    def text_of(self, written: str) -> str:
        """Return the text of a file that the slide shows. Raises `Mistake`."""

    def script(self, written: str) -> tuple[Path, str] | None:
        """Return a file beside the deck and its text; None where no file is read. Raises `Mistake`."""

    def shows(self, file: str) -> None:
        """Say that the slide is made of this file as well."""

    def captions(self) -> tuple[str, ...]:
        """Return the files that have the words of scenes in the language of the deck."""

    def block_id(self, line: int, given: str) -> str:
        """Return a unique id for a demo or question: `given` if it is free."""

    def box(self, line: int, mistake: Mistake, raw: str = "") -> Box:
        """Return the box that stands where an element with a mistake would; `raw` is its text."""


def of_leaf(page: Page, leaf: Leaf) -> AnyBlock:
    """A demo, a comparison, an estimate or a scene. Raises `Mistake`."""
    if leaf.end:
        return _written(page, leaf)
    words = directives.words(leaf.rest)
    if leaf.name == "terminal":
        return _terminal(page, leaf, words)
    if leaf.name in ("estimate", "strategies", "duel") and (words.bare or words.params):
        given = tuple(f"{key}={value}" for key, value in words.params.items())
        asked = (*(f"model={word}" for word in words.bare), *given)
        table, duel = leaf.name == "strategies", leaf.name == "duel"
        return Estimate(asked, table, duel, line=page.place(leaf.line), at=page.reach(leaf.line))
    if not words.bare and leaf.name in ("scene", "animate") and "file" in words.params:
        return _of_file(page, leaf, words)
    if not words.bare and leaf.name == "scene":
        raise Mistake(
            "`scene` has no name, and no `:::` ends what is written of it",
            "Write `::: scene ring ranks=4`; or a line `:::` below its `row:`, `step:` and `note:` lines.",
        )
    if not words.bare:
        example = _EXAMPLES[leaf.name]
        raise Mistake(f"`{leaf.name}` of what? Its name is missing", f"Write `::: {example}`.")
    if leaf.name == "compare":
        # To everybody but the one who runs it, a comparison is a demo like any other.
        params = {"strategies": "; ".join(words.bare), **words.params}
        block_id = page.block_id(leaf.line, words.id)
        return Demo(block_id, leaf.name, params, line=page.place(leaf.line), at=page.reach(leaf.line))
    if len(words.bare) > 1:
        mend = f"Write `::: {leaf.name} {words.bare[0]} key=value …`; quote values with spaces."
        if leaf.name in ("exercise", "puzzle"):
            mend = f"Write `::: {leaf.name} {words.bare[0]}`: nothing else belongs to it."
        raise Mistake(f"{quoted(words.bare[1])} is not `key=value`", mend)
    name = words.bare[0]
    if leaf.name in ("exercise", "puzzle"):  # a puzzle is an exercise without code: its name tells them apart
        if words.params:
            mend = f"Write `::: {leaf.name} {name}`: nothing else belongs to it."
            article = "an" if leaf.name == "exercise" else "a"
            raise Mistake(f"{quoted(next(iter(words.params)))} means nothing to {article} {leaf.name}", mend)
        return Exercise(name, line=page.place(leaf.line), at=page.reach(leaf.line))
    if leaf.name == "demo":
        block_id = page.block_id(leaf.line, words.id)
        at = page.reach(leaf.line)
        return Demo(block_id, name, words.params, line=page.place(leaf.line), at=at)
    from slides.scenes import scene_request as scenes

    frames = scenes.steps(name, words.params)
    at = page.reach(leaf.line, frames)
    told = page.captions()
    return Scene(name, words.params, line=page.place(leaf.line), at=at, frames=frames, captions=told)


def _of_file(page: Page, leaf: Leaf, words: Words) -> Scene:
    """A scene by a Python file, with one step where that has not run. Raises `Mistake`."""
    from slides.scenes.python_files import scene_results

    params = dict(words.params)
    file, body = params.pop("file"), ""
    if not file.endswith(".py"):
        raise Mistake(f"{quoted(file)} is no Python file", "Write `::: scene file=my_scene.py ranks=4`.")
    if (found := page.script(file)) is not None:
        key = scene_results.key(*found, params)
        for other in scene_results.beside(key):
            page.shows(other)
        body = scene_results.steps(key)
    frames = _frames_of_data(body) if body else 1
    at = page.reach(leaf.line, frames)
    line, told = page.place(leaf.line), page.captions()
    return Scene(file, params, line=line, at=at, frames=frames, body=body, script=file, captions=told)


def _frames_of_data(body: str) -> int:
    from slides.scenes.python_files import scene_data

    return scene_data.scene(body).steps({})


def _data(lines: Sequence[str]) -> str | None:
    """Steps that stand between `::: scene` and `:::` as JSON in a fence; None: no fence."""
    held = [line for line in lines if line.strip()]
    if len(held) < 2 or not held[0].lstrip().startswith("```json"):
        return None
    return "\n".join(held[1:-1]).strip()


def _written(page: Page, leaf: Leaf) -> AnyBlock:
    """A scene that is written in the deck, or a box at the line of it that cannot be read."""
    from slides.scenes import author_scene

    lines = page.lines[leaf.line + 1 : leaf.end]
    body = "\n".join(lines)
    if (data := _data(lines)) is not None:
        frames = _frames_of_data(data)
        at, told = page.reach(leaf.line, frames), page.captions()
        return Scene("", line=page.place(leaf.line), at=at, frames=frames, body=data, captions=told)
    mistakes = author_scene.mistakes(body)
    worst = next((one for one in mistakes if one.fatal), None)
    for one in mistakes:
        if one is not worst:
            page.warn(leaf.line + 1 + one.line, one.message, one.mend)
    if worst is not None:
        return page.box(leaf.line + 1 + worst.line, worst, lines[worst.line] if lines else "")
    frames = len(author_scene.states(body))
    at, told = page.reach(leaf.line, frames), page.captions()
    return Scene("", line=page.place(leaf.line), at=at, frames=frames, body=body, captions=told)


def _terminal(page: Page, leaf: Leaf, words: Words) -> Code:
    """A command in a terminal that can be typed into; without one the shell of whoever shows it."""
    for key in words.params:
        if key != "timeout":
            mend = f'A terminal has `timeout=`; a command with `=` in it is quoted: `::: terminal "{SAID}"`.'
            raise Mistake(f"{quoted(key)} means nothing to a terminal", mend)
    limit = words.params.get("timeout")
    return Code(
        lang="terminal",
        source=" ".join(words.bare) or SHELL,
        run=True,
        id=page.block_id(leaf.line, words.id),
        timeout_s=fences.seconds(limit) if limit else TERMINAL_S,
        terminal=True,
        line=page.place(leaf.line),
        at=page.reach(leaf.line),
    )


def of_question(page: Page, question: Question) -> list[AnyBlock]:
    """Return a quiz, a poll or a prediction, and a box if it is left open. Raises `Mistake`."""
    if question.name not in directives.QUESTIONS:
        raise directives.unknown(question.name)  # and none of its lines: what of them is its key is not known
    body = page.lines[question.first : question.end]
    words = directives.words(question.rest)
    if words.bare:
        mend = f"Write `::: {question.name} {{#id kind=single}}`."
        raise Mistake(f"{quoted(words.bare[0])} is neither `#id` nor `key=value`", mend)
    block_id = page.block_id(question.line, words.id)
    kind = words.params.pop("kind", "")
    at = page.reach(question.line)
    found: list[AnyBlock] = [
        Quiz(
            block_id,
            kind,
            words.params,
            "\n".join(body),
            page.place(question.first),
            question.name,
            line=page.place(question.line),
            at=at,
        )
    ]
    if not question.closed:
        end = "the next directive" if question.end < len(page.lines) else "the end of the slide"
        message = f"`::: {question.name}` is never closed and goes on to {end}"
        found.append(page.box(question.line, Mistake(message, "Write a line `:::` after its last option.")))
    return found


def of_split(page: Page, split: Split) -> list[AnyBlock]:
    """Return columns with their blocks, and boxes for what is wrong with their first line and their end."""
    found: list[AnyBlock] = []
    try:
        shares = directives.widths(split.rest, len(split.columns))
    except Mistake as mistake:
        found.append(page.box(split.line, mistake, page.lines[split.line].strip()))
        shares = (1,) * len(split.columns)
    at = page.reach(split.line)
    read = tuple(tuple(page.outline(column)) for column in split.columns)
    found.append(Columns(shares, read, line=page.place(split.line), at=at))
    if not split.closed:
        message = "`::: columns` is never closed and ends with the slide"
        found.append(page.box(split.line, Mistake(message, "Write a line `:::` after them.")))
    return found


def of_plot(page: Page, plot: Plot) -> list[AnyBlock]:
    """Return a chart, and a box if it is left open or its numbers cannot be drawn. Raises `Mistake`."""
    found: list[AnyBlock] = [] if plot.closed else [_left_open(page, plot)]
    at = page.reach(plot.line)
    words = directives.words(plot.rest)
    kind = charts.kind_of(words.bare)
    if "values" in words.params:
        if plot.file:
            raise Mistake(f"a chart is of {quoted(plot.file)} or of a run", "Keep the file, or `values=`.")
        return [replace(charts.of_run(kind, words.params), line=page.place(plot.line), at=at)]
    rows, first = _numbers(page, plot)
    try:
        chart = charts.read(kind, words.params, rows)
    except charts.RowMistake as mistake:
        if plot.file:  # the line is another file's
            raise Mistake(
                f"row {mistake.row} of {quoted(plot.file)}: {mistake.message}", mistake.mend
            ) from None
        line = min(first + mistake.row, max(plot.end - 1, plot.line))
        return [page.box(line, mistake, page.lines[line].strip()), *found]
    return [replace(chart, line=page.place(plot.line), at=at), *found]


def _left_open(page: Page, plot: Plot) -> Box:
    end = "the next directive" if plot.end < len(page.lines) else "the end of the slide"
    message = f"`::: chart` is never closed and goes on to {end}"
    return page.box(plot.line, Mistake(message, "Write a line `:::` after its numbers."))


def _bare_csv(lines: Sequence[str]) -> str | None:
    """The numbers in a fence of CSV that stands first: there may be more than a listing may have."""
    written = [line.strip() for line in lines]
    first = next((n for n, line in enumerate(written) if line), None)
    if first is None or written[first] not in ("```csv", "~~~csv"):
        return None
    mark = written[first][:3]
    end = next((n for n in range(first + 1, len(written)) if written[n] == mark), len(written))
    return "\n".join(lines[first + 1 : end])


def _numbers(page: Page, plot: Plot) -> tuple[list[list[str]], int]:
    """The rows of numbers as they are written, and the line of the first; of a table the rule is a row too,
    so that rows are counted as lines."""
    if plot.file:
        return charts.of_csv(page.text_of(plot.file)), plot.line
    if (bare := _bare_csv(page.lines[plot.first : plot.end])) is not None:
        line = next(n for n in range(plot.first, plot.end) if page.lines[n].strip())
        return charts.of_csv(bare), line + 1
    inside = page.outline((Text(plot.first, plot.end),))
    for block in inside:
        if isinstance(block, Box):
            raise Mistake(block.problem.message, block.problem.mend)
        if isinstance(block, Code):
            line = next(n for n in range(plot.first, plot.end) if page.lines[n].strip())
            return charts.of_csv(block.source), line + 1
        if isinstance(block, Table):
            line = next((n for n in range(plot.first, plot.end) if "|" in page.lines[n]), plot.first)
            written = [
                ["".join(part.text for part in in_words(cell)) for cell in row]
                for row in (block.head, *block.rows)
            ]
            return written, line + 1
    return [], plot.line
