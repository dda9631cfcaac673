"""What somebody writes who wants his text to be obeyed: by a browser, or by a terminal."""

from __future__ import annotations

# Each calls `owned`, in one of the ways in which markup gets to run.
RUN = "fetch('/owned')"
MARKUP = (
    f"<script>{RUN}</script>",
    f"<SCRIPT/x>{RUN}</SCRIPT>",
    f"<img src=x onerror={RUN}>",
    f"<svg onload={RUN}>",
    f"<svg><script>{RUN}</script></svg>",
    f"<body onload={RUN}>",
    f"<details open ontoggle={RUN}>",
    f"<input autofocus onfocus={RUN}>",
    f"<iframe srcdoc='<script>parent.{RUN}</script>'></iframe>",
    f"<iframe src=javascript:{RUN}></iframe>",
    f"<object data=javascript:{RUN}></object>",
    f"<meta http-equiv=refresh content='0;url=javascript:{RUN}'>",
    f"<base href=javascript:{RUN}//>",
    f'" autofocus onfocus="{RUN}" x="',
    f"' autofocus onfocus='{RUN}' x='",
    f"x onload={RUN} x",
    f"</title><script>{RUN}</script>",
    f"</style><script>{RUN}</script>",
    f"</script><script>{RUN}</script>",
    f"</textarea></noscript></template><script>{RUN}</script>",
    f"--><script>{RUN}</script><!--",
    f"]]><script>{RUN}</script>",
    f"<!--<script>{RUN}//-->",
    f"<math><mtext><style><img src=x onerror={RUN}></style></mtext></math>",
    "<style>@import '/owned';*{background:url(/owned)}</style>",
    "<link rel=stylesheet href=/owned>",
    "<img src=/owned>",
    "<video poster=/owned>",
    f"[a](javascript:{RUN})",
    f"[a](  JaVaScRiPt:{RUN} )",
    f"[a](data:text/html,<script>{RUN}</script>)",
    f"[a](vbscript:{RUN})",
    f"![a](javascript:{RUN})",
    "![a](/owned)",
    f'![a" onerror="{RUN}](x.png)',
    f"<javascript:{RUN}>",
    f"$\\text{{<img src=x onerror={RUN}>}}$",
    f"`<img src=x onerror={RUN}>`",
    f"&lt;script&gt;{RUN}&lt;/script&gt;",
    f"\\<script>{RUN}\\</script>",
)

# What a terminal obeys, with a mark behind it by which the text is found again.
CONTROLS = {
    "OSC title": "\x1b]0;owned\x07",
    "OSC clipboard": "\x1b]52;c;b3duZWQ=\x1b\\",
    "OSC link": "\x1b]8;;file:///etc/passwd\x1b\\",
    "OSC file": "\x1b]1337;File=inline=1:AAAA\x07",
    "OSC by C1": "\x9d0;owned\x9c",
    "CSI clear": "\x1b[2J\x1b[H",
    "CSI by C1": "\x9b2J",
    "CSI report": "\x1b[6n\x1b[c\x1b[21t",
    "CSI alternate screen": "\x1b[?1049h\x1b[?1003h",
    "DCS sixel": "\x1bPq#0;2;0;0;0\x1b\\",
    "DCS by C1": "\x90$qm\x9c",
    "APC picture": "\x1b_Ga=T,f=100;AAAA\x1b\\",
    "PM, SOS": "\x1b^owned\x1b\\\x1bXowned\x1b\\",
    "reset": "\x1bc",
    "bell, back, return": "\x07\x08\r\x0b\x0c",
    "shift out": "\x0e\x0f",
    "next line by C1": "\x85\x84\x8d",
    "tmux passes": "\x1bPtmux;\x1b\x1b]0;owned\x07\x1b\\",
    "bidi override": "\u202eowned\u202c",
    "bidi isolate": "\u2066owned\u2069",
    "bidi marks": "\u200e\u200f\u061c",
    "line separators": "\u2028\u2029",
    "unseen": "\u200b\u2060\ufeff\u00ad",
    "tags": "\U000e0041\U000e0042",
    "delete": "\x7f",
}
MARK = "hereitis"


def obeyed(text: str, ours: str = "\n") -> set[str]:
    """Characters in `text` that a terminal obeys, but for those in `ours`."""
    found = {c for c in text if c < " " or "\x7f" <= c <= "\x9f"}
    found |= {c for c in text if "\u202a" <= c <= "\u202e" or "\u2066" <= c <= "\u2069"}
    found |= {c for c in text if c in "\u200e\u200f\u061c\u2028\u2029"}
    return found - set(ours)
