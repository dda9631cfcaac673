"""Every page that we write, full of other people's markup, opened in real browsers: nothing of it runs.

Each page is opened as it is, and without the policy in its head: what is escaped does not lean on that.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from made_payloads import MARKUP, RUN

from quiz.question import Option, Question
from runtime.classroom import actions
from runtime.classroom.actions import Entry
from runtime.protocol.figures import Comparison, Strategy
from tui import cli
from tui.recording import player_page as recording_page
from tui.recording.captions import Caption
from tui.recording.scenes_and_chapters import Chapter
from tui.reports.classes import results_and_regrading, results_page
from tui.reports.classes.results_from_journal import results
from tui.reports.runs import comparison_page

ALL = " ".join(MARKUP)
BROWSERS = {
    "chromium": ("chromium", "chromium-browser", "google-chrome"),
    "firefox": ("firefox-esr", "firefox"),
}
# Elements that fetch or run something; the player of a recording is a script of ours.
ACTIVE = {"script", "iframe", "object", "embed", "base", "link", "applet", "frame", "form", "audio", "video"}
_POLICY = re.compile(r"<meta http-equiv=\"Content-Security-Policy\"[^>]*>")


def safe(payload: str) -> str:
    """In a comment, which it does not end."""
    return payload.replace("-->", "")


def deck() -> str:
    rows = "\n\n".join(MARKUP)
    cells = "\n".join(f"| {payload.replace('|', '')} | b |" for payload in MARKUP)
    options = "\n".join(f"- [ ] {payload}\n  > {payload}" for payload in MARKUP[:8])
    title = MARKUP[0]
    blocks = [
        f"# {ALL}\n\n{rows}",
        f"| a | {title} |\n|---|---|\n{cells}",
        *(
            f"## {payload}\n\n<!-- notes: {payload.replace('-->', '')} -->\n\n> {payload}"
            for payload in MARKUP
        ),
        f"```{MARKUP[2]} {{1|2}}\n{rows}\n```\n\n```html\n{rows}\n```\n\n```diff\n-{title}\n+{title}\n```",
        f"::: quiz {{#q}}\n{title} {MARKUP[13]}\n\n{options}\n- [x] {ALL}\n\n> {ALL}\n:::",
        f"::: demo {title}\n\n::: {title}\n\n::: animate {title}",
        f"::: include {title}\n\n::: terminal {title}",
        f"::: chart bars title={json.dumps(title)}\na, {title}\n{MARKUP[2]}, 1\nb, 2\n:::",
        f"::: strategies {title}",
        f"::: scene\nrow: {MARKUP[2]}, b\nstep: b\nnote: b = {title}\n:::\n\n::: scene room strategy={title}",
        f"::: estimate model={title}\n\nwords[^1] {title}\n\n[^1]: {title}\n\nterm {title}\n: {MARKUP[2]}",
        f"$$\n\\text{{{title}}} \\frac{{{MARKUP[2]}}}{{b}}\n$$\n\n$\\mathbb{{{title}}}$",
        f'## a {{#x"onload={RUN}}}\n\n<!-- slide: {{id: "{MARKUP[13]}", section: {json.dumps(title)}}} -->',
    ]
    front = {"title": ALL, "lang": MARKUP[13], "author": title, "date": title, "event": title, "theme": title}
    head = "\n".join(f"{key}: {json.dumps(value)}" for key, value in front.items())
    return f"---\n{head}\n---\n" + "\n\n---\n\n".join(blocks) + "\n"


def exported(folder: Path) -> bytes:
    path = folder / f"{MARKUP[2].replace('/', '')}.md"
    path.write_text(deck())
    out = folder / "out.html"
    assert cli.main(["export", str(path), "--html", "--notes", "-o", str(out)]) == 0
    return out.read_bytes()


def held(folder: Path) -> bytes:
    options = (Option(MARKUP[0], explain=MARKUP[2]), Option(MARKUP[13], True), Option(ALL))
    question = Question(MARKUP[2], "single", ALL, options, explain=ALL)
    names = dict(zip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP", MARKUP, strict=False))
    done: list[tuple[str, actions.AnyAction]] = [
        ("c", actions.Begin(ALL, "1", "seed")),
        ("c", actions.Deck("r", ALL, "gone.md")),
        ("c", actions.Open(MARKUP[2], "single", 3)),
        *((screen, actions.Answer(MARKUP[2], (1,), (name,), name)) for screen, name in names.items()),
        ("c", actions.Reveal(MARKUP[2], (1,))),
    ]
    entries = [Entry(n, float(n), screen, "all", action) for n, (screen, action) in enumerate(done, 1)]
    found = results(entries, {MARKUP[2]: question})
    return results_page.page(found, None, results_and_regrading.called(found, True)).encode()


def compared(folder: Path) -> bytes:
    rows = tuple(
        Strategy(name, name, "failed", name, 1, 10, {name: 10}, 0.1, 0.1, 0.2, 10.0, 10, 0.1, 1.0, True, name)
        for name in MARKUP
    )
    return comparison_page.page(Comparison(rows, 4, 3, 24), ALL, ALL, ALL, ALL).encode()


def recorded(folder: Path) -> bytes:
    cast = folder / "a.cast"
    lines = [json.dumps({"version": 2, "width": 80, "height": 24, "title": ALL})]
    lines += [json.dumps([n / 100, "o", payload]) for n, payload in enumerate(MARKUP)]
    cast.write_text("\n".join(lines) + "\n")
    chapters = [Chapter(n, n + 1.0, payload) for n, payload in enumerate(MARKUP)]
    captions = [Caption(n, n + 1.0, payload) for n, payload in enumerate(MARKUP)]
    return recording_page.page(ALL, cast, chapters, captions, [], size=(80, 24), language=MARKUP[13])


PAGES = {"export": exported, "results": held, "compare": compared, "recording": recorded}


# -- read ------------------------------------------------------------------------------------------------


class Reader(HTMLParser):
    """The elements, attributes and addresses of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.handlers: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.handlers += [name for name, _ in attrs if name.startswith("on") or name == "srcdoc"]
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src", "action", "data")]


