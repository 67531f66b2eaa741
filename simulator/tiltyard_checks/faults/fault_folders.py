"""Writing folders that keep a match that ended in a fault, with all that is needed to play it again.

``match.json`` contains the match as a value, ``fault.txt`` who failed and how, ``seat<k>.txt`` what that team printed,
``seat<k>.conversation`` what it was asked and answered, ``seat<k>.input`` what a resident program could read, and ``README.txt``
the commands that use the folder.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Final

import msgspec

from tiltyard_engine.data_classes import dataclass, field, replace
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import Exchange, MatchRecord, Outcome
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import MANAGER_SEAT, Fault, Termination
from tiltyard_engine.texts.sanitize import one_line, printable, quoted
from tiltyard_simulator.match.code_digest import code_digest
from tiltyard_simulator.match.isolation import isolation_in_words
from tiltyard_simulator.match.spec import MatchInput, MatchSpec
from tiltyard_simulator.output.result_files import encode
from tiltyard_simulator.output.spec_form import SpecForm, form_of

FORMAT: Final = "tiltyard fault"
VERSION: Final = 1
MATCH_FILE: Final = "match.json"
MOST_A_CULPRIT: Final = 20
"""How many folders of a team's (or a GameManager's) faults are kept in a run."""
LONGEST_NAME: Final = 40


class FaultRecord(msgspec.Struct, frozen=True):
    """The match with a fault, as ``match.json`` has it."""

    format: str
    version: int
    tiltyard: str
    """The version that played the match."""
    form: SpecForm = msgspec.field(name="spec")
    faults: tuple[Fault, ...]
    message: str
    """How the match ended."""
    held: tuple[str, ...] = ()
    digests: tuple[str, ...] = ()
    """The ``code_digest`` of the GameManager and of each seat's team."""
    kit_of: tuple[int, ...] = ()
    """Of a kit, the seats that it is for: it names their teams and holds nobody's code. Empty: a folder of a run."""

    @property
    def spec(self) -> MatchSpec:
        """The match, as it can be played."""
        return self.form.spec

    def changed(self) -> list[str]:
        """The names of the players whose code has changed."""
        players = (self.form.manager, *self.form.teams)
        return list(dict.fromkeys(player.label for player, then in zip(players, self.digests) if then not in ("", _digest(player))))


class Conversation(msgspec.Struct, frozen=True, array_like=True):
    """What a seat was asked and answered, as ``seat<k>.conversation`` has it."""

    version: int
    exchanges: tuple[Exchange, ...]


def culprits(outcome: Outcome) -> list[str]:
    """The names of teams or GameManagers with faults in a match. Failures of the machine don't count."""
    blamed = [fault for fault in outcome.faults if fault.termination not in (Termination.VOID, Termination.FORFEIT)]
    return list(dict.fromkeys(outcome.blamed(fault.seat) for fault in blamed))


