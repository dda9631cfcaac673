"""A student at a desk whose clock the test sets, and a lesson with every kind of question."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from quiz.question import Question
from quiz.reply import Reply, read_reply
from quiz.study.records import Answer
from runtime.classroom import actions
from tui.study import course
from tui.study.lessons_and_rounds import Desk
from tui.study.study_session import Opened, Sitting

MONDAY = datetime(2026, 3, 2, 18, tzinfo=UTC)

KINDS = """\
---
title: Kinds
---
# Single {#s}

::: quiz {#single kind=single shuffle=yes tags=one}
Which?

- [ ] losses
- [x] gradients
- [ ] weights
:::

---

# Multi {#m}

::: quiz {#multi kind=multi points=2}
Which?

- [x] all-reduce
- [ ] print
- [x] broadcast
:::

---

# True {#t}

::: quiz {#truth kind=truefalse}
Equal?

= true
:::

---

# Bytes {#n}

::: quiz {#bytes kind=numeric}
How many?

= 16.6 ± 0.1 GB
:::

---

# Text {#x}

::: quiz {#word kind=text}
Which?

= all-reduce | allreduce
:::

---

# Order {#o}

::: quiz {#order kind=order}
In order:

1. forward
2. backward
3. step
:::

---

# Match {#p}

::: quiz {#match kind=match}
Match:

- ring => bandwidth
- tree => latency
- => nothing
:::

---

# Cloze {#c}

::: quiz {#cloze kind=cloze}
A {{ring|circle}} of {{= 4 ± 1}} is {{fast|~slow}}.
:::

---

# Line {#l}

::: quiz {#line kind=line}
Which?

```python
loss = model()
loss.backwards()
```

= 2
:::

---

# Poll {#q}

::: poll {#poll}
Who?

- you
- me
:::

---

# Essay {#e}

::: quiz {#essay kind=essay}
Why?
:::

---

# Broken {#b}

::: quiz {#broken kind=single}
No option is right.

- [ ] a
:::

---

# Slower {#f}

::: predict {#slower metric=seven.step_s.median over=one unit=x runs=2 kind=single tags=buckets}
How much slower?

- [ ] 1x
- [ ] 2x
- [ ] 4x
:::

---

# Time {#g}

::: predict {#time metric=one.step_s.median unit=ms runs=2 kind=numeric}
How long?
:::

---

# Demos {#d}

::: demo ddp {#one} ranks=2 steps=5

---

# More {#d2}

::: demo ddp {#seven} ranks=2 steps=5 bucket_mb=0.25
"""

# What is typed for each, right and wrong; of what is shuffled by its texts.
TYPED = {
    "multi": ("13", "12"),
    "truth": ("true", "false"),
    "bytes": ("16.6 GB", "17 GB"),
    "word": ("AllReduce", "gather"),
    "cloze": ("circle; 5; fast", "ring; 4; slow"),
    "line": ("2", "1"),
}
GRADED = ("single", *TYPED, "order", "match")


class Student:
    def __init__(self, folder: Path, text: str = KINDS, name: str = "01-kinds.md") -> None:
        self.folder, self.time = folder, MONDAY
        self.file = folder / "course" / name
        self.file.parent.mkdir()
        self.file.write_text(text)
        self.desk = self.sit_down()

    def sit_down(self, *courses: Path) -> Desk:
        lessons = course.find([str(path) for path in courses or (self.file.parent,)]).lessons
        return Desk(self.folder / "progress.sqlite", lessons, lambda: self.time)

    def come_back(self, *courses: Path) -> None:
        """Another process, later."""
        assert self.desk.close() == ""
        self.desk = self.sit_down(*courses)

    def sitting(self, opened: Opened | None) -> Sitting:
        assert opened is not None
        return Sitting.of(opened, self.desk.save)

    def lesson(self) -> Sitting:
        return self.sitting(self.desk.open_lesson(self.desk.lessons[0]))

    def keep(self, at: Sitting) -> None:
        self.desk.keep_lesson(self.desk.lessons[0], at)

    def due(self) -> list[str]:
        return [card.question for card in self.desk.due()]

    def all_answers(self) -> list[Answer]:
        """What is kept, the oldest first: asked on the thread that writes, so after all that was written."""
        return self.desk.ask(self.desk.store.answers)

    def kept(self) -> dict[str, dict[str, object]]:
        rows = self.desk.ask(self.desk.store.export)["answers"]
        assert isinstance(rows, list)
        return {row["question"]: row for row in rows}


def go(at: Sitting, block: str) -> Question:
    """To the slide of a question, as a screen goes there."""
    index = at.slide_of(block)
    assert index is not None
    at.session.go((index, 0))
    at.answering.open_shown()
    at.arrived()
    current = at.answering.current()
    assert current is not None and current[0].id == block
    return current[0]


def give(at: Sitting, question: Question, reply: Reply, sure: bool | None = None) -> bool | None:
    """Answer, lock and say how sure; whether it was right, None where nobody can say."""
    at.session.act(actions.Answer(question.id, reply.choice, reply.text))
    at.answering.lock()
    unsaid = at.unsaid()
    assert (unsaid is None) == (not at.asked[question.id].graded)
    if unsaid is not None:
        at.say(unsaid, sure)
    assert at.given() == question
    outcome = at.keep(question)
    at.answering.reveal()
    assert at.given() is None
    return outcome.right if outcome is not None else None


def reply(question: Question, right: bool) -> Reply:
    if question.id.partition("~")[0] in TYPED:
        typed = TYPED[question.id.partition("~")[0]][not right]
        read = read_reply(question, typed)
        assert isinstance(read, Reply), read
        return read
    if right:
        return Reply(question.key)
    return Reply((*question.key[1:], question.key[0]) if len(question.key) > 1 else (0,))


def answered_wrong(student: Student, *blocks: str) -> None:
    at = student.lesson()
    for block in blocks:
        assert give(at, go(at, block), reply(go(at, block), False)) is False
    student.keep(at)
