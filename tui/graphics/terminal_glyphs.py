"""Which glyphs scenes are painted with: those that a terminal draws itself, so that no font decides.

Sextants (Unicode 13) are drawn by kitty, foot, WezTerm, Ghostty and VTE from 0.64 on, quadrants by most
others that draw their own lines; everybody has half blocks, but for the console of Linux. Where there are
16 colours, characters say more than blocks do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slides.scenes.painting.cell_fitting import Surface

SURFACES: tuple[Surface, ...] = ("sextants", "quadrants", "halves", "characters")
_SEXTANTS = re.compile(r"kitty|foot|wezterm|ghostty|contour", re.IGNORECASE)
_QUADRANTS = re.compile(r"iterm|alacritty|vscode|konsole|rio|warp", re.IGNORECASE)
_VTE_SINCE = 6400


def chosen(environ: Mapping[str, str], wished: str = "") -> Surface:
    """Return the glyphs that suit this terminal, or those that are `wished` for if there are any such."""
    for surface in SURFACES:
        if surface == wished:
            return surface
    if not draws_blocks(environ):
        return "characters"
    names = " ".join(environ.get(name, "") for name in ("TERM", "TERM_PROGRAM", "LC_TERMINAL"))
    own = any(environ.get(name) for name in ("KITTY_WINDOW_ID", "WEZTERM_PANE", "GHOSTTY_RESOURCES_DIR"))
    vte = environ.get("VTE_VERSION", "")
    if own or _SEXTANTS.search(names) or (vte.isascii() and vte.isdecimal() and int(vte[:6]) >= _VTE_SINCE):
        return "sextants"
    known = any(environ.get(name) for name in ("ALACRITTY_WINDOW_ID", "KONSOLE_VERSION", "WT_SESSION"))
    if known or _QUADRANTS.search(names):
        return "quadrants"
    return "characters" if _coarse(environ) else "halves"


def draws_blocks(environ: Mapping[str, str]) -> bool:
    """Whether a terminal has glyphs for parts of cells: fonts of the Linux console have halves alone."""
    return environ.get("TERM", "") not in ("linux", "dumb", "vt100", "vt220")


def settle_letters(environ: Mapping[str, str], wished: str = "") -> None:
    """Words are in large letters from now on only where this terminal has glyphs for them, or where those of
    six dots are `wished` for: over SSH a terminal does not say what it is."""
    from slides.drawing.large import letters, three_rows

    three_rows.use_quarters(draws_blocks(environ))
    letters.use_sextants(chosen(environ, wished) == "sextants")


def _coarse(environ: Mapping[str, str]) -> bool:
    """Whether it says that it has 16 colours: shades of them are all one grey, and words on them are lost."""
    if environ.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return False
    term = environ.get("TERM", "").strip().lower()
    return bool(term) and not term.endswith(("256color", "direct"))