@dataclass(slots=True, kw_only=True)
class FaultFolders:
    """Keeps a folder for each match of a run that ended in a fault, but only for a team's first faults."""

    folder: Path
    """The folder that contains the fault folders. It is created with the first of them."""
    most: int = MOST_A_CULPRIT
    problem: str = ""
    """Why some faults could not be saved; empty if all were."""
    _faults: dict[str, int] = field(default_factory=dict)
    _places: dict[str, list[int]] = field(default_factory=dict)
    """The first places in the schedule with faults, by culprit."""
    _paths: dict[int, Path] = field(default_factory=dict)

    def finished(self, spec: MatchSpec, record: MatchRecord) -> None:
        """Add a match that was played. Never raises if a file cannot be written."""
        place = spec.place.number
        dropped: list[int] = []
        is_among_first = False
        for culprit in culprits(record.outcome):
            self._faults[culprit] = self._faults.get(culprit, 0) + 1
            places = self._places.setdefault(culprit, [])
            places.append(place)
            places.sort()
            while len(places) > self.most:
                dropped.append(places.pop())
            is_among_first = is_among_first or place in places
        try:
            if is_among_first and not self.problem:
                path = self.folder / folder_name(spec)
                if is_fault_folder(path):
                    _remove_earlier_attempt(path)
                write_fault_folder(path, spec, record)
                self._paths[place] = path
        except UserError as error:
            self.problem = str(error)
        for number in dropped:
            if not any(number in places for places in self._places.values()) and number in self._paths:
                shutil.rmtree(self._paths.pop(number), ignore_errors=True)

    def settle(self, outcomes: Sequence[Outcome]) -> None:
        """Remove the folders of matches that turned out to be forfeits of quarantined teams."""
        for outcome in outcomes:
            if outcome.place in self._paths and any(fault.termination is Termination.FORFEIT for fault in outcome.faults):
                shutil.rmtree(self._paths.pop(outcome.place), ignore_errors=True)

    def summary(self) -> str:
        """What was saved and what was not; empty if there was no fault."""
        if not self._faults:
            return ""
        if self.problem:
            return f"not all faults were saved: {self.problem}"
        left_out = [
            f"the first {self.most} of {number} faults of {culprit}"
            for culprit, number in self._faults.items()
            if number > self.most
        ]
        if not self._paths:
            return ""
        count = len(self._paths)
        matches = f"{count} {'match' if count == 1 else 'matches'}"
        some = f" ({'; '.join(sorted(left_out))})" if left_out else ""
        return f"faults: {self.folder}: {matches}{some}; 'tiltyard debug --whole-match' plays one again"


def folder_name(spec: MatchSpec) -> str:
    """``<number>_<map>_<one>_<other>``; the number is the place in the schedule, from 1."""
    return "_".join([f"{spec.place.number + 1:04}", *[_for_file(name) for name in (spec.input.map.name, *spec.input.names)]])


def _for_file(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9.+-]+", "-", name)[:LONGEST_NAME].strip(".") or "x"


def _remove_earlier_attempt(folder: Path) -> None:
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise UserError(f"{folder}: cannot be replaced: {error.strerror}") from error


def write_fault_folder(folder: Path, spec: MatchSpec, record: MatchRecord, kit: tuple[int, ...] = (), readme: str = "") -> None:
    """Write all files of a new folder.

    Args:
        folder: must not exist yet.
        spec: the match.
        record: what came of it.
        kit: the seats that a kit is for; a kit is a folder for another machine, without anybody's code.
        readme: the text of its README, in place of the one of a run's folder.

    Raises:
        UserError: it cannot be written.
    """
    outcome = record.outcome
    failed = sorted({fault.seat for fault in outcome.faults if fault.seat != MANAGER_SEAT})
    faults = tuple(replace(fault, message=_clean(fault.message), traceback=_clean(fault.traceback)) for fault in outcome.faults)
    try:
        digests = () if kit else _digests(spec.input)
        played_by = metadata.version("tiltyard")
        match = FaultRecord(FORMAT, VERSION, played_by, form_of(spec), faults, _clean(outcome.message), outcome.held, digests, kit)
        files = {MATCH_FILE: msgspec.json.format(msgspec.json.encode(match)) + b"\n"}
    except UnicodeEncodeError as error:
        raise UserError(f"{folder}: cannot be written: the path of a plugin or map is not UTF-8: {error}") from error
    files["fault.txt"] = encode(fault_text(spec.input, record))
    for seat in sorted({fault.seat for fault in outcome.faults}):
        account = record.evidence.account_of(seat)
        if account is not None and account.output:
            files["manager.txt" if seat == MANAGER_SEAT else f"seat{seat}.txt"] = account.output
        if account is not None and account.conversation:
            files[conversation_file(seat)] = msgspec.msgpack.encode(Conversation(VERSION, account.conversation))
            if _is_resident_program(spec.input, account.conversation, seat):
                files[_input_file(seat)] = b"".join(exchange.question for exchange in account.conversation)
    files["README.txt"] = encode(readme or _readme(folder, spec.input, record, failed))
    try:
        folder.mkdir(parents=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)
    except OSError as error:
        with suppress(OSError):
            if not isinstance(error, FileExistsError):
                shutil.rmtree(folder)
        raise UserError(f"{folder}: cannot be written: {error.strerror}") from error


