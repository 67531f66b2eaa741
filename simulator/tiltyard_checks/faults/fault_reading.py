"""Reading fault folders, which may come from anybody: all that they say of code but its place is asked of this machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import msgspec
from msgspec import structs

from tiltyard_checks.faults.fault_folders import FORMAT, MATCH_FILE, VERSION, Conversation, FaultRecord, conversation_file
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import Exchange
from tiltyard_engine.registry import Reference, Source, installed_sources, path_sources
from tiltyard_engine.registry.sources import Origin, sources_of_team, with_environment
from tiltyard_simulator.match.code_digest import files_of_command
from tiltyard_simulator.match.file_owners import is_there
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS


class _Mark(msgspec.Struct, frozen=True):
    format: str = ""
    version: int = 0


_RECORDS: Final = msgspec.json.Decoder(FaultRecord)
_MARKS: Final = msgspec.json.Decoder(_Mark)
_CONVERSATIONS: Final = msgspec.msgpack.Decoder(Conversation)


def read_fault_folder(folder: Path) -> FaultRecord:
    """Read the match of a folder and its result. The sources of its code are as they are on this machine.

    Raises:
        UserError: it is not a fault folder, or a kit, or files that it names no longer exist.
    """
    record = read_match_file(folder)
    if record.kit_of:
        raise UserError(
            f"{folder}: is a kit without any code, so the match can't be played again. To ask your own code the same"
            f" questions, use 'tiltyard debug {folder} --code FOLDER'"
        )
    return as_it_is_here(record, folder)


def read_match_file(folder: Path) -> FaultRecord:
    """Read what ``match.json`` holds. Nothing of its code may be loaded before ``as_it_is_here``.

    Raises:
        UserError: it is not a fault folder.
    """
    path = folder / MATCH_FILE
    try:
        data = path.read_bytes()
    except OSError as error:
        how = "'tiltyard check TEAM --keep faults' saves one of each match in which the team fails"
        raise UserError(f"{folder}: isn't a fault folder: {path.name} cannot be read: {error.strerror}; {how}") from error
    try:
        mark = _MARKS.decode(data)
        if (mark.format, mark.version) != (FORMAT, VERSION):
            raise UserError(
                f"{path}: expected format '{FORMAT}' of version {VERSION}, found '{mark.format}' of version {mark.version}"
            )
        return _RECORDS.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{path}: {error}") from error


def as_it_is_here(record: FaultRecord, folder: Path) -> FaultRecord:
    """A record with the sources of its code as they are on this machine.

    Raises:
        UserError: files that it names no longer exist.
    """
    form = record.form
    game, manager, *teams = (code_here(code, folder / MATCH_FILE) for code in (form.game, form.manager, *form.teams))
    return structs.replace(record, form=structs.replace(form, game=game, manager=manager, teams=tuple(teams)))


def read_conversation(folder: Path, seat: int) -> tuple[Exchange, ...]:
    """What a seat was asked and answered; empty if nothing was recorded.

    Raises:
        UserError: the file cannot be read.
    """
    path = folder / conversation_file(seat)
    try:
        conversation = _CONVERSATIONS.decode(path.read_bytes())
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{path}: isn't the recording of a seat: {error}") from error
    if conversation.version != VERSION:
        raise UserError(f"{path}: the recording has version {conversation.version}; this tiltyard reads version {VERSION}")
    return conversation.exchanges


def code_here(reference: Reference, path: Path) -> Reference:
    """What a file of a folder refers to, with its source as it is on this machine.

    Raises:
        UserError: it isn't here, or can't be played here.
    """
    source = reference.source
    here = _source_here(source)
    if here is None:
        where = "is no longer installed" if source.origin is Origin.INSTALLED else "no longer exists"
        raise UserError(f"{path}: the {reference.kind} '{reference.name}' came from {source}, which {where}")
    if here.error and here.origin is not Origin.LIBRARY:
        raise UserError(f"{path}: the {reference.kind} '{reference.name}' can't be played here: {here.error}")
    return replace(reference, source=here)


def _source_here(source: Source) -> Source | None:
    """Where the code lies, from the file; all else from this machine. None: it isn't there.

    The file may be a stranger's. If it were believed, it could call any code the project's own, or name any module as the loader
    of a compiled file, and loaders run unconfined.
    """
    if source.origin is Origin.INSTALLED:
        place = (source.name, source.value, source.distribution)
        every = installed_sources(own=OWN_DISTRIBUTIONS)
        return next((each for each in every if (each.name, each.value, each.distribution) == place), None)
    if source.origin is Origin.PROGRAM and not source.folder:
        is_here = bool(files_of_command(source.value)) or not source.value.startswith("/")
        return Source(name=source.name, origin=source.origin, value=source.value) if is_here else None
    folder = Path(source.folder if source.origin in (Origin.PROJECT, Origin.PROGRAM) else source.value)
    if not (folder.is_absolute() and is_there(folder)):
        return None
    if source.origin is Origin.LIBRARY:
        return next((each for each in path_sources(folder, OWN_DISTRIBUTIONS) if each.origin is Origin.LIBRARY), None)
    if source.origin in (Origin.FILE, Origin.PACKAGE):
        alone = Source(name=source.name, origin=source.origin, value=str(folder.resolve()))
        # That it is its team's folder shows there, or it is none.
        at_home = sources_of_team(Path(source.folder)) if Path(source.folder).is_absolute() else []
        return with_environment(next((each for each in at_home if each.value == alone.value), alone))
    return with_environment(replace(source, folder=str(folder.resolve()), error="", loader="", needs=(), environment=""))
