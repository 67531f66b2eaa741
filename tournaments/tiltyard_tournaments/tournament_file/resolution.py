"""From a checked file to a tournament that can be played: every name is looked up, and everything wrong is said at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import msgspec

from tiltyard_engine.data_classes import dataclass, field, replace
from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.formats import Field, Format, TournamentFormat
from tiltyard_engine.lifecycle import Publication, Publisher
from tiltyard_engine.records import Game, QualifyingTest, check_players, usual_players
from tiltyard_engine.registry import Reference, Registry, Selection, Trust
from tiltyard_engine.registry.registry import FORMAT, GAME, MANAGER, PUBLISHER
from tiltyard_engine.registry.sources import PLUGIN_SUFFIXES
from tiltyard_engine.registry.trust import nothing_to_trust, trusted_in_environment
from tiltyard_engine.texts.near_names import near_names
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import LimitChanges
from tiltyard_simulator.match.verdict import OnCrash, check_on_crash
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.guarded_registry import open_registry, trusted_problem
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_simulator.registry.object_teams import ObjectRecords, ObjectTeam
from tiltyard_tournaments.formats.without_teams import create_without
from tiltyard_tournaments.running.standing_rounds import with_rounds
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.standings import DEFAULT_TIE_BREAKS, SWISS_TIE_BREAKS, TIE_BREAKS, Rules, Scoring
from tiltyard_tournaments.standings.tie_breaks import MATCH
from tiltyard_tournaments.store.team_notes import PreviousTeams
from tiltyard_tournaments.tournament_file.checked_keys import checked_keys
from tiltyard_tournaments.tournament_file.contest import STAGES, contest
from tiltyard_tournaments.tournament_file.document import Document, KeyPath, read_document
from tiltyard_tournaments.tournament_file.key_places import KeyPlaces, key_places
from tiltyard_tournaments.tournament_file.lookup import EarlierTournaments, Lookup, output_folder
from tiltyard_tournaments.tournament_file.map_entries import find_maps
from tiltyard_tournaments.tournament_file.plugin_entries import find_named, find_observers
from tiltyard_tournaments.tournament_file.problems import TournamentFileError
from tiltyard_tournaments.tournament_file.team_entries import TeamEntries
from tiltyard_tournaments.tournament_file.validation import check_options, nearest, unknown_keys

FIELD: Final = ("", "game", "teams", "disqualify", "players", "format")
"""Where something is wrong with one of these keys, what a format says of the field needn't be true of the one that was meant."""
FORMATS_FOR_MANY: Final = ("round-robin", "pools")
"""Those for any number of players."""
OpenRegistry: TypeAlias = Callable[[IsolationPolicy], Registry]
"""Finds the plugins. They are already isolated when they are asked what they contribute."""


def load_tournament(
    path: Path,
    selection: Selection | None = None,
    *,
    as_run: bool = False,
    stage: str = "",
    is_preview: bool = False,
    is_redraw: bool = False,
) -> Resolved:
    """The tournament of a file.

    Args:
        path: the file.
        selection: which installed plugins to load.
        as_run: whether its teams are those of the last run, as far as it had these entries, without a look at their code.
        stage: which one of a file with stages.
        is_preview: see ``EarlierTournaments``.
        is_redraw: see there.

    Raises:
        UserError: the file cannot be read, or has stages and none was named, or other ones.
        TournamentFileError: with every problem that it has.
    """
    load = partial(load_document, as_run=as_run, stage=stage, is_preview=is_preview, is_redraw=is_redraw)
    return load(read_document(path), (path,), selection)


def load_document(
    whole: Document,
    files: tuple[Path, ...],
    selection: Selection | None = None,
    objects: ObjectRecords | None = None,
    *,
    as_run: bool = False,
    stage: str = "",
    is_preview: bool = False,
    is_redraw: bool = False,
) -> Resolved:
    """The tournament of what stands in a file, or of one of its stages; as ``load_tournament``.

    ``files``: the document's own is the last; before it are those whose teams come from it. ``objects``: what some words stand for.
    """
    path = files[-1]
    document = contest().stage_document(whole, path, stage) if stage or STAGES in whole.data else whole
    previous = PreviousTeams.of_store(output_folder(path, document.data.get("output")), path) if as_run else PreviousTeams()
    own_objects = objects or ObjectRecords()
    earlier = EarlierTournaments(whole, partial(load_document, selection=selection, objects=objects), is_preview, is_redraw, files)

    def registry_for(policy: IsolationPolicy) -> Registry:
        return own_objects.add_to(open_registry(policy, selection, previous.plugins()))

    return resolve(document, path, registry_for, own_objects.teams, previous, earlier=earlier)


