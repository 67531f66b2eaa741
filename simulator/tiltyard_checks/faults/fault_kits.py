"""Fault folders for another machine: kits, which hold what a team was asked and nobody's code.

A kit goes to the people of one team. So it has the names of the others and nothing else of them, and no path of the machine that
played the match. On the other machine the team's code is asked the same questions, from wherever it lies there.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import structs

from tiltyard_checks.faults.fault_folders import MATCH_FILE, FaultRecord, about_input, culprits, write_fault_folder
from tiltyard_checks.faults.fault_reading import code_here
from tiltyard_engine.match_record import Exchange, MatchRecord, SeatAccount
from tiltyard_engine.registry import Reference, Source
from tiltyard_engine.registry.sources import Origin
from tiltyard_engine.results import Fault
from tiltyard_engine.texts.public_text import public_text
from tiltyard_simulator.match.spec import MatchInput, MatchSpec

HIDDEN: Final = "..."
"""What stands for a folder of the machine that played the match."""
NOWHERE: Final = Source(name="", origin=Origin.GIVEN, value="")
"""Of a player of whom there is only a name."""
_FIELDS: Final = frozenset({"kind", "name", "game", "source"})
"""What shows that a value in a message is a ``Reference``."""


# Writing


def write_fault_kit(
    folder: Path, spec: MatchSpec, record: MatchRecord, *, seats: Sequence[int], names: Sequence[str], hide: Sequence[Path]
) -> None:
    """Write a kit as a new folder.

    Args:
        folder: must not exist yet.
        spec: the match.
        record: its result.
        seats: the kit's own, from 1.
        names: what each seat's team is called, seat 1 first.
        hide: folders of this machine that are named nowhere in the kit.

    Raises:
        UserError: it cannot be written.
    """
    paths = _in_order(hide)
    match = spec.input
    team = {seat: _renamed(match.teams[seat - 1], names[seat - 1]) for seat in seats}
    others = [
        Reference(kind=one.kind, name=name, game=one.game, source=NOWHERE) for one, name in zip(match.teams, names, strict=True)
    ]
    for seat, own in team.items():
        others[seat - 1] = own
    game, manager = (replace(each, source=_elsewhere(each.source)) for each in (match.game, match.manager))
    kit_match = replace(match, game=game, manager=manager, teams=tuple(others))
    kit_spec = replace(spec, input=kit_match, place=replace(spec.place, key="", digests=()))
    accounts = tuple(
        _account(account, team[seat], paths) if seat in team else SeatAccount(held=account.held)
        for seat, account in enumerate(record.evidence.accounts, start=1)
    )
    faults = tuple(_fault(fault, paths) if fault.seat in team else _bare(fault) for fault in record.outcome.faults)
    evidence = replace(record.evidence, accounts=accounts, manager_account=None)
    kit_record = replace(record, evidence=evidence).with_faults(faults).changed(teams=tuple(names))
    failed = sorted({fault.seat for fault in faults} & set(seats))
    write_fault_folder(folder, kit_spec, kit_record, tuple(seats), _readme(folder.name, kit_match, kit_record, failed))


def without_paths(text: str, hide: Sequence[Path]) -> str:
    """A text in which paths that lead into one of these folders begin there; of all others there is the last name."""
    return _without_paths(text, _in_order(hide))


def _in_order(hide: Sequence[Path]) -> list[str]:
    """The inner folders first."""
    return sorted({str(path) for path in hide}, key=len, reverse=True)


def _without_paths(text: str, hide: Sequence[str]) -> str:
    for path in hide:
        text = text.replace(f"{path}/", "").replace(path, HIDDEN)
    return public_text(text)


def _renamed(team: Reference, name: str) -> Reference:
    program = None if team.program is None else replace(team.program, command=(), folder="", files=(), readable=(), environment=())
    return replace(team, source=_elsewhere(team.source), program=program, shown=name)


def _elsewhere(source: Source) -> Source:
    """What is known of a source on any machine."""
    if source.origin is Origin.INSTALLED:
        return source
    value, folder = (Path(path).name for path in (source.value, source.folder))
    return Source(name=source.name, origin=source.origin, value=value, folder=folder)


def _bare(fault: Fault) -> Fault:
    return replace(fault, message="", traceback="")


def _fault(fault: Fault, hide: Sequence[str]) -> Fault:
    return replace(fault, message=_without_paths(fault.message, hide), traceback=_without_paths(fault.traceback, hide))


def _account(account: SeatAccount, team: Reference, hide: Sequence[str]) -> SeatAccount:
    exchanges: list[Exchange] = []
    for number, exchange in enumerate(account.conversation):
        if team.program is not None:
            exchanges.append(Exchange(_without(exchange.question, hide), _without(exchange.answer, hide)))
        else:
            # The first question says which code is to be loaded.
            question = _message(exchange.question, hide, team if number == 0 else None)
            exchanges.append(Exchange(question, _message(exchange.answer, hide)))
    return replace(account, output=_without(account.output, hide), conversation=tuple(exchanges))


def _without(data: bytes, hide: Sequence[str]) -> bytes:
    for path in map(os.fsencode, hide):
        data = data.replace(path + b"/", b"").replace(path, HIDDEN.encode())
    return data


def _message(data: bytes, hide: Sequence[str], team: Reference | None = None) -> bytes:
    """A message between processes without these folders; where it names a team, it names ``team``."""
    if team is None and not any(os.fsencode(path) in data for path in hide):
        return data
    try:
        message = _value(msgspec.msgpack.decode(data), hide, None if team is None else msgspec.to_builtins(team))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _without(data, hide)
    return msgspec.msgpack.encode(message)


def _value(value: Any, hide: Sequence[str], team: dict[str, Any] | None) -> Any:
    if isinstance(value, str):
        return _without_paths(value, hide)
    if isinstance(value, bytes):
        return _without(value, hide)
    if isinstance(value, list):
        return [_value(each, hide, team) for each in value]
    if isinstance(value, dict):
        if team is not None and value.keys() >= _FIELDS:
            return team
        return {key: _value(each, hide, team) for key, each in value.items()}
    return value


def _readme(name: str, match: MatchInput, record: MatchRecord, failed: Sequence[int]) -> str:
    where = shlex.quote(name)
    lines = [f"A match that ended in a fault of {' and '.join(culprits(record.outcome))}. What happened is in fault.txt."]
    for seat in failed:
        if match.teams[seat - 1].program is not None:
            lines += about_input(match, record, seat)
            continue
        command = f"    tiltyard debug {where}{f' --seat {seat}' if len(failed) > 1 else ''} --code FOLDER"
        lines += [
            "",
            f"Ask {match.names[seat - 1]} (player {seat}) the same questions as in the match, and see what it prints:",
            command,
            "FOLDER is where your code is: the folder, file or archive that you handed in, or a changed version of it.",
            "To open a debugger where it fails:",
            f"{command} --unconfined --pdb",
        ]
    lines += ["", "The kit contains no code, so the match itself can't be played again with it."]
    return "\n".join(lines) + "\n"


# Reading


def with_team_here(record: FaultRecord, folder: Path, seat: int) -> FaultRecord:
    """A fault folder's record with the game and one seat's team as they are on this machine; the others are no more than names.

    Raises:
        UserError: files that it names no longer exist.
    """
    form, path = record.form, folder / MATCH_FILE
    return with_team(record, code_here(form.game, path), seat, code_here(form.teams[seat - 1], path))


def with_team(record: FaultRecord, game: Reference, seat: int, team: Reference) -> FaultRecord:
    """A record with another game and team, which keeps the name that it had in the match."""
    form = record.form
    players = [replace(each, source=NOWHERE, program=None) for each in form.teams]
    players[seat - 1] = replace(team, shown=form.names[seat - 1])
    # Nobody asks whether the code of the others has changed.
    digests = tuple(digest if number == seat else "" for number, digest in enumerate(record.digests))
    return structs.replace(record, form=structs.replace(form, game=game, teams=tuple(players)), digests=digests)
