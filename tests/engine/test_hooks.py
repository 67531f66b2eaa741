"""Every hook collects its records, has its place on the reference page, and has a test here."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from tests.docs.pages import ROOT, Block, blocks, page, section
from tests.engine.making import install, load_text, project, reasons, write

from tiltyard_engine.errors import UserError
from tiltyard_engine.formats import Field, FixtureResult, Format
from tiltyard_engine.hooks import Hooks
from tiltyard_engine.lifecycle import (
    BatchStarted,
    MatchFault,
    MatchStarted,
    Notice,
    Observer,
    Publisher,
    Table,
    TournamentFinished,
    TournamentObserver,
    TournamentResults,
    TournamentStarted,
    tell,
)
from tiltyard_engine.match import Match
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.programs import Program
from tiltyard_engine.recipes import Recipe
from tiltyard_engine.records import Game, Manager, MapFile, TankTeam, TurnTeam
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.commands import contributed_commands
from tiltyard_engine.registry.loading import Plugin
from tiltyard_engine.results import Fault, Termination
from tiltyard_engine.seat_kinds.inline import InlineTurnSeat
from tiltyard_engine.turns import TurnAlgorithm

HOOKS = [name for name in vars(Hooks) if not name.startswith("_")]


def example(hook: str) -> Block:
    """The plugin that the reference page shows for a hook."""
    return next(block for block in blocks(section(page("hooks.md"), hook)) if block.title)


def loaded(hook: str, tmp_path: Path) -> Plugin:
    """That plugin, loaded from a file."""
    block = example(hook)
    plugin = load_text(tmp_path, block.text, block.title)
    assert reasons(plugin) == []
    return plugin


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_documented_with_its_exact_signature(hook: str) -> None:
    signature = str(inspect.signature(getattr(Hooks, hook))).replace("'", "").replace("(self)", "()")
    assert blocks(section(page("hooks.md"), hook))[0].text == f"def {hook}{signature}\n"


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_has_a_test_and_a_docstring(hook: str) -> None:
    assert f"test_hook_{hook}" in globals()
    assert getattr(Hooks, hook).__doc__


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_without_a_plugin_has_nothing_to_say(hook: str) -> None:
    assert getattr(Hooks(), hook)() == ()


class Guesser(TurnAlgorithm[str, int]):
    """Guesses the number of its seat."""

    def __init__(self, seat: int) -> None:
        self.seat = seat

    def choose(self, position: str) -> int:
        """Answer one turn."""
        return self.seat


def whole_game(tmp_path: Path) -> Plugin:
    """The game with its GameManager that the page of hooks leads to."""
    text = (ROOT / "docs" / "api" / "games.md").read_text(encoding="utf-8")
    plugin = load_text(tmp_path, blocks(section(text, "A whole game"))[0].text, "guess.py")
    assert reasons(plugin) == []
    return plugin


class Echo:
    """A program that says what it was told."""

    expected = ""

    def write(self, data: bytes) -> None:
        self.line = data.strip()

    def read_line(self, most: int) -> bytes:
        return self.line[:most]


def test_hook_games(tmp_path: Path) -> None:
    """The adapter of the page speaks to a program."""
    (game,) = loaded("games", tmp_path).records
    assert isinstance(game, Game)
    assert game.maps.read("three", b"3", 2) == 3
    assert game.programs is not None
    assert game.programs.adapter(cast("Program", Echo()), 1).choose(41) == 41


def test_hook_game_managers(tmp_path: Path) -> None:
    """The whole game that the page leads to is played."""
    records = whole_game(tmp_path).records
    game = next(each for each in records if isinstance(each, Game))
    manager = next(each for each in records if isinstance(each, Manager))
    shipped = next(each for each in records if isinstance(each, MapFile))
    team = TurnTeam("guesser", "guess", Guesser)
    seats = [InlineTurnSeat[str, int](index, team, int) for index in (1, 2)]
    board = game.maps.read(shipped.name, shipped.data, 2)
    result = manager.create().run(Match(map=board, map_name=shipped.name, seats=seats))
    assert (result.winner, result.rounds, result.scores) == (2, 1, (-6, -5))


def test_hook_algorithms(tmp_path: Path) -> None:
    (team,) = loaded("algorithms", tmp_path).records
    assert isinstance(team, TankTeam)
    assert (team.name, team.game) == ("spinner", "tanks")


def test_hook_maps(tmp_path: Path) -> None:
    """The object of the page is a plugin by its entry point."""
    block = example("maps")
    package = f"shelves_{tmp_path.name}"
    write(tmp_path / package / "__init__.py", "")
    write(tmp_path / package / Path(block.title).name, block.text)
    registry = Registry.from_paths([project(tmp_path, "thunder-team", {"thunder-maps": f"{package}.shelf:plugin"})])
    assert [(row.name, row.status) for row in registry.rows] == [("wall-3", "ok"), ("wall-4", "ok"), ("wall-5", "ok")]


def test_hook_formats(tmp_path: Path) -> None:
    """The tournament of the page is played, seat 2 winning every match."""
    (record,) = loaded("formats", tmp_path).records
    assert isinstance(record, Format)
    field = Field(teams=("acorn", "bramble", "coyote"), maps=("duel", "gates"))
    tournament = record.create(field, record.options(matches=4))
    played: list[FixtureResult] = []
    while batch := tournament.next_batch(played):
        played += [FixtureResult(fixture=fixture, winner=2, ranks=(2, 1), points=(0.0, 3.0)) for fixture in batch]
    found = [(result.fixture.seats, result.fixture.map, result.fixture.game) for result in played]
    assert found == [((0, 1), 0, 0), ((1, 2), 1, 1), ((2, 0), 0, 2), ((0, 1), 1, 3)]
    assert tournament.placings(played) == [[1], [2, 0]]
    with pytest.raises(UserError, match="hill: is for matches of 2 players"):
        record.create(Field(teams=("a", "b", "c"), maps=("duel",), seats=3), record.options())


def test_hook_observers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The observer of the page hears that ann wins three matches, in either seat."""
    (record,) = loaded("observers", tmp_path).records
    assert isinstance(record, Observer)
    observer = record.create(record.options())
    for place, (teams, winner) in enumerate([(("ann", "bob"), 1), (("bob", "ann"), 2), (("ann", "bob"), 1)]):
        ranks = (1, 2) if winner == 1 else (2, 1)
        tell(observer, Outcome(place=place, key=f"{place:04}", teams=teams, map="duel", winner=winner, ranks=ranks))
    assert capsys.readouterr().err == "ann has won 3 in a row\n"


