"""Folders that keep a match which ended in a team's fault: what was said and printed, and all that plays it again.

``match.json`` holds the match as a value, ``fault.txt`` who failed and how, ``seat<k>.txt`` what that team printed,
``seat<k>.conversation`` what it was asked and what it answered, ``seat<k>.input`` what a program that stays could read,
``README.txt`` the commands for all this.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib import metadata
from pathlib import Path
from typing import Final

import msgspec

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Reference, Source, installed_sources
from tiltyard_engine.registry.sources import Origin
from tiltyard_engine.results import MANAGER_SEAT, Fault, Termination
from tiltyard_simulator.code_digest import code_digest, files_of_command
from tiltyard_simulator.result_files import encode
from tiltyard_simulator.specs import Exchange, MatchOutcome, MatchSpec

FORMAT: Final = "tiltyard fault"
VERSION: Final = 1
MATCH_FILE: Final = "match.json"
MOST_A_CULPRIT: Final = 20
"""Folders that are kept for one team's (or one GameManager's) faults in one run."""
LONGEST_NAME: Final = 40


class FaultRecord(msgspec.Struct, frozen=True):
    """What ``match.json`` holds."""

    format: str
    version: int
    tiltyard: str
    """The version that played the match."""
    spec: MatchSpec
    faults: tuple[Fault, ...]
    message: str
    """How the match ended."""
    held: tuple[str, ...] = ()
    digests: tuple[str, ...] = ()
    """Of the GameManager's code and of each seat's, as ``code_digest`` makes them."""

    def changed(self) -> list[str]:
        """Names of those whose code is not what it was."""
        now = _digests(self.spec)
        players = (self.spec.manager, *self.spec.algorithms)
        return list(dict.fromkeys(player.name for player, then, here in zip(players, self.digests, now) if then and then != here))


class _Mark(msgspec.Struct, frozen=True):
    format: str = ""
    version: int = 0


class _Conversation(msgspec.Struct, frozen=True, array_like=True):
    version: int
    exchanges: tuple[Exchange, ...]


_RECORDS: Final = msgspec.json.Decoder(FaultRecord)
_MARKS: Final = msgspec.json.Decoder(_Mark)
_CONVERSATIONS: Final = msgspec.msgpack.Decoder(_Conversation)


def culprits(spec: MatchSpec, outcome: MatchOutcome) -> list[str]:
    """Whose faults a match ended in: names of teams, or the GameManager's. What the machine did is nobody's."""
    blamed = [fault for fault in outcome.faults if fault.termination not in (Termination.VOID, Termination.FORFEIT)]
    return list(dict.fromkeys(spec.blamed(fault.seat) for fault in blamed))


# Writing


@dataclass(slots=True)
class FaultFolders:
    """Keeps a folder for each match of a run that ended in a fault; of one team's faults only the first ones."""

    folder: Path
    """Holds the folders; made with the first of them."""
    most: int = MOST_A_CULPRIT
    problem: str = ""
    """Why the rest could not be kept, if so."""
    _faults: dict[str, int] = field(default_factory=dict)
    _kept: dict[str, list[int]] = field(default_factory=dict)
    """Places in the schedule, by culprit: the first ones, whoever finished first."""
    _paths: dict[int, Path] = field(default_factory=dict)

    def finished(self, place: int, spec: MatchSpec, outcome: MatchOutcome) -> None:
        """Take a match that was played; never raises for what cannot be written."""
        dropped: list[int] = []
        wanted = False
        for culprit in culprits(spec, outcome):
            self._faults[culprit] = self._faults.get(culprit, 0) + 1
            kept = self._kept.setdefault(culprit, [])
            kept.append(place)
            kept.sort()
            while len(kept) > self.most:
                dropped.append(kept.pop())
            wanted = wanted or place in kept
        try:
            if wanted and not self.problem:
                path = self.folder / folder_name(place, spec)
                write_fault_folder(path, spec, outcome)
                self._paths[place] = path
        except UserError as error:
            self.problem = str(error)
        for number in dropped:
            if not any(number in kept for kept in self._kept.values()) and number in self._paths:
                shutil.rmtree(self._paths.pop(number), ignore_errors=True)

    def settle(self, outcomes: Sequence[MatchOutcome]) -> None:
        """Drop what does not count in the end: matches of quarantined teams that were played ahead."""
        for place, outcome in enumerate(outcomes):
            if place in self._paths and any(fault.termination is Termination.FORFEIT for fault in outcome.faults):
                shutil.rmtree(self._paths.pop(place), ignore_errors=True)

    def summary(self) -> str:
        """What was kept, and what was not; empty if nobody failed."""
        if not self._faults:
            return ""
        if self.problem:
            return f"not all faults are kept: {self.problem}"
        left_out = [
            f"of {number} faults of {culprit} the first {self.most}"
            for culprit, number in self._faults.items()
            if number > self.most
        ]
        if not self._paths:
            return ""
        count = len(self._paths)
        some = f" ({'; '.join(sorted(left_out))})" if left_out else ""
        return f"faults: {self.folder}: {count} {'match' if count == 1 else 'matches'}{some}; 'tiltyard rerun' plays one again"


