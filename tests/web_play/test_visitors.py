"""Visitors of a tournament's site against its teams."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.web_play.conftest import asked
from typer.testing import CliRunner

from tiltyard_engine.errors import UserError
from tiltyard_kit_commands.play_group import app
from tiltyard_site.live.live_site import LiveSite
from tiltyard_tournaments.cli.tournament_options import TournamentOptions
from tiltyard_tournaments.running.tournament import Disqualification, Tournament
from tiltyard_tournaments.tournament_file.resolution import load_tournament
from tiltyard_web_play.lobby import Lobby
from tiltyard_web_play.venue import PERSON, TournamentVenue
from tiltyard_web_play.visitors import open_tables


@pytest.fixture
def tournament(tmp_path: Path) -> Tournament:
    (tmp_path / "cup.yaml").write_text("game: tanks\nteams: [acorn, bramble]\nmaps: [back-yard, narrow-pass]\n")
    return load_tournament(tmp_path / "cup.yaml").tournament


def test_teams_play_a_visitor_as_they_are_held_in_their_own_games(tournament: Tournament, lobbies: list[Lobby]) -> None:
    venue = TournamentVenue(tournament)
    assert venue.opponents == tournament.names
    assert venue.maps == tuple(each.name for each in tournament.maps)
    lobby = Lobby(venue)
    lobbies.append(lobby)
    table = lobby.find(lobby.open("192.0.2.1", (tournament.names[0], PERSON), 2, venue.maps[1]))
    question = asked(table, 1)
    assert question.units
    table.give(1, ["do nothing"] * len(question.units))
    asked(table, 2)
    table.resign(2)
    table.join(60)
    result = table.look()[3]
    assert result is not None
    assert result.winner == 1


def test_who_was_disqualified_is_no_opponent(tournament: Tournament) -> None:
    out = Disqualification(tournament.teams[0], "copied")
    venue = TournamentVenue(replace(tournament, disqualified=(out,)))
    assert tournament.names[0] not in venue.opponents
    with pytest.raises(UserError, match="doesn't play here"):
        venue.check((tournament.names[0], PERSON), venue.maps[0])


def test_the_site_leads_to_the_tables_and_only_where_they_are_open(tournament: Tournament, tmp_path: Path) -> None:
    options = TournamentOptions(tmp_path / "cup.yaml")
    for play, expected in (("", False), ("/play/", True)):
        site = LiveSite(lambda: tournament, play=play)
        for page in ("index.html", f"team-{tournament.names[0]}.html"):
            content = site.file(page)
            assert content is not None
            assert (b'href="/play/' in content) == expected
    with open_tables(options, tournament) as routes:
        assert {route.path.split("/")[2] for route in routes} >= {"tables", "try"}  # type: ignore[attr-defined]
    hidden = replace(tournament, publication=replace(tournament.publication, hide=frozenset({"replays"})))
    with open_tables(options, hidden) as routes:
        assert "try" not in {route.path.split("/")[2] for route in routes}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["tanks", "--web", "--against", "nobody"], "no algorithm is called 'nobody'"),
        (["tanks", "--web", "--seat", "3"], "--seat 3: there are 2 players"),
        (["tanks", "--web", "--against", "me"], "--web has one person and no file"),
        (["tanks", "--web", "--map", "missing.txt"], "missing.txt"),
    ],
)
def test_a_wrong_command_is_refused_before_anything_is_served(words: list[str], message: str) -> None:
    result = CliRunner().invoke(app, words)
    assert isinstance(result.exception, UserError)
    assert message in str(result.exception)
