"""Formulas as pictures: every display golden is what the room sees."""

from __future__ import annotations

from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slides.drawing.cells import line_width, width
from slides.drawing.text import PLAIN, Line, Style, plain
from slides.math import symbols
from slides.math.layout import display, inline


def picture(tex: str) -> str:
    return "\n".join(plain(line).rstrip() for line in display(tex))


PICTURES = [
    (
        r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V",
        """
       ⎛ QKᵀ ⎞
softmax⎜─────⎟V
       ⎜  ▁▁ ⎟
       ⎝ √dₖ ⎠""",
    ),
    (
        r"\theta_{t+1} = \theta_t - \eta \frac{\hat m_t}{\sqrt{\hat v_t}+\epsilon}",
        """
                 m̂ₜ
θₜ₊₁ = θₜ − η ─────────
                ▁▁
               √v̂ₜ + ε""",
    ),
    (
        r"\bar g = \frac{1}{N}\sum_{r=0}^{N-1} g_r",
        """
     1  N−1
ḡ = ───  ∑  gᵣ
     N  r=0""",
    ),
    (
        r"T = 2\frac{n-1}{n}\frac{S}{B} + 2(n-1)\alpha",
        """
       n − 1   S
T = 2 ─────── ─── + 2(n − 1)α
         n     B""",
    ),
    (
        r"W_Q^{(l)} x_i^2 X^{n+1}_{i,j}",
        """
 (l)      n+1
W    xᵢ² X
 Q        i,j""",
    ),
    (
        r"\sqrt{\frac{a}{b}} + \sqrt[3]{x+1}",
        """
 ┌────
 │ a       ▁▁▁▁▁
 │───  + ³√x + 1
╲│ b""",
    ),
    (
        r"\left\{\frac{\frac{a}{b}}{c}\right\}^2_i",
        """
⎧  a  ⎫²
⎪ ─── ⎪
⎨  b  ⎬
⎪─────⎪
⎩  c  ⎭ᵢ""",
    ),
    (
        r"\begin{pmatrix} a & b \\ c & \frac{1}{d} \end{pmatrix}",
        """
⎛a   b ⎞
⎜      ⎟
⎜    1 ⎟
⎜c  ───⎟
⎝    d ⎠""",
    ),
    (
        r"f(x)=\begin{cases} 1 & \text{if } x>0 \\ 0 & \text{else} \\[2pt] -x & x = 2 \end{cases}",
        """
       ⎧1   if x > 0
f(x) = ⎨0   else
       ⎩−x  x = 2""",
    ),
    (
        r"a &= b + c \\ &= d",
        """
a = b + c
  = d""",
    ),
    (
        r"\underbrace{a+b+c}_{\text{sum}} \ne \overline{xyz}",
        """
            ▁▁▁
a + b + c ≠ xyz
╰───┬───╯
   sum""",
    ),
    (
        r"\lim_{n\to\infty} \prod_{k=1}^{n} \left(1+\frac{1}{k^s}\right)^{-1}",
        """
     n  ⎛     1  ⎞⁻¹
lim  ∏  ⎜1 + ────⎟
n→∞ k=1 ⎝     kˢ ⎠""",
    ),
    (
        r"\text{नमस्ते} + \frac{漢字}{2}",
        """
        漢字
नमस्ते + ──────
         2""",
    ),
    (
        r"\binom{n}{k} = \left.\frac{df}{dx}\right|_{x=0}",
        """
⎛n⎞    df │
⎜ ⎟ = ────│
⎝k⎠    dx │ₓ₌₀""",
    ),
    (
        r"\int_0^1 x\,dx = -\frac12",
        """
             1
∫₀¹ x dx = −───
             2""",
    ),
]


@pytest.mark.parametrize(("tex", "drawn"), PICTURES)
def test_display(tex: str, drawn: str) -> None:
    assert picture(tex) == drawn.strip("\n")


