"""Which programs run code blocks here, each asked for its version: all at once, as some take a second."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from tui.health.finding import Finding

AREA = "code blocks"


def findings() -> Iterator[Finding]:
    """A line for each language that has a program here, one for those that have none."""
    from runtime.catalog.params import Refusal
    from runtime.snippets import installed_programs, language_commands

    languages = [name for name, programs in language_commands.EXECUTORS.items() if programs[0][0]]
    with ThreadPoolExecutor(8) as pool:
        found = dict(zip(languages, pool.map(language_commands.choice, languages), strict=True))
    without = []
    for lang, choice in found.items():
        there = list(installed_programs.everywhere(name for name, _ in language_commands.EXECUTORS[lang]))
        if isinstance(choice, Refusal) and (not there or " is not installed" in choice.why):
            without.append(lang)
        elif isinstance(choice, Refusal):
            yield Finding(AREA, lang, "warning", choice.why, f"{choice.mend[0].upper()}{choice.mend[1:]}.")
        elif choice.runs is not None:
            runs = f"{choice.runs.path} {choice.runs.version}".strip()
            if not choice.passed_over:
                yield Finding(AREA, lang, "good", runs)
                continue
            broken = "; ".join(f"{one.path} does not work ({one.trouble})" for one in choice.passed_over)
            yield Finding(AREA, lang, "warning", f"{runs}, because {broken}", "Fix it or remove it.")
        else:
            yield Finding(AREA, lang, "good", "as config.toml says")
    if without:
        yield Finding(AREA, "not here", "good", ", ".join(without))
