"""What people take home: pages that stand alone, Markdown that is Markdown, and the class's own figures."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from made_runs import record
from pictured import same_as_picture

from runtime.classroom import actions
from runtime.classroom.journal import Journal
from runtime.host import comparison
from slides.export.mathml import mathml
from slides.reading.blocks import markdown
from slides.reading.inline import inlines
from tui import cli
from tui.export import documents
from tui.export import source as export_source
from tui.export.handout import Handout
from tui.rendering.offscreen import Offscreen

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


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deck.md").write_text(DECK, "utf-8")
    (tmp_path / "ring.png").write_bytes(PNG)
    return tmp_path


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


# --- one page that stands alone ---------------------------------------------------------------------------

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


def test_the_page_is_sound_and_says_everything(home: Path) -> None:
    page = is_sound(html())
    assert ("html", {"lang": "de"}) in page.tags
    assert {"main", "nav", "header", "table", "pre", "math", "blockquote", "ol"} <= {t for t, _ in page.tags}
    for word in ("Four <copies>", "A. Teacher", "after the pause", "return x  # a | b", "How many bytes?"):
        assert word in page.words
    assert "HIDDEN-TEXT" not in page.words and "SECRET-NOTE" not in page.words
    assert "SECRET-NOTE" in Page(html(notes=True)).words
    assert len([load for load in page.loads if load.startswith("data:image/png;base64,")]) == 1 + 4


def test_both_looks_have_a_colour_for_every_meaning() -> None:
    text = html()
    light, dark = text.split("prefers-color-scheme:dark", 1)
    wanted = set(re.findall(r"\.i-([a-z0-9-]+)\{color:var", text))
    assert wanted
    for look in (light, dark):
        assert wanted <= set(re.findall(r"--([a-z0-9-]+):#[0-9a-f]{6}", look))


HOSTILE = """# <script>alert(1)</script> {#x"onclick="y}

[click](javascript:alert(1)) [data](data:text/html;base64,PHNjcmlwdD4=) ![p](javascript:alert(2))

<img src=x onerror=alert(3)> \x1b[31mred\x1b]0;title\x07

```"><script>
</code></pre><script>alert(4)</script>
```

| <b onmouseover=1> |
|---|
| </table><script> |

$</math><script>$ and $\\text{</math><script>alert(5)</script>}$

