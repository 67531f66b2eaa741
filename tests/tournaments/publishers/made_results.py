"""Results that nobody played, with names that mean something to whatever reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.made_records import made_record

from tiltyard_engine.lifecycle import Publication, Table, TournamentResults
from tiltyard_engine.results import Fault, GameResult, Termination

EVIL = "<script>alert('x')</script>=1+1|\x1b[31m"
TABLES = {
    "standings": Table("Standings", ("place", "algorithm", "points"), ((1, "ann", 3), (2, EVIL, 0))),
    "ratings": Table("Ratings", ("algorithm", "rating"), (("ann", 50), (EVIL, -50))),
    "crosstable": Table("Crosstable", ("algorithm", "ann", EVIL), (("ann", "", 3), (EVIL, 0, ""))),
    "maps": Table("Points by map", ("map", "ann", EVIL), (("=field", 3, 0),)),
    "seats": Table("Seats", ("algorithm", "seat 1"), (("ann", 3),)),
    "faults": Table("Faults", ("algorithm", "crash"), (("ann", 0), (EVIL, 1))),
    "games": Table("Games", ("map", "player 1", "player 2"), (("=field", "ann", EVIL),)),
}


def made_results(output: Path, **publication: Any) -> TournamentResults:
    """Two teams, one match, which the second lost by a crash."""
    fault = Fault(2, Termination.CRASH, "it broke", 4)
    match = made_record(
        place=0,
        key="ab12",
        teams=("ann", EVIL),
        map="=field",
        winner=1,
        ranks=(1, 2),
        faults=(fault,),
        claim=GameResult(winner=1, reason="", rounds=4, final_state=(), message="ann won"),
    ).outcome
    return TournamentResults(
        title=f"The {EVIL} cup",
        game="tanks",
        teams=("ann", EVIL),
        matches=(match,),
        missing=3,
        folder=output,
        tables=tuple(TABLES),
        table=TABLES.__getitem__,
        replay=lambda key: None,
        output=lambda key: ("", "what it printed"),
        publication=Publication(**publication),
    )