@pytest.mark.parametrize("name", PAGES)
def test_nothing_in_a_page_could_run(name: str, tmp_path: Path) -> None:
    page = PAGES[name](tmp_path).decode()
    reader = Reader()
    reader.feed(page)
    scripts = 4 if name == "recording" else 0  # the player, what drives it, and its two texts
    assert reader.elements.count("script") == scripts
    assert not (ACTIVE - {"script"}) & set(reader.elements) and not reader.handlers
    assert reader.elements.count("meta") <= 3 and "refresh" not in str(re.findall("<meta[^>]*>", page))
    for address in reader.addresses:
        assert re.match(r"(?:#|https?://|mailto:|data:image/)", address) or "owned" not in address, address
    assert "Content-Security-Policy" in page


# -- opened ----------------------------------------------------------------------------------------------


class Site:
    """Serves pages on loopback, and knows what was asked for besides."""

    def __init__(self) -> None:
        self.pages: dict[str, bytes] = {}
        self.asked: list[str] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.asked.append(self.path)
                body = site.pages.get(self.path)
                self.send_response(200 if body is not None else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.at = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.server.shutdown()
    site.server.server_close()


def opened(browser: str, address: str, folder: Path) -> None:
    """Load a page and all that it asks for, in a profile of its own, and leave."""
    program = next(filter(None, map(shutil.which, BROWSERS[browser])), None)
    if program is None:
        pytest.skip(f"there is no {browser} here")
    profile, picture = folder / f"{browser}-profile", folder / "picture.png"
    profile.mkdir(exist_ok=True)
    if browser == "chromium":
        argv = [program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars"]
        argv += [
            f"--user-data-dir={profile}",
            "--virtual-time-budget=4000",
            f"--screenshot={picture}",
            address,
        ]
    else:
        argv = [program, "--headless", "--no-remote", "--profile", str(profile), "--screenshot", str(picture)]
        argv += [address]
    subprocess.run(argv, capture_output=True, timeout=150, cwd=folder, check=False)
    if not picture.exists():
        pytest.skip(f"{browser} does not start here")
    picture.unlink()


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("browser", BROWSERS)
def test_no_page_runs_in_a_browser(browser: str, site: Site, tmp_path: Path) -> None:
    # A page that is not escaped is seen to run: this test can fail.
    site.pages["/bare"] = f"<!doctype html><title>a</title><body>{MARKUP[2]}{MARKUP[0]}".encode()
    opened(browser, f"{site.at}/bare", tmp_path)
    assert "/owned" in site.asked
    site.asked.clear()
    for name, made in PAGES.items():
        page = made(tmp_path)
        site.pages[f"/{name}"] = page
        site.pages[f"/{name}-bare"] = _POLICY.sub("", page.decode()).encode()
    for address in [address for address in site.pages if address != "/bare"]:
        opened(browser, site.at + address, tmp_path)
        assert address in site.asked
        assert [asked for asked in site.asked if "owned" in asked] == [], address
