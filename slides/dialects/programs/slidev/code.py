"""Code on a slide of Slidev: focus, states that follow each other, files."""

from __future__ import annotations

import re
from pathlib import Path

from slides.dialects.native import Snippet
from slides.dialects.source import Source
from slides.dialects.translation import Draft, Text
from slides.problems import Mistake
from slides.reading.from_disk import named_files
from slides.reading.scan import Fence

_IMPORT = re.compile(r"<<<[ \t]*(\S.*?)(?:#([\w*-]+))?(?:[ \t]+([^\s{\[]\S*))?[ \t]*((?:[\[{].*)?)")
_BRACES = re.compile(r"\{([^{}]*)\}")


def read_code(draft: Draft, fence: Fence, numbered: bool) -> None:
    """Turn one code block of Slidev into native ones; `numbered`: lines have numbers unless it says not."""
    code = draft.code(fence)
    if re.match(r"md\s+magic-move", fence.info):
        _magic(draft, fence, code, numbered)
        return
    lang = re.split(r"[\s\[{]", fence.info, maxsplit=1)[0]
    draft.recode(fence, _snippet(lang, fence.info, numbered).info(code))


def _snippet(lang: str, info: str, numbered: bool, instead: bool = False, **more: str) -> Snippet:
    """`{2-3|5|all}{lines:true,startLine:5}` and what else may stand behind a language."""
    focus, first, numbers, run = "", 1, numbered, False
    for group in _BRACES.findall(info):
        if re.match(r"\s*monaco", group):
            run = run or "monaco-run" in group
        elif re.fullmatch(r"[\s0-9,|*-]*(?:(?:all|none|hide)[\s0-9,|*-]*)*", group) and group.strip():
            focus = focus or group
        else:
            if found := re.search(r"\blines\s*:\s*(true|false)", group):
                numbers = found[1] == "true"
            if found := re.search(r"\bstartLine\s*:\s*([0-9]{1,6})", group):
                first = max(int(found[1]), 1)
    if first > 1:
        focus = re.sub(r"[0-9]+", lambda m: str(max(int(m[0]) - first + 1, 0)), focus)
    return Snippet(lang, focus, first, numbers, run, instead=instead, **more)


def _magic(draft: Draft, fence: Fence, code: list[str], numbered: bool) -> None:
    """Code that changes from step to step: each state takes the place of the one before."""
    inner = Draft(Text(code, [draft.place(fence.first)] * len(code)))
    out: list[str] = []
    for n, state in enumerate(inner.marks.fences):
        body = inner.code(state)
        lang = re.split(r"[\s\[{]", state.info, maxsplit=1)[0]
        info = _snippet(lang, f"{state.info} {fence.info}", numbered, instead=n > 0).info(body)
        out += [f"{state.mark}{info}", *body, state.mark]
    draft.replace(fence.first, fence.end, *out)
    for line in range(fence.first, fence.end):
        draft.coded[line] = 0


def imports(draft: Draft, source: Source, numbered: bool) -> None:
    """`<<< @/snippets/x.ts#region ts {2,3}` as code from that file."""
    for line, text in enumerate(draft.shown):
        if draft.coded[line] or not text.startswith("<<<") or not (match := _IMPORT.fullmatch(text.rstrip())):
            continue
        written, region, lang, rest = match.groups()
        rooted = written.startswith(("@/", "/"))
        path = written.lstrip("@").lstrip("/") if rooted else source.within(written, draft.text.base)
        suffix = Path(path).suffix[1:]
        span = _region(source, path, region) if region else ""
        snippet = _snippet(lang or suffix or "text", rest or "", numbered, file=path, lines=span)
        draft.replace(line, line + 1, f"```{snippet.info([])}", "```")


def _region(source: Source, path: str, name: str) -> str:
    """The lines between `#region name` and `#endregion` in a file; "" where they cannot be told."""
    try:
        lines = named_files.read(named_files.locate(source.path.parent, path, source.may_read), path)[
            0
        ].split("\n")
    except Mistake:
        return ""
    begin = re.compile(rf"#\s*(?:pragma\s+)?region\b\s*{re.escape(name)}\b|#region\s+{re.escape(name)}\b")
    first = next((n for n, line in enumerate(lines) if begin.search(line)), None)
    if first is None:
        return ""
    end = re.compile(r"#\s*endregion")
    last = next((n for n in range(first + 1, len(lines)) if end.search(lines[n])), len(lines))
    return f"{first + 2}-{last}" if last > first + 1 else ""
