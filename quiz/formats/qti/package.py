"""Packages of QTI: the archive (`.zip`, `.imscc`) that Canvas, Blackboard and others export."""

from __future__ import annotations

import base64
import io
import re
import zipfile
from html import unescape
from posixpath import dirname, normpath
from urllib.parse import unquote

from msgspec.structs import replace

from quiz.formats.encoding import decoded
from quiz.formats.pictures import swapped
from quiz.formats.qti.reader import read
from quiz.formats.qti.version_1_2 import PACKAGED, PICTURE_STAYS
from quiz.formats.read_result import Bank, named
from quiz.question import File, Question, Trouble

MAX_BYTES = 64 << 20  # of all that is unpacked
MAX_FILES = 2000
MAX_PICTURE = 8 << 20
_SHOWN = re.compile(re.escape(PACKAGED) + r"[^\\\"'<>\s]{1,600}")
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp")
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
                whole = []
                for one in bank.questions:
                    pictured, left = _pictured(one, archive, member.filename, left)
                    questions.append(replace(pictured, id=""))
                    whole += [pictured.line] if PACKAGED not in str(pictured) else []
                troubles += [_of(member.filename, one) for one in bank.troubles]
                notes += [
                    _of(member.filename, one)
                    for one in bank.notes
                    if one.message != PICTURE_STAYS[0] or one.line not in whole
                ]
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError, EOFError) as error:
        troubles.append(Trouble(0, f"this archive is damaged: {error}", "Export it again"))
    return named(questions, troubles, notes)


def _pictured(question: Question, archive: zipfile.ZipFile, beside: str, left: int) -> tuple[Question, int]:
    """The question with the pictures that it shows and the package holds, and the bytes left for more."""
    shown = dict.fromkeys(_SHOWN.findall(str(question)))
    names: dict[str, str] = {}
    files: dict[str, File] = {}
    for written in shown:
        said = unquote(unescape(written.removeprefix(PACKAGED)).partition("?")[0])
        places = [f"web_resources/{said}", said, f"{dirname(beside)}/{said}"]
        for place in (normpath(place).lstrip("/") for place in places):
            try:
                member = archive.getinfo(place)
            except KeyError:
                continue
            if not place.casefold().endswith(_PICTURES) or member.file_size > min(left, MAX_PICTURE):
                break
            with archive.open(member) as file:
                content = file.read(min(left, MAX_PICTURE))
            left -= len(content)
            name = f"{len(files) + 1}-{place.rpartition('/')[2]}"
            files[name] = File(name, base64.b64encode(content).decode())
            names[written] = f"@@PLUGINFILE@@/{name}"
            break
    if not files:
        return question, left
    return replace(swapped(question, names), files=(*question.files, *files.values())), left


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
