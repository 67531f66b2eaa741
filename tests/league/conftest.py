from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra 'league' is not installed")

from starlette.applications import Starlette
from tests.league.made_league import BAY, CLUMSY, CRASHING, Visitor, enter, make_league, play, sign_in

from tiltyard_league.league_file.loading import League
from tiltyard_league.web.app import make_app


@dataclass(frozen=True)
class Course:
    """A league with games, and everybody who may look at it."""

    league: League
    app: Starlette
    red: Visitor
    blue: Visitor
    staff: Visitor
    stranger: Visitor
    games: int

    @property
    def folder(self) -> Path:
        return self.league.settings.folder


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Red plays well, Blue's code fails in every game, Dot has handed in nothing; all have met on all maps.

    Tests only look at it.
    """
    folder = tmp_path_factory.mktemp("league") / "course"
    league = make_league(folder)
    enter(league, "Red", "coyote")
    enter(league, "Blue", CRASHING)
    return _course(league)


@pytest.fixture(scope="session")
def bay(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A league of Penguins with four seats, in which Blue's code fails in every game. Tests only look at it."""
    league = make_league(tmp_path_factory.mktemp("bay") / "course", file=BAY)
    enter(league, "Red", "penguins-greedy")
    enter(league, "Blue", CLUMSY)
    return _course(league)


def _course(league: League) -> Course:
    games, folder = play(league), league.settings.folder
    app = make_app(league.settings)
    red, blue, staff = (sign_in(app, folder, team) for team in ("Red", "Blue", None))
    return Course(league, app, red, blue, staff, Visitor(app), games)
