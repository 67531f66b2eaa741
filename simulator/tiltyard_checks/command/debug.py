"""``tiltyard debug``: a team is asked again what it was asked in a match that it failed in."""

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

from tiltyard_checks.command.check_output import say_advice, say_mark
from tiltyard_checks.command.whole_match import play_whole_match
from tiltyard_checks.faults.cell_replay import replay_in_cell
from tiltyard_checks.faults.conversation_replay import (
    ReplayedConversation,
    exchanges_with,
    failure_text,
    replay_conversation,
)
from tiltyard_checks.faults.fault_folders import FaultRecord
from tiltyard_checks.faults.fault_kits import with_team, with_team_here
from tiltyard_checks.faults.fault_reading import read_conversation, read_fault_folder, read_match_file
from tiltyard_checks.faults.rerun import play_again
from tiltyard_checks.team.steps import StepMark
from tiltyard_checks.team.subjects import CheckOptions, find_or_build
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import Exchange
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.trust import TRUST_VARIABLE, how_to_trust
from tiltyard_engine.results import MANAGER_SEAT, Fault, Termination
from tiltyard_engine.texts.sanitize import lines, one_line, quoted
from tiltyard_simulator.guard.cells.wire import ZygoteLostError
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import TrustNames

app = application()

_TRACED_UNCONFINED = (Termination.TIMEOUT, Termination.STALL, Termination.OUT_OF_MEMORY)
"""Faults of which only a team in this process can tell where its code was."""


