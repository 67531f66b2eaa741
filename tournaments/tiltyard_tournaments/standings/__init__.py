"""What results mean: pure functions over sequences of ``Outcome``, whatever their order.

``scoring`` says what a match gives, ``tally`` adds it up, ``tie_breaks`` and ``ranking`` order the teams, ``tables`` shows
it. A team without an opponent is a match with one team, which it wins.
"""

from tiltyard_simulator.output.tables import Table
from tiltyard_tournaments.standings.ranking import ASSIGNMENT_RULES, DEFAULT_TIE_BREAKS, SWISS_TIE_BREAKS, Rules, Standing, rank
from tiltyard_tournaments.standings.scoring import Scoring, points
from tiltyard_tournaments.standings.tables import (
    all_games,
    by_map,
    by_seat,
    crosstable,
    fault_kinds,
    standings,
    standings_table,
)
from tiltyard_tournaments.standings.tally import Meeting, tally
from tiltyard_tournaments.standings.tie_breaks import TIE_BREAKS

__all__ = [
    "ASSIGNMENT_RULES",
    "DEFAULT_TIE_BREAKS",
    "SWISS_TIE_BREAKS",
    "Meeting",
    "Rules",
    "Scoring",
    "Standing",
    "TIE_BREAKS",
    "Table",
    "all_games",
    "by_map",
    "by_seat",
    "crosstable",
    "fault_kinds",
    "points",
    "rank",
    "standings",
    "standings_table",
    "tally",
]
