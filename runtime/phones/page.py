"""The page: three files sent as one, so that a phone needs one answer of one server and nothing else."""

from __future__ import annotations

import gzip
import re
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "page"
_HOST = re.compile(r"[A-Za-z0-9.\-]+(:[0-9]{1,5})?|\[[0-9a-fA-F:]+\](:[0-9]{1,5})?")
_NAMES = ("index.html", "style.css", "phone.js")
SAFE_HEADERS = (
    ("cache-control", "no-store"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
)
PICTURE_HEADERS = (
    ("cache-control", "private, max-age=3600, immutable"),  # its name is made of its bytes
    *SAFE_HEADERS[1:],
    ("content-type", "image/webp"),
)
JSON_HEADERS = (*SAFE_HEADERS, ("content-type", "application/json"))


@cache
def _parts() -> tuple[str, str, str]:
    """Return the three files, as text."""
    html, style, script = (_short((_FOLDER / name).read_text("utf-8")) for name in _NAMES)
    return html, style, script


def _short(text: str) -> str:
    """Without what only people need who read the file: its indentation, and lines that are comments."""
    lines = (line.strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def whole(nonce: str) -> bytes:
    """Return the page; its style and its script carry `nonce`, and nothing without it runs."""
    html, style, script = _parts()
    page = html.replace("NONCE", nonce).replace("/* style */", style).replace("/* script */", script)
    return page.encode("utf-8")


def shortened(page: bytes) -> bytes:
    """Return it as gzip: a third, which counts where a thousand load it over the same air."""
    return gzip.compress(page, 6, mtime=0)


def headers(nonce: str, host: str) -> tuple[tuple[str, str], ...]:
    """Return the headers of the page: nothing is loaded from anywhere, and no other page may frame it.

    `host` is the Host header. It is named because for some browsers 'self' is no WebSocket.
    """
    sockets = f" ws://{host} wss://{host}" if _HOST.fullmatch(host) else ""
    policy = (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src 'self' data:; "
        f"connect-src 'self'{sockets}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return (
        *SAFE_HEADERS,
        ("content-type", "text/html; charset=utf-8"),
        ("vary", "accept-encoding"),
        ("content-security-policy", policy),
        ("x-frame-options", "DENY"),
    )