@app.command()
def debug(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A fault folder: one of those in the folder 'faults' of a run.")],
    seat: Annotated[
        int | None, typer.Option("--seat", min=1, help="The player. Default: the first one that failed.", show_default=False)
    ] = None,
    code: Annotated[
        str,
        typer.Option(
            "--code",
            help="Ask this code instead: a file, a folder, an archive, FILE:NAME or an installed name. A kit of a league needs it.",
            show_default=False,
        ),
    ] = "",
    unconfined: Annotated[
        bool,
        typer.Option(
            "--unconfined",
            help="Run the code in this process, without a sandbox. Only for code that you trust. With --whole-match: run code from"
            " outside even if this machine can't confine it (level C).",
        ),
    ] = False,
    post_mortem: Annotated[bool, typer.Option("--pdb", help="Open a debugger where the code fails. Needs --unconfined.")] = False,
    whole_match: Annotated[
        bool, typer.Option("--whole-match", help="Play the whole match again instead, and report whether the same fault happens.")
    ] = False,
    show_output: Annotated[bool, typer.Option("--show-output", help="With --whole-match: print the teams' saved output.")] = False,
    trust: TrustNames = None,
) -> None:
    """Ask one team the same questions as in a match that it failed in, with its output on the screen, until it fails again.

    The team's code runs in a sandbox, with the limits of the match. The command also reports which answer first differs from
    the recorded one: then the code depends on chance, on time or on something outside, or it isn't the same code.

    The code is the current version at the path that it had in the match. --code asks different code, such as your own on another
    machine, or a corrected copy. The opponent isn't needed, because the recorded questions contain its moves.

    With --unconfined, the code runs in this process, so that breakpoint() and debuggers work. If the match stopped the team because
    of its time or memory, the last question has the same limit, and the traceback shows where it was reached. Use it only with code
    that you trust, such as your own: it can read and change all your files. The command asks before it runs such code, unless
    --trust or TILTYARD_TRUST names it.

    With --whole-match, all teams play the match again. Map, seed, limits and isolation are those of the match. The code is the
    current version at the same path. Code that ran without a sandbox must be trusted again (--trust, or TILTYARD_ISOLATION=process
    for --isolation process).

    The exit status is 0 if the team failed as in the match, or if in the whole match the same seats failed in the same way in the
    same round, else 1.

    \b
    Examples:
      tiltyard debug results/cup/faults/0003_narrow-pass_thunder_acorn
      tiltyard debug results/cup/faults/0003_narrow-pass_thunder_acorn --unconfined --pdb
      tiltyard debug results/cup/faults/0003_narrow-pass_thunder_acorn --whole-match
      tiltyard debug game-1204 --code thunder/
    """
    if whole_match:
        if seat is not None or code or post_mortem:
            raise UserError("--whole-match plays the match with all its teams: leave --seat, --code and --pdb out")
        play_whole_match(folder, show_output=show_output, unconfined=unconfined, trust=trust)
    if post_mortem and not unconfined:
        raise UserError("--pdb needs --unconfined: a debugger runs in the team's own process. Use it only for code that you trust")
    match_file = read_match_file(folder)
    fault = _fault(match_file, seat)
    recorded = match_file.spec.input.teams[fault.seat - 1]
    if recorded.program is not None:
        again = "" if match_file.kit_of else ". To play the match again, add --whole-match"
        raise UserError(
            f"{recorded.label} is an external program. If there is a {folder}/seat{fault.seat}.input, run"
            f" the program yourself with that as its standard input{again}"
        )
    policy = IsolationPolicy.from_environment(trust or ())
    if code:
        record = _with_code(code, match_file, fault.seat, policy)
    elif match_file.kit_of:
        raise UserError(f"{folder}: is a kit, which contains no code: add --code with the path of yours, such as --code thunder/")
    else:
        record = with_team_here(match_file, folder, fault.seat)
    own = record.spec.input.teams[fault.seat - 1].source.environment
    if unconfined and own:
        raise UserError(
            f"{record.spec.input.names[fault.seat - 1]} needs its own environment ({own}), which this process doesn't have:"
            " leave out --unconfined"
        )
    if unconfined:
        _ask_for_trust(record.spec.input.teams[fault.seat - 1], policy)
    else:
        _check_sandbox(policy)
    exchanges = _exchanges(folder, record, fault, policy, recorded)
    name = record.spec.input.names[fault.seat - 1]
    if not code and name in record.changed():
        print(f"note: the code of {name} has changed since the match")
    whose = f", asked to the code in {one_line(code)}" if code else ""
    print(f"{name}, player {fault.seat}: {len(exchanges)} recorded questions{whose}")

    def last_question(number: int, doing: str) -> None:
        failed = f"{fault.termination.value}: {one_line(fault.message)}"
        print(f"question {number} ({doing}) is the last one; in the match the team failed: {failed}")
        sys.stdout.flush()

    if unconfined:
        if not faulthandler.is_enabled():
            with contextlib.suppress(io.UnsupportedOperation):
                faulthandler.enable()
        replayed = replay_conversation(exchanges, fault, record.spec.holding.limits_of(fault.seat), last_question)
    else:
        try:
            replayed = replay_in_cell(
                record.spec, fault.seat, exchanges, _isolation(policy), on_output=_show, last_question=last_question
            )
        except ZygoteLostError as error:
            raise UserError(f"no sandbox can be started: {error}") from error
    sys.stdout.flush()
    print(_verdict(replayed, fault))
    if replayed.failure is not None and replayed.failure.traceback:
        print(f"\n{quoted(replayed.failure.traceback.rstrip())}")
    if not unconfined and fault.termination in _TRACED_UNCONFINED and _failed_again(replayed, fault):
        print("to see where in the code the limit is reached, use --unconfined, if you trust the code")
    if post_mortem:
        if replayed.error is not None and replayed.error.__traceback__ is not None:
            pdb.post_mortem(replayed.error.__traceback__)
        else:
            print("the debugger has nothing to show: the team's code raised no exception after it was loaded")
    raise typer.Exit(0 if _failed_again(replayed, fault) else 1)


def _isolation(policy: IsolationPolicy) -> Isolation:
    return Isolation.PROCESS if policy.isolation in (Isolation.PROCESS, Isolation.INLINE) else Isolation.SANDBOX


def _check_sandbox(policy: IsolationPolicy) -> None:
    refusal = policy.refusal() if _isolation(policy) is Isolation.SANDBOX else ""
    if refusal:
        raise UserError(refusal, see="no-sandbox")


def _ask_for_trust(team: Reference, policy: IsolationPolicy) -> None:
    """Let the user confirm that a team's code may run without a sandbox."""
    if policy.isolation is Isolation.INLINE or policy.trusts(team.source):
        return
    what = f"the code of {one_line(team.label)} ({one_line(str(team.source))})"
    if not sys.stdin.isatty():
        raise UserError(
            f"--unconfined would run {what} without a sandbox. If you trust it, set {TRUST_VARIABLE}={how_to_trust(team.source)}"
        )
    if not typer.confirm(f"Run {what} without a sandbox? It can read and change all your files."):
        raise typer.Exit(1)


