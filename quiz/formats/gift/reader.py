"""Reads GIFT, Moodle's question format in plain text, keeping every position.

    // a comment; [id:q1] [tag:ring] in one are the next question's
    $CATEGORY: course/ring

    ::Title:: [markdown]Stem, with \\= \\~ \\# \\{ \\} \\: escaped {
      =right ~wrong#why ~%50%half right
      ####general feedback
    }

The kind follows from the braces: `{}` essay, none at all a description, `{T}` `{FALSE}` true or false,
`{#3:0.1}` `{#1..2}` `{#=3 =%50%2..4 ~#else}` numeric, `{=a -> b …}` match, only `=` a short text, any `~` a
choice (several right ones where no `=` is among them). Text behind the braces makes a gap in the sentence. A
blank line ends a question, even inside its braces. Rules as in Moodle's documentation of the format and its
importer; where that guesses silently (a missing `=`, a lost brace) the place is named instead.

A bank has thousands, so `split`, `find` and `partition` do, and columns are only counted for what is told.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice, pairwise

from quiz.formats.gift.answers import EMBEDDED, NONE, answers
from quiz.formats.gift.text import ESCAPE, GONE, Misread, comments, hidden, marked, plain, tidied
from quiz.formats.read_result import MOST, Bank, Names, beyond, doubts
from quiz.question import Markup, Question, Trouble

GAP = "_____"

_TAG = re.compile(r"\[(id|tag):((?:\\.|[^\]\\])*)\]")
_BLANK_LINE = re.compile(r"\n[ \t\f\v]*\n")
_CATEGORIES = re.compile(r"(?:\$CATEGORY:([^\n]*)\s*)+")  # the last one counts
_BELOW = re.compile(r"\}[ \t\f\v]*\n\s*(?=[^{}]*\{)")  # behind it begins another question
_APART = "Leave a blank line between"
_Ids = dict[str, list[str]]  # what comments above a question say: its id and tags


def read(text: str) -> Bank:
    """Read all questions of a GIFT file, and what is wrong with the others. Never raises.

    A broken question is left out whole; what follows it is read as if it were not there.
    """
    return _Reading(tidied(text)).bank()


_ONE_COLON = re.compile(r":(?!:)[^:\n{}]{1,200}::?(?!:)")
_ONLY_TITLE = re.compile(r"::[^{}]*?::\s*(?:\[\w+\]\s*)?\{[^{}]*\}\s*$")
_UNMARKED = re.compile(r"\{\s*+[^\s=~#{}]")
# Moodle's own reader knows these words in capitals only, and `{true}` is a word to be typed there.
_SMALL_TRUTH = re.compile(r"\{\s*(?!(?:T|F|TRUE|FALSE)\b)((?i:true|false|[tf]))\s*[#}]")


class _Reading:
    """The blocks of a file, which blank lines part; what was found in them, and what holds for the next."""

    def __init__(self, text: str) -> None:
        clear = hidden(text)
        self._blocks = _BLANK_LINE.split(clear)
        self._text = text
        self._bare = clear is text  # it has neither comments nor escapes
        self._found: list[Question] = []
        self._troubles: list[Trouble] = []
        self._notes: list[Trouble] = []
        self._names = Names()
        self._category = ""
        self._ids: _Ids = {}

    def bank(self) -> Bank:
        line = 1
        behind = 0  # the blocks before it were looked at together with one above them
        for n, block in enumerate(islice(self._blocks, MOST)):
            begin = line
            line += len(block.split("\n")) + 1 if "\n" in block else 2  # `count` looks at every sign
            if n < behind:
                continue
            if not self._bare and GONE in block:
                self._heed(n)
            text = block.strip()
            if not text:
                continue
            if text[0] == "$" and not (text := self._categorised(text, n, begin)):
                continue
            above = 0 if len(text) == len(block) else block.count("\n", 0, _lead(text, block))
            try:
                self._take(text, begin + above)
            except Misread as error:
                behind = self._odd(text, n, begin, error)
        if any(map(str.strip, self._blocks[MOST:])):
            self._troubles.append(beyond(line))
        if self._category and not (self._found or self._troubles):
            self._notes.append(Trouble(1, "only categories, and no question", "Add one below", 1))
        notes = (*self._notes, *self._names.notes(self._found))
        return Bank(tuple(self._found), tuple(self._troubles), notes)

    def _take(self, text: str, line: int) -> None:
        """The question in `text`, which begins at `line`. Raises Misread."""
        question = _question(text, line, self._category, self._ids, self._names)
        self._found.append(question)
        if text[:1] == ":" and (title := _ONE_COLON.match(text)):
            what = f"`{title[0][:40]}` is part of the question: two colons stand around a title"
            self._notes.append(Trouble(question.line, what, f"Write `::{title[0].strip(':')[:40]}::`", 1))
        if question.title and question.stem == question.title and _ONLY_TITLE.match(text):
            what = "a title and no question: Moodle shows nothing there, here the title is asked"
            self._notes.append(Trouble(question.line, what, "Write the question behind the `::`", 1))
        if question.kind == "text" and _UNMARKED.search(text):
            what = "an answer without `=` is a short answer to Moodle"
            self._notes.append(Trouble(question.line, what, "Write `=` before it, or `~` for a choice", 1))
        if question.kind == "truefalse" and (word := _SMALL_TRUTH.search(text)):
            what = f"`{{{word[1]}}}` is a short answer to Moodle, which knows true and false in capitals"
            self._notes.append(Trouble(question.line, what, f"Write `{{{word[1].upper()}}}`", 1))
        if self._ids:
            self._ids = {}
        if "%" in text:
            self._notes += [Trouble(question.line, *doubt, 1) for doubt in doubts(question)]

    @cached_property
    def _shown(self) -> list[str]:
        """The blocks as they are written, of which nothing is hidden."""
        return _BLANK_LINE.split(self._text)

    def _heed(self, n: int) -> None:
        """The ids and tags in comments of the `n`-th block are the next question's."""
        for comment in comments(self._shown[n]):
            for what, value in _TAG.findall(comment):
                self._ids.setdefault(what, []).append(re.sub(r"\\(.)", r"\1", value).strip())

    def _tell(self, begin: int, n: int, *errors: Misread) -> None:
        """Troubles at offsets of the `n`-th block, which begins at that line; in order."""
        block, line, counted = self._blocks[n], begin, 0
        for error in errors:
            line, counted = line + block.count("\n", counted, error.at), error.at
            column = error.at - block.rfind("\n", 0, error.at)
            self._troubles.append(Trouble(line, error.message, error.mend, column))

    def _categorised(self, text: str, n: int, begin: int) -> str:
        """What stands below the categories in `text`; the last of them holds from here on."""
        named = _CATEGORIES.match(text)
        if not named:
            return text
        lead = _lead(text, self._blocks[n])
        self._category = self._shown[n][lead + named.start(1) : lead + named.end(1)].strip()
        if named.end() < len(text):
            what = "a question begins right below its category"
            self._tell(begin, n, Misread(lead + named.end(), what, _APART))
        else:
            self._ids = {}
        return text[named.end() :]

    def _odd(self, text: str, n: int, begin: int, error: Misread) -> int:
        """Tell what is wrong with `text` of the `n`-th block, read what it holds, and say where to go on."""
        block = self._blocks[n]
        lead = _lead(text, block)
        if parts := _parts(text):
            what = "a question begins right below another"
            self._tell(begin, n, *(Misread(lead + at, what, _APART) for at, _ in parts[1:]))
            line, counted = begin, 0
            for at, part in parts:
                line, counted = line + block.count("\n", counted, lead + at), lead + at
                self._take(part, line)
            return n + 1
        self._ids = {}
        behind = n + 1
        if text.count("{") == 1 and "}" not in text:
            behind, closed = self._closed(behind)
            if closed:
                line, what = begin + block.count("\n") + 1, "a blank line ends this question before its `}`"
                self._troubles.append(Trouble(line, what, "Delete the blank line", 1))
                return behind
        error.shift(lead)
        self._tell(begin, n, error, *error.more)
        return behind

    def _closed(self, n: int) -> tuple[int, bool]:
        """The block behind those that belong to an open brace, and whether one of them closes it.

        So there is one trouble only. They end where another question begins.
        """
        while n < len(self._blocks):
            block = self._blocks[n]
            opened, closed = block.find("{"), block.find("}")
            if opened >= 0 and not 0 <= closed < opened:
                return n, False
            if closed >= 0:
                return n + 1, True
            if GONE in block:
                self._heed(n)
            n += 1
        return n, False


