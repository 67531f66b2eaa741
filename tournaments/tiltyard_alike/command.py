"""``tiltyard alike``: which teams of a tournament answer alike, and which results the ratings do not explain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_alike.comparison import compare
from tiltyard_alike.evidence import SharedAnswers
from tiltyard_alike.question_list import AskedMatch, AskingLimits, QuestionResult, ask_all, matches_to_ask, questions
from tiltyard_alike.surprises import surprises
from tiltyard_alike.tables import HINT, comparison_table, not_compared_table, sentences, surprises_table
from tiltyard_checks.command.progress import ProgressBar
from tiltyard_engine.errors import UserError, file_errors
from tiltyard_engine.errors.named_paths import check_output
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.registry import Reference
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.output.reports import say
from tiltyard_simulator.output.tables import PROGRAM_FORMATS, render, render_all
from tiltyard_simulator.registry.finder import Finder
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import TableFormat, Workers
from tiltyard_tournaments.cli.tournament_options import TournamentOptions
from tiltyard_tournaments.running.qualification import with_teams_admitted_so_far
from tiltyard_tournaments.running.schedule import progress_to_show
from tiltyard_tournaments.running.tournament import Tournament, open_store
from tiltyard_tournaments.standings.scoring import without_tie_breaks

app = application()


@app.command()
def alike(
    *,
    options: TournamentOptions,
    samples: Annotated[
        list[str] | None,
        typer.Option(
            "--given",
            help="A team that you gave to everyone, such as a sample: an installed name, a file or a folder. Answers that it"
            " gives too don't count, and no pair contains it. Can be repeated.",
            show_default=False,
        ),
    ] = None,
    cpu_seconds: Annotated[
        float, typer.Option("--cpu-seconds", min=0.0, help="Stop asking after this many CPU seconds of all processes.")
    ] = 600.0,
    positions: Annotated[int, typer.Option("--positions", min=1, help="Start no new game after this many positions.")] = 1000,
    workers: Workers = 1,
    style: TableFormat = "simple",
    page: Annotated[
        Path | None,
        typer.Option(
            "--html",
            help="Write a page for staff to this file. It shows the positions in which two teams agree and the others don't.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Show staff which teams answer alike, and which results the ratings don't explain. A reason to look closer, never a verdict.

    All teams get the same positions, taken from games that other teams played. The command counts how often two teams give the same
    answer where the rest of the class answers differently. So it doesn't matter in which language a program is written, or whether
    it is compiled. Use --given to leave out code that you gave to everyone.

    Answers are stored in the folder alike of the tournament's output. Run the same command again to continue with new CPU time.
    Nothing of this is published.

    \b
    Examples:
      tiltyard alike cup.yaml
      tiltyard alike cup.yaml --given sample.py --workers 4 --html alike.html
      tiltyard alike cup.yaml --format csv > alike.csv
    """
    if page is not None:
        check_output(page, "a page", lambda head: head.startswith(b"<!doctype html>"))
    resolved = options.resolve()
    tournament = with_teams_admitted_so_far(resolved.tournament)
    sample_teams = _samples(samples or [], tournament, Finder(resolved.registry))
    specs, outcomes = _games(options, tournament)
    first_specs = matches_to_ask(specs, outcomes)
    # Who always fails is not waited for once more.
    able = {name for spec in first_specs for name in spec.input.names}
    teams = {team.label: team for team in tournament.teams if team.label in able} | sample_teams
    if not first_specs:
        raise UserError(f"{options.file}: no game was played to its end without a fault, so there is nothing to ask")
    matches = _ask(first_specs, teams, tournament, AskingLimits(cpu_seconds, positions), workers)
    names = [team.label for team in tournament.teams]
    comparison = compare(matches, names, frozenset(sample_teams))
    possible = (
        comparison_table(comparison),
        not_compared_table(comparison),
        surprises_table(surprises(without_tie_breaks(outcomes))),
    )
    tables = [table for table in possible if table is not None]
    if style == "json":
        print(render_all([replace(tables[0], note=f"{HINT} {tables[0].note}"), *tables[1:]], style))
    elif style in PROGRAM_FORMATS:
        say(HINT)
        print(render(tables[0].headers, tables[0].rows, style))
    else:
        print(f"{HINT}\n\n{render_all(tables, style)}")
    for line in sentences(comparison):
        say(line)
    if page is not None:
        evidence = SharedAnswers(matches, names, frozenset(sample_teams))
        pairs = [(pair, evidence.of(pair)) for pair in comparison.hints]
        # The templates take a moment to load.
        from tiltyard_alike.page import report_page

        text = report_page(tournament.title, tables, sentences(comparison), pairs, {spec.place.key: spec for spec in first_specs})
        with file_errors(page, "written"):
            page.write_text(text, encoding="utf-8")
        say(f"{page}: {page.stat().st_size:,} bytes, for staff only")


def _samples(words: Sequence[str], tournament: Tournament, finder: Finder) -> dict[str, Reference]:
    """The samples: those of the tournament by their names there, others by a name that sets them apart."""
    own = {team.label: team for team in tournament.teams}
    samples: dict[str, Reference] = {}
    for word in words:
        if word in own:
            samples[word] = own[word]
            continue
        for team in finder.teams(word, tournament.game.name).references:
            label = next((name for name, each in own.items() if each == team), f"given: {team.label}")
            samples[label] = team
    return samples


def _games(options: TournamentOptions, tournament: Tournament) -> tuple[list[MatchSpec], list[Outcome]]:
    """What was played, with the teams' code as it is now."""
    with open_store(tournament) as store:
        schedule = progress_to_show(tournament, store).schedule
    return schedule.matches, schedule.records


def _ask(
    specs: Sequence[MatchSpec], teams: dict[str, Reference], tournament: Tournament, bounds: AskingLimits, workers: int
) -> list[AskedMatch]:
    with ProgressBar(len(specs)) as progress:

        def tell(result: QuestionResult, spent: float) -> None:
            progress.count(f"{result.match.title}, {spent:.0f} of {bounds.cpu_seconds:.0f} CPU seconds")

        all_questions = questions(specs, teams, tournament.isolation_policy, tournament.folder)
        return ask_all(all_questions, tournament.game, bounds, workers, tell)
