"""Matches as flat rows of plain values, for data frames: a row a match, or a row a seat."""

from __future__ import annotations

from typing import TypeAlias

from tiltyard_engine.lifecycle import MatchFinished
from tiltyard_tournaments.played import finished_match
from tiltyard_tournaments.standings.scoring import Scoring, finishes, points

Row: TypeAlias = dict[str, str | int | float | bool | None]


def match_row(match: MatchFinished) -> Row:
    """One match; ``winner`` is None for a tie and where there is no result, ``counts`` tells which."""
    row: Row = _where(match)
    row |= {f"player_{seat}": team for seat, team in enumerate(match.teams, start=1)}
    row |= {"winner": match.teams[match.winner - 1] if match.winner else None}
    row |= {f"rank_{seat}": rank for seat, rank in enumerate(match.ranks, start=1)}
    row |= {f"score_{seat}": score for seat, score in enumerate(match.scores, start=1)}
    return row | {
        "reason": match.reason,
        "message": match.message,
        "rounds": match.rounds,
        "faults": len(match.faults),
        "counts": match.counts,
        "seconds": match.seconds,
    }


def seat_rows(match: MatchFinished, scoring: Scoring) -> list[Row]:
    """A row for each seat of a match; ``result`` is win, tie, loss, or none where the match does not count."""
    played = finished_match(match)
    given = points(played, scoring)
    rows: list[Row] = []
    for seat, finish in enumerate(finishes(played), start=1):
        result = "win" if finish.place == 1 and finish.sharing == 1 else "tie" if finish.place == 1 else "loss"
        fault = next((fault for fault in match.faults if fault.seat == seat), None)
        rows.append(
            _where(match)
            | {
                "seat": seat,
                "team": match.teams[seat - 1],
                "opponents": ", ".join(team for other, team in enumerate(match.teams, start=1) if other != seat),
                "result": result if match.counts else "none",
                "rank": match.ranks[seat - 1],
                "points": float(given[seat - 1]),
                "score": match.scores[seat - 1] if match.scores else None,
                "fault": None if fault is None else fault.termination.value,
                "fault_message": None if fault is None else fault.message,
                "rounds": match.rounds,
                "held": match.held[seat - 1] if match.held else None,
            }
        )
    return rows


def _where(match: MatchFinished) -> Row:
    """Which match it is; numbers count from 1, as they do everywhere that people read them."""
    return {
        "number": match.place + 1,
        "key": match.key,
        "stage": match.stage,
        "map": match.map,
        "game": match.game + 1,
        "seed": match.seed,
    }
