"""The commented tournament file that somebody starts from, for any game and any number of teams."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from math import comb
from typing import Any, Final

import yaml

from tiltyard_engine.formats import Fixture
from tiltyard_engine.records import Game, TurnInterface, players_in_words, usual_players
from tiltyard_engine.rules import Rules
from tiltyard_engine.rules.derived import PARTNERS
from tiltyard_engine.texts.quantities import counted
from tiltyard_simulator.play.executor import available_cores
from tiltyard_tournaments.running.run import seconds_a_game
from tiltyard_tournaments.running.spec_maker import SpecMaker
from tiltyard_tournaments.running.tournament import Tournament

FEW_GAMES: Final = 20
"""So many are proposed untried: they take minutes at most, as a game of a class takes up to ten seconds."""
MOST_SECONDS: Final = 600.0
"""Of a tournament that ends in minutes."""
_TEAMS: Final = "teams:\n  - all installed\n"
FEW_MAPS: Final = 3
SWISS: Final = "swiss"
SHORT_SWISS: Final = "{name: swiss, seats: balanced}"
TRIALS: Final = 5
"""Games that are played for the estimate."""
_GENERATED: Final = "  # - generate: {count: 5, seed: 7, rows: 15, cols: 25}\n"
_MAPS: Final = "maps:\n  - all installed\n"
_FORMAT: Final = "format: round-robin\n"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A format and maps."""

    format: str
    """As the file has it, on one line."""
    maps: tuple[str, ...]
    games: int
    seconds: float = 0.0
    """How long it takes on this machine."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What is proposed, and what would be played without a choice."""

    proposal: Proposal
    everything: Proposal
    """Everybody against everybody on every map."""
    teams: int


