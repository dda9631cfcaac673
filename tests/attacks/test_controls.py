"""What a terminal obeys, through every channel that ends on one: none of it arrives.

Each control stands in decks, notes, front matter, questions, names, files and options; what is written about
them, on stdout or stderr, to whoever looks at a terminal, holds nothing but text and ends of lines.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from made_payloads import CONTROLS, MARK, obeyed
from teachrun_process import teachrun

from runtime import paths
from runtime.classroom import actions
from runtime.classroom.journal import Journal
from slides.drawing.cells import clean
from slides.drawing.text import plain
from slides.problems import one_line
from slides.reading.split import load
from slides.screen_size import USUAL
from tui import cli
from tui.deck.contents import Contents
from tui.rendering.pages.offscreen import Offscreen

EVIL = "".join(f"{control}{MARK}" for control in CONTROLS.values())
INLINE = EVIL.replace("\r", "").replace("\u2028", "").replace("\u2029", "").replace("\x85", "")


def deck(evil: str) -> str:
    front = {"title": evil, "author": evil, "theme": evil, "time": evil, "end": evil, "minimum": evil}
    head = "\n".join(f"{key}: {json.dumps(value)}" for key, value in front.items())
    return f"""---
{head}
tit{evil}le: {evil}
---
# A {evil} {{#a{evil}}}

<!-- slide: {{section: {json.dumps(evil)}, layout: {json.dumps(evil)}, tyme: {json.dumps(evil)}}} -->
<!-- notes: {evil} -->
<!-- pauze{evil} -->

