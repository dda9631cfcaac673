"""What people take home: pages that stand alone, Markdown that is Markdown, and the class's own figures."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_handouts import DECK, RUN, Page, deck_only, held, html, is_sound, md
from made_runs import record

from runtime import recordings
from runtime.classroom import actions
from runtime.classroom.journal import Journal
from runtime.host.blocks import comparison
from slides.reading.markdown.blocks import markdown
from tui import cli
from tui.export import deck_or_class as export_source
from tui.export import documents

pytestmark = pytest.mark.usefixtures("home")


# --- one page that stands alone ---------------------------------------------------------------------------


def test_the_page_is_sound_and_says_everything(home: Path) -> None:
    page = is_sound(html())
    assert ("html", {"lang": "de"}) in page.tags
    assert {"main", "nav", "header", "table", "pre", "math", "blockquote", "ol"} <= {t for t, _ in page.tags}
    for word in ("Four <copies>", "A. Teacher", "after the pause", "return x  # a | b", "How many bytes?"):
        assert word in page.words
    assert "HIDDEN-TEXT" not in page.words and "SECRET-NOTE" not in page.words
    assert "SECRET-NOTE" in Page(html(notes=True)).words
    assert len([load for load in page.loads if load.startswith("data:image/png;base64,")]) == 1
    assert html().count('<svg class="scene"') == 4


def test_a_title_slide_does_not_say_the_title_of_the_page_again(home: Path) -> None:
    text = "---\ntitle: Rings\n---\n<!-- slide: {layout: title} -->\n# Rings\n\nRound.\n\n---\n\n# Trees\n"
    (home / "rings.md").write_text(text, "utf-8")
    page = html("rings.md")
    assert re.findall(r'<section id="([^"]*)" class="([^"]*)"', page) == [("rings", "layout-title titled")]
    (hidden,) = re.findall(r"\n([^{}\n]*)\{position:absolute;left:-99rem\}", page)
    assert ".titled>h2:first-of-type" in hidden.split(",")


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
    # Words between tags of a deck stay as text; a script is none, and goes.
    assert "<script>alert(8)</script>" in page.words and "alert(6)" not in page.words
    assert "javascript:" not in " ".join(page.links)
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
        assert "RIGHT-ONE" in text and "WHY" not in text and "<details" not in text


def test_a_deck_alone_shows_the_newest_run_like_its_own(home: Path) -> None:
    runs = home / "data" / "teachrun" / "runs"
    record(runs, RUN)
    other = "20261121-051000-bbbb"
    record(runs, other, params={"ranks": "2", "steps": "8", "lr": "0.5"})
    source, handout = deck_only()
    assert "2.3000" in documents.html(source, handout, False) and handout.shown == 1
    (home / "deck.md").write_text(DECK.replace("steps=8", "steps=9"), "utf-8")
    assert "2.3000" in html() and "It differs in steps=8 (asked 9)." in html()
    (home / "deck.md").write_text(DECK.replace("steps=8", "steps=9 lr=0.25"), "utf-8")
    assert "Not run yet." in html()


def test_a_deck_alone_has_the_figures_of_the_recording_that_ships(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(home / "shipped", RUN)
    assert "2.3000" not in html()
    monkeypatch.setattr("runtime.recordings.files.SHIPPED", home / "shipped")
    source, handout = deck_only()
    page = documents.html(source, handout, False)
    assert "2.3000" in page and handout.shown == 1 and "From the recording that" in page


def test_what_a_script_found_out_is_said_in_words_and_no_column_is_of_dashes(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the recordings that ship: what each collective costs, and how far a gradient is off."""
    monkeypatch.setattr("runtime.recordings.files.SHIPPED", Path(recordings.__file__).parent / "shipped")
    demos = "::: demo collectives ranks=4\n\n::: demo accumulate ranks=1 micro_batches=16\n"
    (home / "two.md").write_text(f"# A\n\n{demos}", "utf-8")
    text = html("two.md")
    words = Page(text).words
    assert "all-to-all" in words and "gradient difference" in words
    assert not re.search(r"\w_(?:s|bytes|difference|alpha)\b", words)
    rows = re.findall(r"<caption>The ranks at its end</caption><thead><tr>(.*?)</tr>", text)
    first, second = (re.findall(r">(\S+)</th>", row) for row in rows)
    assert "loss" not in first and "checksum" not in first and "wait" in first
    assert {"loss", "tokens/s"} <= set(second)


def test_a_chart_of_a_run_has_its_recorded_values(home: Path) -> None:
    (home / "deck.md").write_text(DECK + "\n---\n\n# Loss\n\n::: chart line values=loss demo=run\n", "utf-8")
    for text in (html(), md()):
        assert "no run of ddp ranks=2 steps=8 yet" in text
    record(home / "data" / "teachrun" / "runs", RUN)
    for text in (html(), md()):  # losses of `made_runs`: 3 - step / 10 + rank
        assert "rank 0: 2.9; rank 1: 3.9" in text and "step 8 of 8" in text and "ddp, 2 ranks" in text


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
    if kind == "match":
        assert all(side in shown for side in ("rank", "node", "process", "machine")), "both sides"


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


# --- formulas and words -----------------------------------------------------------------------------------


# --- the command ------------------------------------------------------------------------------------------