def conversation_file(seat: int) -> str:
    """The name of the file with what a seat was asked."""
    return f"seat{seat}.conversation"


def _input_file(seat: int) -> str:
    return f"seat{seat}.input"


def _is_resident_program(match: MatchInput, conversation: Sequence[Exchange], seat: int) -> bool:
    """Whether it is a resident program: what it read and what it wrote are separate entries of its conversation."""
    is_program = match.teams[seat - 1].program is not None
    return is_program and not any(exchange.question and exchange.answer for exchange in conversation)


def _clean(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _digests(match: MatchInput) -> tuple[str, ...]:
    """The digests of all players' code; empty for one whose files cannot be read."""
    return tuple(_digest(player) for player in (match.manager, *match.teams))


def _digest(player: Reference) -> str:
    try:
        return code_digest(player.source)
    except UserError:
        return ""


def fault_text(match: MatchInput, record: MatchRecord) -> str:
    """Who failed, how and when, with the traceback."""
    players = printable(f"{match.title}, GameManager {match.manager.label}")
    parts = [players, one_line(record.outcome.message)]
    for fault in record.outcome.faults:
        who = record.outcome.blamed(fault.seat) + (f", player {fault.seat}" if fault.seat != MANAGER_SEAT else "")
        when = f", round {fault.round}" if fault.round > 0 else ", before the first round" if fault.round == 0 else ""
        parts.append(f"\n{who}{when}: {fault.termination.value}\n{one_line(fault.message)}")
        account = record.evidence.account_of(fault.seat)
        if account is not None:
            memory = f"; at most {account.peak_bytes / (1 << 20):.0f} MiB of memory" if account.peak_bytes else ""
            parts.append(f"isolation: {isolation_in_words(account.held)}{memory}")
        if fault.traceback:
            parts.append(f"\n{quoted(fault.traceback.rstrip())}")
    return "\n".join(parts) + "\n"


def _readme(folder: Path, match: MatchInput, record: MatchRecord, failed: Sequence[int]) -> str:
    where, names = shlex.quote(str(folder)), match.names
    lines = [
        f"A match that ended in a fault of {' and '.join(culprits(record.outcome))}. What happened is in fault.txt.",
        "",
        "Play it again to see whether the same fault happens:",
        f"    tiltyard debug {where} --whole-match",
    ]
    for seat in failed:
        if match.teams[seat - 1].program is not None:
            lines += about_input(match, record, seat)
            continue
        lines += [
            "",
            f"Ask {names[seat - 1]} (player {seat}) the same questions as in the match, in a sandbox, and see what it prints:",
            f"    tiltyard debug {where} --seat {seat}",
            "If you trust the code, such as your own, open a debugger where it fails:",
            f"    tiltyard debug {where} --seat {seat} --unconfined --pdb",
        ]
    lines += ["", "Both load the teams' code from where it was when the match was played (see match.json)."]
    return "\n".join(lines) + "\n"


def about_input(match: MatchInput, record: MatchRecord, seat: int) -> list[str]:
    """What a README says of an external program, in lines."""
    accounts = record.evidence.accounts
    if len(accounts) >= seat and _is_resident_program(match, accounts[seat - 1].conversation, seat):
        return ["", f"{_input_file(seat)} contains everything that {match.names[seat - 1]} (player {seat}) could read."]
    return []


def is_fault_folder(folder: Path) -> bool:
    """Whether it looks like a fault folder."""
    return (folder / MATCH_FILE).is_file()
