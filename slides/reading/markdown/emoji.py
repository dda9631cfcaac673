"""Emoji by their names between colons, `:rocket:`: as Rich knows them, by Unicode's own names (`:coin:`), and
those that programs of slides took from GitHub and that are called otherwise in both."""

from __future__ import annotations

import unicodedata

_FROM = 0x1F000  # where emoji begin among characters: `:comma:` is no emoji
_ROLE = "\N{ADULT}\N{ZERO WIDTH JOINER}"
_GITHUB = {
    "rofl": "🤣", "upside_down_face": "🙃", "star_struck": "🤩", "money_mouth_face": "🤑", "hugs": "🤗",
    "hand_over_mouth": "🤭", "thinking": "🤔", "zipper_mouth_face": "🤐", "raised_eyebrow": "🤨",
    "roll_eyes": "🙄", "vomiting_face": "🤮", "monocle_face": "🧐", "cursing_face": "🤬",
    "love_you_gesture": "🤟", "metal": "🤘", "fist_raised": "✊", "fist_oncoming": "👊", "facepalm": "🤦",
    "student": f"{_ROLE}🎓", "teacher": f"{_ROLE}🏫", "scientist": f"{_ROLE}🔬", "mechanic": f"{_ROLE}🔧",
    "technologist": f"{_ROLE}💻", "office_worker": f"{_ROLE}💼", "farmer": f"{_ROLE}🌾",
    "cook": f"{_ROLE}🍳", "artist": f"{_ROLE}🎨", "astronaut": f"{_ROLE}🚀", "lion": "🦁", "unicorn": "🦄",
    "orange": "🍊", "cheese": "🧀", "hotdog": "🌭", "champagne": "🍾", "bricks": "🧱", "climbing": "🧗",
    "flight_departure": "🛫", "flight_arrival": "🛬", "camera_flash": "📸", "medal_sports": "🏅",
    "us": "🇺🇸", "uk": "🇬🇧", "gb": "🇬🇧", "de": "🇩🇪", "fr": "🇫🇷", "es": "🇪🇸", "it": "🇮🇹", "jp": "🇯🇵",
    "cn": "🇨🇳", "kr": "🇰🇷", "ru": "🇷🇺", "eu": "🇪🇺", "tr": "🇹🇷",
}  # fmt: skip


def emoji(name: str) -> str:
    """Return the emoji of a name; of one that nobody knows the name between its colons."""
    from rich.emoji import Emoji

    written = f":{name}:"
    if (found := Emoji.replace(written)) != written:
        return found
    if name in _GITHUB:
        return _GITHUB[name]
    try:
        found = unicodedata.lookup(name.replace("_", " "))
    except KeyError:
        return written
    return found if len(found) == 1 and ord(found) >= _FROM else written
