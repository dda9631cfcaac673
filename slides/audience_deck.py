"""The deck as an audience may have it: no notes, keys or explanations, and nothing left to read from disk.

Nothing is cut out, so blocks stay where they are: a hidden comment becomes an empty one over the same lines,
a hidden line an empty comment. Which slides there are, their ids and how many steps they have is not read
from the redacted text again but told with it: an audience stands where the class stands, whatever the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from slides.deck import Code, Deck, Head
from slides.problems import Mistake
from slides.reading import charts, directives, front_matter
from slides.reading.directives import Misplaced, Outline, Plot, Question, Split, Stray, Text
from slides.reading.from_disk import named_files
from slides.reading.from_disk.includes import Includes
from slides.reading.from_disk.named_files import DemoFile, MayRead, Sources, never
from slides.reading.markdown import diffs, fences
from slides.reading.questions_without_key import HIDDEN, without_key
from slides.reading.scan import (
    ALIGN,
    Comment,
    Fence,
    Marks,
    blank_comment,
    is_separator,
    replace_comments,
    scan,
)

_READ = ("file=", "diff=", "include")  # words of what is read from disk
# The kinds whose key is known to be only ticked boxes and `>` lines. Any other kind is withheld whole.
_KINDS = ("", "single", "multi", "poll")
_ATTRIBUTES = ("kind", "points", "tags", "case", "metric", "over", "unit", "runs", "time", "axis")


# (index of the slide, body) of a question -> its kind and the lines without its key; None: not to be read.
Keyless = Callable[[int, str], "tuple[str, list[str]] | None"]


def audience_deck(
    deck: Deck,
    demo_file: DemoFile | None = None,
    may_read: MayRead = never,
    keyless: Keyless | None = None,
) -> Deck:
    """`deck` for an audience: the same slides by the same ids, each with the steps that it has.

    `keyless` knows the kinds of questions; it is asked in the order in which they stand on a slide. What it
    cannot read is withheld whole, and without it what has a key that is more than ticks.
    """
    lines = deck.source.split("\n")
    folder = Path(deck.path).parent if deck.path else None
    redactor = _Redactor(Sources(folder, demo_file, may_read), keyless)
    out: list[str] = []
    done = front_matter.length(lines)
    out += _front(deck, done)
    heads: list[Head] = []
    for head in deck.slides:
        raw = head.raw.split("\n")
        out += _between(lines[done : head.row - 1])
        shown = redactor.slide(head, raw)
        theirs = replace(head, raw="\n".join(shown), row=len(out) + 1, tries=())
        theirs = replace(theirs, title=redactor.title(head))
        heads.append(theirs)
        out += shown
        done = head.row - 1 + (len(raw) if head.raw else 0)
    text = "\n".join(out + _between(lines[done:]))
    redacted = replace(
        deck, slides=tuple(heads), source=text, meta=_meta(deck), problems=(), places=(), files=()
    )
    return replace(redacted, slides=tuple(_stepped(deck, redacted, demo_file, may_read)))


def _between(lines: Sequence[str]) -> list[str]:
    """What stands between two slides: blank lines and the one that ends a slide."""
    return [line if not line.strip() or line.rstrip() == "---" else HIDDEN for line in lines]


def _stepped(deck: Deck, redacted: Deck, demo_file: DemoFile | None, may_read: MayRead) -> Iterator[Head]:
    """The slides, each with how many steps it has where its redacted text is to be read in another way."""
    for ours, theirs in zip(deck.slides, redacted.slides, strict=True):
        if _read_alike(ours.raw, theirs.raw):
            yield theirs
            continue
        from slides.reading.parse import parse_slide

        steps = parse_slide(deck, ours.index, demo_file=demo_file, may_read=may_read).steps
        yield replace(theirs, steps=steps)


def _read_alike(ours: str, theirs: str) -> bool:
    """Whether two texts are the same but for what stands in comments, and pause at the same places."""
    if ours == theirs:
        return not any(word in ours for word in _READ)

    def read(text: str) -> tuple[list[str], list[tuple[int, str]]]:
        lines = text.split("\n")
        comments = scan(lines).comments
        pauses = [(c.first, lines[c.first][: c.start]) for c in comments if c.body.strip() == "pause"]
        return replace_comments(lines, comments, blank_comment), pauses

    return read(ours) == read(theirs) and not any(word in ours for word in _READ)


def _meta(deck: Deck) -> dict[str, str]:
    return {key: value for key, value in deck.meta.items() if key != "notes"}


def _front(deck: Deck, count: int) -> Iterable[str]:
    """The front matter over the same `count` lines, with its keys but not its comments."""
    if not count:
        return []
    pairs = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in _meta(deck).items()]
    kept = pairs if len(pairs) <= count - 2 else pairs[: count - 2]
    return ["---", *kept, *[""] * (count - 2 - len(kept)), "---"]


class _Redactor:
    def __init__(self, sources: Sources, keyless: Keyless | None = None) -> None:
        self.sources = sources
        self.keyless = keyless
        self.includes = Includes(sources.may_read)
        self._index = 0
        self._included: set[int] = set()  # lines of a slide in whose place a file stands
        self._own: list[str] = []  # the redacted lines of a slide without those of the files it includes

    def slide(self, head: Head, raw: Sequence[str]) -> list[str]:
        self.includes = Includes(self.sources.may_read)
        self._index = head.index
        self._included.clear()
        return self.text(raw, 0)

    def title(self, head: Head) -> str:
        """What the slide read last is called. Its words may have been those of a key."""
        from slides.reading.split import split

        slides = split("\n" + "\n".join(self._own), "").slides
        return slides[0].title if slides else ""

    def text(self, raw: Sequence[str], depth: int) -> list[str]:
        """The lines of one slide or included file, redacted; what is left open in it is closed."""
        marks = scan(raw)
        lines = replace_comments(raw, marks.comments, _emptied)
        bare = replace_comments(raw, marks.comments, blank_comment)
        changed: dict[int, list[str]] = {}
        for fence in marks.fences:
            changed |= self._fence(fence, raw)
        left_open: list[str] = []
        self._outline(directives.outline(bare, marks.held), bare, marks, depth, changed, left_open)
        _keep_edges(marks.comments, changed)
        out: list[str] = []
        own: list[str] = []
        for line, text in enumerate(lines):
            shown = changed.get(line, [text])
            out += shown
            own += shown if depth or line not in self._included else [""]
        if depth == 0:
            self._own = own
        return out + left_open

    def _fence(self, fence: Fence, raw: Sequence[str]) -> dict[int, list[str]]:
        """The lines of a fence that asks for a file's, with those lines in it."""
        changed: dict[int, list[str]] = {}
        last = fence.end - 1
        if not fence.closed:
            changed[last] = [raw[last], fence.prefix + fence.mark]
        info = fences.parse_info(fence.info)
        if not info.get("file") and not info.get("diff"):
            return changed
        try:
            body = "" if info.get("file") else _body(fence, raw)
            code = fences.read_code(info, body, self.sources)
        except Mistake:
            return changed
        inner = re.sub(r"[^>\s]", " ", fence.prefix)
        source = diffs.written(code.source, code.diff) if code.diff else code.source
        mark = _longer_mark(fence.mark, source)
        rows = [f"{fence.prefix}{mark}{_info(info, code)}"]
        rows += [f"{inner}{row}" if row else inner.rstrip() for row in source.split("\n")]
        rows.append(inner + mark)
        changed[fence.first] = rows
        for line in range(fence.first + 1, fence.end):
            changed[line] = []
        return changed

    def _outline(
        self,
        outline: Outline,
        bare: Sequence[str],
        marks: Marks,
        depth: int,
        changed: dict[int, list[str]],
        left_open: list[str],
    ) -> None:
        for part in outline:
            match part:
                case Question():
                    self._question(part, bare, marks, changed)
                    if not part.closed:
                        changed.setdefault(part.end - 1, [bare[part.end - 1]]).append(":::")
                case Split(columns=columns, closed=closed):
                    for column in columns:
                        self._outline(column, bare, marks, depth, changed, left_open)
                    if not closed:
                        left_open.append(":::")
                case Plot(file=file) if file:
                    changed[part.line] = self._plot(part, bare[part.line])
                case Plot(closed=False):
                    changed.setdefault(part.end - 1, [bare[part.end - 1]]).append(":::")
                case Misplaced():
                    _misplaced(part, bare, changed)
                case Stray(line=line, name="") if depth:
                    changed[line] = [HIDDEN]  # would close what includes this file
                case Text(first, end):
                    changed |= _strays(bare, first, end)
                    for line in range(first, end) if depth else ():
                        if not marks.held[line] and (
                            bare[line].rstrip() == "+++" or is_separator(bare, line)
                        ):
                            changed[line] = [" " + bare[line]]  # means something to the deck, not to the file
                case directives.Leaf(line=line, name="scene" | "animate", rest=rest) if "file=" in rest:
                    changed[line] = self._scene(rest, bare[line])
                case directives.Leaf(line=line, name="include", rest=rest):
                    if depth == 0:
                        self._included.add(line)
                    changed[line] = self._include(rest, depth, bare[line])

    def _question(
        self, question: Question, bare: Sequence[str], marks: Marks, changed: dict[int, list[str]]
    ) -> None:
        body = bare[question.first : question.end]
        hidden = without_key(body, marks, question.first)
        ticked = sum(was != now != HIDDEN for was, now in zip(body, hidden, strict=True))
        words = _words(question)
        kind = words.params.get("kind", "")
        known = self.keyless(self._index, "\n".join(body)) if self.keyless and not words.bare else None
        if known is not None:
            words.params["kind"], rows = known
            changed |= {line: [] for line in range(question.first, question.end)}
            changed[question.line] = [_header(question, words), *rows]
            return
        if not kind and ticked > 1:
            words.params["kind"] = "multi"  # what the ticks said
        changed[question.line] = [_header(question, words)]
        if self.keyless or words.bare or kind not in _KINDS:
            hidden = [HIDDEN if text.strip() else text for text in body]
        for line, (was, now) in enumerate(zip(body, hidden, strict=True), start=question.first):
            if was != now:
                changed[line] = [now]

    def _plot(self, plot: Plot, line: str) -> list[str]:
        """A chart with the numbers of its file in it."""
        try:
            words = directives.words(plot.rest)
            path = named_files.locate(self.sources.folder, plot.file, self.sources.may_read)
            rows = charts.of_csv(named_files.read(path, plot.file)[0])
            chart = charts.read(charts.kind_of(words.bare), words.params, rows)
        except Mistake:
            return [line]
        params = {**words.params, "x": chart.x}
        params.pop("columns", None)
        keys = " ".join(f"{key}={_quoted(value)}" for key, value in params.items())
        return [f"::: chart {chart.kind} {keys}", "```csv", *charts.written(chart), "```", ":::"]

    def _scene(self, rest: str, line: str) -> list[str]:
        """A scene by a Python file with the steps that it gave; nothing of what is wrong with it."""
        from slides.scenes.python_files import scene_results

        try:
            params = directives.words(rest).params
            file = params.pop("file", "")
            path = named_files.locate(self.sources.folder, file, self.sources.may_read)
            steps = scene_results.steps(scene_results.key(path, named_files.read(path, file)[0], params))
        except Mistake:
            return [line]
        return ["::: scene", "```json", steps, "```", ":::"] if steps else [line]

    def _include(self, rest: str, depth: int, line: str) -> list[str]:
        written = rest.strip("\"'")
        try:
            _, text, _ = self.includes.read(self.sources.folder, written, depth)
        except Mistake:
            return [line]
        return ["", *self.text(text.split("\n"), depth + 1), ""]