@pytest.mark.parametrize(
    ("tex", "line"),
    [
        (r"\theta_{t+1}=\theta_t-\eta g", "θₜ₊₁ = θₜ − η g"),
        (r"\frac{1}{N}\sum_i g_i", "1/N ∑ᵢ gᵢ"),
        (r"\frac{a+b}{c}", "(a+b)/c"),
        (r"\frac{2(n-1)}{n} S", "2(n−1)/n S"),
        (r"\frac{a}{bc+d}", "a/(bc+d)"),
        (r"\sqrt{d_k} + \sqrt[3]{x+y}", "√dₖ + ³√(x + y)"),
        (r"\sum_{i=1}^{N} x_i^2", "∑ᵢ₌₁ᴺ xᵢ²"),
        (r"\max_\theta f'(\theta)", "max_θ f′(θ)"),
        (r"x_{i,j}^{a/b}", "x_(i,j)^(a/b)"),
        (r"W_Q", "W_Q"),
        (r"\hat y \ne \bar y", "ŷ ≠ ȳ"),
        (r"a \le b \ge c \approx d \cdot e \times f \in g \to \infty", "a ≤ b ≥ c ≈ d · e × f ∈ g → ∞"),
        (r"\partial L / \partial w = \nabla f", "∂L/∂w = ∇f"),
        (r"\mathbb{R}^n \ni \mathcal{L}", "ℝⁿ ∋ ℒ"),
        (r"-x + (-y) = 3 - 2", "−x + (−y) = 3 − 2"),
        (r"O(n \log n)", "O(n log n)"),
        (r"\{1, \dots, n\}", "{1, …, n}"),
        (r"10^{-3}\,\text{s}", "10⁻³ s"),
        (r"\begin{bmatrix}1&2\\3&4\end{bmatrix}", "[1 2; 3 4]"),
        (r"\left(\frac{a}{b}\right)^2", "(a/b)²"),
        (r"3\alpha \Delta t", "3α Δt"),
        (r"p(x \mid y) \not= 0", "p(x ∣ y) ≠ 0"),
        (r"\aleph", "ℵ"),
        ("S", "S"),
    ],
)
def test_inline(tex: str, line: str) -> None:
    assert plain(inline(tex)) == line


def test_bold_is_a_style() -> None:
    assert [(span.text, span.style.bold) for span in inline(r"\mathbf{w}x")] == [("w", True), ("x", False)]


def test_an_unknown_macro_is_its_name() -> None:
    line = inline(r"\frobnicate x")
    assert plain(line) == "frobnicate x"
    assert line[0].style == Style("dim")


@pytest.mark.parametrize(
    "tex",
    [
        r"\frac{a}{",
        "a}",
        r"\begin{x} a",
        r"\left( a",
        "a_",
        r"\frac",
        r"\right)",
        "x^a^b",
        r"\begin{foo}a\end{foo}",
        "",
    ],
)
def test_broken_tex_is_its_source_in_dim(tex: str) -> None:
    assert picture(tex) == (tex or "∅")
    assert {span.style for line in display(tex) for span in line} == {Style("dim")}
    assert plain(inline(tex)) == (tex or "∅")


@pytest.mark.parametrize(
    "tex", ["{" * 5000, "x^{" * 900 + "}" * 900, r"\frac{1}{" * 400 + "}" * 400, "a" * 10**6]
)
def test_a_monster_does_not_hang_or_raise(tex: str) -> None:
    assert display(tex)
    assert inline(tex)


MACROS = r"""
\frac \sqrt { } [ ] ^ _ & \\ \left( \right) \left. \sum \hat \text \mathbf ' $ % \begin{cases} \end{cases} #
\begin{pmatrix} \end{pmatrix} \binom \underbrace \limits \not \operatorname \overline \, \quad a 1 + = α 漢 ~
"""
TROUBLE = ["\x1b[31m", "\u202e", "\n", " ", "👨\u200d👩\u200d👧", "e\u0301", "\u0301", "\u200d", "\ufe0f"]
FRAGMENTS = [*MACROS.split(), *TROUBLE]


@given(st.one_of(st.lists(st.sampled_from(FRAGMENTS), max_size=20).map("".join), st.text(max_size=30)))
def test_any_text_is_drawn(tex: str) -> None:
    lines = display(tex)
    assert len({line_width(line) for line in lines}) == 1 or lines[0][0].style == Style("dim")
    assert all(safe(line) for line in [*lines, inline(tex)])
    assert all(line_width(line) == width(plain(line)) for line in [*lines, inline(tex)])


def safe(line: Line) -> bool:
    return not any(category(c) in ("Cc", "Cs", "Zl", "Zp") for c in plain(line))


def test_small_letters_are_one_cell_wide() -> None:
    assert {
        width(sign) for table in (symbols.SUPERSCRIPTS, symbols.SUBSCRIPTS) for sign in table.values()
    } == {1}
    assert all(style == PLAIN for _, style in inline("x_i^2"))


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (r"\lVert \theta \rVert_2^2", "‖θ‖₂²"),
        (r"\|\theta\|_2", "‖θ‖₂"),
        (r"|\theta| + |x|", "|θ| + |x|"),
        (r"p(x|\theta)", "p(x|θ)"),
    ],
)
def test_bars_in_pairs_are_fences(source: str, shown: str) -> None:
    assert plain(inline(source)) == shown
