"""Whatever is read takes time that grows with the text, not with its square: every reader, every token.

A text that takes next to nothing is not looked at further; of one that takes longer a quarter is read, too.
In a process of its own, because what has no end has to be ended. Processor time is compared with its like.
"""

from __future__ import annotations

import gc
import json
import os
import random
import resource
import signal
import time
from collections.abc import Sequence
from itertools import count

import pytest
from made_readers import READERS, Read
from made_tokens import TOKENS, repeated

from slides.highlighting import lexer
from slides.highlighting.highlight import AT_ONCE, TRUSTED

SIZE = 2_000  # characters of a text; a formula of more than 4,000 is refused
GREW = 8.0  # four times the text: 4 would be linear, 16 the square
KNOWN = ("\t", "\x9d", "<b>", "<kbd>", ":::\n\n", "::: x\n\n", ":", "~", "{", "[", "<table>\n", "## a {.b")
MOST_S = 120  # of the processor for a token


_NUMBERS = count()


def nothing_s(size: int) -> float:
    """Processor time that is not worth a look: the same square, however long a text is made for a test."""
    return 0.12 * min(size / 4_000, 1.0) ** 2


def took(read: Read, text: str) -> float:
    text = f"{text}\n{next(_NUMBERS)}\n"  # another one each time: some readers remember
    before = time.process_time()
    read(text)
    return time.process_time() - before


def grown(read: Read, token: str, size: int) -> float:
    """The most by which reading four times as much takes longer."""
    worst, nothing = 0.0, nothing_s(size)
    for small, large in zip(repeated(token, size // 4), repeated(token, size), strict=True):
        if (once := took(read, large)) < nothing:
            continue
        # The better of several: whatever else the machine does makes one of them slower.
        quarter = min(took(read, small) for _ in range(2))
        if once > GREW * quarter:
            # Taken in turn, since what disturbs lasts for a while; the square stays the square.
            again = [(took(read, large), took(read, small)) for _ in range(5)]
            once, quarter = (min(times) for times in zip(*again, (once, quarter), strict=True))
        if once > nothing:
            worst = max(worst, once / max(quarter, nothing / 16))
    return worst


def looked_at(read: Read, size: int, tokens: Sequence[str] = TOKENS) -> tuple[dict[str, float], str]:
    """(how much each token's time grew, the token over which the process had to be ended, else "")."""
    came, goes = os.pipe()
    child = os.fork()
    if not child:
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        gc.freeze()  # what the tests before have left behind is no part of what a reader takes
        for token in tokens:
            most = int(time.process_time()) + MOST_S
            resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))
            os.write(goes, json.dumps([token, None]).encode() + b"\n")
            try:
                worst = grown(read, token, size)
                for _ in range(3):  # a busy host takes processor time, too; what is a square stays one
                    worst = worst if worst <= GREW else min(worst, grown(read, token, size))
            except BaseException as error:
                os.write(goes, json.dumps([f"{token} raised {error!r:.200}", 99.0]).encode() + b"\n")
                break
            os.write(goes, json.dumps([token, worst]).encode() + b"\n")
        os._exit(0)
    os.close(goes)
    found: dict[str, float] = {}
    last = ""
    with os.fdopen(came) as answers:
        for line in answers:
            last, worst = json.loads(line)
            found |= {} if worst is None else {last: worst}
    _, status = os.waitpid(child, 0)
    return found, last if status else ""


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", READERS)
def test_time_grows_with_the_text(name: str) -> None:
    READERS[name]("# a\n\nwords *a* `b` $c$ <b>d</b>\n")  # what it imports is there
    tokens = (*KNOWN, *random.Random(name).sample(TOKENS, 6))
    size = SIZE // 2 if name == "formula" else SIZE  # it took a third of the time of all readers together
    found, ended = looked_at(READERS[name], size, tokens)
    assert not ended, ended
    assert len(found) == len(set(tokens))
    assert {token: worst for token, worst in found.items() if worst > GREW} == {}


# A square of small steps is nothing worth a look in a short text, and files of questions are cheap to read.
OPENING = ("](", "[a](", "\\(", "1 ", "<a ", "{{")


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", [name for name in READERS if name.startswith("file of ")])
def test_time_grows_with_a_long_file_of_questions(name: str) -> None:
    READERS[name]("# a\n\nwords *a* `b` $c$ <b>d</b>\n")
    found, ended = looked_at(READERS[name], 12_000, OPENING)
    assert not ended, ended
    assert {token: worst for token, worst in found.items() if worst > GREW} == {}


# What lexers stumble over: blanks, and beginnings of what never ends.
CODE = (
    "  ",
    "\t",
    "\xa0",
    " \n",
    '"',
    "'",
    '"""',
    "f'{",
    "/*",
    "//",
    "#if ",
    "<<a\n",
    "$(",
    "{",
    "(",
    "\\",
    "- a: ",
)
LEXED = ("bash", "diff", "json", "python", "rust", "toml")


def lexed(lang: str, tokens: Sequence[str]) -> None:
    lexer.runs(lang, ["x"])  # what it imports is there
    found, ended = looked_at(lambda text: lexer.runs(lang, text.split("\n")), AT_ONCE, tokens)
    assert not ended, ended
    assert {token: worst for token, worst in found.items() if worst > GREW} == {}


@pytest.mark.timeout(900)
@pytest.mark.parametrize("lang", LEXED)
def test_what_is_coloured_in_this_process_takes_time_that_grows_with_the_text(lang: str) -> None:
    lexed(lang, (*CODE, *random.Random(lang).sample(TOKENS, 6)))


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("lang", LEXED)
def test_the_same_over_every_token(lang: str) -> None:
    lexed(lang, (*CODE, *TOKENS))


def test_these_are_all_that_are_coloured_in_this_process() -> None:
    assert {lexer.lexer_name(lang) for lang in LEXED} == TRUSTED


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", READERS)
def test_time_grows_with_a_long_text(name: str) -> None:
    READERS[name]("# a\n\nwords *a* `b` $c$ <b>d</b>\n")
    found, ended = looked_at(READERS[name], 19_200)
    assert not ended, ended
    assert {token: worst for token, worst in found.items() if worst > GREW} == {}
