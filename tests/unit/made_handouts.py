"""A deck and a class that are exported, and a page as a reader of HTML finds it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

from made_runs import record

from runtime.classroom import actions
from runtime.classroom.journal import Journal
from tui.export import deck_or_class as export_source
from tui.export import documents
from tui.export.handout import Handout
from tui.rendering.pages.offscreen import Offscreen

RUN = "20261121-041000-aaaa"


DECK = r"""---
title: Four <copies>
author: A. Teacher
lang: de
time: 5m
---
<!-- slide: {time: 2m, section: Words} -->
# Start {#start}

**Bold**, *italic*, ~~struck~~, `a < b`, $x^2$ and [a link](https://example.org/a?b=1&c=2).

- one
  1. nested
- [x] done

> said

$$\frac{1}{n} \sum_{i=1}^{n} g_i$$

<!-- notes: SECRET-NOTE -->

---

## Code {#code}

::: columns 3,2
```python {1|2} numbers
def f(x: int) -> int:
    return x  # a | b
```

+++

| rank | loss |
|------|-----:|
| 0    | 1.5  |
:::

<!-- pause -->

after the pause

![four ranks](ring.png)

---

<!-- slide: {section: Practice} -->
## Live {#live}

::: demo ddp {#run} ranks=2 steps=8

::: animate ring ranks=2 chunks=2

---

::: quiz {#bytes kind=single}
How many bytes?

- [ ] $S$
  > THE-WRONG-WHY
- [x] RIGHT-ONE
  > THE-RIGHT-WHY

> THE-GENERAL-WHY
:::

---

<!-- slide: {hidden: true} -->
# Hidden

HIDDEN-TEXT
"""


PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000"
    "050001a5f645400000000049454e44ae426082"
)


def deck_only(what: str = "deck.md", *, answers: bool = True) -> tuple[export_source.Source, Handout]:
    source = export_source.find(what)
    assert isinstance(source, export_source.Source), source
    return source, Handout(Offscreen(source.contents), source.state, source.ran, answers=answers)


def html(what: str = "deck.md", *, answers: bool = True, notes: bool = False) -> str:
    source, handout = deck_only(what, answers=answers)
    return documents.html(source, handout, notes)


def md(what: str = "deck.md", *, answers: bool = True, notes: bool = False) -> str:
    source, handout = deck_only(what, answers=answers)
    return documents.markdown(source, handout, notes, "out.md")


def held(home: Path, *, revealed: bool = True) -> None:
    """A class with a run and a question that three people answered, two of them right."""
    record(home / "data" / "teachrun" / "runs", RUN, block="run", bent=("2 ranks on 1 core",))
    source = export_source.find("deck.md")
    assert isinstance(source, export_source.Source)
    clock = iter(range(1_700_000_000, 1_800_000_000, 60))
    journal = Journal(home / "data/teachrun/classes/monday/journal.jsonl", now=lambda: next(clock))
    journal.append(actions.Begin("monday", "1"))
    journal.append(actions.Deck(source.contents.rev, "Four", str(home / "deck.md")))
    journal.append(actions.Move("start", 0), "c")
    journal.append(actions.Move("live", 0), "c")
    for state in ("launching", "running", "done"):
        journal.append(actions.Run("run", RUN, 1, "ddp", {"ranks": "2", "steps": "8"}, state))
    journal.append(actions.Open("bytes", "single", 2))
    for screen, choice in (("c", 1), ("a", 0), ("b", 1)):
        journal.append(actions.Answer("bytes", (choice,)), screen)
    if revealed:
        journal.append(actions.Reveal("bytes", (1,)))
    journal.append(actions.End())


VOID = {"meta", "br", "hr", "img", "link", "input"}


class Page(HTMLParser):
    """Every tag closed in its order; what it would load, where it links, what it calls things."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.headings: list[int] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        assert len(found) == len(attrs), (tag, attrs)
        self.tags.append((tag, found))
        self.loads += [found[key] or "" for key in ("src", "srcset", "poster", "data") if key in found]
        self.links += [found["href"] or ""] if "href" in found else []
        self.ids += [found["id"] or ""] if "id" in found else []
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words += data


def is_sound(text: str) -> Page:
    page = Page(text)
    tags = [tag for tag, _ in page.tags]
    assert not {"script", "link", "iframe", "object", "embed", "form", "base"} & set(tags)
    assert all(load.startswith("data:image/") for load in page.loads)
    assert "url(" not in text and "@import" not in text
    assert all(link[:1] == "#" or re.match("(https?://|mailto:)", link) for link in page.links)
    assert {link[1:] for link in page.links if link[:1] == "#"} <= set(page.ids)
    assert len(set(page.ids)) == len(page.ids)
    assert not any(name.startswith("on") for _, attrs in page.tags for name in attrs)
    assert all(attrs.get("alt") for tag, attrs in page.tags if tag == "img")
    assert page.headings[0] == 1 and page.headings.count(1) == 1
    assert all(below <= above + 1 for above, below in zip(page.headings, page.headings[1:], strict=False))
    assert "\x1b" not in text
    return page
