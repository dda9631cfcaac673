"""Highlighting: the text is the author's, the inks are the palette's."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slides.drawing.text import Span, plain
from slides.highlighting import lexer, lexer_process
from slides.highlighting.highlight import TRUSTED, highlight, plain_because, source_lines
from slides.palette import DARK

TRUSTED_LANGS = ("bash", "diff", "json", "python", "rust", "toml")


def inks(lang: str, source: str) -> dict[str, str]:
    return {span.text.strip(): span.style.ink for line in highlight(lang, source) for span in line}


def test_python() -> None:
    found = inks("python", "@cache\ndef f(x):\n    return len(x) + 1.5  # why\nclass A: s = 'text'\n")
    assert found["def"] == found["return"] == "code.keyword"
    assert found["f"] == "code.function"
    assert found["A"] == "code.class"
    assert found["len"] == "code.builtin"
    assert found["1.5"] == "code.number"
    assert found["# why"] == "code.comment"
    assert found["'text'"] == "code.string"
    assert found["@cache"] == "code.decorator"


@pytest.mark.parametrize(
    "lang", ["py", "Python", "bash", "c++", "yaml", "json", "toml", "diff", "cuda", "console"]
)
def test_names_of_languages(lang: str) -> None:
    source = {"diff": "+a\n-b", "console": "$ ls"}.get(lang, "if x; then\n  y = 'a'\nfi # 1\n# b: 2")
    assert any(span.style.ink != "text" for line in highlight(lang, source) for span in line)


def test_an_unknown_language_is_plain() -> None:
    assert highlight("klingon", "a = 1") == ((Span("a = 1"),),)
    assert highlight("", "a\n\nb\n") == ((Span("a"),), (), (Span("b"),))


def test_all_inks_are_in_the_palette() -> None:
    from slides.highlighting.lexer import INKS

    assert set(INKS.values()) <= set(DARK.colours)


def test_lines_stay_lines() -> None:
    source = '"""doc\n\nstring"""\n\tx = 1\r\n'
    assert [plain(line) for line in highlight("python", source)] == ['"""doc', "", 'string"""', "    x = 1"]


@given(st.sampled_from(["python", "bash", "cpp", "yaml", "none"]), st.text(max_size=200))
def test_no_text_is_lost_or_unsafe(lang: str, source: str) -> None:
    lines = highlight(lang, source)
    assert [plain(line) for line in lines] == source_lines(source)
    assert not any(category(c) in ("Cc", "Cs", "Zl", "Zp") for line in lines for c in plain(line))


def test_only_the_lexer_that_is_needed_is_imported() -> None:
    script = """
    import sys
    import slides.drawing.layout, slides.highlighting.highlight
    assert "pygments" not in sys.modules and "pylatexenc" not in sys.modules and "numpy" not in sys.modules
    slides.highlighting.highlight.highlight("python", "x = 1")
    lexers = {name for name in sys.modules if name.startswith("pygments.lexers.")}
    print(*sorted(lexers))
    """
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True
    )
    assert "pygments.lexers.python" in result.stdout
    assert "pygments.lexers.javascript" not in result.stdout


def test_a_lexer_without_end_is_ended() -> None:
    """This one never gets beyond `<!--`: the block is plain, and the next one has its colours."""
    before = highlight("haskell", "f x = 1 -- a")
    assert {span.style.ink for span in before[0]} >= {"code.comment", "code.number"}
    text = "<!--" * 10
    assert highlight("mcschema", text) == ((Span(text),),)
    assert "longer than a slide may wait" in plain_because("mcschema", text)
    after = highlight("haskell", "f x = 2 -- a")
    assert [span.style for span in after[0]] == [span.style for span in before[0]]
    assert not plain_because("haskell", "f x = 2 -- a") and not plain_because("python", "x")


def test_a_deck_of_such_blocks_is_not_waited_for_one_by_one() -> None:
    worker = lexer_process.Worker()
    for n in range(lexer_process.PATIENCE):
        with pytest.raises(lexer_process.RanOut):
            worker.runs("mcschema", ["<!--" * (10 + n)])
    with pytest.raises(lexer_process.RanOut):
        worker.runs("haskell", ["x"])
    assert worker.process is None


def test_a_helper_that_went_home_is_called_again() -> None:
    """It ends of itself when nothing was asked for a while."""
    worker = lexer_process.Worker(idle_s=0.2)
    assert worker.runs("haskell", ["x = 1"])
    process = worker.process
    assert process is not None and process.wait() == 0
    assert worker.runs("haskell", ["x = 1"])
    worker.close()


def test_the_lexers_of_this_process_are_told_by_their_class() -> None:
    assert {lexer.lexer_name(lang) for lang in TRUSTED_LANGS} == TRUSTED
