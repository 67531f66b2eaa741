"""``tiltyard why``: the turns at which a team lost a match, or all its matches of a tournament."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_checks.command.progress import ProgressBar
from tiltyard_checks.runs.file_or_folder import FileOrFolder
from tiltyard_engine.errors import UserError, file_errors
from tiltyard_engine.errors.named_paths import check_output
from tiltyard_engine.exit_status import said_if_interrupted
from tiltyard_simulator.output.tables import render
from tiltyard_site.explained.explained import summary_lines, team_summary
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import Workers
from tiltyard_whatif.explaining import Explanation, Kind, explain
from tiltyard_whatif.stored import MoreQuestions, PlayedGames, TeamChoice, games_of_run
from tiltyard_whatif.summary import HEADERS, losses, rows
from tiltyard_whatif.versions import versions_of
from tiltyard_whatif.words import as_json, sentences, what_is_left

app = application()


class Style(StrEnum):
    """How the result is printed."""

    TEXT = "text"
    JSON = "json"


@app.command()
def why(
    *,
    options: FileOrFolder,
    match: Annotated[
        str | None,
        typer.Option(
            "--match",
            help="The match's number in the schedule, or the start of its key. Default: all that the team didn't win.",
            show_default=False,
        ),
    ] = None,
    team: TeamChoice = None,
    cpu_seconds: Annotated[
        float, typer.Option("--cpu-seconds", min=0.0, help="Stop after this many CPU seconds of all processes.")
    ] = 20.0,
    workers: Workers = 1,
    more: MoreQuestions,
    style: Annotated[Style, typer.Option("--format", "-f", help="Sentences, or JSON for programs.")] = Style.TEXT,
    page: Annotated[
        Path | None,
        typer.Option(
            "--html", help="Write a page to this file that shows both courses of the match side by side.", show_default=False
        ),
    ] = None,
) -> None:
    """Say at which turns a team lost a match. Without --match, look at all matches that it didn't win.

    The command puts different answers into the match one by one, and all programs play on from there. The first turn that it names
    is the last one at which a different answer helped. The result is valid for these programs only. The command also says if
    the team failed, or if nothing helped.

    Results are stored in the folder whatif of the tournament's output. Run the same command again to continue with new CPU time.

    \b
    Examples:
      tiltyard why cup.yaml --match 12 --team acorn
      tiltyard why cup.yaml --match 12 --team acorn --cpu-seconds 120 --workers 4 --html why.html
      tiltyard why cup.yaml --match 12 --team acorn --version old/acorn/
      tiltyard why cup.yaml --team acorn --cpu-seconds 600
      tiltyard why results/cup/ --team acorn
    """
    if page is not None:
        if match is None:
            raise UserError(f"--html {page}: choose the match of the page with --match")
        check_output(page, "a page", lambda head: head.startswith(b"<!doctype html>"))
    with games_of_run(options) as games:
        if match is None:
            if more.seeds or more.versions:
                raise UserError(f"{'--seeds' if more.seeds else '--version'} is for one match: choose it with --match")
            _all_matches(games, team, cpu_seconds, workers, style)
            return
        game, folder, policy, hide = games.game(match), games.folder, games.isolation_policy, games.hide
        seat = game.seat_of(team)
        others_lost = games.not_won_in_words(game.spec.input.names[seat - 1])
    with _progress(0, "answers tried") as progress:

        def tell(tried: int, possible: int, spent: float) -> None:
            progress.total = possible
            progress.show(tried, f"{spent:.0f} of {cpu_seconds:.0f} CPU seconds")

        others = versions_of(more.versions or (), game.spec, seat, policy)
        explanation = explain(game, seat, folder, cpu_seconds, workers=workers, seeds=more.seeds, versions=others, tell=tell)
    print(json.dumps(as_json(explanation), indent=2) if style is Style.JSON else "\n".join(sentences(explanation)))
    if explanation.kind is Kind.WON and style is Style.TEXT:
        print(others_lost)
    if page is not None:
        _write_page(page, explanation, hide)


def _all_matches(games: PlayedGames, team: str | None, cpu_seconds: float, workers: int, style: Style) -> None:
    if team is None:
        raise UserError("say which team wants to know with --team, or which match with --match")
    chosen_games = games.not_won(team)
    with _progress(len(chosen_games), "matches") as progress:

        def tell(number: int, line: str) -> None:
            progress.show(number, line)

        each = list(losses(chosen_games, team, games.folder, cpu_seconds, workers=workers, tell=tell))
    if style is Style.JSON:
        print(json.dumps([as_json(loss.explanation) for loss in each if loss.explanation is not None], indent=2))
        return
    if not each:
        print(f"{team} won all its matches that have a replay")
        return
    lost = [loss.row for loss in each]
    print(f"{render(HEADERS, rows(lost), 'simple')}\n")
    print("\n".join(summary_lines(team_summary(lost, team))))
    if more := what_is_left([loss.explanation for loss in each if loss.explanation is not None]):
        print(more)


@contextmanager
def _progress(total: int, unit: str) -> Iterator[ProgressBar]:
    """How far it is, until Ctrl-C; what was tried until then counts."""
    on_interrupt = "stopped; the answers that were tried are saved; run the same command again to continue"
    with said_if_interrupted(on_interrupt), ProgressBar(total, unit=unit, has_lines=True) as progress:
        yield progress


def _write_page(path: Path, explanation: Explanation, hide: frozenset[str]) -> None:
    # The templates take a moment to load.
    from tiltyard_whatif.page import page

    text = page(explanation, hide)
    with file_errors(path, "written"):
        path.write_text(text, encoding="utf-8")
    print(f"{path}: {path.stat().st_size:,} bytes")
