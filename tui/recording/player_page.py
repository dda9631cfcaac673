"""A recording as one page that needs nothing else: player, chapters, captions and their text.

The player is asciinema's own (Apache-2.0), shipped in `player/` with its licence and put into the page whole,
as our `page.css` and `page.js` beside it are. The recording stands in it compressed; nothing is fetched from
anywhere.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
from collections.abc import Sequence
from pathlib import Path

from tui.figures.numbers import clock
from tui.recording.captions import Caption
from tui.recording.scenes_and_chapters import Chapter

PLAYER = Path(__file__).parent / "player"
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data:; font-src data:"
)
CELL = 0.45  # width of a terminal's cell by its height
_CREDIT = "Player: asciinema-player, © Marcin Kulik, Apache-2.0."


def page(
    title: str,
    cast: Path,
    chapters: list[Chapter],
    captions: list[Caption],
    faster: list[tuple[float, float, float]],
    *,
    size: tuple[int, int],
    language: str = "",
    credit: str = "Recorded with teachrun.",
    transcript: str = "Speaker notes and text, as a transcript",
    stops: Sequence[float] = (),
) -> bytes:
    """The page as UTF-8; `size` is the terminal's. `#t=12` behind its address plays from second 12. Arrow
    keys go from one of `stops` to the next, without any by seconds.

    Raises `OSError` where the recording or the player cannot be read.
    """
    packed = base64.b64encode(gzip.compress(cast.read_bytes(), 9)).decode()
    length = chapters[-1].end if chapters else 0.0
    told = {
        "stops": [round(t, 2) for t in stops],
        "captions": [[round(c.start, 2), round(c.end, 2), c.text] for c in captions],
        # No infinity in JSON.
        "faster": [[round(start, 2), round(min(end, 1e9), 2), speed] for start, end, speed in faster],
    }
    shown = html.escape(title)
    shape = CELL * size[0] / max(1, size[1])
    return f"""<!doctype html>
<html lang="{html.escape(language or "en")}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{shown}</title>
<style>{(PLAYER / "asciinema-player.css").read_text()}</style>
<style>{(PLAYER / "page.css").read_text("utf-8")}</style>
</head>
<body>
<main>
<header><h1>{shown}</h1><p class="dim">{clock(length)} · {_slides(len(chapters))}
· space plays, ← → {"step" if stops else "seek"}, [ ] chapters, f full screen</p></header>
<section aria-label="Recording"><div id="player" style="--shape:{shape:.3f}"></div>
<p id="caption" aria-live="off"></p><p><span id="fast"></span></p>
<noscript><p>Playing needs JavaScript; what was said is below.</p></noscript></section>
<nav aria-label="Chapters"><h2>Slides</h2><ol>{"".join(map(_button, chapters))}</ol></nav>
<details id="said"><summary>{html.escape(transcript)}</summary>
{_transcript(chapters, captions)}</details>
<footer class="dim"><p>{html.escape(credit)} {_CREDIT}</p></footer>
</main>
<script type="application/json" id="told">{_json(told)}</script>
<script type="text/plain" id="cast">{packed}</script>
<script>{(PLAYER / "asciinema-player.min.js").read_text()}</script>
<script>{(PLAYER / "page.js").read_text("utf-8")}</script>
</body>
</html>
""".encode()


def _slides(count: int) -> str:
    return f"{count} {'slide' if count == 1 else 'slides'}"


def _json(data: object) -> str:
    """JSON that cannot end the element it stands in."""
    return json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")


def _button(chapter: Chapter) -> str:
    t, title = chapter.start, html.escape(chapter.title)
    return f'<li><button data-t="{t:.2f}"><time>{clock(t)}</time><span>{title}</span></button></li>'


def _transcript(chapters: list[Chapter], captions: list[Caption]) -> str:
    parts = []
    for chapter in chapters:
        said = " ".join(c.text for c in captions if chapter.start <= c.start < chapter.end)
        parts.append(f"<h3>{html.escape(chapter.title)}</h3>")
        parts.append(f"<p>{html.escape(said)}</p>" if said else "")
    return "\n".join(part for part in parts if part)