def _lead(text: str, block: str) -> int:
    """How much of `block` stands before `text`, its last part."""
    return len(block.rstrip()) - len(text)


def _parts(text: str) -> list[tuple[int, str]]:
    """The questions in a block that holds several without a blank line between, if each of them is whole."""
    ends = [0, *(match.end() for match in _BELOW.finditer(text)), len(text)]
    parts = [(begin, text[begin:end].rstrip()) for begin, end in pairwise(ends)]
    if len(parts) == 1:
        return []
    try:
        asked = [_question(part, 0, "", {}, Names()) for _, part in parts]
    except Misread:
        return []
    # Braces of code in a sentence look like a short answer without its `=`: that is no second question.
    guessed = any(
        one.kind == "text" and _UNMARKED.search(part) for one, (_, part) in zip(asked, parts, strict=True)
    )
    return [] if guessed else parts


def _question(text: str, line: int, category: str, ids: _Ids, names: Names) -> Question:
    """The question in `text`, which begins at `line`. Raises Misread."""
    if "\0" in text:
        raise Misread(text.index("\0"), "a NUL byte in the text", "Delete it, or save the file as UTF-8")
    if "$" in text and "\n$CATEGORY:" in text:
        raise Misread(text.index("\n$CATEGORY:") + 1, "a category right below a question", _APART)
    # Mostly there is nothing to resolve; then blanks are all that is cut off.
    plainly = not ("[" in text or ESCAPE in text or GONE in text)
    title, rest = "", text
    if text[0] == ":" and text[1:2] == ":":
        try:
            _, title, rest = text.split("::", 2)
        except ValueError:
            what = "the title opened here is not closed"
            raise Misread(0, what, "Write `::Title::` before the question") from None
        if "\n" in title:
            line += title.count("\n")
        title = title.strip() if plainly else plain(title)
    try:
        head, behind = rest.split("{")
        body, tail = behind.split("}")
        asks = True
    except ValueError:
        head, body, tail, asks = rest, "", "", False
    if "}" in head or (not asks and "{" in head):
        raise _braces(text, len(text) - len(rest))
    if tail and not tail.isspace():
        head += GAP + tail
    markup: Markup = "moodle"
    if plainly:
        stem = head.strip()
    else:
        markup, head = marked(head, markup)
        stem = plain(head)
    if not stem and asks:
        stem = title
    if not stem:
        raise Misread(len(text) - len(rest), "the question itself is missing", "Write it before the `{`")
    try:
        kind, options, accepted, prompts, sequence, explain = answers(body, markup, plainly) if asks else NONE
    except Misread as error:
        error.shift(len(text) - len(body) - len(tail) - 1)
        raise
    made = Question(
        id=names.take(ids["id"][0] if "id" in ids else "", title or stem),
        kind=kind,
        stem=stem,
        options=options,
        explain=explain,
        points=1.0 if asks else 0.0,
        tags=tuple(ids["tag"]) if "tag" in ids else (),
        line=line,
        sequence=sequence,
        prompts=prompts,
        accepted=accepted,
        title=title,
        category=category,
        markup=markup,
    )
    if markup != "markdown":
        return made
    from quiz.formats.texmath import from_moodle  # for few files

    return from_moodle(made)


def _braces(text: str, begin: int) -> Misread:
    """What is wrong with the braces of `text` from `begin` on."""
    opened, closed = text.find("{", begin), text.find("}", begin)
    if opened < 0 or 0 <= closed < opened:
        return Misread(closed, "a `}` that closes nothing", "Write `\\}` for the sign itself")
    second = text.find("{", opened + 1)
    if closed < 0 and second < 0:
        return Misread(opened, "the answers opened here are not closed", "Write `}` behind the last one")
    if closed < 0 or 0 <= second < closed:
        return Misread(second, "a `{` inside the answers", "Write `\\{` for the sign itself, or `}` first")
    third = min(at for at in (second, text.find("}", closed + 1)) if at >= 0)
    if EMBEDDED.match(text, opened + 1) or EMBEDDED.match(text, third + 1):
        mend = "GIFT has one gap a question: write one for each, or all of them as Moodle XML"
        return Misread(third, "several gaps in one question", mend)
    mend = f"Leave a blank line between two questions, or write `\\{text[third]}` for the sign itself"
    return Misread(third, f"a second `{text[third]}` in one question", mend)