def _show(data: bytes) -> None:
    """Print what a team in a cell printed."""
    sys.stdout.write(lines(data.decode("utf-8", "replace")))
    sys.stdout.flush()


def _fault(record: FaultRecord, seat: int | None) -> Fault:
    faults = {fault.seat: fault for fault in record.faults if fault.seat != MANAGER_SEAT}
    if record.kit_of:
        faults = {each: fault for each, fault in faults.items() if each in record.kit_of}
    if not faults:
        raise UserError("in this match the GameManager failed, not a team; add --whole-match to play it again")
    number = next(iter(faults)) if seat is None else seat
    if number not in faults:
        failed = ", ".join(f"player {number} ({record.spec.input.names[number - 1]})" for number in faults)
        raise UserError(f"player {number} did not fail in this match, so nothing was recorded for it; only {failed} failed")
    return faults[number]


def _with_code(text: str, record: FaultRecord, seat: int, policy: IsolationPolicy) -> FaultRecord:
    """The record with the code that the user names in a seat, and with the game as it is installed here."""
    registry = open_registry(policy)
    game = record.spec.input.game.name
    team, steps = find_or_build(CheckOptions(text, game=game, isolation_policy=policy), Finder(registry))
    if team is None:
        for step in steps:
            if step.mark is not StepMark.OK:
                say_mark(step.mark, step.name, step.detail, traceback=step.traceback)
                say_advice(step.advice)
        raise UserError(f"--code {text}: can't be used, so nothing was asked")
    if team.program is not None:
        raise UserError(f"--code {text}: is an external program; the recorded questions are for code that tiltyard loads")
    return with_team(record, Finder(registry).game(game), seat, team)


def _exchanges(
    folder: Path, record: FaultRecord, fault: Fault, policy: IsolationPolicy, recorded: Reference
) -> tuple[Exchange, ...]:
    """The recorded ones. Nothing is recorded of a seat that ran inline; then the match is played again to record them."""
    conversation = read_conversation(folder, fault.seat)
    team = record.spec.input.teams[fault.seat - 1]
    if not conversation and not record.kit_of and record.spec.isolation_of(fault.seat) is Isolation.INLINE:
        # All who played are needed for that, as they were.
        record = read_fault_folder(folder)
        recorded = record.spec.input.teams[fault.seat - 1]
        seats = range(1, len(record.spec.input.teams) + 1)
        apart = Isolation.PROCESS if policy.trusts(record.spec.input.teams[fault.seat - 1].source) else _isolation(policy)
        isolations = tuple(apart if seat == fault.seat else record.spec.isolation_of(seat) for seat in seats)
        outcome = play_again(replace(record.spec, holding=replace(record.spec.holding, isolations=isolations)), policy)
        conversation = outcome.evidence.accounts[fault.seat - 1].conversation
        print("nothing was recorded because the team ran in-process; the match was played again to record it")
    if not conversation:
        raise UserError(f"{folder}: there is no recording of player {fault.seat}")
    try:
        return exchanges_with(team, conversation, recorded)
    except UserError as error:
        raise UserError(f"{folder}: the recording of player {fault.seat} can't be used: {error}") from error


def _verdict(replayed: ReplayedConversation, fault: Fault) -> str:
    lines = [f"{replayed.questions} of {replayed.recorded} questions asked"]
    if replayed.difference:
        lines.append(f"the first answer that differs from the recorded one: {one_line(replayed.difference)}")
    else:
        lines.append("all answers are the same as in the match")
    failure = failure_text(replayed)
    if not failure:
        lines.append("the code did not fail here")
    elif _is_same(failure, fault):
        lines.append("the same failure as in the match")
    else:
        lines.append(f"the code failed: {one_line(failure)}")
    return "\n".join(lines)


def _failed_again(replayed: ReplayedConversation, fault: Fault) -> bool:
    failure = failure_text(replayed)
    return _is_same(failure, fault) or (replayed.questions == replayed.recorded and bool(failure))


def _is_same(failure: str, fault: Fault) -> bool:
    """Whether it is the fault's message, which may also name the limit that caused it."""
    return failure == fault.message or (bool(failure) and fault.message.startswith(f"{failure} ("))
