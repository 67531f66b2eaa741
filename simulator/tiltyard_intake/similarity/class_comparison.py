"""Which works of a class are alike: kept sources are read within bounds, and what was read stays for the next time."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Final
from zipfile import BadZipFile, ZipFile

import msgspec
import pygments

from tiltyard_engine.errors import UserError
from tiltyard_intake.archives.bounds import MIB, Bounds, in_words
from tiltyard_intake.archives.unpack_errors import Cause, UnpackError
from tiltyard_intake.similarity.comparison import compare
from tiltyard_intake.similarity.fingerprints import MOST_BYTES, VERSION, Fingerprints, SourceFile, fingerprints_of
from tiltyard_intake.similarity.likeness import Likeness
from tiltyard_intake.similarity.tokens import C_FAMILY
from tiltyard_intake.trees.bounded_reading import never, read_bounded
from tiltyard_intake.trees.junk import is_document, is_source
from tiltyard_intake.trees.source_files import names_in, read_file
from tiltyard_simulator.output.result_files import write_over

KEPT: Final = "fingerprints.json"
MADE_BY: Final = f"{VERSION}, pygments {pygments.__version__}"
MOST_KEPT: Final = 256 * MIB
BOUNDS_OF_WORK: Final = Bounds(cpu_seconds=10, seconds=120)
"""For the fingerprints of one work; a usual one takes a twentieth of a second."""
BOUNDS_OF_GIVEN: Final = Bounds(cpu_seconds=120, seconds=600)
MOST_GIVEN: Final = 16 * MIB
SCRIPTS: Final = frozenset({"", ".sh", ".bash"})


class _Kept(msgspec.Struct, frozen=True):
    made_by: str
    works: dict[str, Fingerprints]
    """By where their sources lie, whose names change with what is in them."""


def fingerprints_of_common_code(path: Path) -> Fingerprints:
    """The fingerprints of code that all may have.

    Raises:
        UserError: it isn't there, or can't be read.
    """
    if not path.exists():
        raise UserError(f"{path}: isn't there; expected a folder, a zip or a file of code that you gave to all")
    try:
        prints = read_bounded(str(path), BOUNDS_OF_GIVEN, never, read_work, path, MOST_GIVEN)
    except UnpackError as error:
        why = _too_long(BOUNDS_OF_GIVEN) if error.cause is Cause.TOO_LONG else str(error)
        raise UserError(f"{path}: can't be read as given code: {why}") from error
    if not prints.files:
        raise UserError(f"{path}: has no source files; expected a folder, a zip or a file of code that you gave to all")
    return prints


def compare_class(sources: Mapping[str, str], reports: Path, common_code: Sequence[Fingerprints], workers: int) -> Likeness:
    """Compare what the teams of a class handed in.

    Args:
        sources: by team, where the copy of its sources lies, relative to the folder of reports.
        reports: the folder of reports.
        common_code: of code that all may have.
        workers: how many are read at a time.

    Raises:
        UserError: the folder can't be read or written.
    """
    cached = _read_cache(reports / KEPT)
    works = {place: cached[place] for place in sources.values() if place in cached}
    missing = sorted({*sources.values()} - {*works})
    is_stopping = False
    pool = ThreadPoolExecutor(workers)
    try:
        works |= zip(missing, pool.map(lambda place: _read(reports, place, lambda: is_stopping), missing))
    except BaseException:
        is_stopping = True
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    if missing or len(cached) != len(works):
        write_over(reports / KEPT, msgspec.json.encode(_Kept(MADE_BY, works)).decode())
    read = {team: works[place] for team, place in sources.items() if not works[place].failure}
    failed = tuple((team, works[place].failure) for team, place in sources.items() if works[place].failure)
    likeness = compare(read, common_code)
    return msgspec.structs.replace(likeness, not_compared=(*likeness.not_compared, *failed))


def _read(reports: Path, place: str, given_up: Callable[[], bool]) -> Fingerprints:
    try:
        return read_bounded(place, BOUNDS_OF_WORK, given_up, read_work, reports / place)
    except UnpackError as error:
        return Fingerprints(failure=_too_long(BOUNDS_OF_WORK) if error.cause is Cause.TOO_LONG else str(error))
    except UserError as error:
        return Fingerprints(failure=str(error))


def _too_long(bounds: Bounds) -> str:
    return f"its sources take more than {bounds.cpu_seconds} seconds or {in_words(bounds.memory)} of memory to read"


def _read_cache(path: Path) -> dict[str, Fingerprints]:
    """What was read before; nothing if there is nothing of use."""
    try:
        if path.stat().st_size > MOST_KEPT:
            return {}
        cached = msgspec.json.decode(path.read_bytes(), type=_Kept)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return {}
    return cached.works if cached.made_by == MADE_BY else {}


def read_work(work: Path, most_bytes: int = MOST_BYTES) -> Fingerprints:
    """Read a work and take its fingerprints.

    Args:
        work: a folder, a zip, or one file.
        most_bytes: of its source files together.

    Raises:
        UserError: it can't be read.
    """
    try:
        with _files(work) as files:
            prints = fingerprints_of((file for file in files if _may_be_source(Path(file.name))), most_bytes)
            if prints.files or prints.left_out:
                return prints
            # Programs that are built already are the same only as a whole.
            digests = (hashlib.sha256(file.read()).digest() for file in files if not is_document(Path(file.name)))
            return msgspec.structs.replace(prints, digests=tuple(digests))
    except (OSError, BadZipFile) as error:
        raise UserError(f"{work}: cannot be read: {error}") from error


def _may_be_source(path: Path) -> bool:
    """Whether a file is a source by its ending, or has none, as scripts."""
    return is_source(path) or path.suffix.lower() in C_FAMILY | SCRIPTS


@contextmanager
def _files(work: Path) -> Iterator[list[SourceFile]]:
    with ExitStack() as stack:
        if work.is_dir():
            yield [SourceFile(name, (work / name).lstat().st_size, partial(_data, work, name)) for name in names_in(work)]
        elif work.suffix.lower() == ".zip":
            archive = stack.enter_context(ZipFile(work))
            members = (member for member in archive.infolist() if not member.is_dir())
            yield [SourceFile(member.filename, member.file_size, partial(archive.read, member)) for member in members]
        else:
            yield [SourceFile(work.name, work.stat().st_size, work.read_bytes)]


def _data(folder: Path, name: str) -> bytes:
    return read_file(folder, name).data
