"""`teachrun study --plain`: what home says and the questions that are due, in lines: for screen readers, dumb
terminals and pipes. Lessons are read in lines by `teachrun present --plain`.
"""

from __future__ import annotations

import io
import sys
from typing import TextIO

from slides.drawing.cells import clean
from tui.command_line.exit_codes import DONE, INTERRUPTED
from tui.plain.question_asking import Answered, ask
from tui.study.home_and_end_pages import End, Home
from tui.study.lessons_and_rounds import Desk
from tui.study.study_session import Sitting

SURE = {"s": True, "y": True, "u": False, "n": False}


def main(desk: Desk) -> int:
    """Everything that is due, with what was not known once more at the end; the exit status."""
    from tui.practice import reviews

    again = [f"{row.text}: teachrun practice {row.lesson} --again" for row in reviews.rows(desk)]
    print(*home_lines(desk.home()), *again, "", sep="\n")
    opened = desk.open_round()
    if opened is None:
        return DONE
    at = Sitting.of(opened, desk.save)

    answers = sys.stdin or io.StringIO()

    def keep(answered: Answered) -> None:
        if answered.given:  # what was skipped stays due
            reply = answered.reply
            at.answer(answered.question, reply.choice, reply.text, how_sure(answers))

    try:
        while waiting := at.waiting():
            answered = ask(waiting, answers, sys.stdout, typed=True, keep=keep)
            if not all(one.given for one in answered):
                break
    except KeyboardInterrupt:
        print()
        return INTERRUPTED
    at.ended = True
    desk.keep_round(at)
    print("", *end_lines(desk.finished(opened.title, at)), sep="\n")
    if measured := at.left() - len(at.waiting()):
        print(f"left: {measured} to predict and to measure, on the screen of teachrun study --due")
    return DONE


def how_sure(answers: TextIO) -> bool | None:
    """Asked of somebody who types; None where nothing is said."""
    if not answers.isatty():
        return None
    print("How sure were you? s sure, u unsure, Enter neither: ", end="", flush=True)
    return SURE.get(answers.readline().strip().casefold()[:1])


def home_lines(home: Home) -> list[str]:
    """Return the study page in lines: what is due, lessons, weak topics."""
    lines = [row.text for row in home.today] or [home.rest]
    for row in home.lessons:
        due = f", {row.due} due" if row.due else ""
        place = "done" if row.done else f"{row.seen} of {row.total} slides"
        lines.append(clean(f"{row.numbered.strip()} {row.text}: {place}{due}".strip()))
    lines += [clean(f"worth another look: {one.name}, {one.right} of {one.asked} right") for one in home.weak]
    return [*lines, *([f"not kept: {clean(home.trouble)}"] if home.trouble else [])]


def end_lines(card: End) -> list[str]:
    """Return the end of a lesson in lines: points, misses, and when questions come back."""
    lines = [f"{card.points:.3g} of {card.out_of:.3g} points, {card.right} of {card.asked} right at once"]
    for miss in card.misses:
        again = f": {miss.command}" if miss.command else ""
        lines.append(f"worth another look: {clean(miss.topic)}{again}")
    return [*lines, *(f"comes back {day}: {count}" for day, count in card.coming)]
