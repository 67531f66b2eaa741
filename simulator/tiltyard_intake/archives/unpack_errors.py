"""Why something that was handed in is not unpacked: a cause for programs, and a sentence for people that says what to do."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.texts.sanitize import LONGEST_NAME, one_line


class Cause(StrEnum):
    """What is wrong with it. ``SENTENCES`` has the words for people."""

    EMPTY = "empty"
    NOT_AN_ARCHIVE = "not an archive"
    DAMAGED = "damaged"
    UNREADABLE = "unreadable"
    SEVEN_ZIP = "7z"
    RAR = "rar"
    LOCKED = "locked"
    METHOD = "method"
    IN_PARTS = "in parts"
    OUTSIDE = "outside"
    ABSOLUTE = "absolute"
    SPECIAL = "special"
    SPARSE = "sparse"
    TWICE = "twice"
    TWINS = "twins"
    FILE_AND_FOLDER = "file and folder"
    BAD_NAME = "bad name"
    LONG_NAME = "long name"
    LONG_LIST = "long list"
    TOO_DEEP = "too deep"
    NESTED = "nested"
    TOO_MANY = "too many"
    MANY_FOLDERS = "many folders"
    TOO_LARGE = "too large"
    TOO_LONG = "too long"
    BOMB = "bomb"
    NOTHING = "nothing"


SENTENCES: Final[Mapping[Cause, str]] = {
    Cause.EMPTY: "is empty: the upload was cut off, or nothing was in it; send it again",
    Cause.NOT_AN_ARCHIVE: "is not an archive, though its name says so; send a zip",
    Cause.DAMAGED: "is damaged ({}); send it again",
    Cause.UNREADABLE: "cannot be read: {}",
    Cause.SEVEN_ZIP: "is a 7z archive, which is not read here; send a zip",
    Cause.RAR: "is a RAR archive, which is not read here; send a zip",
    Cause.LOCKED: "is locked with a password; send it without one",
    Cause.METHOD: "is compressed in an unusual way ({}); make a zip with the usual settings",
    Cause.IN_PARTS: "is one part of an archive in several parts; send one zip",
    Cause.OUTSIDE: "contains a path that leads out of it ({}); zip the folder itself",
    Cause.ABSOLUTE: "contains a path that starts at the top of a disk ({}); zip the folder itself",
    Cause.SPECIAL: "contains something that is neither a file nor a folder ({}); leave it out",
    Cause.SPARSE: "contains a file with holes ({}); make a zip with the usual settings",
    Cause.TWICE: "contains the same path twice ({}); make the archive again",
    Cause.TWINS: "contains names that differ only in upper and lower case ({}); rename one",
    Cause.FILE_AND_FOLDER: "contains a path that is both a file and a folder ({}); make the archive again",
    Cause.BAD_NAME: "contains a name that no file can have ({}); rename it",
    Cause.LONG_NAME: "contains a name that is too long ({}); shorten it",
    Cause.LONG_LIST: "has too long a list of contents (more than {}); leave out downloaded and built files",
    Cause.TOO_DEEP: "contains folders more than {} deep; send only the project",
    Cause.NESTED: "contains archives in archives, more than {} deep; send one zip",
    Cause.TOO_MANY: "contains more than {} files; leave out downloaded and built files",
    Cause.MANY_FOLDERS: "contains more than {} folders; leave out downloaded and built files",
    Cause.TOO_LARGE: "contains more than {}; leave out downloaded and built files",
    Cause.TOO_LONG: "is damaged: reading it takes more than {}; make a new zip of only the project",
    Cause.BOMB: "becomes more than {} times as large when it is unpacked; leave out large files",
    Cause.NOTHING: "contains no files to use; send the project",
}
"""Braces stand for a detail: a path inside, a bound, or what the reader said. The name of what was handed in comes before."""


class UnpackError(UserError):
    """Something that was handed in cannot be used as it is, such as ``bob.zip: is locked with a password; send it without one``."""

    see = "archive-refused"

    def __init__(self, name: str, cause: Cause, detail: str = "") -> None:
        super().__init__(f"{one_line(name, LONGEST_NAME)}: {SENTENCES[cause].format(one_line(detail, LONGEST_NAME))}")
        self.cause = cause
        """For programs: which of the sentences it is."""

    def __reduce__(self) -> tuple[object, ...]:
        """It comes from another process as it was raised there."""
        return _again, (str(self), self.cause)


class ArchiveRefusedError(Exception):
    """An UnpackError from where the name of what was handed in is not known; ``member.damage`` adds it."""

    def __init__(self, cause: Cause, detail: str = "") -> None:
        super().__init__(detail)
        self.cause = cause


def _again(message: str, cause: Cause) -> UnpackError:
    error = UnpackError.__new__(UnpackError, message)
    error.cause = cause
    return error
