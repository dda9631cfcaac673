"""A question of any kind from what is written in its fence, and what an answer to it earns."""

from __future__ import annotations

from textwrap import dedent

from quiz.grade import grade
from quiz.parse import parse_question
from quiz.question import Question, Trouble
from quiz.reply import Reply, read_reply


def read(body: str, kind: str = "", **attrs: str) -> Question:
    found = parse_question("q", kind, attrs, dedent(body), 10)
    assert isinstance(found, Question), found
    return found


def trouble(body: str, kind: str = "", **attrs: str) -> Trouble:
    found = parse_question("q", kind, attrs, dedent(body), 10)
    assert isinstance(found, tuple), found
    return found[0]


def earned(question: Question, typed: str) -> float:
    reply = read_reply(question, typed)
    assert isinstance(reply, Reply), reply
    return grade(question, *reply).points


BYTES = """\
    How much does a rank send?

    = 16.6 ± 0.1 GB
    = 50% 33.2 GB
      > That is what all ranks send together.

    > hint: Every chunk goes round twice.
    > 2(n-1)/n · S
    """
