"""Which of two is better: the state of the test, what it says and how it is drawn."""

from __future__ import annotations

from math import inf
from pathlib import Path

import pytest
from tests.conftest import DUEL, map_text
from tests.tournaments.library.duel import DUEL_MAP, Shooter, Still

import tiltyard_tournaments as tiltyard
from tiltyard_engine import MapFile
from tiltyard_engine.formats import Fixture, FixtureResult
from tiltyard_engine.match_record import Outcome
from tiltyard_tournaments.library.comparison import Comparison, EloDifference, _elo


@pytest.fixture(scope="module")
def settled() -> Comparison:
    maps = [MapFile(f"duel-{steps}", "tanks", map_text(DUEL, steps, 5).encode()) for steps in range(20, 32)]
    return tiltyard.compare(("v2", Shooter), ("v1", Still), maps, elo=400)


def test_the_state_of_the_test(settled: Comparison) -> None:
    assert settled.names == ("v2", "v1")
    assert (settled.result, settled.better, settled.verdict) == ("better", "v2", "v2 is better than v1")
    lower, upper = settled.bounds
    assert settled.llr[0] >= upper
    assert settled.llr[1] <= lower
    assert settled.counts == (24, 0, 0)
    assert settled.games == 24
    assert settled.elo.value == settled.elo.high == inf
    assert settled.elo.low > 200
    rows = settled.rows()
    assert [row["games"] for row in rows] == list(range(2, 25, 2))
    assert (rows[-1]["llr_1"], rows[-1]["llr_2"]) == settled.llr


def test_how_it_shows_itself(settled: Comparison) -> None:
    assert repr(settled).startswith("<v2 is better than v1; +\u221e Elo (95 %: +")
    assert repr(settled).endswith(" lost>")
    lines = str(settled).splitlines()
    assert lines[0] == "v2 is better than v1"
    assert [line.split()[0] for line in lines[3:5]] == ["v2", "v1"]
    places = [line.index("o", line.index("|")) - line.index("|") for line in lines[3:5]]
    assert places == [41, 1], "beyond the upper bound, and beyond the lower one"
    html = settled._repr_html_()
    assert "v2 is better than v1" in html
    assert html.count("<polyline") == 2


def test_what_is_not_settled_goes_on(tmp_path: Path) -> None:
    begun = tiltyard.compare("acorn", "bramble", [DUEL_MAP], budget=2, output=tmp_path / "out", run=False)
    assert (begun.result, begun.games, begun.elo) == ("undecided", 0, EloDifference(0.0, -inf, inf))
    assert repr(begun) == "<not settled yet: acorn against bramble; no games>"
    assert "no games" in begun._repr_html_()

    def stop(event: object) -> None:
        if isinstance(event, Outcome):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        begun.run(progress=stop)
    assert begun.games == 1
    assert begun.run().games == 2
    assert begun.result == "undecided"


def test_more_maps_are_generated_where_games_repeat() -> None:
    """Two that never do anything tie on every map: only their number can show that they are equal."""
    twins = tiltyard.compare(("one", Still), ("other", Still), elo=200, batch=1, budget=400)
    assert twins.result == "equal"
    assert twins.verdict == "one and other differ by less than 200 Elo"
    assert twins.elo.value == 0


@pytest.mark.parametrize(
    ("scores", "value", "low", "high"),
    [
        ([(1, 1)] * 10, inf, 287, inf),
        ([(0, 0)] * 10, -inf, -inf, -287),
        ([(1, 0)] * 10, 0, -148, 148),
        # Pairs of 1, 1 and 1, 0: the share is 0.75 with a standard error of 0.25 / sqrt(9).
        ([(1, 1), (1, 0)] * 5, 191, 61, 409),
    ],
)
def test_the_difference_and_its_interval(scores: list[tuple[int, int]], value: float, low: float, high: float) -> None:
    results = []
    for game, (first, second) in enumerate(scores):
        for seats, won in (((0, 1), first), ((1, 0), second)):
            winner = seats.index(0) + 1 if won else seats.index(1) + 1
            fixture = Fixture(seats, 0, game)
            results.append(
                FixtureResult(fixture=fixture, winner=winner, ranks=(1, 2), points=(0.0, 0.0), counts=True, digest=f"{game}")
            )
    found = _elo(results)
    assert [each if abs(each) == inf else round(each) for each in (found.value, found.low, found.high)] == [value, low, high]


def test_what_cannot_be_compared() -> None:
    with pytest.raises(tiltyard.UserError, match="both teams are 'acorn'; a comparison needs two"):
        tiltyard.compare("acorn", "acorn")
    with pytest.raises(tiltyard.UserError, match=r"^compare\(\): budget is 1, expected at least 2"):
        tiltyard.compare("acorn", "bramble", budget=1)
    with pytest.raises(tiltyard.UserError, match=r"^compare\(\):1: batch: expected at least 1, got 0\n") as raised:
        tiltyard.compare("acorn", "bramble", batch=0)
    # What a notebook shows in place of a traceback.
    assert raised.value._render_traceback_()[0] == "TournamentFileError: compare():1: batch: expected at least 1, got 0"
    few = r"^compare\(\):1: budget: 2 games are fewer than the 4 of the first batch, .*; give a larger budget or fewer maps\n"
    with pytest.raises(tiltyard.UserError, match=few):
        tiltyard.compare("acorn", "bramble", ["back-yard", "narrow-pass"], budget=2)
    with pytest.raises(tiltyard.TournamentFileError, match="elo: expected at least"):
        tiltyard.compare("acorn", "bramble", elo=-3)
    with pytest.raises(tiltyard.TournamentFileError, match="did you mean bramble"):
        tiltyard.compare("acorn", "brambel")


@pytest.mark.parametrize(("budget", "maps"), [(40, 20), (7, 3), (80, 40), (200, 40), (0, 40)])
def test_maps_that_nobody_asked_for_need_no_larger_budget(budget: int, maps: int, tmp_path: Path) -> None:
    compared = tiltyard.compare("acorn", "bramble", budget=budget, output=tmp_path / "out", run=False)
    assert len(compared.cup.maps) == maps
