"""The signs that decks, formulas and files of questions are made of, and each over and over."""

from __future__ import annotations

from collections.abc import Iterator

TOKENS = (
    # Markdown
    "a ", "*", "**", "*a ", "_", "_a ", "~", "~~", "`", "``", "` ", "[", "[]", "[a](", "[a](b)", "[^", "![",
    "![a](b)", "](", "(", "\\", "\\\\", "&", "&#", "&amp;", "> ", "- ", "1. ", "- [ ] ", "#", "# a\n",
    "===\n", "---\n", "\n---\n\n", "***\n", "+++\n", "| a ", "|-", "| a |\n|---|\n", "[a]: b\n", "    a\n",
    "```\n", "~~~\n", "``` x", "http://a", "a@b", "\n", "  ", "\t", "x\t", "a\n\n", "term\n: a\n\n", "{", "}",
    "{.a", "{#a}", "## a {.b",
    # HTML and comments
    "<", "<b>", "<b> ", "</b>", "<kbd>", "<sup>", "<a href=x>", "<a b='", "<!--", "-->", "<!-- -->",
    "<!-- pause -->", "<!-- slide: {", "<!", "<?", "<![CDATA[", "<br>", "<div>\n", "</div>\n", "<table>\n",
    "<td>", "<ul><li>", "<q>", "<script>", "<style>", "<pre>", "<v-click>", "<v-clicks>\n",
    # directives and marks of other programs
    ":", ":::\n\n", "::: x\n\n", "::: columns\n", "::: quiz\n", "::: demo a\n\n", "::: x {",
    "<!-- end_slide -->\n", "<!-- column: 0 -->\n", "\n--\n", "\n----\n", "::right::\n", "???\n", ". . .\n",
    "# [fit]", "[.a: b]\n", "\n^ a\n", "![right](b)\n", "slidenumbers: true\n", "<section>", "</section>\n",
    "<section data-markdown>\n---\n", "<textarea>", "\n---\nlayout: a\n---\n", "```a {1|2} +exec\n", "^",
    "==a", ":a:",
    # formulas
    "$", "$$", "$a$ ", "$$\n", "\\frac", "\\frac{", "^{", "_a", "a^", "\\left(", "\\right)", "\\sqrt{",
    "\\text{", "\\begin{matrix}", "\\hat", "\\\\&", "\\over ",
    # questions
    "- [x] a\n", "= a\n", "~ a\n", "a => b", "- a => b\n", "{{", "{{a|~b}}", "{{=", "=", "~", "~=", "=a ~b ",
    "%50%", "::a::", "#", "//", "$CATEGORY: ", "A. a\n", "ANSWER: A\n", "ANSWER:", '"', '""', '"a\n', ",",
    ",\n", ";", "<question>", "<answer>", "<text>", "&lt;b&gt;", "{1:SA:=a}", "{1:MC:~", "..", "1", "1e",
    "0.", ":0.1", "|",
    # YAML and JSON
    "a: ", "a: b\n", "- a\n", "&a ", "*a ", "? ", "[a,", "{a: ", "!a ", "'", "a: |\n", '{"a":', "[1,",
    # letters
    "\u0301", "e\u0301", "\u200d", "\U0001f468\u200d", "\ufe0f", "\u0915\u094d", "\u202e", "\u4e2d", "\u300c",
    "\u30fc", "\x1b", "\x1b[", "\x1b]", "\x9d", "\x90", "\x9b", "\x1bP", "\x07", "\r", "\xa0", "\u3000",
)  # fmt: skip


def repeated(token: str, size: int) -> Iterator[str]:
    """The token over and over in about `size` characters: in a row, line by line, and after words."""
    yield token * max(1, size // len(token))
    if not token.endswith("\n"):
        yield f"{token}\n" * max(1, size // (len(token) + 1))
        yield "x " + f"{token}a " * max(1, size // (len(token) + 2))
