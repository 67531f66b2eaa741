"""``tiltyard rerun``, ``void``, ``award`` and ``decisions``: what an organiser decides about games, such as after a protest.

Each shows first what the standings become. The core stores what was decided and applies it; see docs/decisions.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Annotated, Any

import typer

from tiltyard_contest.chosen_games import ChosenGames
from tiltyard_engine.decisions import DecidedGame, DecidedOutcome, Decision, DecisionKind
from tiltyard_engine.errors import UserError
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_simulator.output.reports import say
from tiltyard_simulator.output.tables import PROGRAM_FORMATS, Table, render, render_all
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import TableFormat
from tiltyard_tournaments.cli.tournament_options import TournamentOptions, say_incomplete, say_rounds
from tiltyard_tournaments.running.earlier_games import pairings_of
from tiltyard_tournaments.running.schedule import Progress, Schedule, progress_to_show
from tiltyard_tournaments.running.tables import standings
from tiltyard_tournaments.running.tournament import Tournament, open_store
from tiltyard_tournaments.standings.scoring import number
from tiltyard_tournaments.store import Store, StoreLock

rerun_app, void_app, award_app, decisions_app = (application() for _ in range(4))

Why = Annotated[str, typer.Option("--why", help="The reason, shown to everyone who reads the results.", show_default=False)]
Yes = Annotated[bool, typer.Option("--yes", help="Make the decision. Without this, the command only shows what would change.")]


@rerun_app.command()
def rerun(
    *,
    options: TournamentOptions,
    choice: ChosenGames,
    why: Why = "",
    yes: Yes = False,
    show_output: Annotated[bool, typer.Option("--show-output", hidden=True)] = False,
    unconfined: Annotated[bool, typer.Option("--unconfined", hidden=True)] = False,
    trust: Annotated[list[str] | None, typer.Option("--trust", hidden=True)] = None,
) -> None:
    """Decide that games are played again. The next run plays them. The first results stay in the store.

    \b
    Examples:
      tiltyard rerun cup.yaml --match 17 --why "the machine was busy"
      tiltyard rerun cup.yaml --map narrow-pass --why "the map was broken" --yes
    """
    if options.file.is_dir():
        # What the word meant before.
        from tiltyard_checks.command.whole_match import INSTEAD, play_whole_match

        say(INSTEAD)
        play_whole_match(options.file, show_output=show_output, unconfined=unconfined, trust=trust)
        return
    if show_output or unconfined or trust:
        raise UserError("--show-output, --unconfined and --trust are for fault folders; 'tiltyard run' plays the games again")
    _decide(options, choice, DecisionKind.RERUN, why, yes)


@void_app.command()
def void(*, options: TournamentOptions, choice: ChosenGames, why: Why = "", yes: Yes = False) -> None:
    """Decide that games count for nobody.

    \b
    Examples:
      tiltyard void cup.yaml --match 17 --why "both teams agreed"
      tiltyard void cup.yaml --team acorn --map narrow-pass --why "a wrong version" --yes
    """
    _decide(options, choice, DecisionKind.VOID, why, yes)


@award_app.command()
def award(
    *,
    options: TournamentOptions,
    winner: Annotated[str, typer.Argument(help="The team that has won.", metavar="TEAM")],
    choice: ChosenGames,
    why: Why = "",
    yes: Yes = False,
) -> None:
    """Decide that a team has won games, whatever their results were.

    \b
    Examples:
      tiltyard award cup.yaml acorn --match 17 --why "the other team broke the rules"
      tiltyard award cup.yaml acorn --team bramble --why "bramble broke the rules" --yes
    """
    _decide(options, choice, DecisionKind.AWARD, why, yes, winner=winner)


@decisions_app.command()
def decisions(
    *,
    options: TournamentOptions,
    back: Annotated[
        int | None, typer.Option("--take-back", help="Take back the decision with this number.", show_default=False)
    ] = None,
    yes: Yes = False,
    style: TableFormat = "simple",
) -> None:
    """List the decisions about a tournament's games, or take one back. For a file with stages, it lists those of each stage.

    \b
    Examples:
      tiltyard decisions cup.yaml
      tiltyard decisions cup.yaml --take-back 2 --yes
    """
    if back is None:
        if style in PROGRAM_FORMATS:
            _list(options, style)
        else:
            options.each_stage(lambda each: _list(each, style), only_started=True)
        return
    tournament = options.tournament(as_run=True)
    own = next((each for each in tournament.decisions if each.number == back), None)
    if own is None or own.taken_back_at:
        when = f"; it was taken back already, {own.taken_back_at}" if own else f"; 'tiltyard decisions {options.words}' lists all"
        raise UserError(f"there is no decision {back} to take back{when}")
    changed = [replace(each, taken_back_at="now") if each is own else each for each in tournament.decisions]
    print(f"take back decision {back}: {_in_words(own)}")
    progress = _progress(replace(tournament, decisions=tuple(changed)))
    _preview(_progress(tournament), progress, "without this decision")
    if _is_meant(yes):
        with StoreLock(tournament.folder), Store(tournament.folder) as store:
            store.take_back(back)
        print(f"decision {back} is taken back")
        say_incomplete(options.file, voids=0, missing=len(progress.missing))


def _list(options: TournamentOptions, style: str) -> None:
    tournament = options.tournament(as_run=True)
    rows = [(each.number, each.made_at, _in_words(each), each.why, each.taken_back_at) for each in tournament.decisions]
    print(render(("number", "time", "decision", "reason", "taken back"), rows, style))
    _say_other_versions(_progress(tournament).schedule)


def _decide(options: TournamentOptions, choice: ChosenGames, kind: DecisionKind, why: str, yes: bool, *, winner: str = "") -> None:
    reason = one_line(why)
    if not reason:
        raise UserError("give a reason for everyone who reads the results: --why REASON")
    tournament = options.tournament(as_run=True)
    if winner and tournament.rules.scoring.by == "score":
        raise UserError("points are the game's own scores here, so an award gives none; use 'tiltyard void' or 'tiltyard rerun'")
    with open_store(tournament) as store:
        before = progress_to_show(tournament, store)
        # What was not played, such as a walkover, can be void or awarded.
        stored = store.keys() | store.void_keys() if kind is DecisionKind.RERUN else None
    games = choice.games(tournament, before.schedule.records, stored, winner)
    pairing_of, inputs = pairings_of(tournament), {spec.place.key: spec.input for spec in before.schedule.matches}
    decision = Decision(
        number=max((each.number for each in tournament.decisions), default=0) + 1,
        kind=kind,
        about=choice.about(games, winner),
        why=reason,
        made_at="",
        games=tuple(
            DecidedGame(each.key, each.teams.index(winner) + 1 if winner else 0, pairing_of(inputs[each.key])) for each in games
        ),
        team=winner,
    )
    print(f"{_in_words(decision)}\nreason: {reason}")
    say_rounds(tournament)
    after = _progress(replace(tournament, decisions=(*tournament.decisions, decision)))
    _preview(before, after, "with this decision")
    if kind is DecisionKind.RERUN:
        it, counts = ("it", "the game counts") if len(games) == 1 else ("them", "these games count")
        say(f"note: until the next run plays {it} again, {counts} for nobody")
    if _is_meant(yes):
        with StoreLock(tournament.folder), Store(tournament.folder) as store:
            print(f"decision {store.add_decision(decision)} is made; 'tiltyard decisions {options.words}' lists all")
        say_incomplete(options.file, voids=0, missing=len(after.missing))


def _in_words(decision: Decision) -> str:
    what = f"award to {decision.team}" if decision.team else decision.kind.value
    return one_line(f"{what}: {decision.about}")


def _progress(tournament: Tournament) -> Progress:
    with open_store(tournament) as store:
        return progress_to_show(tournament, store)


def _preview(before: Progress, after: Progress, when: str) -> None:
    """Print the standings as they become, with what they are now."""
    then, lines = (standings(each.schedule.tournament, each.schedule) for each in (before, after))
    old = {line.team: line for line in then}
    rows: list[tuple[Any, ...]] = [
        (line.place, old[line.team].place, line.team, number(line.score.points), number(old[line.team].score.points))
        for line in lines
    ]
    headers: tuple[str, ...] = ("place", "before", "algorithm", "points", "before")
    if any(line.group for line in lines):
        headers, rows = ("group", *headers), [(line.group, *row) for line, row in zip(lines, rows, strict=True)]
    print(f"\n{render_all([Table(f'Standings {when}', headers, tuple(rows))], 'simple')}\n")
    _say_other_versions(after.schedule)


def _say_other_versions(schedule: Schedule) -> None:
    """Say which decisions hold for games that were played again since, with other code or settings."""
    decided = [each for each in schedule.records if isinstance(each, DecidedOutcome)]
    numbers = Counter(each.decision.number for each in decided if not each.decision.names(each.key))
    for decision, games in sorted(numbers.items()):
        again = "a game that was" if games == 1 else f"{games} games that were"
        say(f"note: decision {decision} holds for {again} played again since, with different code or settings")


def _is_meant(yes: bool) -> bool:
    if not yes:
        say("note: this is a preview, and nothing has changed; use --yes to decide it")
    return yes
