"""What was agreed to runs, and nothing else: every way around that somebody who writes a deck might try."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from runtime.host import consent
from runtime.host.blocks.running_blocks import Blocks
from runtime.protocol.messages import Launch, Refused, RunSnippet
from slides.deck import Code
from slides.reading_order import blocks as walk
from tui import cli
from tui.deck import consent_question
from tui.deck.contents import Contents, open_deck
from tui.health.deck_trial import tried

NATIVE = "# One\n\n::: demo ./train.py {#d} ranks=2 args='--fast'\n\n```python run {#s}\nprint(1)\n```\n"


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "train.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    return tmp_path


def opened(home: Path, text: str = NATIVE, name: str = "deck.md") -> Contents:
    (home / "d" / name).write_text(text)
    return Contents(open_deck(home / "d" / name))


def agreed(home: Path, text: str = NATIVE, name: str = "deck.md") -> Contents:
    contents = opened(home, text, name)
    while consent_question.agree(contents, consent_question.unasked(contents)):
        contents = consent_question.trusted(contents)
    assert consent_question.unasked(contents) == ()
    return contents


# What somebody does to the folder after it was agreed to; the line of the demo, where it is another one.
def _edit(folder: Path) -> None:
    (folder / "train.py").write_text("import os\n")


def _same_size_and_date(folder: Path) -> None:
    script = folder / "train.py"
    was = script.stat()
    source = script.read_text()
    script.write_text(source[:-2] + "#\n")
    os.utime(script, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert script.stat().st_size == was.st_size


def _link(folder: Path) -> None:
    (folder / "evil.py").write_text("import os\n")
    (folder / "train.py").unlink()
    (folder / "train.py").symlink_to("evil.py")


def _linked_copy(folder: Path) -> None:
    """The same characters, elsewhere: what it imports is another matter there."""
    (folder / "e").mkdir()
    (folder / "e" / "train.py").write_text((folder / "train.py").read_text())
    (folder / "train.py").unlink()
    (folder / "train.py").symlink_to("e/train.py")


def _pipe(folder: Path) -> None:
    (folder / "train.py").unlink()
    os.mkfifo(folder / "train.py")


def _gone(folder: Path) -> None:
    (folder / "train.py").unlink()


def _device(folder: Path) -> None:
    (folder / "train.py").unlink()
    (folder / "train.py").symlink_to("/dev/zero")


def _interpreter(folder: Path) -> None:
    (folder / "py").write_text("#!/bin/sh\n")
    (folder / "py").chmod(0o700)


SAME = {"ranks": "2", "args": "--fast"}
AFTERWARDS = {
    "an edit": (_edit, SAME),
    "an edit that looks like none": (_same_size_and_date, SAME),
    "a link": (_link, SAME),
    "a link to the same": (_linked_copy, SAME),
    "a pipe": (_pipe, SAME),
    "no file": (_gone, SAME),
    "a device": (_device, SAME),
    "other arguments": (None, {"args": "--fast -c 'import os'"}),
    "no arguments": (None, {}),
    "another interpreter": (_interpreter, SAME | {"python": "./py"}),
}


@pytest.mark.parametrize("name", AFTERWARDS)
def test_a_script_is_what_it_was(name: str, home: Path) -> None:
    deck = Path(agreed(home).deck.path)
    assert consent.refusal(deck, "./train.py", SAME) is None
    change, params = AFTERWARDS[name]
    if change is not None:
        change(home / "d")
    assert consent.refusal(deck, "./train.py", params) is not None
    line = " ".join(f'{key}="{value}"' for key, value in params.items())
    now = opened(home, NATIVE.replace("ranks=2 args='--fast'", line))
    assert len(consent_question.unasked(now)) == 1
    assert consent_question.question(now, consent_question.unasked(now)).startswith("This deck now runs ")


BESIDE = {
    "helper.py": ("import helper\n", "helper.py"),
    "far": ("def late():\n    from helper import more\n", "helper.py"),
    "a package": ("import package.part.deep\n", "package/part/deep.py"),
    "its first file": ("import package.part.deep\n", "package/__init__.py"),
    "a name of it": ("from package.part import deep\n", "package/part/deep.py"),
    "without a first file": ("import plain.inner\n", "plain/inner.py"),
    "of a helper": ("import first\n", "helper.py"),
    "beside it in a package": ("import package.relative\n", "package/part/deep.py"),
    "a link": ("import linked\n", "elsewhere/target.py"),
    "one that is not there yet": ("try:\n    import absent\nexcept ImportError:\n    pass\n", "absent.py"),
}


@pytest.mark.parametrize("name", BESIDE)
@pytest.mark.parametrize("where", [".", "sub"])
def test_what_a_script_imports_from_beside_it_is_what_it_was(home: Path, name: str, where: str) -> None:
    source, changed = BESIDE[name]
    folder = home / "d" / where
    for file, text in {
        "helper.py": "",
        "first.py": "import helper\n",
        "package/__init__.py": "",
        "package/part/__init__.py": "",
        "package/part/deep.py": "",
        "package/relative.py": "from .part import deep\n",
        "plain/inner.py": "",
        "elsewhere/target.py": "",
        "other.py": "",
    }.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text)
    (folder / "linked.py").symlink_to("elsewhere/target.py")
    (folder / "train.py").write_text(source)
    contents = agreed(home, NATIVE.replace("./train.py", f"./{where}/train.py"))
    deck = Path(contents.deck.path)
    (folder / "other.py").write_text("import os\n")  # nobody imports it
    assert consent.refusal(deck, f"./{where}/train.py", SAME) is None
    (folder / changed).write_text("import os\n")
    assert "as it is now" in str(consent.refusal(deck, f"./{where}/train.py", SAME))
    assert len(consent_question.unasked(contents)) == 1


def test_what_a_script_imports_is_looked_for_within_bounds(home: Path) -> None:
    folder = home / "d"
    for n in range(1000):
        (folder / f"m{n}.py").write_text(f"import m{n + 1}\n")
    (folder / "train.py").write_text("import m0, deep\nimport train\n")
    (folder / "deep.py").write_text("import os\nx = " + "(" * 90_000 + ")" * 90_000)
    os.mkfifo(folder / "os.py")  # nobody waits for it
    deck = Path(agreed(home).deck.path)
    (folder / "m3.py").write_text("")
    assert consent.refusal(deck, "./train.py", SAME) is not None


def test_an_interpreter_of_the_deck_is_what_it_was(home: Path) -> None:
    _interpreter(home / "d")
    text = NATIVE.replace("ranks=2", "python=./py")
    contents = agreed(home, text)
    (home / "d" / "py").write_text("#!/bin/bash\n")
    assert len(consent_question.unasked(contents)) == 1


def test_what_cannot_be_read_is_never_run_even_if_somebody_agrees(home: Path) -> None:
    """Else it would be there later, and be anything."""
    _gone(home / "d")
    deck = Path(agreed(home).deck.path)
    assert "cannot be read" in str(consent.refusal(deck, "./train.py", SAME))
    _edit(home / "d")
    assert consent.refusal(deck, "./train.py", SAME) is not None


CODE = {
    "native": ("# A\n\n```python run\nprint(1)\n```\n", "deck.md"),
    "a tilde fence": ("# A\n\n~~~python run\nprint(1)\n~~~\n", "deck.md"),
    "in a list": ("# A\n\n- a\n\n  ```python run\n  print(1)\n  ```\n", "deck.md"),
    "in columns": ("# A\n\n::: columns 1,1\n```python run\nprint(1)\n```\n\n+++\n\nb\n:::\n", "deck.md"),
    "in a quote": ("# A\n\n> ```python run\n> print(1)\n> ```\n", "deck.md"),
    "of a file": ("# A\n\n```python run file=code.py\n```\n", "deck.md"),
    "included": ("# A\n\n::: include part.md\n", "deck.md"),
    "a terminal": ("# A\n\n::: terminal 'print(1)'\n", "deck.md"),
    "presenterm": ("# A\n\n```python +exec\nprint(1)\n```\n\n<!-- end_slide -->\n\n# B\n", "p.md"),
    "presenterm's place": ("# A\n\n```python +exec_replace\nprint(1)\n```\n\n<!-- end_slide -->\n", "p.md"),
    "slidev": ("---\nlayout: cover\n---\n\n# A\n\n```python {monaco-run}\nprint(1)\n```\n", "s.md"),
    "slidev's pages": ("---\nlayout: cover\n---\n\n# A\n\n---\nsrc: ./part.md\n---\n", "s.md"),
}


def programs(contents: Contents) -> list[tuple[str, str]]:
    return [
        (block.lang, block.program or block.source)
        for index in range(len(contents))
        for block in walk(contents.slide(index).blocks)
        if isinstance(block, Code) and block.run
    ]


@pytest.mark.parametrize("name", CODE)
def test_all_code_that_could_be_run_is_asked_about_and_again_when_it_is_other_code(
    name: str, home: Path
) -> None:
    part, code = home / "d" / "part.md", home / "d" / "code.py"
    part.write_text("```python run\nprint(1)\n```\n")
    code.write_text("print(1)\n")
    text, file = CODE[name]
    deck = home / "d" / file
    before = opened(home, text, file)
    for lang, source in programs(before):
        assert consent.snippet_refusal(deck, lang, source) is not None
        assert consent.snippet(lang, source) in consent_question.unasked(before)
    agreed(home, text, file)
    for each in (part, code):
        each.write_text(each.read_text().replace("1", "2"))
    after = opened(home, text.replace("print(1)", "print(2)"), file)
    found = programs(after)
    assert all("2" in source for _, source in found)
    for lang, source in found:
        assert consent.snippet_refusal(deck, lang, source) is not None
        assert consent.snippet(lang, source) in consent_question.unasked(after)


def test_most_of_these_are_code_at_all(home: Path) -> None:
    (home / "d" / "part.md").write_text("```python run\nprint(1)\n```\n")
    (home / "d" / "code.py").write_text("print(1)\n")
    without = [name for name, (text, file) in CODE.items() if not programs(opened(home, text, file))]
    assert len(without) <= 2, without


class Line:
    backlog = 0

    def __init__(self) -> None:
        self.said: list[Any] = []

    def send(self, message: Any) -> None:
        self.said.append(message)


async def test_the_host_holds_every_launch_against_it(home: Path) -> None:
    """Whoever asks: a key, `ctl`, autoplay or a program that speaks the protocol."""
    contents = agreed(home)
    blocks = Blocks("c", {}, lambda action: None, lambda status, detail: None)
    started: list[Any] = []
    blocks.begin = lambda *a: _done(started, a)  # type: ignore[method-assign]
    blocks.snippets.start = lambda *a: _done(started, a)  # type: ignore[method-assign]
    screen: Any = Line()
    blocks.deck = Path(contents.deck.path)
    wishes = (Launch("d", "./train.py", SAME), RunSnippet("s", "python", "print(1)\n", 5.0, False))
    for wish in wishes:
        blocks.obey(screen, wish)
    await asyncio.sleep(0)
    source = programs(contents)[0][1]
    assert len(started) == 1 + (source == "print(1)\n")
    started.clear()
    _edit(home / "d")
    bad = (
        Launch("d", "./train.py", SAME),
        Launch("d", "compare", {"strategies": "./train.py; ddp"}),
        RunSnippet("s", "python", "print(2)", 5.0, False),
        RunSnippet("s", "bash", source, 5.0, False),
        RunSnippet("s", "terminal", source, 5.0, True),
    )
    screen.said.clear()
    for wish in bad:
        blocks.obey(screen, wish)
    await asyncio.sleep(0)
    assert started == [] and [type(one) for one in screen.said] == [Refused] * len(bad)
    blocks.deck = home / "d" / "other.md"  # another deck with the same lines
    blocks.obey(screen, RunSnippet("s", "python", source, 5.0, False))
    await asyncio.sleep(0)
    assert started == [] and len(screen.said) == len(bad) + 1


async def _done(started: list[Any], what: object) -> None:
    started.append(what)


def test_check_and_exports_run_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mark = home / "ran"
    code = f"```bash run\ntouch {mark}\n```\n\n```bash +exec_replace\ntouch {mark}\n```\n"
    deck = home / "d" / "deck.md"
    deck.write_text(NATIVE + "\n" + code)
    assert cli.main(["check", str(deck), "--run"]) in (0, 1)
    assert "not yet approved" in capsys.readouterr().err
    assert not mark.exists()
    for kind in ("--html", "--md", "--json"):
        cli.main(["export", str(deck), kind, "-o", str(home / f"out{kind}")])
    cli.main(["convert", str(deck), "-o", str(home / "out.md")])
    agreed(home, deck.read_text())
    deck.write_text(deck.read_text().replace("touch", "true; touch"))
    _edit(home / "d")
    capsys.readouterr()
    tried(Contents(open_deck(deck)), trusted=False)
    assert "not yet approved" in capsys.readouterr().err
    assert not mark.exists()


def test_who_teaches_may_write_other_arguments_but_not_for_a_script_nobody_agreed_to(home: Path) -> None:
    contents = agreed(home)
    deck = Path(contents.deck.path)
    [demo] = contents.demos(0)
    other = demo.params | {"args": "--slow"}
    assert consent.refusal(deck, demo.name, other) is not None
    consent_question.typed(deck, demo, other)
    assert consent.refusal(deck, demo.name, other) is None
    _edit(home / "d")
    consent_question.typed(deck, demo, other)
    assert consent.refusal(deck, demo.name, other) is not None


def test_no_scene_runs_by_reading_drawing_checking_or_exporting_a_deck(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "# One\n\n::: scene file=train.py\n"
    contents = opened(home, text)
    assert len(contents.slide(0).blocks) == 2
    deck = str(home / "d" / "deck.md")
    assert cli.main(["check", deck]) == cli.main(["check", "--run", deck]) == 0
    assert "train.py was not run" in capsys.readouterr().out
    assert cli.main(["export", deck, "--html", "-o", str(home / "page.html")]) == 0
    assert "train.py has not run yet" in (home / "page.html").read_text()
    assert not (home / "ran").exists()
    agreed(home, text)
    cli.main(["check", deck])
    assert "it has no function `scene`" in capsys.readouterr().out
    assert (home / "ran").exists()
