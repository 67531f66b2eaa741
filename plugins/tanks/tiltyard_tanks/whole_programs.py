"""Programs of assignment 2 as referees: each plays a map, and its output file is compared with what the rules make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tiltyard_engine.host import Host
from tiltyard_engine.programs import Call, ProgramError, ProgramTeam, signal_name
from tiltyard_engine.replay import LogError
from tiltyard_engine.sanitize import one_line
from tiltyard_tanks.log_replay import read_log
from tiltyard_tanks.maps import TankMap
from tiltyard_tanks.rules import DIALECTS

SAME: Final = "same"
DIFFERS: Final = "differs"
FAILED: Final = "failed"
STARTUP_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MapToPlay:
    """A map for programs."""

    name: str
    data: bytes
    """The bytes of its file."""
    read: TankMap


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What came of one program on one map."""

    program: str
    map: str
    verdict: str
    """``same``, ``differs`` or ``failed``."""
    rounds: int = 0
    """Rounds that are as the rules have them."""
    line: int = 0
    """The first line of the output file that differs, which is its round; 0 if none does."""
    words: str = ""
    """How it differs, why it failed, or how the game ended."""
    rules: tuple[str, ...] = ()
    """The dialects by which the whole file is right."""
    output: str = ""
    """The output file; empty if there is none."""

    def plain(self) -> dict[str, Any]:
        """All but the output file, for JSON."""
        return {
            "program": self.program,
            "map": self.map,
            "verdict": self.verdict,
            "rounds": self.rounds,
            "line": self.line,
            "words": self.words,
            "rules": list(self.rules),
        }


def compare(host: Host, label: str, program: ProgramTeam, played: MapToPlay, *, rules: str, seconds: float) -> Comparison:
    """Let a program play a map in the sandbox, and compare its output file with the rules.

    Args:
        host: runs it.
        label: what the program is called.
        program: the program, which takes the name of a map's file.
        played: the map.
        rules: the name of the dialect that is right.
        seconds: of CPU time for the whole map.

    Raises:
        UserError: the program cannot be opened.
    """
    file = f"{played.name}.txt"
    # The assignment names the first; the others are what programs write too.
    names = (f"output_{file}", f"output_{played.name}", f"output_{file}.txt", "output.txt")
    limits = {"move_seconds": seconds, "match_seconds": seconds + STARTUP_SECONDS, "startup_seconds": STARTUP_SECONDS}
    try:
        with host.open_program(program, limits) as opened:
            opened.begin(seconds, f"playing {file}")
            call = opened.call([file], {file: played.data}, names)
    except ProgramError as error:
        return Comparison(program=label, map=played.name, verdict=FAILED, words=one_line(f"{error.termination.value}: {error}"))
    written = next((call.files[name] for name in names if name in call.files), None)
    if written is None:
        return Comparison(program=label, map=played.name, verdict=FAILED, words=_why_nothing(call, names[0]))
    return judge(label, played, written.decode("utf-8", "replace"), rules)


def judge(label: str, played: MapToPlay, text: str, rules: str) -> Comparison:
    """Compare an output file with the rules."""
    right = tuple(name for name in DIALECTS if _first_difference(played.read, text, name) is None)
    error = _first_difference(played.read, text, rules)
    if error is None:
        lines = text.rstrip().splitlines()
        return Comparison(
            program=label, map=played.name, verdict=SAME, rounds=len(lines) - 1, words=lines[-1].strip(), rules=right, output=text
        )
    return Comparison(
        program=label,
        map=played.name,
        verdict=DIFFERS,
        rounds=error.line - 1,
        line=error.line,
        words=one_line(str(error).partition(": ")[2]),
        rules=right,
        output=text,
    )


def _first_difference(tank_map: TankMap, text: str, rules: str) -> LogError | None:
    try:
        read_log(tank_map, text, rules)
    except LogError as error:
        return error
    return None


def _why_nothing(call: Call, name: str) -> str:
    how = f"was killed by {signal_name(call.signal)}" if call.signal else f"exited with code {call.exit_code}"
    said = (call.stderr or call.stdout).decode("utf-8", "replace").strip().splitlines()
    last = f": {one_line(said[-1])}" if said else ""
    return f"{how} and {call.missing(name)}{last}"


def agreeing_rules(comparisons: Sequence[Comparison]) -> list[str]:
    """The dialects by which all output files of a program are right; none if one is missing."""
    return [name for name in DIALECTS if comparisons and all(name in each.rules for each in comparisons)]