def folder_name(place: int, spec: MatchSpec) -> str:
    """``<number>_<map>_<one>_<other>``; the number is the place in the schedule, from 1."""
    return "_".join([f"{place + 1:04}", *[_for_file(name) for name in (spec.map.name, *spec.names)]])


def _for_file(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9.+-]+", "-", name)[:LONGEST_NAME].strip(".") or "x"


def write_fault_folder(folder: Path, spec: MatchSpec, outcome: MatchOutcome) -> None:
    """Write all files of a new folder.

    Raises:
        UserError: it cannot be written.
    """
    failed = sorted({fault.seat for fault in outcome.faults if fault.seat != MANAGER_SEAT})
    faults = tuple(replace(fault, message=_clean(fault.message), traceback=_clean(fault.traceback)) for fault in outcome.faults)
    try:
        record = FaultRecord(
            FORMAT, VERSION, metadata.version("tiltyard"), spec, faults, _clean(outcome.message), outcome.held, _digests(spec)
        )
        files = {MATCH_FILE: msgspec.json.format(msgspec.json.encode(record)) + b"\n"}
    except UnicodeEncodeError as error:
        raise UserError(f"{folder}: cannot be written: the path of a plugin or map is not UTF-8: {error}") from error
    files["fault.txt"] = encode(fault_text(spec, outcome))
    for seat in sorted({fault.seat for fault in outcome.faults}):
        account = outcome.account_of(seat)
        if account is not None and account.output:
            files["manager.txt" if seat == MANAGER_SEAT else f"seat{seat}.txt"] = account.output
        if account is not None and account.conversation:
            files[_conversation_file(seat)] = msgspec.msgpack.encode(_Conversation(VERSION, account.conversation))
            if _is_resident_program(spec, account.conversation, seat):
                files[_input_file(seat)] = b"".join(exchange.question for exchange in account.conversation)
    files["README.txt"] = encode(_readme(folder, spec, outcome, failed))
    try:
        folder.mkdir(parents=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)
    except OSError as error:
        with suppress(OSError):
            if not isinstance(error, FileExistsError):
                shutil.rmtree(folder)
        raise UserError(f"{folder}: cannot be written: {error.strerror}") from error


def _conversation_file(seat: int) -> str:
    return f"seat{seat}.conversation"


def _input_file(seat: int) -> str:
    return f"seat{seat}.input"


def _is_resident_program(spec: MatchSpec, conversation: Sequence[Exchange], seat: int) -> bool:
    """Whether it is a program that read lines: of what it wrote and what it read each is kept as it came."""
    is_program = spec.algorithms[seat - 1].program is not None
    return is_program and not any(exchange.question and exchange.answer for exchange in conversation)