@dataclass(slots=True)
class Resolved:
    """A tournament, and what was left out of the folders that its file names."""

    tournament: Tournament
    left_out: list[str]
    registry: Registry
    notes: list[str] = field(default_factory=list)
    """What is not as readers of the file may expect, such as a team that is shown under another name."""
    changes: list[str] = field(default_factory=list)
    """What has become of the teams' files since the last run, where it was asked for its teams."""


def resolve(
    document: Document,
    path: Path,
    registry_for: OpenRegistry,
    objects: Mapping[str, ObjectTeam] = MappingProxyType({}),
    previous: PreviousTeams | None = None,
    *,
    other_keys: Mapping[str, Sequence[str]] = MappingProxyType({}),
    earlier: EarlierTournaments | None = None,
) -> Resolved:
    """The tournament that a document describes; errors as ``load_tournament``.

    Args:
        document: what stands in the file.
        path: the file.
        registry_for: finds the plugins.
        objects: the teams that some words stand for.
        previous: the teams that needn't be looked for.
        other_keys: keys of the file that are none of a tournament's, by the key around them.
        earlier: opens the tournaments from which teams come.
    """
    keys, problems, broken = checked_keys(document)
    lookup = Lookup(document=document, path=path, keys=keys, broken=broken, problems=[*document.problems])
    lookup.earlier = earlier
    if keys.stages:
        lookup.problem(("stages",), "expected a file without stages; 'tiltyard run' plays one with stages")
    lookup.previous = previous or lookup.previous
    lookup.policy = _isolation_policy(lookup)
    lookup.finder = Finder(registry_for(lookup.policy), objects)
    lookup.finder.registry.folder = path.parent
    game, manager = _game_and_manager(lookup)
    if game is not None and "players" not in document.data:
        keys.players = usual_players(game)
    lookup.key_places = partial(_key_places, lookup, game, other_keys)
    if problems:
        from tiltyard_tournaments.tournament_file.parts import known_keys  # with pydantic

        lookup.problems += unknown_keys(problems, known_keys(), lookup.key_places)
    return _resolve(lookup, game, manager)


def _resolve(lookup: Lookup, game: Game[Any] | None, manager: Reference | None) -> Resolved:
    """Look everything else up."""
    keys = lookup.keys
    entries = TeamEntries(lookup)
    teams = entries.resolve(game)
    disqualified = entries.disqualified(teams)
    struck = {each.team.label for each in disqualified if each.results == "strike"}
    everybody = [team.label for team in teams]
    teams = [team for team in teams if team.label not in struck]
    least = entries.least_teams(game)
    if struck and len(teams) < least and not lookup.has_problem_in("teams", "disqualify"):
        lookup.problem(("disqualify",), f"expected at least {least} teams whose results are kept, found {len(teams)}")
    isolation_policy = replace(lookup.policy, limits=entries.limits(lookup.policy))
    maps = find_maps(lookup, game, lookup.keys.players if game is None else _players(lookup, game))
    tournament_field = Field(
        teams=tuple(team.label for team in teams),
        maps=tuple(source.name for source in maps),
        seats=keys.players,
        games=keys.games,
        seed=keys.seed,
        win_points=keys.scoring.win,
        draw_points=keys.scoring.draw,
        carried={team.label: float(Fraction(*lookup.carried[team].scores)) for team in teams if team in lookup.carried},
    )
    if game is not None:
        try:
            check_on_crash(OnCrash(keys.on_crash), game)
        except UserError as error:
            lookup.problem(("on-crash",), str(error))
    publication = _publication(lookup)
    observers = find_observers(lookup)
    publishers = find_named(lookup, ("publication", "publishers"), keys.publication.publishers, PUBLISHER, Publisher)
    tests, tests_game, tests_manager = _qualifying(lookup, game)
    parts = _format(lookup, tournament_field, everybody, struck)
    draws = None if parts is None else parts[0].draws
    absences = entries.absences(teams, draws)
    rules = _rules(lookup, draws or "", entries.order(teams))
    if parts is not None and any(entry.carry != "none" for entry in keys.teams):
        contest().check_carry(lookup, parts[0])
    if lookup.problems or parts is None or game is None or manager is None:
        raise TournamentFileError(lookup.document.name, lookup.problems)
    tournament_format, make_format, format_options = parts
    tournament = Tournament(
        title=keys.title,
        game=lookup.finder.registry.find(GAME, game.name).reference,
        manager=manager,
        teams=tuple(teams),
        maps=tuple(maps),
        format=tournament_format,
        format_name=keys.format.name,
        field=tournament_field,
        folder=output_folder(lookup.path, keys.output),
        description=keys.description,
        isolation_policy=isolation_policy,
        rules=rules,
        quarantine=keys.quarantine,
        on_crash=OnCrash(keys.on_crash),
        replays=keys.replays,
        workers=keys.workers,
        analysis_seconds=keys.analysis.cpu_seconds if keys.analysis else 0.0,
        publication=publication,
        observers=observers,
        publishers=publishers,
        tests=tests,
        tests_game=tests_game,
        tests_manager=tests_manager,
        remake_format=make_format,
        format_options=format_options,
        absences=absences,
        carried=lookup.carried,
        not_admitted=tuple(entries.not_admitted),
        disqualified=disqualified,
        team_notes=entries.team_notes(),
        tie_break_games=contest().tie_break_games if MATCH in rules.tie_breaks else None,
    )
    tournament = with_rounds(tournament)
    return Resolved(tournament, lookup.left_out, lookup.finder.registry, lookup.notes, lookup.previous.notes)