def _strays(bare: Sequence[str], first: int, end: int) -> dict[int, list[str]]:
    """The lines that hold a comment only where Markdown reads them, without it: see `stray_comments`."""
    if not any("<!--" in line for line in bare[first:end]):
        return {}
    from slides.reading.markdown.blocks import markdown
    from slides.reading.markdown.stray_comments import blanked

    found, _ = blanked(bare[first:end], markdown().parse("\n".join(bare[first:end]), {"references": {}}))
    return {line: [now] for line, now in enumerate(found, start=first) if now != bare[line]}


def _misplaced(part: Misplaced, bare: Sequence[str], changed: dict[int, list[str]]) -> None:
    """Of a question where it asks nothing only the line that says so."""
    for line in range(part.line + 1, part.end):
        changed.pop(line, None)
        if bare[line].strip():
            changed[line] = [HIDDEN]
    changed[part.line] = [f"{part.before}::: {part.name}"]


def _words(question: Question) -> directives.Words:
    """What stands on the line of a question; a bare word where it cannot be read."""
    try:
        words = directives.words(question.rest)
    except Mistake:
        words = directives.Words(bare=["?"])
    if question.name not in directives.QUESTIONS:
        words.bare = ["?"]
    return words


def _header(question: Question, words: directives.Words) -> str:
    """The directive's line, with only the attributes that an audience may know."""
    if words.bare:
        return f"::: {question.name} ?"  # what was a box stays one
    kept = [f"#{words.id}"] if words.id else []
    kept += [f"{key}={_quoted(words.params[key])}" for key in _ATTRIBUTES if key in words.params]
    return f"::: {question.name} {{{' '.join(kept)}}}"


