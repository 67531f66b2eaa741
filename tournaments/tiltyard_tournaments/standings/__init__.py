"""What results mean: pure functions over sequences of ``PlayedMatch``, whatever their order.

``scoring`` says what a match gives, ``tally`` adds it up, ``tie_breaks`` and ``ranking`` order the teams, ``tables`` and
``team_results`` show it. A team without an opponent is a match with one team, which it wins.
"""

from tiltyard_simulator.tables import Table
from tiltyard_tournaments.standings.ranking import COURSE_RULES, Rules, Standing, rank
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
from tiltyard_tournaments.standings.tally import Meeting, Score, meetings, tally
from tiltyard_tournaments.standings.tie_breaks import TIE_BREAKS, TieBreak

__all__ = [
    "COURSE_RULES",
    "Meeting",
    "Rules",
    "Score",
    "Scoring",
    "Standing",
    "TIE_BREAKS",
    "Table",
    "TieBreak",
    "all_games",
    "by_map",
    "by_seat",
    "crosstable",
    "fault_kinds",
    "meetings",
    "points",
    "rank",
    "standings",
    "standings_table",
    "tally",
]
