"""What an item of QTI 2 or 3 declares as right, and what an answer earns by its mapping."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from msgspec.structs import replace

from quiz.formats.qti.element import Element
from quiz.formats.read_result import shared
from quiz.question import Option


@dataclass(slots=True)
class Declared:
    """What is right by a declaration: the values of a full answer, and what single ones earn: `others` those
    that are not named, and no answer more than `most`."""

    base: str = ""
    right: list[str] = field(default_factory=list)
    earns: dict[str, float] = field(default_factory=dict)
    others: float = 0.0
    most: float = math.inf


def declared_in(root: Element) -> dict[str, Declared]:
    """What an item declares, by the identifier of what is answered."""
    found = {}
    for one in root.every("responseDeclaration"):
        made = Declared(one.attrs.get("baseType", ""))
        made.right = [
            value.words().strip()
            for correct in one.every("correctResponse")
            for value in correct.every("value")
        ]
        for entry in one.every("mapEntry"):
            if (worth := _number(entry, "mappedValue")) is not None:
                made.earns[entry.attrs.get("mapKey", "")] = worth
        for mapping in one.every("mapping"):
            made.others = _number(mapping, "defaultValue") or 0.0
            made.most = _number(mapping, "upperBound") or math.inf
        made.right = made.right or [key for key, worth in made.earns.items() if worth > 0]
        found[one.attrs.get("identifier", "")] = made
    return found


def _number(at: Element, name: str) -> float | None:
    try:
        found = float(at.attrs.get(name, ""))
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def scored(root: Element) -> str:
    """How an answer is scored: `map_response`, what its parts earn, or `match_correct`, all or nothing; "" by
    rules of the item's own."""
    for one in root.every("responseProcessing"):
        if template := one.attrs.get("template", ""):
            return template.rpartition("/")[2].removesuffix(".xml")
        return "map_response" if next(one.every("mapResponse"), None) is not None else ""
    return ""


def weighed(
    options: tuple[Option, ...], idents: list[str], declared: Declared, many: bool
) -> tuple[Option, ...]:
    """Options with what each earns by a mapping, as a share of the best answer."""
    earned = [declared.earns.get(ident, declared.others) for ident in idents]
    best = sum(worth for worth in earned if worth > 0) if many else max(earned)
    best = min(best, declared.most)
    if best <= 0:
        return options
    shares = [round(max(-1.0, min(1.0, worth / best)), 7) for worth in earned]
    shown = tuple(replace(option, weight=share) for option, share in zip(options, shares, strict=True))
    if many:
        return shared(shown)
    return tuple(
        replace(one, right=one.right or one.weight == 1.0, weight=None) if one.weight in (0.0, 1.0) else one
        for one in shown
    )
