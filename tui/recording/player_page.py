"""A recording as one page that needs nothing else: player, chapters, captions and their text.

The player is asciinema's own (Apache-2.0), shipped beside this file with its licence and put into the page
whole. The recording stands in it compressed; nothing is fetched from anywhere.
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
_STYLE = """
:root { color-scheme: dark light; --bg:#0e1116; --panel:#151a22; --line:#2a3340; --text:#d6dde8;
  --dim:#93a0b3; --accent:#7cc4ff; --warn:#ffb454 }
@media (prefers-color-scheme: light) { :root { --bg:#fbfbf8; --panel:#f0f0ea; --line:#cfd3d8; --text:#1d232b;
  --dim:#59636f; --accent:#0b5cad; --warn:#8a4b00 } }
* { box-sizing:border-box }
body { margin:0; background:var(--bg); color:var(--text); font:16px/1.5 system-ui,sans-serif }
main { max-width:1500px; margin:0 auto; padding:1.5rem; display:grid; gap:1.25rem 1.75rem }
@media (min-width:1100px) { main { grid-template-columns:minmax(0,1fr) 19rem } header,footer,#said {
  grid-column:1/-1 } }
h1 { font-size:1.4rem; margin:0 } h2 { font-size:.85rem; margin:0 0 .5rem; color:var(--dim);
  text-transform:uppercase; letter-spacing:.06em }
p { margin:.2rem 0 } .dim { color:var(--dim) }
#player { max-width:calc((100vh - 13rem) * var(--shape)); min-width:20rem; margin:0 auto }
#player.stepped .ap-overlay-start { display:none }
#caption { min-height:3em; margin:.5rem auto 0; max-width:60rem; font-size:1.15rem; text-align:center }
#fast { display:inline-block; visibility:hidden; border:1px solid var(--warn); color:var(--warn);
  border-radius:.3rem; padding:0 .5rem; font-size:.9rem }
#fast.on { visibility:visible }
nav ol { list-style:none; margin:0; padding:0; max-height:70vh; overflow:auto }
nav button { display:grid; grid-template-columns:3.6rem 1fr; width:100%; text-align:left; font:inherit;
  color:inherit; background:none; border:0; border-left:3px solid transparent; padding:.3rem .6rem;
  cursor:pointer }
nav button:hover, nav button:focus-visible { background:var(--panel) }
nav button[aria-current=true] { border-color:var(--accent); background:var(--panel) }
nav time { color:var(--dim); font-variant-numeric:tabular-nums }
details { border-top:1px solid var(--line); padding-top:1rem } summary { cursor:pointer }
#said h3 { font-size:1rem; margin:1rem 0 .2rem } #said p { max-width:75ch }
"""
_SCRIPT = """
const told = JSON.parse(document.getElementById('told').textContent);
async function cast() {
  const packed = Uint8Array.from(atob(document.getElementById('cast').textContent), c => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).text();
}
const from = Number(/^#t=([0-9.]+)$/.exec(location.hash)?.[1] ?? -1);
const player = AsciinemaPlayer.create({data: cast}, document.getElementById('player'), {
  fit: 'width', preload: true, poster: 'npt:0.5', ...(from < 0 ? {} : {startAt: from, autoPlay: true}),
  terminalFontFamily: "'JetBrains Mono','Cascadia Mono','DejaVu Sans Mono','Menlo',monospace"});
const caption = document.getElementById('caption'), fast = document.getElementById('fast');
const buttons = [...document.querySelectorAll('nav button')];
for (const button of buttons)
  button.onclick = async () => {
    history.replaceState(null, '', '#t=' + button.dataset.t);
    await player.seek(Number(button.dataset.t));
    player.play();
  };
// The player hears keys only where it has the focus: what nobody else wants is its.
const keys = [' ', 'ArrowLeft', 'ArrowRight', '[', ']', 'f', ',', '.'];
document.addEventListener('keydown', event => {
  const stage = document.querySelector('#player .ap-wrapper');
  const bare = !(event.ctrlKey || event.metaKey || event.altKey);
  const ours = bare && (keys.includes(event.key) || /^[0-9]$/.test(event.key));
  if (!ours || !stage || stage.contains(event.target)) return;
  if (event.key === ' ' && event.target.closest('button, summary')) return;
  event.preventDefault();
  stage.dispatchEvent(new KeyboardEvent('keydown', {key: event.key, bubbles: true}));
});
// A class is walked from moment to moment, as on a screen; a recording is played, and sought in.
const ways = {ArrowRight: t => told.stops.find(one => one > t + 0.05), Home: () => told.stops[0],
  ArrowLeft: t => told.stops.findLast(one => one < t - 0.05), End: () => told.stops.at(-1)};
document.addEventListener('keydown', async event => {
  if (!told.stops.length || !ways[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const to = ways[event.key](await player.getCurrentTime());
  if (to === undefined) return;
  document.getElementById('player').classList.add('stepped');
  await player.pause();
  await player.seek(to);
}, true);
function at(list, t) { return list.findLast(one => one[0] <= t && t < one[1]); }
setInterval(async () => {
  const t = await player.getCurrentTime();
  const words = at(told.captions, t)?.[2] ?? '';
  if (caption.textContent !== words) caption.textContent = words;
  const quick = at(told.faster, t);
  fast.classList.toggle('on', Boolean(quick));
  if (quick) fast.textContent = '\\u25b8\\u25b8 \\u00d7' + quick[2];
  const here = buttons.findLast(button => Number(button.dataset.t) <= t + 0.05);
  for (const button of buttons) button.setAttribute('aria-current', button === here);
}, 150);
"""


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
<style>{_STYLE}</style>
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
<script>{_SCRIPT}</script>
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
