"""Takes secrets out of command lines that are shown to a room: what a word is named, or how it is built."""

from __future__ import annotations

import re
from collections.abc import Iterable

GONE = "***"
# The end of a name: `--hf-token`, `WANDB_API_KEY`; not `--tokens`, `--tokenizer` or `--key`.
_NAMED = re.compile(
    r"(?:^|[-_.])(?:token|secret|passw(?:or)?d|passphrase|credentials?|auth|(?:api|access|private|secret)[-_]?key)$",
    re.IGNORECASE,
)
_IN_ADDRESS = re.compile(r"(?<=://)[^/\s@]*:[^/\s@]*(?=@)")
# Keys as Hugging Face, OpenAI, GitHub and AWS hand them out.
_BUILT = re.compile(r"\b(?:hf_\w{20,}|sk-[\w-]{20,}|gh[oprsu]_\w{20,}|github_pat_\w{20,}|AKIA[0-9A-Z]{16})\b")


def redacted(words: Iterable[str]) -> list[str]:
    """Return the words of a command line with `***` where a secret stands."""
    shown: list[str] = []
    named = False  # the word before this one says that this is a secret
    for word in words:
        name, equals, value = word.partition("=")
        if named and not word.startswith("--"):
            shown.append(GONE)
            named = False
            continue
        named = not equals and word.startswith("-") and _NAMED.search(word) is not None
        if equals and value and _NAMED.search(name):
            shown.append(f"{name}={GONE}")
        else:
            shown.append(_BUILT.sub(GONE, _IN_ADDRESS.sub(GONE, word)))
    return shown