def _key_places(lookup: Lookup, game: Game[Any] | None, other_keys: Mapping[str, Sequence[str]]) -> KeyPlaces:
    from tiltyard_tournaments.tournament_file.parts import known_keys

    return key_places({**known_keys(), **other_keys}, lookup.finder.registry, game, lookup.keys.format.name)


def _game_and_manager(lookup: Lookup) -> tuple[Game[Any] | None, Reference | None]:
    game_name, manager = lookup.keys.game, lookup.keys.manager
    try:
        if game_name is not None:
            lookup.finder.registry.find(GAME, game_name)
    except NotFoundError as error:
        lookup.problem(("game",), str(error))
        if game_name is not None and not near_names(game_name, lookup.finder.registry.games_to_offer()):
            # A game that is no misspelt one is missing with all that it has.
            lookup.broken |= {("teams",), ("maps",), ("manager",), ("disqualify",)}
        elif manager is not None and lookup.may_look_up(manager):
            _check_manager(lookup, manager)
        return None, None
    try:
        teams = [entry.team for entry in lookup.keys.teams if entry.source is None]
        noted = [entry for team in teams if (entry := lookup.previous.of_entry(team, game_name)) is not None]
        if game_name is None and manager is None:
            game_name = next((team.reference.game for entry in noted for team in entry.teams), None) or _earlier_game(lookup)
        names = [lookup.in_folder(team.removeprefix("all ")) for team in teams if lookup.previous.of_entry(team, game_name) is None]
        maps = [entry.map for entry in lookup.keys.maps if entry.map is not None]
        own = None if manager is None else lookup.in_folder(manager)
        referee = lookup.finder.referee(game=game_name, manager=own, algorithms=names, maps=maps)
        game = referee.game.load_as(Game)
    except UserError as error:
        if not any(lookup.is_broken(key) for key in ("game", "manager", "teams", "trust")):
            lookup.problem(() if game_name is None and manager is None else ("manager",), str(error))
        # With its game alone the teams and maps can be looked up all the same.
        return None if game_name is None else lookup.finder.registry.game(game_name), None
    return game, referee.manager


def _earlier_game(lookup: Lookup) -> str | None:
    """The game of the first tournament from which teams come. Why it can't be opened is told with its teams."""
    with suppress(UserError):
        sources = [entry.source for entry in lookup.keys.teams if entry.source is not None]
        return contest().open_earlier(lookup, sources[0]).game.name if sources and lookup.earlier is not None else None
    return None


def _check_manager(lookup: Lookup, manager: str) -> None:
    """Note it if no game at all has this GameManager; for a file whose game isn't known."""
    try:
        lookup.finder.plugin(lookup.in_folder(manager), MANAGER)
    except NotFoundError as error:
        lookup.problem(("manager",), str(error))


def _players(lookup: Lookup, game: Game[Any]) -> int:
    """How many players the maps have to be for: where the game isn't for so many as the file says, for the usual number."""
    takes_any = lookup.keys.format.name in FORMATS_FOR_MANY
    hint = f"write 'players: {usual_players(game)}'" if takes_any else f"formats for other numbers: {', '.join(FORMATS_FOR_MANY)}"
    try:
        check_players(game, lookup.keys.players, hint)
    except UserError as error:
        lookup.problem(("players",), str(error))
        return usual_players(game)
    return lookup.keys.players


def _format(
    lookup: Lookup, tournament_field: Field, everybody: Sequence[str], struck: set[str]
) -> tuple[TournamentFormat, Callable[[Field, bytes], TournamentFormat], bytes] | None:
    """The format for this field, what makes the same for another one, and its options as JSON."""
    entry = lookup.keys.format
    where: KeyPath = ("format",)
    try:
        record = lookup.finder.registry.find(FORMAT, entry.name).reference.load_as(Format)
    except UserError as error:
        lookup.problem((*where, "name"), str(error))
        return None
    options, problems = check_options(record.options, entry.model_extra or {}, lookup.document, where, lookup.key_places)
    lookup.problems += problems
    if lookup.has_problem_in(*FIELD) or not tournament_field.maps:
        return None

    def make(other: Field, option_text: bytes = b"") -> TournamentFormat:
        own = msgspec.json.decode(option_text, type=record.options) if option_text else options
        return create_without(record, own, other, everybody, struck)

    try:
        return make(tournament_field), make, msgspec.json.encode(options)
    except UserError as error:
        lookup.problem(where, str(error))
        return None


