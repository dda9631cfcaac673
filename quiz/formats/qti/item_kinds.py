"""Makes a question of an item of QTI 1.2: by the type that Canvas or Blackboard names, else by its shape."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec.structs import replace

from quiz.formats.moodle.question_types import Node
from quiz.formats.qti.version_1_2 import PACKAGED, PICTURE_STAYS, Item, Response, read
from quiz.formats.read_result import shared
from quiz.formats.texmath import from_moodle
from quiz.question import Accepted, Gap, Number, Option, Question, Trouble

Says = Callable[[str, str], None]
_UNREAD = "Write it as CSV or GIFT, or ask it in another way"
_PLAIN = re.compile(r"<[^<>]{0,400}>")


def question(node: Node, quiz: str, troubles: list[Trouble], notes: list[Trouble]) -> Question | None:
    """Return the question in an `<item>` of the quiz of that title; None if something is wrong with it, which
    goes into `troubles`."""

    def says(message: str, mend: str) -> None:
        troubles.append(Trouble(node.line, message, mend, node.column))

    item = read(node)
    kind = _kind(item)
    make = _KINDS.get(kind)
    if make is None:
        says(f"questions of type {kind[:40]!r} are not read", _UNREAD)
        return None
    if not item.stem:
        says("the question itself is missing", "Write it in <presentation><material><mattext>")
        return None
    points = _points(item)
    title = node.attrs.get("title", "").strip()
    verdicts = (item.feedback.get("correct_fb", ""), "", item.feedback.get("general_incorrect_fb", ""))
    made = Question(
        id="",
        kind="description",
        stem=item.stem,
        explain=item.feedback.get("general_fb", ""),
        points=points,
        line=node.line,
        title="" if title.casefold() in ("question", "") else title,
        category=quiz,
        markup="html",
        verdicts=verdicts if any(verdicts) else (),
    )
    found = make(item, made, says)
    if found is None:
        return None
    if PACKAGED in item.stem:
        notes.append(Trouble(node.line, *PICTURE_STAYS, node.column))
    return from_moodle(found)


def _points(item: Item) -> float:
    for name in ("points_possible", "cc_weighting", "qmd_weighting"):
        try:
            value = float(item.fields.get(name, ""))
        except ValueError:
            continue
        if 0 <= value < 1e9:
            return value
    return 1.0


def _kind(item: Item) -> str:
    said = (
        item.fields.get("question_type")
        or item.fields.get("cc_profile")
        or item.fields.get("bbmd_questiontype")
    )
    if said:
        return said.casefold().removesuffix("_question").removeprefix("cc.").removesuffix(".v0p1")
    responses = item.responses
    if not responses:
        return "text_only"
    first = responses[0]
    if first.kind in ("grp", "xy"):
        return f"response_{first.kind}"
    if len(responses) > 1:
        return (
            "matching" if all(one.labels and one.kind == "lid" for one in responses) else "several responses"
        )
    if first.kind == "lid" and first.ordered:
        return "ordering"
    if first.kind == "lid":
        return "multiple_answers" if first.many else "multiple_choice"
    if any(test.op != "equal" for condition in item.conditions for test in condition.tests):
        return "numerical"
    return "short_answer" if any(condition.tests for condition in item.conditions) else "essay"


def _earned(item: Item, respident: str, ident: str) -> float:
    """The share of the points that an answer earns by itself."""
    best = 0.0
    for condition in item.conditions:
        if condition.earns and any(
            (test.respident, test.value, test.op, test.inverted) == (respident, ident, "equal", False)
            for test in condition.tests
        ):
            best = max(best, condition.earns / item.most, key=abs)
    return max(-1.0, min(1.0, round(best, 7)))


def _explained(item: Item, respident: str, ident: str) -> str:
    """What is told of an answer: by the condition that looks for it alone, or by Canvas's name for it."""
    for condition in item.conditions:
        if [test.value for test in condition.tests] == [ident] and condition.tests[0].respident == respident:
            for told in condition.feedback:
                if told in item.feedback and told not in ("general_fb", "correct_fb", "general_incorrect_fb"):
                    return item.feedback[told]
    return item.feedback.get(f"{ident}_fb", "")


