"""Questions told in lines: how they are asked and answered, what becomes of them, and what was right."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from slides.drawing.screen_reader_lines import linear, many
from tui.figures import numbers

if TYPE_CHECKING:
    from quiz.question import Question
    from runtime.classroom.question_state import QuestionState
    from slides.deck import Quiz
    from tui.classroom.room import Room


def markdown(text: str) -> list[str]:
    """Return a text of Markdown as lines for a screen reader."""
    from slides.reading.parse import parse_blocks

    return linear(parse_blocks(text), -1, 0)


_WORDS = "words, as in answer all-reduce"  # what answers a question in free text


def answer_first(question: Question) -> str:
    """Say what to type before an answer can be locked: labels as they were told, not the keys of a screen."""
    from quiz.reply import how_to_answer

    return f"answer first, with {how_to_answer(question) or _WORDS}"


class QuestionAnnouncements:
    """Says each turn of a question once."""

    def __init__(self, room: Room) -> None:
        self._room, self._session = room, room.session
        self._told: dict[str, tuple[int, str, int]] = {}  # question -> its round, phase and hints
        self._quarters: dict[str, int] = {}  # of those who could answer, told of a question

    def asked(self, block: Quiz) -> Iterator[str]:
        """The question as it stands on the slide."""
        from quiz.question import Question

        read = self._room.answering.parsed(block)
        if not isinstance(read, Question):
            yield from (f"question that cannot be asked, line {t.line}: {t.message}. {t.mend}" for t in read)
            return
        from quiz.answers.option_labels import labels
        from quiz.kinds.registry import SILENT
        from quiz.reply import how_to_answer
        from quiz.reply import labels_of as said_of

        yield "question:"
        stem = read.stem
        for n in range(len(read.gaps)):
            stem = stem.replace(f"{{{{{n + 1}}}}}", f"(gap {n + 1})")
        yield from markdown(stem)
        for n, gap in enumerate(read.gaps, 1):
            if gap.offered:
                told = zip(labels(gap.offered), gap.offered, strict=True)
                yield f"  gap {n} is one of: " + ", ".join(f"{label}. {text}" for label, text in told)
        yield from (f"  line {n}: {line}" for n, line in enumerate(read.code.split("\n"), 1) if read.code)
        lefts, marks = said_of(read)
        for left, prompt in zip(lefts, read.prompts, strict=True):
            yield f"  {f'{left}. ' if left else ''}{prompt}"
        for number, option in zip(marks, read.options, strict=True):
            first, *rest = markdown(option.text) or [""]
            yield f"  {number}. {first}"
            yield from (f"     {line}" for line in rest)
        if read.kind not in SILENT and (self._session.role == "console" or self._session.may_answer):
            how = how_to_answer(read) or _WORDS
            limit = f", within {read.time_s:g} s" if read.time_s else ""
            ours = "; reveal says what is right" if self._session.role == "console" else ""
            yield f"answer with {how}{limit}{ours}"

    def news(self) -> Iterator[str]:
        """What has become of the questions of the slide since it was last told."""
        for question in self._room.answering.shown():
            state = self._session.question(question.id)
            if state is None:
                continue
            now = (len(state.before), state.phase, len(state.hints))
            before = self._told.get(question.id, (0, "open", 0))
            self._told[question.id] = now
            yield from (f"hint: {line}" for text in state.hints[before[2] :] for line in markdown(text))
            if now[0] > before[0]:
                yield "the question is asked again; what was answered before stays hidden until the reveal"
            if state.phase == "locked" and before[1] == "open":
                count, people = self._room.counted.get(question.id, (0, 0))
                if self._session.role == "console":
                    yield f"locked with {many(state.answered, 'answer')}"
                else:
                    yield f"locked: {count} of {people} have answered" if people else "locked"
            elif state.phase == "revealed" and before[1] != "revealed":
                yield from self._revealed(question, state)

    def counts(self) -> Iterator[str]:
        """How many have answered, as the room sees it: a line at each quarter, not at each answer."""
        if self._session.role == "console":
            return
        for question in self._room.answering.shown():
            state, (count, people) = (
                self._session.question(question.id),
                self._room.counted.get(question.id, (0, 0)),
            )
            if state is None or state.phase != "open" or not people:
                continue
            reached = 4 * count // people
            if reached > self._quarters.get(question.id, 0):
                yield "all have answered" if count >= people else f"{count} of {people} have answered"
            self._quarters[question.id] = reached

    def _revealed(self, question: Question, state: QuestionState) -> Iterator[str]:
        from quiz.answer_key import joined
        from quiz.kinds.registry import UNGRADED
        from quiz.reply import as_typed, labels_of

        yield from self._measured(question, state)
        right = joined(question, state.accepted, " or ") or as_typed(question, state.key)
        if state.undecided:
            yield f"the runs leave open, so neither right nor wrong: {' or '.join(state.undecided)}"
        if right or (question.kind not in UNGRADED and not state.undecided):
            yield f"right: {right or 'nothing is'}"
        if (earned := state.points) is not None and state.answered and self._session.role == "console":
            answer = self._room.answering
            given = as_typed(question, answer.picked(question.id)) or "; ".join(answer.typed(question.id))
            if given:
                yield f"answered here: {given}; that is {earned:.3g} of {state.out_of or 0:.3g} points"
        if (
            state.answered > 1
            or (question.options and question.kind in UNGRADED)
            or state.hands
            or state.before
        ):
            for old in state.before:
                yield from _votes("votes before", old.votes)
            yield from _votes("votes", state.votes)
        marks = labels_of(question)[1]
        one_each = len(state.explain) == len(question.options)
        for n, text in enumerate(state.explain, 1):
            for line in markdown(text) if text else ():
                yield f"{marks[n - 1]}. {line}" if one_each else line
        for comment in state.comments:
            gap = f"gap {comment.gap + 1}, " if question.gaps else ""
            first, *rest = markdown(comment.explain) or [""]
            yield f"{gap}{'right' if comment.right else 'not right'}: {comment.text}: {first}"
            yield from rest
        yield from markdown(state.general) if state.general else ()

    def _measured(self, question: Question, state: QuestionState) -> Iterator[str]:
        found = self._room.answering.prediction()
        if found is None or found[1].id != question.id or not state.samples:
            return
        plan = found[0]
        if (result := plan.measured(state)) is None:
            going = any(self._room.alive(demo.id) for demo in plan.blocks)
            run = f"run {min(plan.done(state) + 1, plan.of)} of {plan.of} is measured"
            yield run if going else "measured: no figure came of it"
            return
        badges = " + ".join(dict.fromkeys(one.badge for one in state.samples if one.badge))
        by, unit = numbers.scaled(result.middle, plan.unit)
        unit = f" {unit}" if unit else ""
        middle, half, low, high = (
            numbers.quantity((value or 0.0) / by)
            for value in (result.middle, result.half, result.low, result.high)
        )
        spread = f" ± {half}" if result.half is not None else ""
        ends = f", from {low} to {high}" if result.count > 1 else ""
        runs = f"{many(result.count, 'run')}{ends}"
        yield f"measured: {middle}{spread}{unit} in {runs}, {badges or '–'}"


def _votes(what: str, votes: tuple[int, ...]) -> Iterator[str]:
    if votes:
        yield f"{what}: " + ", ".join(f"{count} for {n}" for n, count in enumerate(votes, 1))
