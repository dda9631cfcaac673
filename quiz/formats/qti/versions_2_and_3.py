"""Reads an item of QTI 2 or 3 (a file an item): what interacts in its body, and what is declared right."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from urllib.parse import quote
from xml.parsers import expat

from msgspec.structs import replace

from quiz.formats.qti.declared import Declared, declared_in, scored, weighed
from quiz.formats.qti.element import Element
from quiz.formats.qti.version_1_2 import PACKAGED, PICTURE_STAYS
from quiz.formats.read_result import Bank, named, words
from quiz.formats.texmath import from_moodle
from quiz.question import Accepted, Gap, Number, Option, Question, Trouble

MAX_DEPTH = 60
_ITEM = "assessmentItem"
# What stands in the text of a question as it does on a page; of others only the words are kept.
_KEPT = frozenset((
    "p", "div", "b", "i", "em", "strong", "sub", "sup", "code", "pre", "br", "ul", "ol", "li", "u",
    "blockquote",
))  # fmt: skip
_SILENT = frozenset((
    "feedbackInline", "feedbackBlock", "modalFeedback", "rubricBlock", "templateBlock", "templateInline",
    "prompt", "stylesheet", "infoControl",
))  # fmt: skip
_SAFE = "/%.-_~+=,@!()"
_FILE = re.compile(r"(?![a-z+.-]+:|/)[^\"<>?#\n]{1,400}", re.IGNORECASE)
_PARTS = re.compile(r"-([a-z])")
_NO_KEY = "no answer is right", "Write it in <correctResponse><value>"


class _Refused(Exception):
    """What is told, what to do instead, and at which element."""


def read(text: str) -> Bank:
    """Read the question of an item, and what is wrong with it. Never raises."""
    text = text.removeprefix("\ufeff").lstrip().replace("\r\n", "\n").replace("\r", "\n")
    troubles: list[Trouble] = []
    try:
        root = _tree(text)
        found = _question(root)
        stays = [Trouble(root.line, *PICTURE_STAYS, root.column)] if PACKAGED in found.stem else []
        return named([found], (), stays)
    except _Refused as error:
        what, mend, at = error.args
        troubles.append(Trouble(at.line, what, mend, at.column))
    except expat.ExpatError as error:
        what = f"this is no XML: {expat.ErrorString(error.code)}"
        troubles.append(Trouble(error.lineno, what, "Export the file again", error.offset + 1))
    except (ValueError, UnicodeError) as error:
        troubles.append(Trouble(1, f"this cannot be read: {error}", "Save it as UTF-8"))
    return named((), troubles)


def _tree(text: str) -> Element:
    top = Element("", {}, 1, 1)
    open_ = [top]
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)

    def start(tag: str, attrs: dict[str, str]) -> None:
        element = Element(
            _camel(tag.rpartition(":")[2]),
            {_camel(name): value for name, value in attrs.items()},
            parser.CurrentLineNumber,
            parser.CurrentColumnNumber + 1,
        )
        if len(open_) > MAX_DEPTH:
            raise _Refused("elements too deep in each other", "Export the file again", element)
        open_[-1].content.append(element)
        open_.append(element)

    def entity(*_: object) -> int:
        at = Element("", {}, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)
        raise _Refused("an entity of its own: not followed", "Delete it", at)

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: open_.pop()
    parser.CharacterDataHandler = lambda data: open_[-1].content.append(data)
    parser.EntityDeclHandler = parser.ExternalEntityRefHandler = entity
    parser.Parse(text, True)
    root = next(top.children())
    if root.tag != _ITEM:
        raise _Refused(f"a <{root.tag[:20]}> holds no question itself", "Give the whole package", root)
    return root


def _camel(name: str) -> str:
    """A name of QTI 3 as QTI 2 writes it: `qti-choice-interaction` is `choiceInteraction`."""
    return _PARTS.sub(lambda found: found[1].upper(), name.removeprefix("qti-"))


def _html(element: Element, gap: Callable[[Element], str] = lambda _: "") -> str:
    """What is in an element as HTML, with `gap(…)` in place of what interacts."""
    out: list[str] = []
    for one in element.content:
        if isinstance(one, str):
            out.append(one.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
        elif one.tag.endswith("Interaction"):
            out.append(gap(one))
        elif one.tag in _SILENT:
            continue
        elif one.tag == "img":
            alt = one.attrs.get("alt", "").replace('"', "&quot;").replace("<", "&lt;")
            source = one.attrs.get("src", "")
            held = f' src="{PACKAGED}{quote(source, safe=_SAFE)}"' if _FILE.fullmatch(source) else ""
            out.append(f'<img alt="{alt}"{held}>' if alt or held else "")
        elif one.tag in _KEPT:
            out.append(f"<{one.tag}>{_html(one, gap)}</{one.tag}>" if one.tag != "br" else "<br>")
        else:
            out.append(_html(one, gap))
    return "".join(out)


def _tidy(html: str) -> str:
    return re.sub(r"\s*\n\s*", " ", html).strip()


def _question(root: Element) -> Question:
    if next(root.every("templateDeclaration"), None) is not None or root.attrs.get("adaptive") == "true":
        raise _Refused(
            "an item that adapts or is made anew each time is not read", "Write it as CSV or GIFT", root
        )
    body = next(root.every("itemBody"), None)
    if body is None:
        raise _Refused("the question itself is missing", "Write it in <itemBody>", root)
    parts = list(_interactions(body))
    declared = declared_in(root)
    kinds = {one.tag for one in parts}
    prompts = " ".join(_html(one) for part in parts for one in part.children() if one.tag == "prompt")
    made = Question(
        id="",
        kind="description",
        stem=_tidy(_html(body)) or _tidy(prompts),
        line=root.line,
        title=root.attrs.get("title", "").strip(),
        markup="html",
    )
    if prompts and words(prompts) != words(made.stem):
        made = replace(made, stem=f"{made.stem} {_tidy(prompts)}")
    inline = kinds <= {"textEntryInteraction", "inlineChoiceInteraction"}
    if not parts:
        found = made
    elif len(parts) == 1 and not (inline and _within(body, parts[0])):
        one = parts[0]
        read_one = _KINDS.get(one.tag)
        if read_one is None:
            raise _Refused(f"a <{one.tag[:40]}> is not read", "Write it as CSV or GIFT", one)
        found = read_one(made, one, declared.get(one.attrs.get("responseIdentifier", ""), Declared()), root)
        if found.kind in ("multi", "order", "match") and scored(root) == "match_correct":
            found = replace(found, partial=False)
    elif inline:
        found = _cloze(made, body, parts, declared)
    else:
        names = " and ".join(f"<{name[:30]}>" for name in sorted(kinds))
        raise _Refused(f"{len(parts)} things to answer in one item, {names}: not read", "Split it", root)
    if not found.stem:
        raise _Refused("the question itself is missing", "Write it in <itemBody> or <prompt>", root)
    return from_moodle(found)


def _interactions(element: Element) -> Iterator[Element]:
    for child in element.children():
        if child.tag.endswith("Interaction"):
            yield child
        elif child.tag not in _SILENT:
            yield from _interactions(child)


def _within(body: Element, one: Element) -> bool:
    """Whether words stand around an interaction in its own paragraph: then it is a gap in them."""

    def around(element: Element) -> Element | None:
        for child in element.children():
            if child is one:
                return element
            if (found := around(child)) is not None:
                return found
        return None

    above = around(body)
    return one.tag == "inlineChoiceInteraction" or (
        above is not None and above is not body and bool("".join(_html(above)).strip())
    )


def _choice(made: Question, one: Element, declared: Declared, root: Element) -> Question:
    choices = list(one.every("simpleChoice"))
    options = tuple(
        Option(
            _tidy(_html(choice)),
            choice.attrs.get("identifier", "") in declared.right,
            _tidy("".join(_html(told) for told in choice.every("feedbackInline"))),
        )
        for choice in choices
    )
    if len(options) < 2:
        raise _Refused("a choice without two answers", "Write a <simpleChoice> for each", one)
    if not any(option.right for option in options):
        raise _Refused(*_NO_KEY, one)
    many = len(declared.right) > 1
    if not many and sorted(words(option.text).casefold() for option in options) == ["false", "true"]:
        first, second = sorted(options, key=lambda option: words(option.text).casefold() != "true")
        return replace(
            made, kind="truefalse", options=(replace(first, text="True"), replace(second, text="False"))
        )
    if declared.earns and scored(root) == "map_response":
        options = weighed(options, [choice.attrs.get("identifier", "") for choice in choices], declared, many)
    return replace(made, kind="multi" if many else "single", options=options)


def _order(made: Question, one: Element, declared: Declared, root: Element) -> Question:
    choices = list(one.every("simpleChoice"))
    places = {choice.attrs.get("identifier", ""): n for n, choice in enumerate(choices)}
    sequence = tuple(places[value] for value in declared.right if value in places)
    if len(choices) < 2 or sorted(sequence) != list(range(len(choices))):
        raise _Refused("its right order does not name each choice once", "Write it in <correctResponse>", one)
    return replace(
        made, kind="order", options=tuple(Option(_tidy(_html(c))) for c in choices), sequence=sequence
    )


def _match(made: Question, one: Element, declared: Declared, root: Element) -> Question:
    sets = list(one.every("simpleMatchSet"))
    if len(sets) != 2:
        raise _Refused("there are not two sets to match", "Write two <simpleMatchSet>", one)
    lefts, rights = (list(each.every("simpleAssociableChoice")) for each in sets)
    at = {choice.attrs.get("identifier", ""): n for n, choice in enumerate(rights)}
    pairs: dict[str, int] = {}
    for value in declared.right:
        left, _, right = value.partition(" ")
        left, right = (right, left) if right not in at and left in at else (left, right)
        if left in pairs or right not in at:
            raise _Refused("something goes to two places, or to none", "Write one <value> for each", one)
        pairs[left] = at[right]
    told = [choice for choice in lefts if choice.attrs.get("identifier", "") in pairs]
    if len(told) < 2 or len(told) < len(lefts):
        raise _Refused("a pair has no right side", "Write a <value> for each in <correctResponse>", one)
    return replace(
        made,
        kind="match",
        prompts=tuple(_tidy(_html(choice)) for choice in told),
        options=tuple(Option(_tidy(_html(choice))) for choice in rights),
        sequence=tuple(pairs[choice.attrs.get("identifier", "")] for choice in told),
    )


def _accepted(declared: Declared, at: Element) -> tuple[Accepted, ...]:
    best = max(declared.earns.values(), default=0.0)
    found = []
    for value in dict.fromkeys(
        [*declared.right, *(key for key, worth in declared.earns.items() if worth > 0)]
    ):
        worth = declared.earns.get(value, best)
        weight = 1.0 if value in declared.right and worth <= 0 else worth / best if best > 0 else 1.0
        found.append(Accepted(value.replace("*", "\\*"), round(min(1.0, weight), 7)))
    if not any(answer.weight >= 0.999 for answer in found):
        raise _Refused(*_NO_KEY, at)
    return tuple(found)


def _typed(made: Question, one: Element, declared: Declared, root: Element) -> Question:
    if declared.base not in ("float", "integer"):
        return replace(made, kind="text", accepted=_accepted(declared, one))
    numbers = []
    for value in declared.right:
        try:
            stated = float(value)
        except ValueError:
            raise _Refused(f"{value[:20]!r} is not a number", "Write one, as in 3.5", one) from None
        below, above = _tolerance(root, stated)
        numbers.append(Accepted(f"{stated:g}", number=Number(stated - below, stated + above, "", stated)))
    if not numbers:
        raise _Refused(*_NO_KEY, one)
    return replace(made, kind="numeric", accepted=tuple(numbers))


def _tolerance(root: Element, stated: float) -> tuple[float, float]:
    for equal in root.every("equal"):
        try:
            ends = [abs(float(end)) for end in equal.attrs.get("tolerance", "").split()]
        except ValueError:
            continue
        if ends and equal.attrs.get("toleranceMode") in ("absolute", "relative"):
            of = abs(stated) / 100 if equal.attrs["toleranceMode"] == "relative" else 1.0
            return ends[0] * of, ends[-1] * of
    return 0.0, 0.0


def _essay(made: Question, one: Element, declared: Declared, root: Element) -> Question:
    return replace(made, kind="essay")


def _cloze(made: Question, body: Element, parts: list[Element], declared: dict[str, Declared]) -> Question:
    gaps = []
    for one in parts:
        said = declared.get(one.attrs.get("responseIdentifier", ""), Declared())
        if one.tag == "textEntryInteraction":
            gaps.append(Gap(_accepted(said, one)))
            continue
        choices = {c.attrs.get("identifier", ""): words(_html(c)) for c in one.every("inlineChoice")}
        right = [Accepted(choices[value].replace("*", "\\*")) for value in said.right if value in choices]
        if not right:
            raise _Refused(*_NO_KEY, one)
        gaps.append(Gap(tuple(right), tuple(dict.fromkeys(choices.values()))))
    places = {id(one): n for n, one in enumerate(parts, 1)}
    stem = _tidy(_html(body, lambda one: f"{{{{{places[id(one)]}}}}}"))
    return replace(made, kind="cloze", stem=stem, gaps=tuple(gaps))


_KINDS: dict[str, Callable[[Question, Element, Declared, Element], Question]] = {
    "choiceInteraction": _choice,
    "orderInteraction": _order,
    "matchInteraction": _match,
    "textEntryInteraction": _typed,
    "extendedTextInteraction": _essay,
}
