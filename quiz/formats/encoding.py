"""Decodes a file of questions: by XML's declaration, a byte order mark, as UTF-8, or as old Windows text."""

from __future__ import annotations

import codecs
import re

_HEAD = 4096
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def packed(data: bytes, name: str = "") -> str:
    """Name what an office program's file is, which has no text, and how to save one; "" for any other."""
    suffix = name.rpartition(".")[2].casefold()
    what = {
        "xlsx": "an Excel workbook", "xlsm": "an Excel workbook", "xls": "an Excel workbook",
        "ods": "a LibreOffice spreadsheet", "numbers": "a Numbers spreadsheet",
        "docx": "a Word document", "doc": "a Word document", "odt": "a LibreOffice document",
    }  # fmt: skip
    anki = {"apkg": "an Anki deck", "colpkg": "an Anki collection"}
    known = {one: f"{words}. In that program, save it as CSV (UTF-8)" for one, words in what.items()}
    known |= {one: f"{words}. In Anki, export Notes in Plain Text (.txt)" for one, words in anki.items()}
    zipped, old = data.startswith(b"PK\x03\x04"), data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    if not (zipped or old):
        return ""
    if b"xl/" in data[:_HEAD] or b"xl/workbook.xml" in data[-65536:]:
        return known["xlsx"]
    if b"opendocument.spreadsheet" in data[:200]:
        return known["ods"]
    return known.get(
        suffix,
        "an archive. Unpack the file of questions in it"
        if zipped
        else "a file of an old Office. In that program, save it as CSV (UTF-8)",
    )


def decoded(data: bytes) -> str:
    """Return the text; bytes invalid in its encoding are replaced. Never raises."""
    name = next((name for mark, name in _MARKS if data.startswith(mark)), "") or _wide(data[:_HEAD])
    if name:
        return data.decode(name, "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode(_said(data), "replace")


def _wide(head: bytes) -> str:
    """UTF-16 without a mark: of text in Latin letters every other byte is NUL."""
    for name, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[::2])):
        if len(head) > 3 and zeros.count(0) > 0.8 * len(zeros):
            return name
    return ""


def _said(data: bytes) -> str:
    """XML says its own; other files that are not UTF-8 come from Windows."""
    said = re.match(rb"""\s*<\?xml[^>]{0,80}encoding=["']([\w.-]{1,40})""", data)
    try:
        found = codecs.lookup(said[1].decode()).name if said else "cp1252"
        return "cp1252" if found.startswith("utf-") else found
    except LookupError:
        return "cp1252"
