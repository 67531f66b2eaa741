"""The names that learning platforms give to what they export, and what these names say. Nothing here touches the disk.

- Moodle: ``Ann Alder_1327627_assignsubmission_file_`` is a folder; without folders, the file's name follows. A group's name stands
  in the student's place. Since Moodle 4 the last underscore may be missing. (mod/assign/classes/downloader.php)
- Canvas: ``alderann_123_456_bot.zip``, ``alderann_LATE_123_456_bot.zip``, ``anon_x7Kd2_456_bot.zip``; text that was typed in is
  ``alderann_123_text.html``. The name is in small letters, last name first. A file that was handed in again is called
  ``bot-1.zip``. (lib/content_zipper.rb)
- A browser that downloads the same name again calls the file ``bot (1).zip``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_MOODLE: Final = re.compile(
    r"(?P<name>.+?)(?:[_ ](?P<id>\d+))?_assignsubmission_(?P<plugin>[a-z0-9]+)(?:_(?P<rest>.*))?", re.DOTALL
)
_CANVAS: Final = re.compile(r"(?P<name>[^\W\d_]\w*?)(?P<late>_LATE)?_(?P<id>\d+)_(?P<file>\d{3,})_(?P<rest>.+)", re.DOTALL)
_CANVAS_ANONYMOUS: Final = re.compile(r"(?P<late>LATE_)?anon_(?P<id>[A-Za-z0-9]{5})_(?P<file>\d{3,})_(?P<rest>.+)", re.DOTALL)
_CANVAS_TEXT: Final = re.compile(r"(?P<name>[^\W\d_]\w*?)(?P<late>_LATE)?_(?P<id>\d+)_(?:text|link)\.html")
_AGAIN: Final = re.compile(r"(?P<stem>.+)-(?P<number>\d{1,3})(?P<ending>(?:\.\w+)*)", re.DOTALL)


@dataclass(frozen=True, kw_only=True, slots=True)
class NamedFile:
    """What the name of one exported file or folder says."""

    name: str
    """The student's or the group's, as the platform writes it."""
    number: str
    """The platform's number for the student or this submission; may be empty."""
    rest: str
    """The file's own name; empty for a folder of the platform's."""
    upload: int = 0
    """Canvas's number for the file: a later upload has a higher one."""
    late: bool = False
    typed: bool = False
    """Whether this is text from a form of the platform, and no file that was handed in."""


def moodle(name: str) -> NamedFile | None:
    """What a name of Moodle's says; None if it is not one."""
    match = _MOODLE.fullmatch(name)
    if not match:
        return None
    typed = match["plugin"] != "file"
    return NamedFile(name=match["name"], number=match["id"] or "", rest=match["rest"] or "", typed=typed)


def canvas(name: str) -> NamedFile | None:
    """What a name of Canvas's says; None if it is not one."""
    if match := _CANVAS_ANONYMOUS.fullmatch(name):
        student, late = f"anon_{match['id']}", bool(match["late"])
        return NamedFile(name=student, number=match["id"], rest=match["rest"], upload=int(match["file"]), late=late)
    if match := _CANVAS.fullmatch(name) or _CANVAS_TEXT.fullmatch(name):
        # Canvas writes names in small letters; other programs use names such as Bot_209277367_322542887_final.so.
        if match["name"] != match["name"].lower():
            return None
        parts, late = match.groupdict(), bool(match["late"])
        typed, upload = "file" not in parts, int(parts.get("file") or 0)
        rest = parts.get("rest") or name
        return NamedFile(name=match["name"], number=match["id"], rest=rest, upload=upload, late=late, typed=typed)
    return None


def again(name: str) -> tuple[str, int]:
    """A name without Canvas's number for an upload of the same name, and that number: ``bot-1.zip`` is ``bot.zip`` and 1."""
    match = _AGAIN.fullmatch(name)
    return (match["stem"] + match["ending"], int(match["number"])) if match else (name, 0)


def common_start(names: Sequence[str], folder: str) -> str:
    """The assignment that the names of clones begin with, up to its hyphen: ``hw1-`` for ``hw1-ann`` and ``hw1-bob``.

    Args:
        names: the folders of the clones.
        folder: the name of the folder in which they lie. GitHub's command calls it ``hw1-submissions``.
    """
    start = f"{folder.removesuffix('-submissions')}-"
    if all(name.startswith(start) and name != start for name in names):
        return start
    first, last = min(names), max(names)
    same = next((place for place, (one, other) in enumerate(zip(first, last)) if one != other), min(len(first), len(last)))
    start = first[: first.rfind("-", 0, same) + 1] if len(names) > 1 else ""
    return start if all(len(name) > len(start) for name in names) else ""
