"""The colours of marks: of the palette, lit, glowing, far away."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from slides.contrast import luminance
from slides.palette import Palette

if TYPE_CHECKING:
    from slides.scenes.painting.strokes import Face

RGB = tuple[int, int, int]


def rgb(palette: Palette, name: str) -> RGB:
    """Return the colour that `name` has in `palette`; grey in a theme without colours."""
    return _rgb(palette.colour(name) or ("#000000" if name == "background" else "#a0a0a0"))


@lru_cache(4096)
def _rgb(text: str) -> RGB:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def mixed(a: RGB, b: RGB, share: float) -> RGB:
    """Return the colour `share` (0 to 1) of the way from `a` to `b`."""
    share = min(max(share, 0.0), 1.0)
    return (
        round(a[0] + (b[0] - a[0]) * share),
        round(a[1] + (b[1] - a[1]) * share),
        round(a[2] + (b[2] - a[2]) * share),
    )


def fogged(palette: Palette, ink: str, fog: float) -> RGB:
    """Return the colour of `ink` behind so much fog, from 0 to 1."""
    return mixed(rgb(palette, ink), rgb(palette, "background"), fog)


def lit_faces(palette: Palette, faces: Sequence[Face]) -> tuple[list[RGB], list[RGB]]:
    """Return the colour of each face in its light (`slides.scenes.painting.strokes.Face`), and that of its
    edge as it is seen from afar, of its ink where it has none. All at once: there are hundreds in a frame."""
    import numpy as np

    if not faces:
        return [], []
    names = {face.ink for face in faces} | {face.edge for face in faces if face.edge}
    inks = {name: rgb(palette, name) for name in names}
    colour = np.array([inks[face.ink] for face in faces], float)
    edge = np.array([inks[face.edge or face.ink] for face in faces], float)
    light, glow, fog = np.array([(face.light, face.glow, face.fog) for face in faces], float).T[..., None]
    glow = glow.clip(0, 1)
    dim = np.where(light < 1, light + (1 - light) * glow / 2, 1.0).clip(0, 1)
    colour = (colour * dim).round()
    colour = (colour + (255.0 - colour) * 0.35 * glow).round()
    background, fog = np.array(rgb(palette, "background")), fog.clip(0, 1)
    colour = colour + (background - colour) * fog
    edge = edge + (background - edge) * fog
    fills, edges = (list(map(tuple, values.round().astype(int).tolist())) for values in (colour, edge))
    return fills, edges


def readable(ground: RGB) -> RGB:
    """Return black or white, whichever has more contrast on `ground`."""
    return (0, 0, 0) if luminance(hexed(ground)) > 0.179 else (255, 255, 255)


def hexed(colour: RGB) -> str:
    """Return `#rrggbb`."""
    return f"#{colour[0]:02x}{colour[1]:02x}{colour[2]:02x}"
