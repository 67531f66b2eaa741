"""The match of a fault folder once more: ``tiltyard debug --whole-match``. ``tiltyard rerun FOLDER`` was its name before."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import typer

from tiltyard_checks.faults.fault_folders import FaultRecord, fault_text
from tiltyard_checks.faults.fault_reading import read_fault_folder
from tiltyard_checks.faults.rerun import play_again, same_faults
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.texts.sanitize import one_line, quoted
from tiltyard_simulator.match.isolation import Isolation, isolation_in_words
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_tournaments.cli.options import IsolationOptions

INSTEAD: Final = "note: rerun is an old command; instead, use 'tiltyard debug FOLDER --whole-match'"
"""What a command says that still knows the word."""


def play_whole_match(folder: Path, *, show_output: bool, unconfined: bool, trust: list[str] | None) -> None:
    """Play the match of a fault folder again, and print whether the same fault happens.

    Raises:
        UserError: it is no fault folder, its code isn't here, or not trusted, or this machine can't confine it.
        typer.Exit: with status 0 if the same seats failed in the same way in the same round, else 1.
    """
    fault = read_fault_folder(folder)
    for name in fault.changed():
        print(f"note: the code of {name} has changed since the match")
    isolation = IsolationOptions(IsolationPolicy.from_environment().isolation, unconfined)
    record = play_again(fault.spec, isolation.policy(trust))
    print(
        fault_text(fault.spec.input, record) if record.outcome.faults else f"no fault: {one_line(record.outcome.message)}",
        end="" if record.outcome.faults else "\n",
    )
    if show_output:
        print(output_of(record))
    print(f"\n{_verdict(fault, record)}")
    raise typer.Exit(0 if same_faults(fault, record.outcome) else 1)


def output_of(record: MatchRecord) -> str:
    """What the code of each team and of the GameManager printed in a match. The output of code that ran in-process isn't saved.

    Control characters are escaped, so that a team's code can't control the terminal.
    """
    parts: list[str] = []
    for seat, (name, account) in enumerate(zip(record.outcome.teams, record.evidence.accounts), start=1):
        text = account.output.decode("utf-8", "backslashreplace").rstrip()
        otherwise = "printed nothing" if account.held != Isolation.INLINE else "ran in-process, so its output was not saved"
        parts.append(f"player {seat}, {name}, {'printed:' if text else otherwise}")
        parts += [quoted(text)] if text else []
    manager = record.evidence.manager_account
    words = manager.output.decode("utf-8", "backslashreplace").rstrip() if manager is not None else ""
    if words:
        parts += [f"GameManager {record.outcome.manager} printed:", quoted(words)]
    return "\n".join(parts)


def _verdict(fault: FaultRecord, record: MatchRecord) -> str:
    if same_faults(fault, record.outcome):
        return "the same fault as in the match"
    isolations = [
        f"{isolation_in_words(then)} then, {isolation_in_words(now)} now"
        for then, now in zip(fault.held, record.outcome.held)
        if then != now
    ]
    how = f" (isolation: {'; '.join(isolations)})" if isolations else ""
    return f"different from the match: {one_line(fault.message)}{how}"
