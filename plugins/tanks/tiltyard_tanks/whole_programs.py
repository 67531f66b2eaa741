"""Programs of assignment 2 as referees: each plays a map, and its output file is compared with what the rules make of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tiltyard_engine.host import Host
from tiltyard_engine.programs import Call, ProgramError, ProgramTeam, signal_name
from tiltyard_engine.replay import LogError
from tiltyard_engine.texts.sanitize import one_line, with_own_options
from tiltyard_tanks.log_replay import ACTIONS, MARKS, read_log
from tiltyard_tanks.maps import TankMap
from tiltyard_tanks.rules import DIALECTS

SAME: Final = "same"
DIALECT: Final = "dialect"
"""The game is right, and the file writes the actions in another way."""
DIFFERS: Final = "differs"
FAILED: Final = "failed"
STARTUP_SECONDS: Final = 5.0
OPTIONS: Final = {"move_seconds": "--seconds", "match_seconds": "--seconds", "wall_factor": "--seconds"}
"""Of 'tiltyard tanks referee', for its limits."""
_FILLING: Final = re.compile(r"[\s_-]|degrees|°")
"""What some write inside the names of actions: ``Rotate Left 90 degrees``."""
_TITLES: Final = {title.lower(): title for title in ACTIONS}
_MARKS: Final = re.compile(rf"(?:\s*(?:{'|'.join(re.escape(mark) for mark, *_ in MARKS)}))*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class MapToPlay:
    """A map that whole programs play: its file for them, and the board for the rules."""

    name: str
    data: bytes
    """The bytes of its file."""
    tank_map: TankMap


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How the output file of one program on one map compares with the rules."""

    program: str
    map: str
    verdict: str
    """``same``, ``dialect``, ``differs`` or ``failed``."""
    rounds: int = 0
    """Rounds that are as the rules have them."""
    line: int = 0
    """The first line of the output file that differs, which is its round; 0 if none does."""
    words: str = ""
    """How it differs, why it failed, or how the game ended."""
    rules: tuple[str, ...] = ()
    """The dialects by which the whole file is right."""
    spelling: str = ""
    """How it writes actions, if not as the assignment does."""
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
            "spelling": self.spelling,
        }


def compare(host: Host, label: str, program: ProgramTeam, map_to_play: MapToPlay, *, rules: str, seconds: float) -> Comparison:
    """Let a program play a map in the sandbox, and compare its output file with the rules.

    Args:
        host: runs it.
        label: what the program is called.
        program: the program, which takes the name of a map's file.
        map_to_play: the map.
        rules: the name of the dialect that is right.
        seconds: of CPU time for the whole map.

    Raises:
        UserError: the program cannot be opened.
    """
    file = f"{map_to_play.name}.txt"
    # The assignment names the first; the others are what programs write too.
    names = (f"output_{file}", f"output_{map_to_play.name}", f"output_{file}.txt", "output.txt")
    limits = {"move_seconds": seconds, "match_seconds": seconds + STARTUP_SECONDS, "startup_seconds": STARTUP_SECONDS}
    try:
        with host.open_program(program, limits) as running:
            running.begin(seconds, f"playing {file}")
            call = running.call([file], {file: map_to_play.data}, names)
    except ProgramError as error:
        return Comparison(program=label, map=map_to_play.name, verdict=FAILED, words=_fault(error))
    output = next((call.files[name] for name in names if name in call.files), None)
    if output is None:
        return Comparison(program=label, map=map_to_play.name, verdict=FAILED, words=_why_nothing(call, names[0]))
    return judge(label, map_to_play, output.decode("utf-8", "replace"), rules)


def _fault(error: ProgramError) -> str:
    return one_line(with_own_options(f"{error.termination.value}: {error}", OPTIONS))


def judge(label: str, map_to_play: MapToPlay, text: str, rules: str) -> Comparison:
    """Compare an output file with the rules. Other spellings of actions are noted, and hide no other difference."""
    usual, spelling = _as_usual(text)
    right = tuple(name for name in DIALECTS if _first_difference(map_to_play.tank_map, usual, name) is None)
    error = _first_difference(map_to_play.tank_map, usual, rules)
    lines = text.rstrip().splitlines()
    verdict = DIFFERS if error is not None else DIALECT if spelling else SAME
    words = lines[-1].strip() if error is None else one_line(str(error).partition(": ")[2])
    return Comparison(
        program=label,
        map=map_to_play.name,
        verdict=verdict,
        rounds=len(lines) - 1 if error is None else error.line - 1,
        line=0 if error is None else error.line,
        words=words,
        rules=right,
        spelling=spelling,
        output=text,
    )


def _as_usual(text: str) -> tuple[str, str]:
    """An output file with the actions as the assignment names them, and in words how the file itself does; empty if so too."""
    spelling = ""
    lines: list[str] = []
    for line in text.splitlines():
        parts = line.split(",")
        for place, part in enumerate(parts):
            mark = _MARKS.search(part)
            name = part[: mark.start()].strip() if mark else part.strip()
            title = _TITLES.get(_FILLING.sub("", name.lower()), name)
            if title != name:
                spelling = spelling or f"writes '{name}' for '{title}'"
                parts[place] = part.replace(name, title, 1)
        lines.append(",".join(parts))
    return "\n".join(lines), spelling


def _first_difference(tank_map: TankMap, text: str, rules: str) -> LogError | None:
    try:
        read_log(tank_map, text, rules)
    except LogError as error:
        return error
    return None


def _why_nothing(call: Call, name: str) -> str:
    how = f"was killed by {signal_name(call.signal)}" if call.signal else f"exited with code {call.exit_code}"
    lines = (call.stderr or call.stdout).decode("utf-8", "replace").strip().splitlines()
    last = f"{', after it printed' if call.signal else ''}: {one_line(lines[-1])}" if lines else ""
    return f"{how} and {call.missing(name)}{last}; the output file belongs in the folder in which the program is started"


def agreeing_rules(comparisons: Sequence[Comparison]) -> list[str]:
    """The dialects by which all output files of a program are right; none if one is missing."""
    return [name for name in DIALECTS if comparisons and all(name in each.rules for each in comparisons)]
