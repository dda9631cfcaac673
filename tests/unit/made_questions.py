"""Questions of every kind with texts that are hard on any format, for round trips."""

from __future__ import annotations

from hypothesis import strategies as st

from quiz.kinds.registry import Kind
from quiz.question import Accepted, Gap, Number, Option, Question

# Control characters of GIFT, XML, CSV and Markdown, wide and right-to-left text, a line end in the middle.
_SIGNS = "~=#{}:\\[]%<>&;\"',|*_`-+.()/!?$€漢字אב é1"
_WORD = st.text("abcdeTF" + _SIGNS, min_size=1, max_size=8)


def texts(signs: str = _SIGNS, lines: bool = True) -> st.SearchStrategy[str]:
    word = st.text("abcdeTF" + signs, min_size=1, max_size=8)
    gaps = [" ", " "] + (["\n", "\n\n"] if lines else [])
    joined = st.lists(st.tuples(word, st.sampled_from(gaps)), min_size=1, max_size=4)
    return joined.map(lambda parts: "".join(a + b for a, b in parts).strip()).filter(
        lambda text: text and "->" not in text
    )


def _unique(values: st.SearchStrategy[str], least: int, most: int) -> st.SearchStrategy[list[str]]:
    return st.lists(values, min_size=least, max_size=most, unique_by=lambda t: " ".join(t.split()).casefold())


@st.composite
def numbers(draw: st.DrawFn) -> Number:
    value = draw(st.integers(-9999, 9999)) / draw(st.sampled_from([1, 4, 10, 1000]))
    width = draw(st.sampled_from([0.0, 0.5, 0.1, 2.0]))
    if draw(st.booleans()):
        return Number(value, value + width)
    return Number(value - width, value + width, "", value)


@st.composite
def questions(
    draw: st.DrawFn, kinds: tuple[Kind, ...], text: st.SearchStrategy[str] | None = None
) -> Question:
    text = texts() if text is None else text
    kind = draw(st.sampled_from(kinds))
    short = texts(lines=False)
    maybe = st.one_of(st.just(""), text)
    made: dict[str, object] = {}
    if kind in ("single", "multi"):
        options = draw(_unique(text, 2, 5))
        right = draw(
            st.sets(st.integers(0, len(options) - 1), min_size=1, max_size=1 if kind == "single" else 4)
        )
        weighted = draw(st.booleans())
        made["options"] = tuple(
            Option(
                option,
                n in right,
                draw(maybe),
                (0.5 if kind == "multi" else None)
                if weighted and n in right
                else draw(st.sampled_from([0.25, -0.5, None] if kind == "single" else [-0.25, 0.0]))
                if weighted
                else None,
            )
            for n, option in enumerate(options)
        )
    elif kind == "truefalse":
        true = draw(st.booleans())
        made["options"] = (Option("True", true, draw(maybe)), Option("False", not true, draw(maybe)))
    elif kind == "numeric":
        some = draw(st.lists(numbers(), min_size=1, max_size=3))
        made["accepted"] = tuple(
            Accepted(str(n), 1.0 if n == 0 else 0.5, draw(maybe), number) for n, number in enumerate(some)
        )
    elif kind == "text":
        words = draw(_unique(short, 1, 3))
        made["accepted"] = tuple(
            Accepted(word, 1.0 if n == 0 else 0.5, draw(maybe)) for n, word in enumerate(words)
        )
    elif kind in ("match", "order"):
        prompts, rights = draw(_unique(short, 2, 4)), draw(_unique(short, 2, 5))
        if kind == "match":
            used = [n % len(rights) for n in range(len(prompts))]
            # Rights are numbered as they come, those that belong to nothing last.
            made["prompts"], made["sequence"] = tuple(prompts), tuple(used)
        else:
            made["sequence"] = tuple(range(len(rights)))
        made["options"] = tuple(Option(right) for right in rights)
    elif kind == "cloze":
        count = draw(st.integers(1, 3))
        made["gaps"] = tuple(Gap((Accepted(draw(st.text("abcé", min_size=1))),)) for _ in range(count))
    elif kind == "line":
        made["code"] = "\n".join(draw(st.lists(st.text("ab= ()#", max_size=6), min_size=2, max_size=4)))
        made["lang"], made["sequence"] = "python", (draw(st.integers(0, 1)),)
    elif kind == "poll":
        made["options"] = tuple(Option(option) for option in draw(_unique(text, 2, 4)))
    stem = draw(text)
    if kind == "cloze":
        stem += " " + " and ".join(f"{{{{{n + 1}}}}}" for n in range(len(made["gaps"])))  # type: ignore[arg-type]
    return Question(
        id=draw(st.text("abc-9", min_size=1, max_size=6)),
        kind=kind,
        stem=stem,
        explain="" if kind == "description" else draw(maybe),
        title=" ".join(draw(st.one_of(st.just(""), short)).split()),
        tags=tuple(
            draw(
                st.lists(
                    st.text("abé]\\ ", min_size=1).map(lambda t: " ".join(t.split())).filter(bool),
                    max_size=2,
                    unique=True,
                )
            )
        ),
        points=0.0 if kind == "description" else 1.0,
        **made,  # type: ignore[arg-type]
    )
