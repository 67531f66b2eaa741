"""From the words that people write to the plugins and maps that they mean.

Everything that looks names up does it here. A tournament file and a program with objects of its own are two front ends: they make
words that the Finder knows of what stands there, such as paths from the current folder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.data_classes import dataclass, field
from tiltyard_engine.errors import NotFoundError, UserError, some_of
from tiltyard_engine.errors.named_paths import or_near_path, refuse_address
from tiltyard_engine.host.interface import Submissions
from tiltyard_engine.records import Game, check_players
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.lookup import choose, split_given_name
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER, MAP
from tiltyard_engine.registry.sources import host_value
from tiltyard_engine.texts.names import normal
from tiltyard_engine.texts.sanitize import LONGEST_NAME, one_line
from tiltyard_simulator.match.map_reading import read_map
from tiltyard_simulator.match.spec import MapSource, MatchInput, MatchSpec
from tiltyard_simulator.registry.game_search import fitting_game, path_in
from tiltyard_simulator.registry.guarded_registry import describe_together
from tiltyard_simulator.registry.map_files import MapList, read_map_file
from tiltyard_simulator.registry.object_teams import ObjectTeam
from tiltyard_simulator.registry.plugin_list import EVERY, INSTALLED, PluginList, is_plain_folder, plugins_of, submissions_in
from tiltyard_simulator.teams.team_folder import LONGEST_REASON, label_of, read_team_folder
from tiltyard_simulator.teams.team_labels import path_of, with_unique_labels

SOURCES_GROUP: Final = "tiltyard.sources"
"""The entry-point group of what says how sources become a team."""


@dataclass(frozen=True, slots=True)
class Referee:
    """The game that is played and the GameManager that runs it."""

    game: Reference
    manager: Reference


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds what people name: installed plugins, files and folders, and the teams that a program gave as objects."""

    registry: Registry
    """The installed plugins. Those of files and folders are loaded as it loads them."""
    objects: Mapping[str, ObjectTeam] = field(default_factory=dict)
    """Teams that are objects, by the words that stand for them; no word is a name or a path too."""

    def plugin(self, text: str, kind: str, game: str | None = None) -> Reference:
        """The plugin that a word names; see ``tiltyard_engine.registry.lookup.choose``. An object needs to know its game.

        Raises:
            UserError: there is no such plugin, or it cannot be used; says why.
        """
        if text in self.objects and game is not None:
            return self.objects[text].reference(self.registry, self.registry.game(game))
        try:
            return choose(text, kind, self.registry, game)
        except UserError as error:
            hint = self._how_to_build(text, kind, game)
            raise UserError(f"{error}; {hint}", see=error.see) if hint else error from None

    def plugins(self, text: str, kind: str, game: str | None = None) -> PluginList:
        """All plugins of a kind in a folder, in the order of their files' names; all of a file; or all installed ones, by name.

        Raises:
            UserError: the file or folder is missing, or cannot be listed.
        """
        plugins = plugins_of(text, kind, self.registry, game)
        if not plugins.references and (hint := self._how_to_build(text, kind, game)):
            plugins.left_out.append(f"{text}: {hint}")
        return plugins

    def _how_to_build(self, text: str, kind: str, game: str | None) -> str:
        """How to make a team of what a file or folder holds; empty if that is not known."""
        path = path_in(split_given_name(text)[1]) if kind == ALGORITHM and game is not None else None
        how_to_build = None if path is None else host_value(SOURCES_GROUP)
        return "" if how_to_build is None else str(how_to_build(path, self.registry, game))

    def teams(self, text: str, game: str | None = None) -> PluginList:
        """The teams that a word stands for: all of a folder, ``installed``, all of a file as ``FILE:*``, or one.

        Of a folder that an intake has made it also tells who has none.

        Raises:
            UserError: there is no such team, the folder is missing or cannot be listed, or the intake's record in it is damaged.
        """
        if text in self.objects or not (text == INSTALLED or text.endswith(EVERY) or is_plain_folder(Path(text))):
            team = self.plugin(text, ALGORITHM, game)
            label = label_of(team)
            return PluginList([team], labels={team: label} if label else {})
        teams = self.plugins(text.removesuffix(EVERY), ALGORITHM, game)
        if text != INSTALLED and Path(text).is_dir():
            _name_by_record(teams, text)
        return teams

    def submissions(self, folder: Path, game: str) -> Submissions:
        """The players of a game that a folder holds, programs and plugins.

        Raises:
            UserError: the folder cannot be listed.
        """
        return submissions_in(folder, game, self.registry)

    def game(self, name: str) -> Reference:
        """The game of that name.

        Raises:
            UserError: there is none.
        """
        return self.registry.find(GAME, name).reference

    def manager(self, game: str, text: str | None = None) -> Reference:
        """The GameManager that ``text`` names, or the game's default one: the one that the game names, or the only one that it has.

        Raises:
            UserError: there is no such GameManager; or the game has none, or several without naming a default.
        """
        if text:
            return self.plugin(text, MANAGER, game)
        record: Game[Any] = self.game(game).load_as(Game)
        if record.default_manager:
            return self.registry.find(MANAGER, record.default_manager, game).reference
        managers = [entry.reference for entry in self.registry.all(MANAGER, game)]
        if not managers:
            raise UserError(
                "; ".join(filter(None, [self.registry.failed_before(MANAGER), f"no GameManager for {game} is installed"]))
            )
        if len(managers) > 1:
            names = some_of([manager.name for manager in managers])
            raise UserError(f"{game} has several GameManagers and names none of them as its default: choose one of {names}")
        return managers[0]

    def referee(
        self,
        *,
        game: str | None = None,
        manager: str | None = None,
        algorithms: Sequence[str] = (),
        maps: Sequence[str] = (),
    ) -> Referee:
        """Find the game and its GameManager by what was named: the game, a GameManager, algorithms or maps.

        Raises:
            UserError: something is missing, or it is not clear which game is meant.
        """
        objects = [self.objects[text] for text in algorithms if text in self.objects]
        texts = [text for text in algorithms if text not in self.objects]
        if game is None and manager is None:
            # If they name several games, the others are told so when they are looked for in this one.
            game = next((team.game for team in objects if team.game), None)
        self._look_together(texts)
        if game is not None:
            self.game(game)
        elif manager is None:
            game = fitting_game(self.registry, texts, maps)
        if manager and game is None and self._is_unknown(manager):
            # Names of other games' GameManagers would help nobody.
            with suppress(UserError):
                game = fitting_game(self.registry, texts, maps)
        reference = self.plugin(manager, MANAGER, game) if manager else self.manager(game or "")
        return Referee(self.game(reference.game), reference)

    def _is_unknown(self, manager: str) -> bool:
        try:
            self.plugin(manager, MANAGER)
        except UserError as error:
            return isinstance(error, NotFoundError)
        return False

    def _look_together(self, texts: Sequence[str]) -> None:
        """Let the registry describe the files and folders among words at once: one by one, each would need a process of its own.

        Whatever is wrong with them is said when they are looked for.
        """
        names = {entry.name for entry in self.registry.all(ALGORITHM)}
        paths = [path for text in texts if text not in names and (path := path_in(split_given_name(text)[1])) is not None]
        if len(paths) > 1:
            describe_together(paths, self.registry)

    def map(self, text: str, game: str | None = None) -> MapSource:
        """A map by its file or by the name of a shipped map, of any game if none is named.

        Raises:
            UserError: there is neither.
        """
        for entry in self.registry.all(MAP, game):
            if entry.name == text:
                return MapSource(entry.name, entry.contribution.data)
        refuse_address(text)
        path = Path(text)
        if not path.exists() and "/" not in text and not path.suffix:
            with or_near_path(path):
                self.registry.find(MAP, text, game)
        return read_map_file(path)

    def maps(self, texts: Sequence[str], game: Game[Any], seats: int) -> MapList:
        """Maps by folders, files, names of shipped maps, or ``installed``. Each must be readable for that many seats.

        All files of a folder are read as maps, sorted by name. Those that are not maps are left out with a reason. ``installed``
        skips maps for another number of players.

        Raises:
            UserError: the game is not for so many, a path is missing, or a map that was named directly cannot be used.
        """
        check_players(game, seats)
        maps = MapList()
        for text in texts:
            if text == INSTALLED:
                for entry in self.registry.all(MAP, game.name):
                    source = MapSource(entry.name, entry.contribution.data)
                    if entry.contribution.seats == seats or (not entry.contribution.seats and maps.accept(source, game, seats)):
                        maps.maps.append(source)
            elif Path(text).is_dir():
                maps.add_folder(Path(text), game, seats)
            else:
                source = self.map(text, game.name)
                read_map(game, text, source.data, seats)
                maps.maps.append(source)
        return maps

    def match(self, algorithms: Sequence[str], game_map: str, manager: str | None = None, game: str | None = None) -> MatchSpec:
        """The match of algorithms, player 1 first, on a map; the game follows from these names where it isn't named.

        Raises:
            UserError: something named is missing or can't be used, or the game isn't for so many players.
        """
        referee = self.referee(game=game, manager=manager, algorithms=algorithms, maps=[game_map])
        record = referee.game.load_as(Game)
        check_players(record, len(algorithms), "name one algorithm for each player")
        source = self.map(game_map, record.name)
        read_map(record, game_map, source.data, len(algorithms))
        teams = [self.plugin(each, ALGORITHM, record.name) for each in algorithms]
        # A team may play against itself.
        labelled = dict(zip(dict.fromkeys(teams), with_unique_labels(list(dict.fromkeys(teams)))[0], strict=True))
        seats = tuple(labelled[team] for team in teams)
        return MatchSpec(MatchInput(game=referee.game, manager=referee.manager, map=source, teams=seats))


def _name_by_record(teams: PluginList, text: str) -> None:
    """Add whose the teams of a folder are, and who has none, as far as an intake's record in it says so."""
    folder = Path(text).resolve()
    record = read_team_folder(Path(text))
    # A disk of macOS gives names back in another form.
    labels = {normal(name): one_line(label, LONGEST_NAME) for name, label in record.labels.items()}
    of_files: dict[str, list[Reference]] = {}
    for team in teams.references:
        path = path_of(team.source)
        parts = path.relative_to(folder).parts if path.is_relative_to(folder) else ()
        # A folder that is one team's as a whole has no name in itself.
        name = normal(parts[0]) if parts else ""
        if name in labels:
            of_files.setdefault(name, []).append(team)
    for name, owned in of_files.items():
        for team in owned:
            teams.labels[team] = labels[name] if len(owned) == 1 else f"{labels[name]}: {team.name}"
    out = [(one_line(label, LONGEST_NAME), one_line(reason, LONGEST_REASON)) for label, reason in record.not_admitted]
    teams.refused = [*((labels.get(normal(name), name), reason) for name, reason in teams.refused), *out]
    teams.left_out += [f"{text}: {label}: {reason}" for label, reason in out]