def _emptied(comment: Comment) -> Sequence[str]:
    """The comment over as many lines. What everybody may know stays: pauses and settings of the slide."""
    count = comment.last - comment.first
    body = comment.body.strip()
    if comment.closed and (body in ("pause", "end") or body.startswith("slide:") or ALIGN.fullmatch(body)):
        return f"<!--{comment.body}-->".split("\n")
    if not comment.closed or not count:
        return [HIDDEN, *[""] * count]
    return ["<!--", *[""] * (count - 1), "-->"]


def _keep_edges(comments: Iterable[Comment], changed: dict[int, list[str]]) -> None:
    """A line that was written anew begins or ends a comment over several lines where it did so before."""
    for comment in comments:
        if not comment.closed or comment.first == comment.last:
            continue
        rows, ends = changed.get(comment.first), changed.get(comment.last)
        if rows == [] and ends == []:
            continue  # all of it stands in a question that was written anew
        if rows is not None:
            changed[comment.first] = [*rows[:-1], f"{rows[-1]} <!--" if rows else "<!--"]
        if ends is not None:
            changed[comment.last] = [f"-->{ends[0]}" if ends else "-->", *ends[1:]]


def _info(info: fences.Info, code: Code) -> str:
    """The info string under which the lines of a file, written into the deck, are the same block."""
    words = [
        info.lang,
        *([f"{{#{info.id}}}"] if info.id else []),
        *([f"{{{info.focus}}}"] if info.focus is not None else []),
        *sorted(info.flags | ({"diff"} if code.diff else set())),
    ]
    keys = {"first": code.first, "path": code.path, "sha": code.sha, "pinned": code.pinned}
    keys |= {"timeout": info.get("timeout"), "expect": info.get("expect")}
    words += [f"{key}={_quoted(str(value))}" for key, value in keys.items() if value]
    return " ".join(word for word in words if word)


def _body(fence: Fence, raw: Sequence[str]) -> str:
    """What stands in a fence, without the indentation that its first line has."""
    inner = re.sub(r"[^>\s]", " ", fence.prefix)
    lines = raw[fence.first + 1 : fence.end - fence.closed]
    return "\n".join(line.removeprefix(inner) for line in lines)


def _longer_mark(mark: str, source: str) -> str:
    longest = max((len(run) for run in re.findall(f"{re.escape(mark[0])}+", source)), default=0)
    return mark[0] * max(len(mark), longest + 1)


def _quoted(value: str) -> str:
    return f'"{value}"' if re.search(r"[\s{}']", value) else value
