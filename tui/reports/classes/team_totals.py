"""What the teams of a room have earned: points of what was revealed, as a share of what each could have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from quiz.answer_key import graded
from quiz.question import Question
from runtime.classroom.question_state import QuestionState, heard, team_of
from runtime.protocol.class_messages.room_board import Board, BoardRow
from tui.classroom.answering.questions import Answering
from tui.classroom.session import Session
from tui.reports.classes.results_from_journal import as_shown


def team_totals(
    teams: Sequence[str],
    revealed: Iterable[QuestionState],
    known: Callable[[str], Question | None],
) -> Board:
    """Return a row for each of `teams`, in their order: the mean share of the points of an answer, in percent
    (0 to 100), and how many have answered. Who has not answered counts for nothing: a team is no smaller for
    those who are slow, and a large one has no more.

    `known` gives a question by id as the class had it, None where the deck has it no more.
    """
    shares: dict[str, list[float]] = defaultdict(list)
    people: dict[str, set[str]] = defaultdict(set)
    for asked in revealed:
        if asked.phase != "revealed" or not (asked.key or asked.accepted):
            continue
        question = as_shown(known(asked.id), asked)
        for seat in heard(asked):
            if team := team_of(seat):
                choice, text = asked.answers.get(seat, ()), asked.texts.get(seat, ())
                if (found := graded(question, asked.undecided, choice, text)) is not None:
                    shares[team].append(found.points / (found.out_of or 1.0))
                    people[team].add(seat)
    rows = [
        BoardRow(team, round(100 * sum(shares[team]) / max(1, len(shares[team]))), len(people[team]))
        for team in teams
    ]
    return Board("teams", "Right so far", tuple(rows))


def totals_of_class(session: Session, answering: Answering, teams: Sequence[str]) -> Board | None:
    """Return the board of a class as its console knows it; None before anything with a key is revealed."""
    state, contents = session.state, session.contents
    known = {
        found.id: found
        for index in range(len(contents))
        for quiz in contents.quizzes(index)
        if quiz.id in state.questions and isinstance(found := answering.parsed(quiz), Question)
    }
    board = team_totals(teams, state.questions.values(), known.get)
    return board if any(row.people for row in board.rows) else None