def _options(item: Item, says: Says) -> tuple[Response, list[Option]] | None:
    first = next((one for one in item.responses if one.labels), None)
    if first is None or len(first.labels) < 2:
        says("a choice without two answers", "Write a <response_label> for each")
        return None
    return first, [Option(one.text, explain=_explained(item, first.ident, one.ident)) for one in first.labels]


def _single(item: Item, made: Question, says: Says) -> Question | None:
    found = _options(item, says)
    if found is None:
        return None
    response, options = found
    shares = [_earned(item, response.ident, one.ident) for one in response.labels]
    if max(shares) <= 0:
        says("no answer is right", "Say which one in a <respcondition> with <setvar>")
        return None
    texts = [_PLAIN.sub("", one.text).strip().casefold() for one in response.labels]
    if sorted(texts) == ["false", "true"]:
        right = [share > 0 for share in shares]
        told = dict(zip(texts, zip(right, options, strict=True), strict=True))
        pair = tuple(
            Option(word.capitalize(), told[word][0], told[word][1].explain) for word in ("true", "false")
        )
        return replace(made, kind="truefalse", options=pair)
    best = max(shares)
    weights = [None if share in (0.0, best) else share for share in shares]
    picked = [
        replace(option, right=share == best, weight=weight)
        for option, share, weight in zip(options, shares, weights, strict=True)
    ]
    return replace(made, kind="single", options=tuple(picked))


def _multi(item: Item, made: Question, says: Says) -> Question | None:
    """Right is what the condition of a full answer asks for; or what adds to the points by itself."""
    found = _options(item, says)
    if found is None:
        return None
    response, options = found
    full = next(
        (c for c in item.conditions if c.earns and not c.adds and len({t.value for t in c.tests}) > 1), None
    )
    if full is not None:
        right = {test.value for test in full.tests if test.op == "equal" and not test.inverted}
        picked = [
            replace(option, right=label.ident in right)
            for option, label in zip(options, response.labels, strict=True)
        ]
        if right:
            return replace(made, kind="multi", options=tuple(picked))
    shares = [_earned(item, response.ident, one.ident) for one in response.labels]
    if max(shares) <= 0:
        says("no answer is right", "Say which ones in a <respcondition> with <setvar>")
        return None
    weighed = tuple(
        replace(option, right=share > 0, weight=share) for option, share in zip(options, shares, strict=True)
    )
    total = sum(share for share in shares if share > 0)
    if total > 1.001:  # each alone would earn all of it
        weighed = tuple(replace(option, weight=None) for option in weighed)
        return replace(made, kind="multi", options=weighed)
    return replace(made, kind="multi", options=shared(weighed))


def _text(item: Item, made: Question, says: Says) -> Question | None:
    accepted = []
    for condition in item.conditions:
        for test in condition.tests:
            if condition.earns and test.op == "equal" and not test.inverted and test.value:
                weight = max(0.0, min(1.0, condition.earns / item.most))
                accepted.append(Accepted(test.value.replace("*", "\\*"), round(weight, 7)))
    if not accepted:
        says("no answer is right", "Say which one in a <respcondition> with <varequal> and <setvar>")
        return None
    return replace(made, kind="text", accepted=tuple(dict.fromkeys(accepted)))


def _numeric(item: Item, made: Question, says: Says) -> Question | None:
    accepted = []
    for condition in item.conditions:
        if not condition.earns:
            continue
        ends: dict[str, float] = {}
        for test in condition.tests:
            try:
                value = float(test.value.replace(",", "."))
            except ValueError:
                says(f"{test.value[:20]!r} is not a number", "Write one, as in 3.5")
                return None
            ends["equal" if test.op == "equal" else "low" if test.op.startswith("g") else "high"] = value
        if not ends:
            continue
        weight = max(0.0, min(1.0, round(condition.earns / item.most, 7)))
        stated = ends.get("equal")
        low, high = ends.get("low", stated), ends.get("high", stated)
        if low is None or high is None or low > high:
            says("a range with one end", "Write <vargte> and <varlte>")
            return None
        text = f"{stated:g}" if stated is not None else f"{low:g}..{high:g}"
        accepted.append(Accepted(text, weight, number=Number(low, high, "", stated)))
    if not accepted:
        says("no answer is right", "Say which one in a <respcondition> with <varequal> and <setvar>")
        return None
    return replace(made, kind="numeric", accepted=tuple(accepted))


