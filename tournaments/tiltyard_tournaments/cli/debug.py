"""``tiltyard debug``."""

from __future__ import annotations

import contextlib
import faulthandler
import io
import pdb  # noqa: T100 -- a debugger is what this command is for
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_engine.errors import UserError
from tiltyard_engine.results import MANAGER_SEAT, Fault
from tiltyard_simulator.fault_folders import FaultRecord, read_conversation, read_fault_folder
from tiltyard_simulator.feeding import Fed, failure_text, feed
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.guard.messages import REQUESTS, OpenTanks, OpenTurns
from tiltyard_simulator.guard.trust import Holding
from tiltyard_simulator.rerunning import play_again
from tiltyard_simulator.specs import Exchange
from tiltyard_tournaments.cli.options import FaultFolder, application

app = application()


@app.command()
def debug(
    folder: FaultFolder,
    seat: Annotated[
        int | None, typer.Option("--seat", min=1, help="The player; by default the first one that failed.", show_default=False)
    ] = None,
    post_mortem: Annotated[bool, typer.Option("--pdb", help="Open a debugger where the code fails.")] = False,
) -> None:
    r"""Feed one team what it was asked in a match that it failed in, its prints on the screen, until it fails again.

    The team's code runs in this very process, without a sandbox, so that prints, breakpoint() and debuggers work: do this
    with code that you trust, as your own. Where the match ended it for its time or memory, its last question has the same
    limit here and shows where it was reached. Also says which answer first differs from the recorded one: that is chance,
    time or something from outside in the code.

    The status is 0 if the team failed as in the match, and 1 if not.

    \b
    Examples:
      tiltyard debug results/cup/faults/0003_narrow-pass_thunder_acorn
      tiltyard debug results/cup/faults/0003_narrow-pass_thunder_acorn --seat 1 --pdb
    """
    record = read_fault_folder(folder)
    fault = _fault(record, seat)
    if record.spec.algorithms[fault.seat - 1].program is not None:
        raise UserError(
            f"{record.spec.names[fault.seat - 1]} is an external program: run it yourself, where there is a"
            f" {folder}/seat{fault.seat}.input with that as its standard input; 'tiltyard rerun' plays the match again"
        )
    exchanges = _exchanges(folder, record, fault)
    name = record.spec.names[fault.seat - 1]
    if name in record.changed():
        print(f"note: the code of {name} is not what it was in the match")
    print(f"{name}, player {fault.seat}: {len(exchanges)} questions are recorded")
    if not faulthandler.is_enabled():
        with contextlib.suppress(io.UnsupportedOperation):
            faulthandler.enable()

    def last_question(number: int, doing: str) -> None:
        print(f"question {number} ({doing}) is the last one; in the match the team failed: {_one_line(fault)}")
        sys.stdout.flush()

    fed = feed(exchanges, fault, record.spec.limits_of(fault.seat), last_question)
    sys.stdout.flush()
    print(_verdict(fed, fault))
    if fed.failure is not None and fed.failure.traceback:
        print(f"\n{fed.failure.traceback.rstrip()}")
    if post_mortem:
        if fed.error is not None and fed.error.__traceback__ is not None:
            pdb.post_mortem(fed.error.__traceback__)
        else:
            print("there is nothing for a debugger to look at: no code of the team raised anything after it was loaded")
    raise typer.Exit(0 if _failed_again(fed, fault) else 1)


def _fault(record: FaultRecord, seat: int | None) -> Fault:
    faults = {fault.seat: fault for fault in record.faults if fault.seat != MANAGER_SEAT}
    if not faults:
        raise UserError("in this match the GameManager failed, no team: 'tiltyard rerun' plays it again")
    wanted = next(iter(faults)) if seat is None else seat
    if wanted not in faults:
        failed = ", ".join(f"player {number} ({record.spec.names[number - 1]})" for number in faults)
        raise UserError(f"player {wanted} did not fail in this match, so nothing of it is recorded; {failed} did")
    return faults[wanted]


def _exchanges(folder: Path, record: FaultRecord, fault: Fault) -> tuple[Exchange, ...]:
    """The recorded ones; of a seat that was held inline, where nothing is recorded, those of the match played again."""
    found = read_conversation(folder, fault.seat)
    if not found and record.spec.isolation_of(fault.seat) is Isolation.INLINE:
        seats = range(1, len(record.spec.algorithms) + 1)
        isolations = tuple(Isolation.PROCESS if seat == fault.seat else record.spec.isolation_of(seat) for seat in seats)
        outcome = play_again(replace(record.spec, isolations=isolations), Holding.from_environment())
        found = outcome.accounts[fault.seat - 1].conversation
        print("nothing was recorded, as the team was held inline: the match was played again for it")
    if not found:
        raise UserError(f"{folder}: what player {fault.seat} was asked is not recorded")
    opening = REQUESTS.decode(found[0].question)
    if not isinstance(opening, OpenTanks | OpenTurns) or opening.algorithm != record.spec.algorithms[fault.seat - 1]:
        raise UserError(f"{folder}: the record of player {fault.seat} is not that of the team which match.json names")
    return found


def _verdict(fed: Fed, fault: Fault) -> str:
    lines = [f"{fed.asked} of {fed.recorded} questions asked"]
    if fed.difference:
        lines.append(f"the first answer that differs from the recorded one: {fed.difference}")
    else:
        lines.append("all answers were the recorded ones")
    failure = failure_text(fed)
    if not failure:
        lines.append("the code did not fail here")
    elif failure == fault.message:
        lines.append("the same failure as in the match")
    else:
        lines.append(f"the code failed: {failure}")
    return "\n".join(lines)


def _one_line(fault: Fault) -> str:
    return " ".join(f"{fault.termination.value}: {fault.message}".split())


def _failed_again(fed: Fed, fault: Fault) -> bool:
    return failure_text(fed) == fault.message or (fed.asked == fed.recorded and bool(failure_text(fed)))
