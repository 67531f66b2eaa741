"""One GameManager's match, of which any round can be looked at.

A manager that records shows every board in one run. Of any other, the board after round k is the final state of a run that ends
after k rounds, while the players are told the true limit. That needs a manager that gives the same result twice, which is tried
first. How many rounds a run had is counted where its tanks were asked: a manager may play a round more than it is told to, or claim
one more than it has played.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from tiltyard_checks.runs.difference import Board
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Reference
from tiltyard_engine.replay import Replay
from tiltyard_matchups.comparison import ManagerComparison
from tiltyard_simulator.match.spec import Recording
from tiltyard_simulator.play.arena import Arena
from tiltyard_simulator.replays.files import record_replay

ViewKey = tuple[int, int, int]
"""Round, seat and tank index."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedRun:
    """One manager's whole match."""

    name: str
    record: MatchRecord
    replay: Replay | None
    board_after: Callable[[int], Board]
    """Empty if no run of the manager ends after that round."""
    view: Callable[[ViewKey], Board]
    """The rows of a view that was handed out; empty if there was none."""
    log: tuple[str, ...]
    """The lines of its output file without the last; empty unless there is one line for each round."""
    deterministic: bool
    recorded: bool
    """Whether its replay shows the board after every round."""

    @property
    def rounds(self) -> int:
        """How many were played."""
        return rounds_asked(self.record)

    @property
    def shows_boards(self) -> bool:
        """Whether there is anything to look at: some managers return no final board."""
        return self.recorded or bool(self.record.evidence.claim.final_state)

    def tokens_after(self, number: int) -> list[str]:
        """The recorded board after a round, as tokens."""
        assert self.replay is not None
        return self.replay.squares_after(number)

    def logged(self, number: int) -> list[str]:
        """What the log says of each tank in a round; empty if it says nothing."""
        return [entry.strip() for entry in self.log[number - 1].split(",")] if 0 < number <= len(self.log) else []

    def requests(self) -> dict[tuple[int, int], tuple[str, ...]]:
        """What each tank asked for, round by round, by seat and tank index."""
        return {(seat, tank): requests for seat, tank, requests in self.record.evidence.requests}


def observe(arena: Arena, comparison: ManagerComparison, manager: Reference) -> ObservedRun:
    """Play the match under a manager, with all that can be recorded."""
    record = arena.play(comparison.spec(manager, recording=Recording(log=True, replay=True, trace=True)))
    claim, again = record.evidence.claim, arena.play(comparison.spec(manager)).evidence.claim
    deterministic = again.final_state == claim.final_state and again.rounds == claim.rounds
    replay = record_replay(record)
    lines = tuple(line for line in claim.log.splitlines() if line.strip())[:-1]
    # A recording can be believed if its last board is the final state.
    rounds = claim.rounds
    boards = replay is not None and bool(replay.squares) and len(replay.frames) == rounds
    recorded = replay is not None and boards and replay.rows_after(rounds) == claim.final_state

    last = rounds_asked(record)

    @cache
    def cut(number: int) -> MatchRecord:
        return arena.play(comparison.spec(manager, number, Recording(trace=True)))

    @cache
    def board_after(number: int) -> Board:
        if number >= last:
            return claim.final_state
        run = cut(number)
        if (excess := rounds_asked(run) - number) and excess <= number:
            run = cut(number - excess)
        return run.evidence.claim.final_state if rounds_asked(run) == number else ()

    def view(key: ViewKey) -> Board:
        return tuple(
            arena.play(comparison.spec(manager, recording=Recording(trace=True, kept_view=key))).evidence.kept_view.splitlines()
        )

    return ObservedRun(
        name=manager.label,
        record=record,
        replay=replay,
        board_after=replay.rows_after if replay is not None and recorded else board_after,
        view=view,
        log=lines if len(lines) == rounds else (),
        deterministic=deterministic,
        recorded=recorded,
    )


def rounds_asked(record: MatchRecord) -> int:
    """In how many rounds a match's tanks were asked; what the manager claims if nobody was."""
    return max((len(requests) for _, _, requests in record.evidence.requests), default=record.outcome.rounds)


def plain_words(entry: str) -> str:
    """What a log says of a tank, however it is spelled: ``Get Battle Info`` and ``GetBattleInfo`` are the same."""
    return re.sub(r"[\W_]+", "", entry).casefold()
