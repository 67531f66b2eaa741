"""Whether a whole class lies inside a folder or an archive, told from its names without unpacking it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Final

from tiltyard_intake.archives.archive_kinds import has_archive_name
from tiltyard_intake.archives.bounds import BOUNDS, Bounds
from tiltyard_intake.archives.folders import each_file
from tiltyard_intake.exports import gradescope
from tiltyard_intake.exports.lms_names import canvas, moodle
from tiltyard_intake.trees.bounded_reading import never, read_bounded
from tiltyard_intake.trees.junk import is_document, is_never_wanted
from tiltyard_intake.trees.unpacking import list_names

MOST_FILES: Final = 100_000
"""Of a folder on the disk, so many are looked at."""
PARTS_OF_PROJECTS: Final = frozenset(
    """
    src source sources include includes inc lib libs bin obj out build dist target debug release x64 packages vendor third_party
    test tests unittests doc docs documentation report res resources assets data maps images scripts tools utils examples config
    properties common core main java python algorithm gamemanager simulator usercommon game client server models controllers views
    """.split()  # noqa: SIM905
)
"""Names that folders have in a project, and teams hardly ever: a folder of such folders is one team's."""

Peek = Mapping[str, frozenset[str]]
"""The names at the top; those of folders with the names of what lies in them."""


def peek(path: Path, bounds: Bounds = BOUNDS) -> Peek:
    """The names at the top of a folder or an archive, below folders that are alone there.

    Args:
        path: the folder or archive.
        bounds: for reading an archive; one that is larger is no class.

    Raises:
        UnpackError: it is an archive that cannot be read.
    """
    return _tops_of(_names_on_disk(path)) if path.is_dir() else read_bounded(path.name, bounds, never, _tops_inside, path, bounds)


def _tops_inside(path: Path, bounds: Bounds) -> Peek:
    return _tops_of(list_names(path, bounds))


def _tops_of(paths: Iterable[tuple[str, ...]]) -> Peek:
    # Only whether there is a .git is of interest, not what lies in it.
    names = [parts for parts in paths if not is_never_wanted(parts) or ".git" in parts[:4]]
    top = 0
    while names and len({parts[top] for parts in names}) == 1 and all(len(parts) > top + 1 for parts in names):
        if moodle(names[0][top]) or any(parts[top + 1] == ".git" for parts in names):
            break
        top += 1
    return _tops(parts[top : top + 2] for parts in names)


def _names_on_disk(folder: Path) -> Iterable[tuple[str, ...]]:
    return (path.relative_to(folder).parts for path in islice(each_file(folder), MOST_FILES))


def _tops(names: Iterable[tuple[str, ...]]) -> Peek:
    tops: dict[str, set[str]] = {}
    for parts in names:
        tops.setdefault(parts[0], set()).update(parts[1:2])
    return {name: frozenset(inside) for name, inside in tops.items()}


def has_export(peek_into: Peek) -> bool:
    """Whether a platform's names are there: these are of a class wherever they lie."""
    if any(moodle(name) for name in peek_into):
        return True
    if gradescope.FILE in peek_into and any(inside for inside in peek_into.values()):
        return True
    clones = [name for name, inside in peek_into.items() if ".git" in inside]
    if len(clones) > 1 and all(peek_into.values()):
        return True
    # A single file may be called so by chance.
    exported = sum(canvas(name) is not None for name in peek_into)
    return exported > 1 and 2 * exported >= len(peek_into)


def is_class(peek_into: Peek) -> bool:
    """Whether it looks as a class without any platform's names: several archives, or several folders with nothing loose beside."""
    if has_export(peek_into):
        return True
    folders = [name for name, inside in peek_into.items() if inside]
    archives = [name for name, inside in peek_into.items() if not inside and has_archive_name(name)]
    if len(archives) > 1:
        return True
    loose = [name for name in peek_into if name not in folders and name not in archives and not is_document(Path(name))]
    parts = [name for name in folders if name.lower() in PARTS_OF_PROJECTS]
    return len(folders) + len(archives) > 1 and not loose and not parts
