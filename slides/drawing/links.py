"""Where a link leads: an address of the web that may be handed to other programs, or a slide of this deck.

Addresses in a deck are untrusted text. They leave here as printable ASCII, or not at all.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from slides.drawing.cells import clean

MOST = 2000  # characters of an address; terminals cut or drop what is longer
_WEB = re.compile(r"(?:https?://[^/?#]|mailto:[^/?#])", re.IGNORECASE)
# Of RFC 3986 what an address may hold as it is, and the sign of what is encoded already.
_AS_IT_IS = "%:/?#[]@!$&'()*+,;=-._~"


def target(href: str) -> str:
    """`href` as a `Style.link`: a web address, `#id` of a slide, or "" for all other."""
    return address(href) or (f"#{slide}" if (slide := slide_id(href)) else "")


def address(href: str) -> str:
    """An http, https or mailto address in printable ASCII, "" where it is none."""
    text = clean(href).strip()
    if not _WEB.match(text):
        return ""
    try:
        parts = urlsplit(text)
        host = parts.netloc if parts.netloc.isascii() else _in_ascii(parts.netloc)
    except ValueError:
        return ""
    written = quote(urlunsplit(parts._replace(netloc=host)), safe=_AS_IT_IS)
    return written if len(written) <= MOST else ""


def _in_ascii(place: str) -> str:
    """A host with letters of any script, as the network knows it. Raises `ValueError`."""
    who, at, host = place.rpartition("@")
    name, colon, port = host.partition(":")
    return f"{who}{at}{name.encode('idna').decode()}{colon}{port}"


def slide_id(href: str) -> str:
    """The id behind `#`, "" where a link leads elsewhere."""
    return clean(unquote(href[1:])).strip() if href.startswith("#") else ""


def spoken(href: str, words: str) -> str:
    """What is said behind the words of a link where nobody can click; "" where they say it themselves."""
    if web := address(href):
        bare = web.removeprefix("mailto:")
        return "" if bare.casefold() in clean(words).strip().casefold() else f" ({bare})"
    return f" (slide {slide})" if (slide := slide_id(href)) else ""