def proposals(teams: int, players: int, maps: Sequence[str], few: Sequence[str]) -> list[Proposal]:
    """What so many teams could play, from the most games to the fewest.

    Args:
        teams: how many there are.
        players: in each match.
        maps: all there are.
        few: the quickest of them.
    """
    everybody = games_of_all(teams, players)
    rounds = (teams - 1).bit_length()
    full = [Proposal("round-robin", tuple(names), everybody * len(names)) for names in (maps, few)]
    if players > 2:
        return [*full, Proposal(f"{{name: pools, rounds: {rounds}, maps: rotate}}", tuple(few), rounds * teams)]
    meetings = rounds * (teams // 2)
    return [*full, *(Proposal(text, tuple(few), games) for text, games in ((SWISS, 2 * meetings), (SHORT_SWISS, meetings)))]


def games_of_everybody(tournament: Tournament) -> int:
    """How many games there are if all teams meet each other on all maps."""
    return games_of_all(len(tournament.teams), tournament.field.seats) * len(tournament.maps)


def games_of_all(teams: int, players: int) -> int:
    """How many games there are on a map, if all teams meet each other in all orders of seats that a round robin has."""
    return players * comb(teams, players)


def choose_for_many(tournament: Tournament) -> Choice | None:
    """What to propose, after a few trial games; None: there are few games, and all teams can meet on all maps.

    Raises:
        UserError: the trial games can't be played, or all fail by the GameManager's fault.
    """
    if games_of_everybody(tournament) <= FEW_GAMES:
        return None
    teams = len(tournament.teams)
    names = [source.name for source in tournament.maps]
    quickest = sorted(range(len(names)), key=lambda number: (len(tournament.maps[number].data), names[number]))[:FEW_MAPS]
    everything, *fewer = proposals(teams, tournament.field.seats, names, [names[number] for number in quickest])
    workers = tournament.workers or available_cores()
    seconds = _seconds(tournament, quickest) / workers
    timed = [_timed(each, seconds) for each in fewer]
    everything = _timed(everything, seconds)
    if everything.seconds <= MOST_SECONDS and len(names) > len(quickest):
        # The other maps are larger, so they may take much longer.
        everything = _timed(everything, _seconds(tournament, range(len(names))) / workers)
    proposal = next((each for each in (everything, *timed) if each.seconds <= MOST_SECONDS), timed[-1])
    return Choice(proposal, everything, teams)


def _timed(proposal: Proposal, seconds: float) -> Proposal:
    return Proposal(proposal.format, proposal.maps, proposal.games, proposal.games * seconds)


def _seconds(tournament: Tournament, maps: Sequence[int]) -> float:
    """The wall time of a game on some of the maps, of teams from the whole field."""
    teams, players = len(tournament.teams), tournament.field.seats
    first = [number * teams // TRIALS for number in range(TRIALS)]
    fixtures = [
        Fixture(tuple((start + seat) % teams for seat in range(players)), maps[number * len(maps) // TRIALS])
        for number, start in enumerate(first)
    ]
    return seconds_a_game(SpecMaker(tournament), fixtures, TRIALS)


def in_words(proposal: Proposal) -> str:
    """Such as ``swiss on 3 maps, 150 games, about 2 minutes``."""
    maps = counted(len(proposal.maps), "map")
    name = proposal.format.strip("{}").removeprefix("name: ")
    return f"{name} on {maps}, {proposal.games:,} games, {_time(proposal.seconds)}"


def _time(seconds: float) -> str:
    for size, word in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= 1.5 * size:
            return f"about {round(seconds / size):,} {word}s"
    return f"about {round(seconds, -1):.0f} seconds" if seconds >= 15 else "a few seconds"


def tournament_template(
    title: str,
    game: Game[Any],
    teams: Sequence[str] = (),
    trust: Sequence[str] = (),
    *,
    partners: int = 0,
    choice: Choice | None = None,
) -> str:
    """A tournament file that can be run as it is, where there are enough teams. Its commented lines show the other keys.

    Args:
        title: the tournament's.
        game: what is played.
        teams: as in the file; empty means all that are installed.
        trust: whose code may run in tiltyard's own process, as in the file.
        partners: how many sparring partners play, because too few teams are installed for a match.
        choice: the maps and the format; None: everybody against everybody on all installed maps.
    """
    text = files("tiltyard_kit_commands").joinpath("template.yaml").read_text(encoding="utf-8")
    if teams:
        text = text.replace(_TEAMS, f"teams:\n{_items(teams)}")
    elif isinstance(game.rules, Rules) and isinstance(game.interface, TurnInterface):
        able = [name for name in PARTNERS if name == "random" or game.rules.can_look_ahead]
        lines = [f"  {'- ' if number < partners else '# - '}{name}\n" for number, name in enumerate(able)]
        text = text.replace(_TEAMS, "".join((_TEAMS, *lines)))
    trusted = f"trust: [{', '.join(map(_quoted, trust))}]\n" if trust else ""
    players = f"{f'players: {usual_players(game)}':26} # in each match; {game.name} is for {players_in_words(game)}\n"
    fair = shlex.join(["tiltyard", "check-game", game.name, "--fair", *(word for each in trust for word in ("--trust", each))])
    text = text.replace("tiltyard check-game GAME --fair", fair)
    if usual_players(game) > 2:
        points = ", ".join(map(str, range(usual_players(game) - 1, -1, -1)))
        text = text.replace("# scoring: {win: 3, draw: 1, loss: 0}\n", f"# scoring: {{places: [{points}]}}   # points by place\n")
    if game.maps.generate is None:
        text = text.replace("files, folders, patterns, or generated maps.", "files, folders or patterns.").replace(_GENERATED, "")
    text = text.replace("game: GAME\n", f"game: {_plain(game.name)}\n{trusted}{players}")
    if choice is not None and choice.proposal != choice.everything:
        proposal, everything = choice.proposal, choice.everything
        why = (
            f"# Proposed for {choice.teams} teams: {in_words(proposal)}.\n"
            f"# All teams against each other on all maps: {in_words(everything)}.\n"
        )
        if len(proposal.maps) < len(everything.maps):
            text = text.replace(_MAPS, f"maps:\n{_items(proposal.maps)}  # - all installed        # all {len(everything.maps)}\n")
        text = text.replace(_FORMAT, f"{why}format: {proposal.format}\n")
    return text.replace("title: Tournament\n", f"title: {_quoted(title)}\n")


def _items(names: Sequence[str]) -> str:
    return "".join(f"  - {_quoted(name)}\n" for name in names)


def _plain(name: str) -> str:
    """A name as it is where YAML reads it as that."""
    try:
        is_plain = yaml.safe_load(f"game: {name}") == {"game": name}
    except yaml.YAMLError:
        is_plain = False
    return name if is_plain else _quoted(name)


def _quoted(text: str) -> str:
    """A text for YAML, whatever is in it."""
    return "'" + text.replace("'", "''") + "'"