def _order(item: Item, made: Question, says: Says) -> Question | None:
    """Right is the order in which the condition of a full answer names the choices."""
    found = _options(item, says)
    if found is None:
        return None
    response, options = found
    places = {label.ident: n for n, label in enumerate(response.labels)}
    for condition in item.conditions:
        named = [test.value for test in condition.tests if test.op == "equal" and not test.inverted]
        if condition.earns and sorted(named) == sorted(places):
            return replace(made, kind="order", options=options, sequence=tuple(places[one] for one in named))
    says("its right order does not name each choice once", "Name them in the <conditionvar> of a <setvar>")
    return None


def _match(item: Item, made: Question, says: Says) -> Question | None:
    rights: list[str] = []
    prompts, sequence = [], []
    for response in item.responses:
        for label in response.labels:
            if label.text not in rights:
                rights.append(label.text)
        if not response.text:
            continue  # a row of the form that was left empty
        fits = [one for one in response.labels if _earned(item, response.ident, one.ident) > 0]
        if not fits:
            says(f"{response.text[:30]!r} has no right side", "Say which in a <respcondition> with <setvar>")
            return None
        prompts.append(response.text)
        sequence.append(rights.index(fits[0].text))
    if len(prompts) < 2 or len(rights) < 2:
        says("there are not two pairs to match", "Write a <response_lid> for each")
        return None
    options = tuple(Option(text) for text in rights)
    return replace(made, kind="match", prompts=tuple(prompts), options=options, sequence=tuple(sequence))


def _cloze(item: Item, made: Question, says: Says) -> Question | None:
    """Gaps that stand in the text as `[name]`."""
    stem, gaps = made.stem, []
    chosen = item.fields.get("question_type") == "multiple_dropdowns_question"
    places = (
        sorted(
            (at, response)
            for response in item.responses
            if (at := stem.find(f"[{response.text}]")) >= 0 and response.labels
        )
        if len({response.text for response in item.responses}) == len(item.responses)
        else []
    )
    if not places or len(places) != len(item.responses):
        says("a gap of it does not stand in its text", "Write its name there, as in [name]")
        return None
    for number, (_, response) in enumerate(places, 1):
        # Where answers are typed, each label is a right one; to choose from, there are wrong ones among them.
        right = [
            one.text for one in response.labels if not chosen or _earned(item, response.ident, one.ident) > 0
        ]
        if not right:
            says(f"the gap {response.text[:20]!r} has no right answer", "Say which one in a <respcondition>")
            return None
        texts = tuple(dict.fromkeys(one.text for one in response.labels)) if chosen else ()
        gaps.append(Gap(tuple(Accepted(text.replace("*", "\\*")) for text in right), texts))
        stem = stem.replace(f"[{response.text}]", f"{{{{{number}}}}}", 1)
    return replace(made, kind="cloze", stem=stem, gaps=tuple(gaps))


def _essay(item: Item, made: Question, says: Says) -> Question | None:
    return replace(made, kind="essay")


def _description(item: Item, made: Question, says: Says) -> Question | None:
    return made


_KINDS: dict[str, Callable[[Item, Question, Says], Question | None]] = {
    "multiple_choice": _single,
    "true_false": _single,
    "multiple choice": _single,
    "true/false": _single,
    "either/or": _single,
    "multiple_answers": _multi,
    "multiple_response": _multi,
    "multiple answer": _multi,
    "short_answer": _text,
    "fib": _text,
    "fill in the blank": _text,
    "numerical": _numeric,
    "numeric": _numeric,
    "matching": _match,
    "ordering": _order,
    "fill_in_multiple_blanks": _cloze,
    "multiple_dropdowns": _cloze,
    "essay": _essay,
    "short response": _essay,
    "text_only": _description,
}
