"""The results of a class for other programs: an object and a table of answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.reports.classes.result_types import Change, Results


def as_json(found: Results, changed: tuple[Change, ...] | None, people: dict[str, str]) -> dict[str, object]:
    """The whole, without what screens are called inside; options and rounds count from 1."""
    from dataclasses import asdict

    rows = []
    for question in found.questions:
        row = asdict(question)
        row["said"] = [{"n": n, **said} for n, said in enumerate(row["said"], 1)]
        row["given"] = [{"person": people[g.pop("screen")], **_less(g, "question")} for g in row["given"]]
        rows.append(row)
    told: dict[str, object] = {
        "class": found.class_id,
        "title": found.title,
        "began": found.began,
        "facility": found.facility,
        "questions": rows,
        "people": [{"person": people[p.screen], **_less(asdict(p), "screen", "name")} for p in found.people],
    }
    if changed is not None:
        told["regraded"] = [asdict(change) for change in changed]
    return told


def _less(row: dict[str, object], *names: str) -> dict[str, object]:
    return {name: value for name, value in row.items() if name not in names}


def table(found: Results, people: dict[str, str]) -> str:
    """A row for every answer of every round, and for the hands counted for each option."""
    import csv
    import io

    from quiz.formats.table.rows import cell

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    head = "class,question,kind,round,person,answer,count,right,points,out_of,seconds"
    writer.writerow(head.split(","))
    for q in found.questions:
        for g in q.given:
            right = "" if g.right is None else int(g.right)
            points = "" if g.points is None else f"{g.points:g}"
            seconds = "" if g.seconds is None else f"{g.seconds:.1f}"
            who, words = cell(people[g.screen]), cell(g.words)
            writer.writerow(
                [found.class_id, q.question, q.kind, g.round, who, words, 1, right, points, q.points, seconds]
            )
        for at, said in enumerate(q.said, 1):
            right = "" if said.right is None else int(said.right)
            words = cell(f"{at} {said.text}")
            for n, raised in enumerate(said.hands, 1):
                if raised:
                    writer.writerow(
                        [
                            found.class_id,
                            q.question,
                            q.kind,
                            n,
                            "hands",
                            words,
                            raised,
                            right,
                            "",
                            q.points,
                            "",
                        ]
                    )
    return out.getvalue()
