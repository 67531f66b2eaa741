"""A match and a replay as a program gets them: small where they are printed, and played where a notebook shows them."""

from __future__ import annotations

from tiltyard_engine import match_record
from tiltyard_engine.data_classes import dataclass, field, fields
from tiltyard_engine.match_record import MatchRecord, Outcome, outcome_values
from tiltyard_engine.replay import Replay, Theme
from tiltyard_simulator.replays.files import record_replay
from tiltyard_tournaments.library.rows import Rows, seat_rows
from tiltyard_tournaments.publishers.pages import pages
from tiltyard_tournaments.standings.scoring import Scoring


@dataclass(slots=True, kw_only=True, repr=False)
class ShownReplay(Replay):
    """A replay that knows how its game looks."""

    theme: Theme | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        """Which match it is of, and how long that was."""
        size = f", {self.width} x {self.height} squares" if self.width else ""
        rounds = f"{len(self.frames)} round{'' if len(self.frames) == 1 else 's'}"
        return f"<replay of {' - '.join(self.seats)} on {self.title}: {rounds}{size}>"

    def _repr_html_(self) -> str:
        return pages().replay_html(self, self.theme)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PlayedMatch(match_record.PlayedMatch):
    """A match that was played, with its replay if that was kept, as a notebook shows it."""

    replay: ShownReplay | None = None

    def __repr__(self) -> str:
        """Who played where, and how it ended."""
        return f"<{' - '.join(self.teams)} on {self.map}: {self.message or 'no result'}>"

    def rows(self) -> Rows:
        """One row per seat, as ``Cup.seats`` has them."""
        return Rows(seat_rows(self, Scoring()), f"{' - '.join(self.teams)} on {self.map}")

    def _repr_html_(self) -> str:
        return pages().match_html(self, self.replay, None if self.replay is None else self.replay.theme)


def shown_replay(replay: Replay, theme: Theme | None) -> ShownReplay:
    """The replay with the theme of its game."""
    return ShownReplay(**{each.name: getattr(replay, each.name) for each in fields(Replay)}, theme=theme)


def played_match(record: MatchRecord, theme: Theme | None) -> PlayedMatch:
    """The match with what shows it."""
    replay = record_replay(record)
    match = match_record.played_match(record, None)
    values = {each.name: getattr(match, each.name) for each in fields(match)}
    return PlayedMatch(**values | {"replay": None if replay is None else shown_replay(replay, theme)})


def ended_match(outcome: Outcome) -> PlayedMatch:
    """A match of a run, of which the store has the rest."""
    return PlayedMatch(**outcome_values(outcome), accounts=outcome.accounts)
