"""The results of a class as one HTML page: nothing is loaded, nothing runs, every text is escaped."""

from __future__ import annotations

import time
from collections.abc import Iterator
from html import escape

from slides.drawing.cells import clean
from slides.export import style
from tui.export.question_parts import words
from tui.reports.classes.result_types import Change, QuestionResult, Results
from tui.reports.classes.results_words import asked, facts, figure, percent, readable, unlisted

# Beside the look of exported decks: bars have a width, and a mark says what is right without colour.
_RULES = (
    "table{border-collapse:collapse;width:100%;margin:.5em 0 1.5em}td,th{text-align:left;padding:.2em .6em;"
    "vertical-align:top}td.n,th.n{text-align:right;white-space:nowrap}"
    "td.share{width:26%}td:first-child{width:1em}"
    ".share span{display:inline-block;height:.8em;background:var(--dim)}"
    ".right .share span{background:var(--good)}"
    "ul.parts{list-style:none;padding:0;color:var(--dim)}h2{margin-top:1.6em}.facts{color:var(--dim)}"
)


def page(found: Results, changed: tuple[Change, ...] | None, people: dict[str, str]) -> str:
    """The whole page."""
    title = f"Results · {_text(found.title)}"
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(found.began)) if found.began else "never begun"
    body = "".join("".join(_question(question)) for question in found.questions)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">"
        f'<style>{style.sheet()}{_RULES}</style></head>\n<body><div class="page"><header><h1>{title}</h1>'
        f"<p>Class {_text(found.class_id)}, {when} · facility {percent(found.facility)}</p></header>\n"
        f"<main>{body}{_people(found, people)}{_regraded(found, changed)}</main></div></body></html>\n"
    )


def _question(question: QuestionResult) -> Iterator[str]:
    yield f"<h2>{_text(question.question)}</h2><p>{_text(asked(question))}</p>\n"
    if question.parts:
        rows = "".join(f"<li>{_text(part[:2] + words(part[2:]))}</li>" for part in question.parts)
        yield f'<ul class="parts">{rows}</ul>\n'
    if not any(vote.answered for vote in question.rounds):
        yield '<p class="facts">Nobody answered.</p>\n'
        return
    rounds = len(question.rounds)
    heads = "".join(
        f'<th class="n">{name}</th><th></th>'
        for name in (["answers"] if rounds == 1 else [f"vote {n + 1}" for n in range(rounds)])
    )
    yield f"<table><thead><tr><th></th><th>answer</th>{heads}</tr></thead><tbody>"
    for said in question.said:
        shares = zip(said.votes, question.shares(said), strict=True)
        votes = "".join(
            f'<td class="n">{count}{f" ({percent(share)})" if share is not None else ""}</td>'
            f'<td class="share"><span style="width:{100 * (share or 0):.0f}%"></span></td>'
            for count, share in shares
        )
        mark = '<td aria-label="right">✓</td>' if said.right else "<td></td>"
        answer = f"<td>{_text(readable(question, said.text))}</td>"
        yield f"<tr{' class=right' if said.right else ''}>{mark}{answer}{votes}</tr>"
    yield "</tbody></table>"
    told = facts(question)
    if unlisted(question):
        told = [f"right is {_text(question.key)}", *told]
    if rounds > 1:
        rights = ", then ".join(percent(vote.right) for vote in question.rounds)
        told += [f"right {rights}", f"gain {figure(question.gain)}"]
    yield f'<p class="facts">{" · ".join(told)}</p>\n'


def _people(found: Results, people: dict[str, str]) -> str:
    if not found.people:
        return ""
    rows = "".join(
        f'<tr><td>{_text(people[p.screen])}</td><td class="n">{p.points:.4g} of {p.out_of:.4g}</td>'
        f'<td class="n">{p.answered}</td></tr>'
        for p in found.people
    )
    head = '<tr><th>who</th><th class="n">points</th><th class="n">answered</th></tr>'
    return f"<h2>Who answered</h2><table><thead>{head}</thead><tbody>{rows}</tbody></table>\n"


def _regraded(found: Results, changed: tuple[Change, ...] | None) -> str:
    if changed is None:
        return ""
    known = {question.question: question for question in found.questions}
    rows = "".join(
        f"<tr><td>{_text(c.question)}</td><td>{_text(readable(known[c.question], c.was))}</td>"
        f"<td>{_text(readable(known[c.question], c.now))}</td>"
        f'<td class="n">{percent(c.facility_was)} to {percent(c.facility_now)}</td></tr>'
        for c in changed
    )
    head = '<tr><th>question</th><th>right was</th><th>right is</th><th class="n">facility</th></tr>'
    told = (
        f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>" if rows else "<p>No key has changed.</p>"
    )
    return f"<h2>Regraded</h2>{told}\n"


def _text(text: str) -> str:
    return escape(clean(text))
