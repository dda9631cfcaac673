"""Packages of QTI: the archive (`.zip`, `.imscc`) that Canvas, Blackboard and others export."""

from __future__ import annotations

import io
import re
import zipfile

from msgspec.structs import replace

from quiz.formats.encoding import decoded
from quiz.formats.qti.reader import read
from quiz.formats.read_result import Bank, named
from quiz.question import Trouble

MAX_BYTES = 64 << 20  # of all that is unpacked
MAX_FILES = 2000
_MANIFEST = "imsmanifest.xml"
_HOLDS = re.compile(r"<(?:\w+:)?(?:questestinterop|(?:qti-)?assessment-?item)\b", re.IGNORECASE)


def is_package(data: bytes) -> bool:
    """Whether these bytes are an archive with a manifest of IMS."""
    if not data.startswith(b"PK\x03\x04"):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _MANIFEST in archive.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return False


def read_package(data: bytes) -> Bank:
    """Read the questions of all files of a package, and what is wrong with others; a message names its file.

    Lines are those of the file in the package. Never raises.
    """
    questions, troubles, notes = [], [], []
    left = MAX_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in _with_questions(archive):
                if member.file_size > left:
                    what = (
                        f"{member.filename[:80]} and what comes behind it is larger than {MAX_BYTES >> 20} MB"
                    )
                    troubles.append(Trouble(0, what, "Export fewer quizzes at a time"))
                    break
                with archive.open(member) as file:
                    content = file.read(left + 1)  # a size may be a lie
                left -= len(content)
                text = decoded(content)
                if not _HOLDS.search(text[:4096]):
                    continue
                bank = read(text)
                questions += [replace(one, id="") for one in bank.questions]
                troubles += [_of(member.filename, one) for one in bank.troubles]
                notes += [_of(member.filename, one) for one in bank.notes]
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError, EOFError) as error:
        troubles.append(Trouble(0, f"this archive is damaged: {error}", "Export it again"))
    return named(questions, troubles, notes)


def _of(name: str, trouble: Trouble) -> Trouble:
    return replace(trouble, message=f"{name[:80]}: {trouble.message}")


def _with_questions(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The members that may hold questions; of a quiz that is there twice, as of Canvas, the fuller one."""
    found = [
        one
        for one in archive.infolist()[:MAX_FILES]
        if one.filename.casefold().endswith((".xml", ".qti", ".dat")) and not one.filename.endswith(_MANIFEST)
    ]
    fuller = {_stem(one) for one in found if one.filename.endswith(".qti")}
    return [one for one in found if one.filename.endswith(".qti") or _folder(one) not in fuller]


def _stem(one: zipfile.ZipInfo) -> str:
    return one.filename.rpartition("/")[2].partition(".")[0]


def _folder(one: zipfile.ZipInfo) -> str:
    return one.filename.rpartition("/")[0].rpartition("/")[2]