{evil} *{evil}* `{evil}` [{evil}](http://x/{evil}) ![{evil}]({evil}.png) $x_{{{evil}}}$ <b {evil}>{evil}</b>

![{evil}](no{evil}.png)

| {evil} | b |
|---|---|
| a | {evil} |

- {evil}
  1. {evil}

> [!NOTE] {evil}

```py{evil} file={evil}
{evil}
```

```{evil} {{9{evil}}} {evil}={evil}
{evil}
```

```python run {{#s{evil}}}
{evil}
```

$$
\\frac{{{evil}}}{{{evil}}} \\{evil}
$$

::: demo ddp{evil} ra{evil}nks={evil}

::: demo ddp ranks={evil}

::: animate ring ranks={evil}

::: inclde {evil}

::: include {evil}.md

::: terminal {evil}

::: estimate model={evil} {evil}={evil}

::: strategies {evil} ranks={evil}

::: duel {evil} ranks={evil}

::: scene {evil} {evil}={evil}

::: scene room strategy={evil}

::: scene
row: {evil}, b
step: b -> {evil}
note: b = {evil}
:::

::: chart bars title={json.dumps(evil)}
{evil}, {evil}
a, 1
{evil}, 2
:::

::: columns

{evil}[^{evil}]

+++

term {evil}
: {evil}

:::

[^{evil}]: {evil}

---

# B

::: quiz {{#q{evil} kind={evil}}}
{evil}

- [ ] {evil}
  > {evil}
- [x] {evil}

> hint: {evil}
> {evil}
:::

::: quiz {{#r points={evil} time={evil}}}
{evil}

- [ ] {evil}
- [x] b
:::

::: quiz {{#t kind=numeric}}
{evil}

= {evil}
:::
"""


@pytest.fixture
def evil_deck(tmp_path: Path) -> Path:
    name = INLINE.replace("/", "").encode()[:150].decode(errors="ignore")
    path = tmp_path / f"{name}.md"
    path.write_text(deck(INLINE), "utf-8", newline="")
    return path


# What is run, and whether its stdout is for a terminal: what is asked for as a file is as it was written.
COMMANDS = {
    "check": (["check", "{deck}"], True),
    "check --json": (["check", "{deck}", "--json"], True),
    "check small": (["check", "{deck}", "--size", "40x10"], True),
    "check of nothing": (["check", "{deck}.gone"], True),
    "convert": (["convert", "{deck}", "-o", "{deck}.out.md"], True),
    "convert of nothing": (["convert", "{deck}.gone"], True),
    "export json": (["export", "{deck}", "--json", "-o", "-"], True),
    "export nothing": (["export", "{deck}.gone", "--html"], True),
    "export to nowhere": (["export", "{deck}", "--html", "-o", "/gone/{evil}/x.html"], True),
    "export a slide": (["export", "{deck}", "--md", "--slide", "{evil}"], True),
    "export a size": (["export", "{deck}", "--png", "--size", "{evil}"], True),
    "export a theme": (["export", "{deck}", "--html", "--theme", "{evil}"], True),
    "present nothing": (["{deck}.gone"], True),
    "present a folder": (["{folder}"], True),
    "quiz check": (["quiz", "check", "{deck}"], True),
    "quiz check of nothing": (["quiz", "check", "{deck}.gone"], True),
    "quiz convert": (["quiz", "convert", "{deck}", "--to", "{evil}"], True),
    "an unknown option": (["check", "--{evil}"], True),
    "an unknown command": (["{evil}"], True),
    "run": (["run", "{evil}"], True),
    "run a parameter": (["run", "ddp", "{evil}={evil}"], True),
    "run a script": (["run", "{deck}.py"], True),
    "runs": (["runs", "show", "{evil}"], True),
    "runs replay": (["runs", "replay", "{evil}"], True),
    "attach": (["attach", "{evil}"], True),
    "stop": (["stop", "{evil}"], True),
    "ctl": (["ctl", "{evil}"], True),
    "class report": (["class", "report", "{evil}"], True),
    "class results": (["class", "results", "{evil}"], True),
    "class times": (["class", "times", "{evil}"], True),
    "compare": (["compare", "{evil}", "{evil}"], True),
    "estimate": (["estimate", "model={evil}", "{evil}={evil}"], True),
    "estimate of a file": (["estimate", "model={deck}"], True),
    "study": (["study", "{deck}.gone", "--plain"], True),
    "progress": (["progress", "{evil}"], True),
    "new": (["new", "/gone/{evil}/x.md"], True),
    "tour": (["tour", "{evil}"], True),
    "list": (["list", "{evil}"], True),
    "scene": (["scene", "{evil}"], True),
    "scene with a parameter": (["scene", "room", "{evil}={evil}"], True),
    "scene with a value": (["scene", "room", "strategy={evil}"], True),
    "doctor": (["doctor", "{evil}"], True),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_passes_it_on(
    name: str, evil_deck: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(evil_deck.parent)
    argv = [
        word.format(deck=evil_deck, evil=INLINE.replace("/", ""), folder=evil_deck.parent)
        for word in COMMANDS[name][0]
    ]
    try:
        cli.main(argv)
    except SystemExit:
        pass
    said = capsys.readouterr()
    assert obeyed(said.err) == set(), said.err[:300]
    assert obeyed(said.out) == set(), said.out[:300]
    assert "Traceback" not in said.err


def test_a_class_tells_it_to_nobody(
    evil_deck: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fields of a journal: titles, names, answers, what ran."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    book = Journal(paths.journal_file("c1"))
    for screen, action in (
        ("c", actions.Begin("c1", EVIL, EVIL)),
        ("c", actions.Deck(EVIL, EVIL, str(evil_deck))),
        ("c", actions.Move(EVIL, 0)),
        ("c", actions.Open("q", "text", 0)),
        (EVIL, actions.Answer("q", (), (EVIL,), EVIL)),
        ("c", actions.Reveal("q", (), accepted=(EVIL,))),
    ):
        book.append(action, screen)
    for argv in (
        ["class", "results", "c1", "--names"],
        ["class", "results", "c1", "--names", "--json"],
        ["class", "report", "c1"],
        ["class", "report", "c1", "--json"],
        ["class", "times", "c1"],
        ["list"],
        ["ps"],
    ):
        try:
            cli.main(argv)
        except SystemExit:
            pass
        said = capsys.readouterr()
        assert obeyed(said.out + said.err) == set(), (argv, said.out[:200], said.err[:200])


def test_no_line_of_a_screen_holds_it(evil_deck: Path) -> None:
    contents = Contents(load(evil_deck))
    still = Offscreen(contents)
    seen = ""
    for index in range(len(contents)):
        for line in still.screen(index, USUAL):
            assert obeyed(plain(line)) == set(), plain(line)
            seen += plain(line)
    assert MARK in seen


@pytest.mark.parametrize("name", CONTROLS)
def test_what_cleans_takes_each_of_them(name: str) -> None:
    for clear in (clean, one_line):
        assert obeyed(clear(f"a{CONTROLS[name]}b")) == set()
        assert obeyed(clear(CONTROLS[name] * 3 + MARK)) == set()


@pytest.mark.slow
def test_a_class_in_lines_says_none_of_it(evil_deck: Path, tmp_path: Path) -> None:
    """The whole program: slides, notes, questions and orders that nobody knows, to a pipe."""
    orders = ["n", "notes", INLINE, f"goto {INLINE}", f"/{INLINE}", "n", "n", "slides", "help", "quit"]
    typed = "\n".join(orders) + "\n"
    _, out, err = teachrun(str(evil_deck), "--plain", typed=typed, errors="replace")
    assert MARK in out
    assert obeyed(out + err) == set(), (out + err)[:300]
    assert "Traceback" not in err
