"""TeX's names for symbols, and the letters Unicode has as scripts."""

from __future__ import annotations

from functools import cache


def _table(text: str) -> dict[str, str]:
    """Names and signs in turn."""
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


LETTERS = _table(
    """
    alpha α  beta β  gamma γ  delta δ  epsilon ε  zeta ζ  eta η  theta θ  iota ι  kappa κ  lambda λ  mu μ
    nu ν  xi ξ  omicron ο  pi π  rho ρ  sigma σ  tau τ  upsilon υ  phi φ  chi χ  psi ψ  omega ω  Gamma Γ
    Delta Δ  Theta Θ  Lambda Λ  Xi Ξ  Pi Π  Sigma Σ  Upsilon Υ  Phi Φ  Psi Ψ  Omega Ω  varepsilon ε
    vartheta ϑ  varphi φ  varrho ϱ  varsigma ς  varpi ϖ  ell ℓ  hbar ℏ  imath ı  jmath ȷ  Re ℜ  Im ℑ
    """
)
# Ordinary symbols that stand beside letters without air.
SIGNS = _table(
    r"""
    partial ∂  nabla ∇  infty ∞  top ⊤  bot ⊥  emptyset ∅  varnothing ∅  forall ∀  exists ∃  neg ¬  lnot ¬
    ldots …  dots …  cdots ⋯  vdots ⋮  ddots ⋱  degree °  angle ∠  checkmark ✓  dagger †  prime ′  star ⋆
    square □  # #  % %  $ $  & &  _ _  S §  backslash \
    """
)
BINARY = _table(
    """
    cdot ·  times ×  div ÷  pm ±  mp ∓  ast ∗  circ ∘  bullet •  oplus ⊕  ominus ⊖  otimes ⊗  odot ⊙  cup ∪
    cap ∩  wedge ∧  vee ∨  land ∧  lor ∨  setminus ∖  mod mod  bmod mod
    """
)
RELATIONS = _table(
    """
    le ≤  leq ≤  leqslant ≤  ge ≥  geq ≥  geqslant ≥  ne ≠  neq ≠  approx ≈  sim ∼  simeq ≃  cong ≅  equiv ≡
    propto ∝  ll ≪  gg ≫  in ∈  notin ∉  ni ∋  subset ⊂  subseteq ⊆  supset ⊃  supseteq ⊇  to →
    rightarrow →  leftarrow ←  gets ←  leftrightarrow ↔  mapsto ↦  Rightarrow ⇒  Leftarrow ⇐
    Leftrightarrow ⇔  implies ⟹  iff ⟺  mid ∣  longrightarrow ⟶  longleftarrow ⟵  uparrow ↑  downarrow ↓
    parallel ∥  coloneqq ≔  triangleq ≜  doteq ≐  perp ⊥  models ⊨  vdash ⊢  asymp ≍
    """
)
# Operators whose scripts stand above and below in display.
LIMITS = _table(
    """
    sum ∑  prod ∏  coprod ∐  bigcup ⋃  bigcap ⋂  bigoplus ⨁  bigotimes ⨂  lim lim  max max  min min  sup sup
    inf inf  det det  gcd gcd  Pr Pr  argmax argmax  argmin argmin
    """
) | {"limsup": "lim sup", "liminf": "lim inf"}
OPERATORS = _table(
    """
    int ∫  iint ∬  oint ∮  log log  ln ln  exp exp  sin sin  cos cos  tan tan  cot cot  sec sec  csc csc
    sinh sinh  cosh cosh  tanh tanh  arcsin arcsin  arccos arccos  arctan arctan  dim dim  ker ker  deg deg
    arg arg  hom hom  lg lg
    """
)
DELIMITERS = _table(
    """
    { {  } }  lbrace {  rbrace }  langle ⟨  rangle ⟩  lfloor ⌊  rfloor ⌋  lceil ⌈  rceil ⌉  | ‖  Vert ‖
    lVert ‖  rVert ‖  vert |  lvert |  rvert |  lbrack [  rbrack ]
    """
)
OPENING = frozenset("([{⟨⌊⌈")
CLOSING = frozenset(")]}⟩⌋⌉")
SPACES = {",": 1, ":": 1, ";": 1, " ": 1, "~": 1, "enspace": 2, "quad": 3, "qquad": 6, "!": 0, ">": 1}

# Combining marks for one character, and what is drawn above several.
ACCENTS = {
    "hat": ("\u0302", "^"),
    "widehat": ("\u0302", "^"),
    "tilde": ("\u0303", "~"),
    "widetilde": ("\u0303", "~"),
    "bar": ("\u0304", "▁"),
    "overline": ("\u0304", "▁"),
    "vec": ("\u20d7", "→"),
    "dot": ("\u0307", "˙"),
    "ddot": ("\u0308", "¨"),
    "check": ("\u030c", "ˇ"),
    "breve": ("\u0306", "˘"),
    "acute": ("\u0301", "´"),
    "grave": ("\u0300", "`"),
    "mathring": ("\u030a", "˚"),
    "underline": ("\u0332", ""),
}

_BOARD = dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True))
_SCRIPT = dict(zip("BEFHILMR", "ℬℰℱℋℐℒℳℛ", strict=True))
_BLACK = dict(zip("CHIRZ", "ℭℌℑℜℨ", strict=True))


def _alphabet(start: int, holes: dict[str, str]) -> dict[str, str]:
    return {chr(65 + n): holes.get(chr(65 + n), chr(start + n)) for n in range(26)}


ALPHABETS = {
    "mathbb": _alphabet(0x1D538, _BOARD),
    "mathcal": _alphabet(0x1D49C, _SCRIPT),
    "mathscr": _alphabet(0x1D49C, _SCRIPT),
    "mathfrak": _alphabet(0x1D504, _BLACK),
}

SUPERSCRIPTS = dict(
    zip(
        "0123456789+-−=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWβγδφχ⊤′*∗",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᵠᵡᵀ′**",
        strict=True,
    )
)
SUBSCRIPTS = dict(
    zip("0123456789+-−=()aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ", strict=True)
)


@cache
def rare(name: str) -> str:
    """The sign of a macro that is not in the tables above, from pylatexenc's own; "" where there is none."""
    from pylatexenc.latex2text import get_default_latex_context_db

    spec = get_default_latex_context_db().get_macro_spec(name)
    symbol = getattr(spec, "simplify_repl", None)
    return symbol if isinstance(symbol, str) and "%" not in symbol else ""
