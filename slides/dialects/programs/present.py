"""Go's `present` (`.slide`): a head of title and authors, then a slide for each `* Title`, or for each
`## Title` where the head begins with `#` and the texts are Markdown.

Lines that begin with a dot bring in code, pictures and links, those that begin with `: ` are notes. The slide
of thanks that the program itself adds is not made.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import PurePosixPath

from slides.dialects.html import markup
from slides.dialects.native import Snippet, Translation, assemble, closed, note, picture, spans
from slides.dialects.source import Source
from slides.dialects.translation import Draft, Row, Text

_ABOUT = re.compile(r"(?:Tags|Summary|OldURL):", re.I)
_DATE = re.compile(r"(?:\d{1,2}:\d\d )?\d{1,2} [A-Z][a-z]{2,8} \d{4}")
_CONTACT = re.compile(r"@\S+|https?://\S+|[^\s@]+@[^\s@]+\.\w+|mailto:\S+")  # none of them is shown first
_LINK = re.compile(r"\[\[([^\[\]\s]{1,2000})\](?:\[([^\[\]]{1,400})\])?\]")
_CODE = re.compile(r"\.(?:code|play)\s+((?:-\w+\s+)*)(\S+)\s*(.*)")
_ONE_ADDRESS = r"(?:/({}(?:[^/\\]|\\.){{1,200}})/|({}\d{{1,6}}|\$))({}[+-]\d{{1,6}})?"
_ADDRESS = re.compile(_ONE_ADDRESS.format("", "", ""))
_ADDRESSES = re.compile(
    r"(?P<first>{0})?(?:(?P<to>,)(?P<last>{0})?)?/?".format(_ONE_ADDRESS.format("?:", "?:", "?:"))
)
_ANYTHING = re.compile(r"((?:[^\\.]|\\.|\.(?![*+]))*)(?:\.[*+]\??)?")
_ONE = re.compile(r"\\(.)|\[(\^?)([^\]\[]{1,40})\]|(.)")
_MARKED = re.compile(r"\s*//\s*HL(\w*)\s*$")
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~$^])")
_PERCENT = str.maketrans({sign: f"%{ord(sign):02X}" for sign in "()<>\\"})
_AS_IT_IS = "\0"
_STYLES = {"*": "**", "_": "*", "`": "`"}


def read(text: Text, source: Source) -> Translation:
    """Translate a deck of `present` to native text."""
    lines = text.lines
    first = next((line for line in lines if line.strip() and not line.startswith("//")), "")
    # There a `#` begins a comment, too, and one may stand above all.
    legacy = not first.startswith("# ") or bool(_starts(lines, "* ") and not _starts(lines, "## "))
    comment, mark = ("#", "* ") if legacy else ("//", "## ")
    starts = _starts(lines, mark)
    heads = [n for n in range(starts[0] if starts else len(lines)) if not lines[n].startswith(comment)]
    title, slide = _title(text, heads, legacy)
    slides, ours = [slide], set[str]()
    for start, end in pairwise([*starts, len(lines)]):
        kept = [n for n in range(start + 1, end) if not lines[n].startswith(comment)]
        said = [n for n in kept if lines[n].startswith(": ") or lines[n] == ":"]
        rows = [row for n in said for row in note(lines[n][1:], text.places[n])]
        named = lines[start][len(mark) :].strip()
        body = [("# " + (styled(named) if legacy else named), text.places[start]), ("", text.places[start])]
        for n in kept:
            if n not in said:
                made = _lines(lines[n], text.places[n], legacy, text.base, source, body[-1][0])
                ours |= {line[3:] for line, _ in made if lines[n][:1] == "." and line.startswith("```")}
                body += made
        slides.append([*rows, *_drawn(body, ours, source)])
    return assemble(slides, {"title": title}, source.problems)


def _starts(lines: Sequence[str], mark: str) -> list[int]:
    """The lines that begin a slide."""
    fenced, found = False, []
    for n, line in enumerate(lines):
        fenced ^= mark == "## " and line.startswith("```")
        if not fenced and line.startswith(mark):
            found.append(n)
    return found


def _title(text: Text, heads: Sequence[int], legacy: bool) -> tuple[str, list[Row]]:
    """The title, and the slide of title, subtitle, date and authors: of these only what is not an address."""
    shown = [n for n in heads if not (_ABOUT.match(text.lines[n]) or text.lines[n].startswith(":"))]
    words = [n for n in shown if text.lines[n].strip()]
    said = [
        row for n in heads if text.lines[n].startswith(":") for row in note(text.lines[n][1:], text.places[n])
    ]
    if not words:
        return "", said
    title = text.lines[words[0]].removeprefix("# ").strip()
    made = [*said, Row(f"# {_escaped(title) if legacy else title}", text.places[words[0]])]
    ends = False
    for n in shown[shown.index(words[0]) + 1 :]:
        line = text.lines[n].strip()
        ends = ends or not line
        if line and not _CONTACT.fullmatch(line):
            line = _escaped(line) if legacy else line
            made += [Row("", text.places[n])] * (
                made[-1].text != "" and (not ends or made[-1].text[:1] == "#")
            )
            made.append(Row(f"{line}  " if ends or _DATE.fullmatch(line) else f"## {line}", text.places[n]))
        elif not line and made[-1].text:
            made.append(Row("", text.places[n]))
    return title, made


def _lines(
    line: str, place: int, legacy: bool, base: str, source: Source, above: str
) -> list[tuple[str, int]]:
    """A line of a slide as lines of Markdown."""
    if line.startswith(".") and re.match(r"\.[a-z]+(?:\s|$)", line):
        return [(made, place) for made in ("", *_brought(line, place, base, source), "")]
    if not legacy:
        return [(line, place)]
    if line.startswith("**"):
        stars = len(line) - len(line.lstrip("*"))
        return [
            ("", place),
            (f"{'#' * min(6, stars)} {styled(line.lstrip('* ').strip())}", place),
            ("", place),
        ]
    if line[:1] in (" ", "\t") and line.strip():
        if above.startswith(("- ", "  ")):  # an item goes on
            return [(f"  {styled(line.strip())}", place)]
        return [(_AS_IT_IS + line.expandtabs(4), place)]
    if line.startswith("- "):
        return [(f"- {styled(line[2:].strip())}", place)]
    return [(styled(line[1:] if re.match(r"\\[.*#:-]", line) else line), place)]


def styled(text: str) -> str:
    """A line of the old syntax in Markdown: `*bold*`, `_of_several_words_`, links in two brackets."""
    made, at = "", 0
    for link in _LINK.finditer(text):
        label = styled(link[2]) if link[2] else _escaped(link[1])
        made += _words(text[at : link.start()]) + _linked(label, link[1])
        at = link.end()
    return made + _words(text[at:])


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _linked(words: str, address: str) -> str:
    return f"[{words}]({address.translate(_PERCENT)})"


def _words(text: str) -> str:
    # A word is marked from its first sign to the last of this kind; in between it stands for a blank.
    out = []
    for word in re.split(r"(\s+)", text):
        match = re.fullmatch(r"([^\w*_`]*)([*_`])(?!\2)(.*)\2([^\w*_`]*)", word)
        if not match or not match[3].strip(match[2]):
            out.append(_escaped(word))
            continue
        lead, mark, held, tail = match.groups()
        held = held.replace(mark * 2, "\0").replace(mark, " ").replace("\0", mark)
        held = held.replace("`", "'") if mark == "`" else _escaped(held)
        out.append(f"{_escaped(lead)}{_STYLES[mark]}{held}{_STYLES[mark]}{_escaped(tail)}")
    return "".join(out)


def _brought(line: str, place: int, base: str, source: Source) -> list[str]:
    """What a line that begins with a dot brings in."""
    name, _, rest = line[1:].partition(" ")
    words = rest.split()
    match name:
        case "code" | "play":
            return _code(line, place, base, source)
        case "image" | "background" if words:
            return [picture(source.within(words[0], base), "")]
        case "link" if words:
            return [_linked(styled(" ".join(words[1:]) or words[0]), words[0])]
        case "iframe" | "video" if words:
            return [_linked(_escaped(words[0]), words[0])]
        case "caption":
            return [f"*{_escaped(re.sub(r'[_*`]', '', _LINK.sub(_label, rest)).strip())}*"]
    message = f"`.{name[:40]}` of present is not read" if name != "html" else "a page of HTML is not shown"
    source.once(place, message, "Write in Markdown what is to be seen.")
    return []


def _label(link: re.Match[str]) -> str:
    return link[2] or link[1]


def _code(line: str, place: int, base: str, source: Source) -> list[str]:
    """Lines of a file, by address; where some are highlighted, the others step back."""
    match = _CODE.fullmatch(line.strip())
    if match is None:
        source.say(place, "code of which file?", "Write `.code main.go /^func main/,/^}/`.")
        return []
    flags, name, rest = match.groups()
    path = source.within(name, base)
    text = source.text_of(path)
    lang = PurePosixPath(name).suffix[1:]
    if not text:  # our own fence fails in the same way, and says why
        return [f"```{Snippet(lang, file=path).info([])}", "```"]
    highlight = re.search(r"(?:^|\s)HL(\w*)\s*$", rest)
    address = rest[: highlight.start()] if highlight else rest
    rows = text.split("\n")
    span = _span(address.strip(), rows)
    if span is None:
        source.say(place, f"{address.strip()[:60]!r} is nowhere in {name}", "Write a line that it has.")
        span = (0, len(rows))
    kept = [row for row in rows[span[0] : span[1]] if not row.rstrip().endswith("OMIT")]
    while kept and not kept[-1].strip():
        kept.pop()
    wanted = highlight[1] if highlight else None
    lit = [n for n, row in enumerate(kept, 1) if (at := _MARKED.search(row)) and at[1] == wanted]
    shown = [_MARKED.sub("", row).expandtabs(4).replace("```", "'''") for row in kept]
    numbers = "-numbers" in flags
    snippet = Snippet(lang, spans(lit), first=span[0] + 1 if numbers else 1, numbers=numbers)
    return [f"```{snippet.info(shown)}", *shown, "```"]


def _span(address: str, rows: Sequence[str]) -> tuple[int, int] | None:
    """The lines from `start` (from 0) to `end` that `/first/,/last/`, `/one/` or numbers mean."""
    if not address:
        return 0, len(rows)
    found = _ADDRESSES.fullmatch(address)
    if found is None or not (found["first"] or found["last"]):
        return None
    first = _line(found["first"], rows, 0) if found["first"] else 0
    if first is None or not found["to"]:
        return None if first is None else (first, first + 1)
    last = _line(found["last"], rows, first + 1 if found["first"] else 0) if found["last"] else len(rows) - 1
    return None if last is None or last < first else (first, last + 1)


def _line(address: str, rows: Sequence[str], start: int) -> int | None:
    """The line (from 0) that one address means, looked for from `start`."""
    found = _ADDRESS.fullmatch(address)
    assert found is not None
    if found[2]:
        line = len(rows) - 1 if found[2] == "$" else int(found[2]) - 1
    else:
        pieces = _pieces(found[1])
        line = next((n for n in range(start, len(rows)) if _matches(pieces, rows[n])), len(rows))
    if not 0 <= line < len(rows):
        return None
    return min(max(line + int(found[3] or 0), 0), len(rows) - 1)


def _pieces(pattern: str) -> list[re.Pattern[str]]:
    """A pattern as parts with anything between them, each a row of single signs: a pattern of a deck never
    runs as it is, for one that repeats within a repetition takes for ever."""
    found = []
    for piece in _ANYTHING.finditer(pattern):
        made = ""
        for one in _ONE.finditer(piece[1]):
            if one[3]:
                made += f"[{one[2]}{re.escape(one[3])}]"
            elif one[1]:
                made += {"t": r"\t", "s": r"\s", "w": r"\w", "d": r"\d"}.get(one[1], re.escape(one[1]))
            else:
                made += one[4] if one[4] in ".^$" else re.escape(one[4])
        found.append(re.compile(made))
    return found


def _matches(pieces: Sequence[re.Pattern[str]], row: str) -> bool:
    at = 0
    for piece in pieces:
        match = piece.search(row, at)
        if match is None:
            return False
        at = match.end()
    return True


def _fenced(body: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """With fences around lines that are to stay as they are; blank ones between them are theirs."""
    out: list[tuple[str, int]] = []
    inside = 0  # where the first line of such a block is
    for line, place in body:
        kept = line.startswith(_AS_IT_IS)
        if kept and not inside:
            out += [("", place), ("````", place)]
            inside = len(out)
        elif inside and line.strip() and not kept:
            end = next(n for n in range(len(out), inside - 1, -1) if out[n - 1][0].strip())
            out[end:end] = [("````", place), ("", place)]
            inside = 0
        out.append((line[1:].replace("````", "```") if kept else line, place))
    if inside:
        end = next(n for n in range(len(out), inside - 1, -1) if out[n - 1][0].strip())
        out[end:end] = [("````", out[-1][1])]
    return out


def _drawn(body: Sequence[tuple[str, int]], ours: set[str], source: Source) -> list[Row]:
    """The rows of a slide's Markdown; `ours` are what stands behind the fences that were made here."""
    body = _fenced(body)
    draft = Draft(Text([line for line, _ in body], [place for _, place in body]))
    draft.keep(draft.alone)
    for block in draft.outline.blocks:
        draft.undash(block)
    for fence in draft.marks.fences:
        if fence.info not in ours:
            draft.recode(fence, Snippet(fence.info.partition(" ")[0]).info(draft.code(fence)))
    markup.unwrap(draft, source)
    return closed(draft.rows(0, len(body)))