def test_hook_publishers(tmp_path: Path) -> None:
    """The publisher of the page writes its file."""
    (record,) = loaded("publishers", tmp_path).records
    assert isinstance(record, Publisher)
    teams = ("ann", "bob", "cat", "dan")
    table = Table("Standings", ("algorithm",), (("ann",),))
    results = TournamentResults(
        title="Cup",
        game="nim",
        teams=teams,
        matches=(),
        missing=0,
        folder=tmp_path,
        tables=("standings",),
        table=lambda name: table,
        replay=lambda key: None,
        output=lambda key: (),
    )
    assert record.publish(results, record.options()) == [tmp_path / "podium.txt"]
    assert (tmp_path / "podium.txt").read_text() == "Cup\n1. ann\n2. bob\n3. cat\n"


def test_hook_recipes(tmp_path: Path) -> None:
    """The recipe of the page names its tools, and whose wishes come first."""
    (record,) = loaded("recipes", tmp_path).records
    assert isinstance(record, Recipe)
    assert (record.name, record.game, record.wants) == ("thunder-c", "thunder", ("*.c",))
    assert list(record.tools()) == ["make", "gcc", "gcc"]
    assert [way.title for way in record.parts[0].ways] == ["its Makefile", "its .c files"]


def test_every_event_has_a_method_of_its_own() -> None:
    heard: list[str] = []

    class Listening(TournamentObserver):
        def __getattribute__(self, name: str) -> Callable[[object], None]:
            return lambda event: heard.append(name)

    for event in (
        TournamentStarted(title="Cup", teams=(), stored=0, expected=None),
        BatchStarted(1, 1, 0),
        MatchStarted(place=0, key="k", teams=(), map="m"),
        MatchFault(place=0, key="k", teams=(), map="m", who="ann", fault=Fault(1, Termination.CRASH, "it broke")),
        Outcome(place=0, key="k", teams=(), map="m", winner=1, ranks=(1, 2)),
        Notice("a machine is lost"),
        TournamentFinished(1, True, 0.5),
    ):
        tell(Listening(), event)
        tell(TournamentObserver(), event)
    methods = [name for name in vars(TournamentObserver) if not name.startswith("_")]
    assert sorted(heard) == sorted(methods)


def test_hook_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    block = example("commands")
    write(tmp_path / block.title, block.text)
    install(tmp_path, "thunder-team", "1.0", {"thunder": Path(block.title).stem}, group="tiltyard.commands")
    monkeypatch.setenv("TILTYARD_TRUST", "thunder-team")
    (command,) = [command for command in contributed_commands() if command.name == "thunder"]
    assert command.target == "thunder.explain:app"
