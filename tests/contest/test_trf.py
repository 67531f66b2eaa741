"""The columns are those of FIDE Handbook C.04, annex 2 (TRF16), counted from 1."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.tournaments.running.made_runs import Heard, ShuffledExecutor, ended, tournament_of

from tiltyard_contest.trf import WORTH, trf_text
from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Registry
from tiltyard_engine.results import PairingEnding
from tiltyard_tournaments.running.run import run_tournament
from tiltyard_tournaments.running.schedule import Schedule
from tiltyard_tournaments.running.standing_rounds import with_rounds
from tiltyard_tournaments.running.tournament import TeamAbsence
from tiltyard_tournaments.store import Store


def columns(line: str, first: int, last: int) -> str:
    return line[first - 1 : last].strip()


def test_a_swiss_as_fide_has_it(registry: Registry, tmp_path: Path) -> None:
    cup = tournament_of(registry, "swiss", 6, options={"rounds": 3, "seats": "balanced"})
    absences = (
        TeamAbsence(cup.teams[5], 1, 1, PairingEnding.LATE),
        TeamAbsence(cup.teams[4], 2, 2, PairingEnding.HALF_POINT_BYE),
        TeamAbsence(cup.teams[0], 3),
    )
    cup = with_rounds(replace(cup, absences=absences))
    with Store(tmp_path) as store:
        schedule = run_tournament(
            cup, store, ShuffledExecutor(lambda spec: ended(spec.input.names.index(min(spec.input.names)) + 1)), Heard()
        )
    text = trf_text(cup, schedule)
    lines = [line for line in text.splitlines() if line.startswith("001")]
    assert text.splitlines()[0] == "012 Cup"
    assert text.splitlines()[-1] == "XXR 3"
    assert [(columns(line, 5, 8), columns(line, 15, 47)) for line in lines] == [
        (str(number), name) for number, name in enumerate(cup.names, start=1)
    ]
    rounds = [
        [(columns(line, at, at + 3), columns(line, at + 5, at + 5), columns(line, at + 7, at + 7)) for at in (92, 102, 112)]
        for line in lines
    ]
    for number, own in enumerate(rounds, start=1):
        assert float(columns(lines[number - 1], 81, 84)) == sum(WORTH.get(code, 0.0) for _, _, code in own)
        for place, (opponent, colour, code) in enumerate(own):
            if opponent != "0000":
                other, theirs, their_code = rounds[int(opponent) - 1][place]
                assert (other, {colour, theirs}, code + their_code) in [
                    (str(number), {"w", "b"}, both) for both in ("10", "01", "==")
                ]
    assert rounds[5][0] == ("0000", "-", "Z")
    assert rounds[4][1] == ("0000", "-", "H")
    assert rounds[0][2] == ("0000", "-", "Z")
    assert sum(own[place][2] == "U" for own in rounds for place in range(3)) == 3, "five teams are there in each round"
    assert sorted(columns(line, 86, 89) for line in lines)[0] == "1"


def test_only_a_swiss_has_one(registry: Registry) -> None:
    cup = tournament_of(registry)
    with pytest.raises(UserError, match="the format is round-robin"):
        trf_text(cup, Schedule(tournament=cup))
