"""The programs whose decks are read: a row each, with its name, its file and the marks that tell its decks.

What many decks are told by stands here as plain text and as the sources of patterns: every deck passes by on
its way to the first slide, and no program's file is imported, no pattern compiled before one is needed.
"""

from __future__ import annotations

from typing import NamedTuple


class Program(NamedTuple):
    """`module` in `slides.dialects.programs` has `read(text, source) -> Translation`.

    Of its marks any may be missing; what two programs have belongs to neither. `suffixes` of file names tell
    where no mark does, `opens` is what a file begins with that is surely its own. `settings` are keys of a
    front matter, `themes` and `transitions` values of these keys. `line` is the source of a pattern that a
    line outside code matches from its beginning, if the line has a `<` or `![[` or begins with a character of
    `first`; `fence` the same of the words behind a fence. One of `hints` stands in every file that a `line`,
    a `fence` or a rule of `slides.dialects.marks` tells.
    """

    name: str
    module: str
    suffixes: tuple[str, ...] = ()
    opens: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()
    transitions: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    line: str = ""
    first: str = ""
    fence: str = ""


PROGRAMS = (
    Program(
        "presenterm", "presenterm",
        settings=("sub_title", "authors", "event", "location"),
        hints=(
            "_slide -->", "_slide-->", "speaker_note", "speaker-note", "column_layout", "jump_to_middle",
            "new_line", "incremental_lists", "reset_layout", "<!-- font_size", "<!-- alignment:",
            "<!-- include:", "<!-- no_footer", " +exec", " +line_numbers", " +render", " +no_background",
            " +auto_exec", " +image", " +id:",
        ),
        line=(
            r" {0,3}<!--\s*(?:(?:end_slide|skip_slide|reset_layout|jump_to_middle|no_footer|new_?lines?)\s*"
            r"-->|(?:speaker_note|column_layout|column|incremental_lists|font_size|alignment|snippet_output"
            r"|list_item_newlines|new_?lines|include):)| {0,3}<speaker-note>| {0,3}speaker_note:\s*[|>]?\s*$"
        ),
        first="s",
        fence=(
            r"[\w#+.-]+.*\s\+(?:exec|auto_exec|exec_replace|line_numbers|no_background|render|image|pty"
            r"|acquire_terminal|validate|id:|width:)"
        ),
    ),
    Program(
        "slides", "maaslalani",
        settings=("paging",),
        hints=("~~~", "```\n---\n"),
    ),
    Program(
        "marp", "marp",
        settings=(
            "headingDivider", "paginate", "_class", "_paginate", "backgroundColor", "backgroundImage",
            "style",
        ),
        themes=("gaia", "uncover"),
        hints=(
            "![bg", " bg](", "<!-- _", "paginate", "headingDivider", "<!-- background", "<!-- theme:",
            "<!-- class:", "<!-- header:", "<!-- footer:", "<!-- fit", "<!--\n",
        ),
        line=(
            r"\s*!\[(?:[^\]\n]* )?bg\b[^\]]*\]\(|#+ <!--\s*fit\s*-->"
            r"|\s*<!--\s*(?:_(?:class|color|paginate|header|footer|background\w+)|paginate|headingDivider"
            r"|backgroundColor|backgroundImage|theme|class|header|footer)\s*:"
        ),
        first="!",
    ),
    Program(
        "slidev", "slidev.deck",
        themes=("seriph", "apple-basic", "bricks", "shibainu", "penguin", "purplin", "geist"),
        transitions=("fade-out", "slide-left", "slide-right", "slide-up", "slide-down", "view-transition"),
        hints=(
            "v-click", "VClick", "v-after", "\n::right::", "\n<<< ", "{monaco", "magic-move", "{lines:",
            "\nlayout:", "\nsrc:", "\ntransition:", "\nclass:", "\nbackground:", "\nclicks:",
            "\nhideInToc:", "\nhide:",
        ),
        line=(
            r"\s*(?:</?(?:v-clicks?|v-after|VClicks?)\b|<[^>]*\sv-(?:click|after)\b|::right::\s*$"
            r"|<<< [@./])"
        ),
        first=":",
        fence=r"[\w+-]*\s*(?:.*\{monaco|md magic-move)|[\w+-]+\s*\{[^}]*\}\s*\{",
    ),
    Program(
        "revealmd", "reveal.markdown",
        settings=(
            "revealOptions", "slideOptions", "separator", "verticalSeparator", "notesSeparator",
            "highlightTheme", "slideNumber", "controls", "progress",
        ),
        themes=(
            "black", "white", "league", "beige", "sky", "night", "serif", "simple", "solarized", "blood",
            "moon",
        ),
        transitions=("none", "slide", "convex", "concave", "zoom"),
        hints=("<!-- .", "<!--.", "<aside class", "\n----\n", "\nNote:", "\nNotes:"),
        line=r".*<!--\s*\.(?:slide|element)\b|\s*<aside class=\"notes\">",
        fence=r"[\w+-]+\s*\[[\d\s,:|-]+\]$",
    ),
    Program(
        "patat", "patat.deck",
        settings=("patat",),
        hints=("\n. . .", "<!--config:"),
        line=r" {0,3}\. \. \.\s*$|<!--config:",
        first=".",
    ),
    Program(
        "lookatme", "lookatme.deck",
        settings=("styles", "extensions"),
        hints=("stop -->", "stop-->", "```terminal"),
        line=r" {0,3}<!--\s*stop\s*-->",
        fence=r"terminal(?:-ex|\d+)\b",
    ),
    Program(
        "remark", "remark",
        hints=(
            "\n???", "-column[", "\ntemplate:", "\nclass: ", ".center[", ".pull-left[", ".footnote[",
            "\n--\n", "\n.",
        ),
        line=(
            r"\?{3}\s*$|\.(?:left|right|two|three)-col\w*\[|\.pull-(?:left|right)\[|\.footnote\["
            r"|(?:\.[A-Za-z][\w-]{0,40}){1,5}\[\s*$"  # a box of any class, that ends on a line below
        ),
        first="?.",
    ),
    Program(
        "pandoc", "pandoc",
        suffixes=(".qmd", ".rmd", ".rmarkdown"),
        hints=("\n::: ", "\n:::: ", " {.", " {data-", " {background-"),
        line=(
            r"#{1,6} .{0,300}\{(?:[^{}]{0,200} )?(?:\.[A-Za-z]|data-|background-)[^{}]{0,300}\}\s*$"
            r"| {0,3}:{3,}\s*(?:\{[^}]*\.(?:notes|columns?|incremental|fragment|callout-\w+)\b|notes\b"
            r"|columns\s*$|incremental\s*$|nonincremental\s*$)"
        ),
        first=":#",
    ),
    Program(
        "obsidian", "obsidian",
        settings=(
            "enableOverview", "enableChalkboard", "enableMenu", "enablePointer", "enableTimeBar",
            "enableCustomControls", "timeForPresentation", "defaultTemplate", "showGrid",
        ),
        hints=("![[",),
        line=(
            r".{0,400}?(?:!\[\[[^\]]+\]\]|<!-- (?:element|slide) (?:class|style|bg|template)=)"
            r"|<(?:grid|split)\b|%%\s"
        ),
        first="%!",
    ),
    Program(
        "deckset", "deckset",
        settings=("slidenumbers", "autoscale", "build-lists", "slidecount", "slide-dividers"),
        hints=("[fit]", "[.", "![inline", "![left", "![right", "![fit", "![original", "\n^"),
        line=(
            r"#{1,6}[ \t]*\[fit\]|\[\.[a-z][\w-]*(?::[^\]]*)?\][ \t]*$|\^ ?[A-Z\"'*_-]"
            r"|!\[(?:inline|left|right|fit|original|filtered)\b[^\]]*\]\("
        ),
        first="#[^!",
    ),
    Program(
        "mdp", "mdp",
        opens=("%title:", "%author:", "%date:", "%title ", "% title:"),
    ),
    Program(
        "present", "present",
        suffixes=(".slide",),
    ),
    Program(
        "notebook", "notebook",
        suffixes=(".ipynb",),
    ),
    Program(
        "revealhtml", "reveal.html",
        suffixes=(".html", ".htm"),
    ),
)  # fmt: skip
MODULES = {program.name: program.module for program in PROGRAMS}
BY_SUFFIX = {suffix: program.name for program in PROGRAMS for suffix in program.suffixes}
