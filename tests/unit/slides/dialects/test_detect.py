"""Whose deck a text is. What is nobody's is ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from slides.deck import NATIVE
from slides.dialects import detect
from slides.reading.from_disk.source import normalise

ROOT = Path(__file__).parents[4]

THEIRS = {
    "deckset": [
        "footer: A\nslidenumbers: true\n\n# A\n",
        "Theme: Next, 1\nbuild-lists: true\n\n# A\n\n---\n\n# B\n",
        "# [fit] A\n\n---\n\n# B\n",
        "# A\n\n^ Said, not shown.\n\n---\n\n# B\n",
        "[.background-color: #fff]\n\n# A\n",
    ],
    "revealhtml": [
        "<!doctype html>\n<html><body><div class='slides'><section>a</section></div></body></html>\n",
        "<section>\n<h2>A</h2>\n</section>\n<section>b</section>\n",
        '<html><body><textarea id="source">\n# A\n</textarea></body></html>\n',
    ],
    "presenterm": [
        "# A\n\n<!-- end_slide -->\n\n# B\n",
        "<!-- column_layout: [1, 1] -->\n<!-- column: 0 -->\nx\n",
        "A\n===\n\n<!--\nspeaker_note: |\n  many\n  lines\n-->\n",
        "```bash +exec\nls\n```\n",
        "---\ntitle: T\nsub_title: S\n---\n\nx\n",
        "---\ntitle: T\nevent: E\nauthor: A\n---\n\nA\n===\n\n---\n\n<!-- end_slide -->\n",
        "---\nevent: E\noptions:\n  end_slide_shorthand: true\n---\n\nA\n===\n\n---\n\nB\n",
        "---\ntitle: T\ntheme:\n  name: dark\n---\n\nx\n",
        "---\noptions:\n  implicit_slide_ends: true\n---\n\nA\n===\n",
        "\ufeff# A\r\n\r\n<!-- end_slide -->\r\n",
    ],
    "slides": [
        "---\ntheme: dark\nauthor: A\ndate: today\n---\n# A\n---\n# B\n",
        "---\ntheme: ./theme.json\nauthor: Gopher\n---\n# A\n---\n# B\n",
        "---\nauthor: A\ndate: YYYY-MM-dd\npaging: '%d of %d'\n---\n# A\n",
        "# A\n\n~~~graph-easy --as=boxart\n[ A ] - to -> [ B ]\n~~~\n",
        "# A\n\n---\n\n~~~xargs cat\nimport.md\n~~~\n",
    ],
    "marp": [
        "<!--\ntheme: gaia\nclass: invert\n-->\n\n# A\n\n---\n\n# B\n",
        "---\nmarp: true\n---\n# A\n",
        "---\ntheme: gaia\npaginate: true\n---\n# A\n",
        "<!-- headingDivider: 2 -->\n# A\n",
        "# A\n\n![bg right](x.png)\n",
        "# A\n\n![opacity:0.05 bg](x.png)\n",
        "<!-- _class: lead -->\n# A\n\n---\n\n# B\n",
        "# <!-- fit --> A\n",
        "---\ntheme: uncover\n---\n# A\n",
        "---\nbackgroundColor: white\n---\n# A\n",
    ],
    "slidev": [
        "---\ntheme: ./theme\n---\n\n# A\n\n---\n\n# B\n",
        "---\ntheme: '@acme/slides'\n---\n\n# A\n",
        "---\ntheme: acme-slidev-theme\nauthors: A and B\nevent: E\n---\n\n# A\n",  # others' keys, too
        "---\naspectRatio: 4/3\nauthors:\n  - name: A\n---\n\n# A\n",
        "---\nlayout: cover\nauthors: A\n---\n\n# A\n",
        "---\ntheme: seriph\nhighlighter: shiki\n---\n# A\n",
        "---\ntheme: default\nlayout: cover\n---\n# A\n",
        "---\nlayout: cover\ntransition: slide\n---\n# A\n",
        "# A\n\n---\nlayout: center\n---\n\n# B\n",
        "---\nlayout: cover\n---\n\n# A\n\n---\nsrc: ./b.md\n---\n",
        "# A\n\n<v-clicks>\n\n- a\n\n</v-clicks>\n",
        "# A\n\n<div v-click>b</div>\n",
        "```ts {monaco}\nx\n```\n",
        "# A\n\n<<< @/snippets/a.ts\n",
        "---\ntransition: slide-left\n---\n# A\n",
        "---\ntitle: T\ntransition: fade\n---\n# A\n",
    ],
    "revealmd": [
        "# A\n\n<div style='color: red'>\n\nx\n\n</div>\n\n---\n\n# B\n",  # HTML alone tells
        "# A\n<img src='a.png'/>\n\n---\n\n```js\nx\n```\n---\n\n# B\n",  # `slides` ends code so, too
        "---\ntheme: beige.css\ncss:\n- css/own.css\n---\n\n# A\n\n---\n\n# B\n",
        "---\nrevealOptions:\n  transition: fade\n---\n# A\n",
        "---\ntitle: T\ntheme: solarized\n---\n# A\n",
        "# A\n\n---\n\n# B\n\n----\n\n# C\n",
        "# A\n\n---\n\n# B\n\nNote: for the speaker\n",
        '# A\n\n- b <!-- .element: class="fragment" -->\n',
        '<!-- .slide: data-background="red" -->\n# A\n',
        "---\ntheme: white\ntransition: slide\ncontrols: true\n---\n# A\n\n---\n\n# B\n",
        "---\ntype: slide\nslideOptions:\n  transition: fade\n---\n# A\n",
        "---\ntitle: T\ntransition: convex\n---\n# A\n",
    ],
    "remark": [
        "class: center\n\n# A\n\n---\n\n# B\n",
        "name: start\nclass: center\n# A\n",
        "# A\n\n???\n\nsaid\n",
        "# A\n\n- one\n\n--\n\n- two\n\n---\n\n# B\n",  # more of the slide, not a slide below it
        "# A\n\n---\n\n## B\n\n.lab.small[\n\n- try it\n\n]\n",
        "# A\n\n---\n\nclass: extra-details\n\n## B\n",  # settings that a blank line ends
        "---\ntitle: T\n---\n\n# A\n\n---\nclass: center, middle\nbackground-image: url(a.png)\n\n## B\n",
        "# A\n\n---\nclass: pic\n![](1.svg)\n---\nclass: pic\n![](2.svg)\n",  # or a picture ends
        "# A\n\n---\nclass: center, middle\n# B\n\nwords\n\n---\n\nC\n",  # or a heading
        "layout: true\n\n---\n\n# A\n" + "\n---\nclass: center\n\n## B\n" * 9 + "\n---\n\nC\n",
    ],
    "mdp": ["%title: T\n%author: A\n\n-> # A <-\n"],
    "patat": [
        "% Title\n% Author\n\n# A\n\nx\n\n# B\n",
        "---\npatat:\n  incrementalLists: true\n---\n# A\n",
        "---\ntitle: T\nauthor: A\n...\n\n# A\n",
        "---\ntitle: T\nauthor: A\n---\n\n# A\n\nb\n\n# C\n\nd\n",
        "# A\n\nb\n\n. . .\n\nc\n",
        "# A\n\n<!--config:\nslideNumber: false\n-->\n",
    ],
    "lookatme": [
        "---\ntitle: T\nstyles:\n  style: monokai\n---\n# A\n",
        "# A\n\n- a\n\n<!-- stop -->\n\n- b\n",
        "```terminal8\nbash\n```\n",
        "---\ntitle: T\nauthor: A\ndate: 2026-01-01\n---\n\n# A\n\nb\n\n## C\n",
        "---\ntitle: T\nauthor: A\ndate: 2026-01-01\n---\n\n# A\n\n---\n\n# B\n",
    ],
}
OURS = [
    "---\ntitle: T\nsubtitle: S\nauthor: A\nevent: E\ndate: 2026-11-30\n---\n\n# A\n",
    "---\ntitle: T\nauthor: A\nevent: E\nlocation: L\n---\n# A\n\n---\n\n# B\n",
    "# A\n\n```html\n<div>x</div>\n```\n\n---\n\n# B\n",
    "# A\n\n<!-- notes: x -->\n\n<div>x</div>\n",
    "",
    "# A\n",
    "# A\n\n---\n\n# B\n",
    "---\ntitle: T\nauthor: A\n---\n# A\n\n---\n\n# B\n",
    "---\ntitle: T\nauthor: A\ndate: today\n---\n# A\n\n---\n\n# B\n",
    "---\ntheme: light\ntime: 30m\npaginate: true\n---\n# A\n",
    "---\ntitle: T\nauthor: A\ndate: 2026-01-01\n---\n# A\n\n<!-- pause -->\n\nb\n\n# B\n",
    "---\ntitle: T\ntheme: dark\n---\n# A\n\n---\n\n# B\n",
    "# A\n\n<!-- pause -->\n\nb\n\n---\n\n# B\n",
    "---\ntheme: solarized\n---\n# A\n\n<!-- notes: x -->\n",  # a theme of the user's own
    "# A\n\n<!-- notes: say it -->\n\n---\n\n# B\n\n<!-- end_slide -->\n",
    "::: columns 1,1\na\n\n+++\n\n![bg](x.png)\n:::\n",
    "---\nformat: teachrun\n---\n# A\n\n<!-- end_slide -->\n",
    "# About presenterm\n\n```markdown\n<!-- end_slide -->\n```\n\nand `<!-- column: 0 -->`.\n",
    "# Slidev\n\n````md\n---\nlayout: center\n---\n\n<v-click>\n````\n",
    "---\nname: T\n\ntitle: T\n---\n\n# A\n\n---\n\n# B\n",
    "# A\n\n---\n\nclass: a word and more of them, which go on\nin the next line.\n",
    "# A\n\n---\n\nclass: this word is prose\n\nmore\n",
    "# A\n\n---\nclass: DistributedSampler\nsplits the data among ranks\n\n---\n\n# B\n",
    "# A\n\n.gitignore says so, and `.x[` is code.\n\n```\n.lab[\n```\n",
    "# Words\n\nNote: this is important.\n\nMore.\n\n---\n\nThe end.\n",
    "| a | b |\n|----|----|\n| 1 | 2 |\n\nTitle\n----\n\ntext\n",
    "# Questions\n\n```text\n::: quiz\n```\n\n::: quiz\nA?\n\n- [ ] x\n:::\n",
    "```diff\n+ a\n```\n\n```python {1|2}\na\nb\n```\n",
]


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in THEIRS.items() for text in texts])
def test_a_deck_is_known_by_its_marks(name: str, text: str) -> None:
    assert detect(normalise(text)) == name


@pytest.mark.parametrize("text", OURS)
def test_what_is_nobodys_is_ours(text: str) -> None:
    assert detect(normalise(text)) == NATIVE


def test_our_own_decks_and_documents_are_ours() -> None:
    files = [*ROOT.glob("*.md"), *ROOT.glob("slides/courses/**/*.md"), ROOT / "tests/contracts/deck.md"]
    assert len(files) > 3
    assert {file.name: detect(normalise(file.read_text())) for file in files if file.stat().st_size} == {
        file.name: NATIVE for file in files if file.stat().st_size
    }


def test_a_program_is_a_file_and_a_row() -> None:
    """Another one's name, module and every kind of mark stand in its row alone."""
    code = """
import importlib, sys, types
import slides.dialects
from slides.dialects import registry
registry.PROGRAMS += (registry.Program(
    "acme", "acme", (), ("@@acme",), ("acmeRatio",), ("roadrunner",), ("fall",),
    ("\\n@@", "```anvil"), r"@@\\w", "@", "anvil",
),)
registry.MODULES["acme"] = "acme"
del sys.modules["slides.dialects.detect"]
importlib.reload(slides.dialects)
from slides.dialects import NAMES, detect, translate
from slides.dialects.native import Translation
module = sys.modules["slides.dialects.programs.acme"] = types.ModuleType("acme")
module.read = lambda text, source: Translation("# Read", (1,))
for said in ("acmeRatio: 3", "theme: roadrunner", "transition: fall"):
    assert detect("---\\n" + said + "\\n---\\n# One\\n") == "acme", said
for text in ("@@acme\\n", "# One\\n\\n@@note\\n", "# One\\n\\n```anvil\\na\\n```\\n"):
    assert detect(text) == "acme", text
assert NAMES[-1] == "acme" and translate("x", "acme", "deck.md").text == "# Read"
"""
    done = subprocess.run([sys.executable, "-P", "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_deck_of_ours_pays_for_no_dialect() -> None:
    code = (
        "import sys; from slides.reading.split import load; load('tests/contracts/deck.md');"
        "print([m for m in sys.modules if m.startswith('slides.dialects.') or m == 'yaml'])"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "['slides.dialects.registry', 'slides.dialects.detect']", done.stderr