def _clean(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _digests(spec: MatchSpec) -> tuple[str, ...]:
    """Empty for one whose files cannot be read."""
    digests: list[str] = []
    for player in (spec.manager, *spec.algorithms):
        try:
            digests.append(code_digest(player.source))
        except UserError:
            digests.append("")
    return tuple(digests)


def fault_text(spec: MatchSpec, outcome: MatchOutcome) -> str:
    """Who failed, how, when, with the traceback."""
    parts = [f"{' - '.join(spec.names)} on {spec.map.name}, GameManager {spec.manager.name}", outcome.message]
    for fault in outcome.faults:
        who = spec.blamed(fault.seat) + (f", player {fault.seat}" if fault.seat != MANAGER_SEAT else "")
        when = f", round {fault.round}" if fault.round > 0 else ", before the first round" if fault.round == 0 else ""
        parts.append(f"\n{who}{when}: {fault.termination.value}\n{fault.message}")
        account = outcome.account_of(fault.seat)
        if account is not None:
            memory = f"; at most {account.peak_bytes / (1 << 20):.0f} MiB of memory" if account.peak_bytes else ""
            parts.append(f"held: {account.held}{memory}")
        if fault.traceback:
            parts.append(f"\n{fault.traceback.rstrip()}")
    return "\n".join(parts) + "\n"


def _readme(folder: Path, spec: MatchSpec, outcome: MatchOutcome, failed: Sequence[int]) -> str:
    where = shlex.quote(str(folder))
    lines = [
        f"A match that ended in a fault of {' and '.join(culprits(spec, outcome))}. What happened is in fault.txt.",
        "",
        "Play it again exactly, and see whether the same fault comes:",
        f"    tiltyard rerun {where}",
    ]
    for seat in failed:
        if spec.algorithms[seat - 1].program is not None:
            if len(outcome.accounts) >= seat and _is_resident_program(spec, outcome.accounts[seat - 1].conversation, seat):
                lines += ["", f"{_input_file(seat)} holds all that {spec.names[seat - 1]} (player {seat}) could read."]
            continue
        lines += [
            "",
            f"Feed {spec.names[seat - 1]} (player {seat}) what it was asked in the match, its prints on the screen;",
            "with --pdb a debugger opens where it fails:",
            f"    tiltyard debug {where} --seat {seat}",
        ]
    lines += ["", "Both load the teams' code from where it was installed or lay when the match was played (see match.json)."]
    return "\n".join(lines) + "\n"


# Reading


def is_fault_folder(folder: Path) -> bool:
    """Whether it looks like one."""
    return (folder / MATCH_FILE).is_file()


def read_fault_folder(folder: Path) -> FaultRecord:
    """The match of a folder and what came of it.

    Raises:
        UserError: it is no such folder, or what it names is not there any more.
    """
    path = folder / MATCH_FILE
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserError(f"{folder}: not the folder of a fault: {path.name} cannot be read: {error.strerror}") from error
    try:
        mark = _MARKS.decode(data)
        if (mark.format, mark.version) != (FORMAT, VERSION):
            raise UserError(
                f"{path}: expected format '{FORMAT}' of version {VERSION}, found '{mark.format}' of version {mark.version}"
            )
        record = _RECORDS.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{path}: {error}") from error
    for reference in (record.spec.game, record.spec.manager, *record.spec.algorithms):
        _need(reference, path)
    return record


def read_conversation(folder: Path, seat: int) -> tuple[Exchange, ...]:
    """What a seat was asked and answered; empty where nothing was recorded.

    Raises:
        UserError: the file cannot be read.
    """
    path = folder / _conversation_file(seat)
    try:
        conversation = _CONVERSATIONS.decode(path.read_bytes())
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except msgspec.MsgspecError as error:
        raise UserError(f"{path}: not the recording of a seat: {error}") from error
    if conversation.version != VERSION:
        raise UserError(f"{path}: a recording of version {conversation.version}; this tiltyard reads version {VERSION}")
    return conversation.exchanges


def _need(reference: Reference, path: Path) -> None:
    source = reference.source
    if not _is_there(source):
        where = "is not installed any more" if source.origin is Origin.INSTALLED else "is not there any more"
        raise UserError(f"{path}: the {reference.kind} '{reference.name}' came from {source}, which {where}")


def _is_there(source: Source) -> bool:
    if source.origin is Origin.INSTALLED:
        return any((found.name, found.value) == (source.name, source.value) for found in installed_sources())
    if source.origin is Origin.PROGRAM and not source.folder:
        return bool(files_of_command(source.value)) or not source.value.startswith("/")
    return Path(source.folder or source.value).exists()