def _qualifying(lookup: Lookup, game: Game[Any] | None) -> tuple[tuple[QualifyingTest, ...], Reference | None, Reference | None]:
    """The tests that teams have to pass, and the game and the GameManager of these."""
    values = lookup.keys.qualify
    if values is None or game is None:
        return (), None, None
    qualifier = game.teams.qualifier
    where: KeyPath = ("qualify",)
    if qualifier is None:
        lookup.problem(where, f"the game {game.name} has no qualifying tests")
        return (), None, None
    options, problems = check_options(qualifier.options, values, lookup.document, where, lookup.key_places)
    lookup.problems += problems
    if problems:
        return (), None, None
    try:
        tests = tuple(qualifier.tests(options, lookup.path.parent))
        return (
            tests,
            lookup.finder.registry.find(GAME, qualifier.game).reference,
            lookup.finder.registry.find(MANAGER, qualifier.manager, qualifier.game).reference,
        )
    except UserError as error:
        lookup.problem((*where, "tests") if "tests" in values else where, str(error))
        return (), None, None


def _isolation_policy(lookup: Lookup) -> IsolationPolicy:
    """How other people's code is isolated; needed before any of it is loaded."""
    isolation = None if lookup.keys.isolation is None else Isolation(lookup.keys.isolation)
    # Paths are relative to the file, and a distribution's name is no path.
    folder = lookup.path.parent
    # Absolute, because ``./mine`` would lose its slash, and be taken for a distribution.
    trusted: list[str] = []
    for place, text in enumerate(lookup.keys.trust):
        name = str((folder / text).absolute()) if "/" in text or text.lower().endswith(PLUGIN_SUFFIXES) else text
        trusted.append(name)
        # Who only reads results need not have what played them.
        problem = "" if lookup.previous.entries else nothing_to_trust(name) or trusted_problem(name)
        if problem:
            lookup.problem(("trust", place), problem.replace(name, text, 1))
    limits = LimitChanges(lookup.sound_limits(lookup.keys.limits, ("limits",)), where="limits")
    if lookup.keys.together and isolation not in (None, Isolation.SANDBOX):
        lookup.problem(("together",), f"only files in a sandbox can share one; the isolation is '{isolation}'")
    return IsolationPolicy(
        isolation, limits, lookup.keys.unconfined, Trust.of([*trusted, *trusted_in_environment()]), lookup.keys.together
    )


def _rules(lookup: Lookup, draws: str, order: tuple[str, ...]) -> Rules:
    entry = lookup.keys.scoring
    names = lookup.keys.tie_breaks
    for place, name in enumerate(names or ()):
        if name not in TIE_BREAKS and not lookup.is_broken("tie-breaks", place):
            lookup.problem(("tie-breaks", place), f"unknown value '{name}'; {nearest(name, list(TIE_BREAKS))}")
    default = SWISS_TIE_BREAKS if draws == "rounds" else DEFAULT_TIE_BREAKS
    tie_breaks = default if names is None else tuple(name for name in names if name in TIE_BREAKS)
    if "order" in tie_breaks and not lookup.keys.order:
        lookup.problem(("tie-breaks",), "the tie-break 'order' needs the key 'order' with the teams, best first")
    scoring = Scoring(entry.win, entry.draw, entry.loss, tuple(entry.places or ()), entry.by)
    players = lookup.keys.players
    if MATCH in tie_breaks and players != 2:
        lookup.problem(("tie-breaks",), f"the tie-break '{MATCH}' is for matches of 2 players, but these have {players}")
    cuts = tuple(sorted(set(lookup.keys.cuts)))
    return Rules(scoring, tie_breaks, seed=lookup.keys.seed, order=order, cuts=cuts, are_default=names is None)


def _publication(lookup: Lookup) -> Publication:
    entry = lookup.keys.publication
    logo = None if entry.logo is None else lookup.path.parent / entry.logo
    if logo is not None and not logo.is_file():
        lookup.problem(("publication", "logo"), f"expected an image file, got '{entry.logo}'; {logo} isn't a file")
    return Publication(
        title=entry.title or lookup.keys.title,
        logo=logo,
        links=tuple((lookup.earlier_links | entry.links).items()),
        hide=frozenset(entry.hide),
        folder=Path(entry.folder),
        address=entry.address or "",
    )
