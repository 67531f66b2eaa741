"""A fault as a step of a check that failed: what happened, and what whoever wrote the team can do about it."""

from __future__ import annotations

import os
import re
import shlex
import traceback
from pathlib import Path
from typing import Final

from tiltyard_checks.team.steps import Step, StepMark
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.programs import DENIED
from tiltyard_engine.registry import Source
from tiltyard_engine.registry.loading import own_folder, own_frame
from tiltyard_engine.registry.sources import Origin
from tiltyard_engine.results import MANAGER_SEAT, Fault, Termination
from tiltyard_simulator.guard.cells.limit_hints import CLOSED_FILE
from tiltyard_simulator.match.spec import MatchSpec

BROKEN_LIMITS: Final = (Termination.TIMEOUT, Termination.STALL, Termination.OUT_OF_MEMORY)

_WHERE: Final = "--keep faults saves the match, and 'tiltyard debug' shows where it was"
_ADVICE: Final = {
    Termination.CRASH: "the team's code must not end its process or crash the interpreter",
    Termination.TIMEOUT: f"let the code stop after a fixed amount of work; {_WHERE}",
    Termination.STALL: "it waited for something that never came; the code must not read input or wait",
    Termination.OUT_OF_MEMORY: f"use less memory; {_WHERE}",
    Termination.PROTOCOL: "return what was expected; 'tiltyard explain wrong-answer' says more",
    Termination.ILLEGAL_MOVE: "the rules of the game forbid this move",
    Termination.VOID: "the machine caused this; run the check again",
}


ENDED_PROGRAM: Final = "a program must not crash, and must end with exit code 0; its output may show why it ended"
_PROGRAM_ADVICE: Final = {
    Termination.CRASH: ENDED_PROGRAM,
    Termination.TIMEOUT: "let the program stop after a fixed amount of work",
    Termination.STALL: "read everything that is sent, write the answer as a whole line, and flush it; see 'tiltyard explain"
    " no-answer'",
    Termination.OUT_OF_MEMORY: "use less memory",
    Termination.PROTOCOL: "compare what the program wrote with the protocol on the game's page",
    Termination.DISCONNECT: "a program must keep its standard input and output open until its input ends",
}

_FRAME: Final = re.compile(r'^ *File "([^"\n]+)", line (\d{1,9})', re.MULTILINE)


_NOT_STARTED: Final = re.compile(r"cannot start (.+?): Permission denied")


def limit_advice(message: str) -> str:
    """What to do about a failure whose message names a limit; empty where it names none."""
    if " allows more)" not in message:
        return ""
    what = "start no threads or processes" if "--limit processes=" in message else "use less"
    return f"{what}, or ask the organiser for a higher limit; 'tiltyard check' has the option --limit too"


def advice_on(fault: Fault, source: Source | None) -> str:
    """What to do about a fault.

    Args:
        fault: how a team, or the GameManager, failed.
        source: where the team's code is; None: it isn't a team's fault.
    """
    if fault.seat == MANAGER_SEAT and fault.termination is not Termination.VOID:
        return "the team didn't cause this; choose another GameManager with --manager"
    if advice := limit_advice(fault.message) if fault.termination not in (Termination.TIMEOUT, Termination.STALL) else "":
        return advice
    if DENIED in fault.message:
        return "the denied access may be the reason. The organiser can allow paths with TILTYARD_READABLE, but not system calls"
    if fault.traceback:
        where = _where(fault.traceback, source)
        is_file = fault.message.endswith(CLOSED_FILE)
        return f"{where}; a file name without a folder means a file in the working folder" if is_file else where
    if source is not None and source.origin is Origin.PROGRAM:
        if (start := _NOT_STARTED.search(fault.message)) and Path(start[1]).is_file() and not os.access(start[1], os.X_OK):
            return f"the file isn't executable: run 'chmod +x {shlex.quote(start[1])}'"
        return _PROGRAM_ADVICE.get(fault.termination, _ADVICE.get(fault.termination, ""))
    return _ADVICE.get(fault.termination, "")


def _where(text: str, source: Source | None) -> str:
    """Where a traceback leaves the team's own code, which may have called a library."""
    frames = [traceback.FrameSummary(file, int(line), "") for file, line in _FRAME.findall(text)]
    own = None if source is None else own_frame(frames, own_folder(source))
    if own is None or own is frames[-1]:
        return "the last frame above is where the team's code failed"
    return f"the team's code failed in {Path(own.filename).name}, line {own.lineno}; the frames after it are a library's"


def failed_step(name: str, spec: MatchSpec, record: MatchRecord, fault: Fault, before: str = "") -> Step:
    """A step that failed because of a fault, with everything that helps to find the cause."""
    when = f" (round {fault.round})" if fault.round > 0 else ""
    account = record.evidence.accounts[fault.seat - 1] if 0 < fault.seat <= len(record.evidence.accounts) else None
    who = "" if fault.seat else f"the GameManager {spec.input.manager.label}: "
    detail = " ".join(f"{before}{who}{fault.termination.value}{when}: {fault.message}".split())
    output = account.output if account is not None else b""
    return Step(
        name=name,
        mark=StepMark.FAILED,
        detail=detail,
        traceback=fault.traceback,
        output=output,
        advice=advice_on(fault, spec.input.teams[fault.seat - 1].source if fault.seat else None),
        match=(spec, record),
    )