::: quiz {#q}
<script>alert(6)</script>

- [x] </li><script>
- [ ] b
:::

::: demo ddp note="</h3><script>alert(7)</script>"

::: dmo <script>alert(8)</script>
"""


def test_a_hostile_deck_stays_text(home: Path) -> None:
    (home / "bad.md").write_text(HOSTILE, "utf-8")
    page = is_sound(html("bad.md"))
    assert "<script>alert(6)</script>" in page.words and "javascript:" not in " ".join(page.links)
    text = md("bad.md")
    assert "\x1b" not in text
    tokens = [t for token in markdown().parse(text) for t in (token, *(token.children or ()))]
    raw = "".join(t.content for t in tokens if t.type.startswith("html_"))
    assert "script" not in raw and "onerror" not in raw


# --- a class ----------------------------------------------------------------------------------------------


def test_a_class_has_its_figures_and_its_answers(home: Path) -> None:
    held(home)
    page = is_sound(html("monday"))
    assert "Class of 2023-11-14 22:13" in page.words
    assert "LIVE CPU · 2 ranks on 1 core · 2020-09-13 12:26" in page.words
    assert "2.3000" in page.words and "3.3000" in page.words  # of the two ranks of `made_runs`, step eight
    assert "3 answers, 2 right (67 %)." in page.words
    assert "✓ right" in page.words and "THE-GENERAL-WHY" in page.words and "THE-RIGHT-WHY" in page.words
    assert "details" not in {tag for tag, _ in page.tags}
    text = md("monday")
    assert "**✓ right** ▇▇▇▇▇▇▇▇▇▇▇▇▇ 2 (67 %)" in text and "✗ ▇▇▇▇▇▇▇ 1 (33 %)" in text
    assert "| 0 | done | 8 | 2.3000 | 500.0 |" in text


def test_a_comparison_is_made_again_of_its_runs(home: Path) -> None:
    deck = "# C\n\n::: compare ddp 'zero stage=1' {#c} ranks=2 steps=8 runs=2\n"
    (home / "deck.md").write_text(deck, "utf-8")
    block = export_source.find("deck.md").contents.demos(0)[0]  # type: ignore[union-attr]
    plan = comparison.check("compare", block.params)
    assert isinstance(plan, comparison.Plan)
    source = export_source.find("deck.md")
    assert isinstance(source, export_source.Source)
    journal = Journal(home / "data/teachrun/classes/monday/journal.jsonl")
    journal.append(actions.Deck(source.contents.rev, "C", str(home / "deck.md")))
    for n, entry in enumerate((plan.entries[0], plan.entries[1], plan.entries[0])):
        run, demo = f"20261121-04100{n}-aaaa", entry.demo
        record(home / "data/teachrun/runs", run, demo=demo.name, params=demo.params, block="c")
        journal.append(actions.Run("c", run, 1, demo.name, demo.params, "done"))
    page = is_sound(html("monday"))
    assert "compare ddp, zero stage=1" in page.words
    assert "Not all was run: zero stage=1 1 of 2 times." in page.words
    assert page.words.count("500 ms to 500 ms") == 2  # the steps of `made_runs`, of either strategy
    assert "| ddp | – | – | 500 ms |" in md("monday")  # neither a peak nor a sum was measured


def test_an_answer_that_was_not_shown_stays_secret(home: Path) -> None:
    held(home, revealed=False)
    for text in (html("monday"), md("monday")):
        assert "THE-RIGHT-WHY" not in text and "THE-GENERAL-WHY" not in text and "✓ right" not in text
        assert "Not answered in this class." in text


def test_a_deck_alone_has_answers_for_who_asks_unless_they_are_left_out() -> None:
    page = Page(html())
    assert "details" in {tag for tag, _ in page.tags} and "THE-RIGHT-WHY" in page.words
    for text in (html(answers=False), md(answers=False)):
        assert "RIGHT-ONE" in text and "WHY" not in text and "details" not in text


def test_a_deck_alone_shows_the_newest_run_like_its_own(home: Path) -> None:
    runs = home / "data" / "teachrun" / "runs"
    record(runs, RUN)
    other = "20261121-051000-bbbb"
    record(runs, other, params={"ranks": "2", "steps": "8", "lr": "0.5"})
    source, handout = deck_only()
    assert "2.3000" in documents.html(source, handout, False) and handout.shown == 1
    (home / "deck.md").write_text(DECK.replace("steps=8", "steps=9"), "utf-8")
    assert "Not run yet." in html()


def test_a_demo_that_nobody_ran_says_so() -> None:
    assert "Not run yet." in html() and "Not run yet." in md()


def test_a_deck_that_has_changed_since_is_said_to(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    held(home)
    (home / "deck.md").write_text(DECK.replace("after the pause", "since then"), "utf-8")
    assert cli.main(["export", "last", "--html", "-o", "page.html"]) == 0
    assert "has changed since" in capsys.readouterr().err
    assert "has changed since" in (home / "page.html").read_text("utf-8")


KINDS = {
    "numeric": ("How large?\n\n= 16.6 ± 0.1 GB", "Answer: 16.6"),
    "text": ("Which?\n\n~ broadcast\n= all-reduce | allreduce", "Answer: all-reduce or allreduce"),
    "order": (
        "In which order?\n\n1. *forward*\n2. backward\n3. step",
        "Answer: forward, then backward, then step",
    ),
    "match": ("What goes where?\n\n- rank => process\n- node => machine", "rank: process; node: machine"),
    "cloze": ("A ring sends {{2(n-1)/n}} of it.", "Answer: 2(n-1)/n"),
    "line": ("Which line?\n\n```python\na = 1\nb = a\n```\n\n= 2", "Answer: line 2"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_question_has_an_answer_in_words(kind: str, home: Path) -> None:
    body, answer = KINDS[kind]
    (home / "kinds.md").write_text(f"# Q\n\n::: quiz {{#q kind={kind}}}\n{body}\n:::\n", "utf-8")
    page = is_sound(html("kinds.md"))
    assert answer in page.words, page.words[-300:]
    assert answer not in Page(html("kinds.md", answers=False)).words
    shown = Page(html("kinds.md", answers=False)).words
    assert "{{" not in shown and "=>" not in shown and "= 2" not in shown


FRAGMENTS = st.sampled_from(
    ["# h {#a}", "### h", "##### h", "text *b* `c` $x^2$ $\\frac{1$", "- a\n  - b\n\n  c", "1. a\n1. b",
     "> q\n> > r", "---", "***", "| a | b |\n|--|--:|\n| c \\| d | `e` |",
     "```python {1|all} numbers\na\nb\n```", "```diff\n-a\n+b\n```", "~~~\nx",
     "::: columns 1,2", "+++", ":::", "::: demo ddp", "::: animate ring",
     "::: quiz", "::: poll", "- [x] r\n  > w", "- [ ] f", "<!-- pause -->", "<!-- notes: n -->",
     "<!-- end -->", "<b>x</b> <script>", "![a](b.png)", "$$\nx\n$$", "\x1b[31m"]
)  # fmt: skip


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(FRAGMENTS, max_size=12))
def test_no_deck_breaks_a_page(home: Path, parts: list[str]) -> None:
    (home / "any.md").write_text("\n\n".join(["any", *parts]), "utf-8")
    is_sound(html("any.md", notes=True))
    assert "\x1b" not in md("any.md", notes=True)
    assert json.loads(json.dumps(documents.as_object(deck_only("any.md")[0].contents)))["slides"]


# --- Markdown ---------------------------------------------------------------------------------------------


def test_the_markdown_of_a_deck(home: Path) -> None:
    same_as_picture("handout.md", md(notes=True))


@given(st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn"]), max_size=60))
@example("__0__")
@example("&LT;")
def test_words_come_out_of_markdown_as_they_went_in(text: str) -> None:
    from slides.export.markdown import words

    said = " ".join(text.split())
    tokens = markdown().parse(words(said))
    if said:
        assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
        read = "".join(part.text for part in inlines(tokens[1].children or []))
        assert read == said


# --- formulas and words -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tex", "wanted"),
    [
        (r"\frac{1}{n}", "<mfrac><mn>1</mn><mi>n</mi></mfrac>"),
        (r"x_{12}^2", "<msubsup><mi>x</mi><mrow><mn>12</mn></mrow><mn>2</mn></msubsup>"),
        (r"\sqrt{2}", "<msqrt><mn>2</mn></msqrt>"),
        (r"\sum_{i}^{n} i", "<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover>"),
        (r"\bar g", '<mover accent="true"><mi>g</mi><mo>¯</mo></mover>'),
        (r"\left( a \right)", '<mo fence="true" stretchy="true">(</mo>'),
        (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", "<mtr><mtd>"),
        (r"\text{if } a", "<mtext>if </mtext>"),
        (r"\ln 256", "<mi>ln</mi><mn>256</mn>"),
    ],
)
def test_formulas_become_mathml(tex: str, wanted: str) -> None:
    assert wanted in mathml(tex)
    Page(mathml(tex))


def test_a_formula_that_cannot_be_read_is_its_source() -> None:
    assert mathml("x^") == "<code>x^</code>"


def test_a_deck_for_other_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["export", "deck.md", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["format"] == "teachrun" and said["title"] == "Four <copies>" and len(said["slides"]) == 5
    start, code, live, quiz, hidden = said["slides"]
    assert start["id"] == "start" and start["notes"] == "SECRET-NOTE" and start["steps"] == 1
    assert (code["steps"], live["steps"]) == (3, 4)
    assert start["text"].splitlines()[:2] == ["Start", "Bold, italic, struck, a < b, x² and a link."]
    assert "after the pause" in code["text"] and "rank | loss" in code["text"]
    assert "How many bytes?" in quiz["text"] and "WHY" not in quiz["text"]
    assert hidden["hidden"] is True


def test_what_cannot_be_read_is_said_in_words_not_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text("# A\n\n::: include gone.md\n")
    assert cli.main(["export", str(deck), "--json"]) == 0
    title, problem, raw = json.loads(capsys.readouterr().out)["slides"][0]["text"].splitlines()
    assert (title, raw) == ("A", "::: include gone.md") and "gone.md" in problem and "\u2500" not in problem


# --- the command ------------------------------------------------------------------------------------------


def test_where_it_goes_and_what_is_said(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["export", "deck.md", "--html"]) == 0
    assert capsys.readouterr().out.startswith("deck-handout.html: 4 slides, no demo with figures, ")
    assert (home / "deck-handout.html").read_text("utf-8").startswith("<!doctype html>")
    assert cli.main(["export", "deck.md", "--md", "-o", "-"]) == 0
    assert capsys.readouterr().out.startswith("# Four \\<copies>\n")
    assert cli.main(["export", "deck.md", "--md", "-o", "deck.md"]) == 2
    assert "the deck itself" in capsys.readouterr().err
    assert (home / "deck.md").read_text("utf-8") == DECK
    assert cli.main(["export", "tuesday", "--html"]) == 2
    assert "no deck and no class 'tuesday'" in capsys.readouterr().err
    assert cli.main(["export", "last", "--html"]) == 2
    assert "no class was held here yet" in capsys.readouterr().err


def test_pictures_of_slides(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pil = pytest.importorskip("PIL.Image")
    held(home)
    assert cli.main(["export", "monday", "--png", "-o", "out", "--size", "80x24", "--theme", "light"]) == 0
    files = sorted((home / "out").iterdir())
    assert [file.name for file in files] == ["1-start.png", "2-code.png", "3-live.png", "4-slide-1.png"]
    for file in files:
        with pil.open(file) as image:
            assert image.width == 80 * 20 and image.height >= 24 * 40
    with pil.open(files[0]) as image:
        assert "#{:02x}{:02x}{:02x}".format(*image.getpixel((0, 0))) == "#fbfcfe"


def test_without_pillow_it_says_what_to_install(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from slides.drawing.blocks import image

    monkeypatch.setattr(image, "available", lambda: False)
    assert cli.main(["export", "deck.md", "--png"]) == 2
    assert "install pillow" in capsys.readouterr().err
