"""``tiltyard replay``: write the replay of a match."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from tiltyard_checks.runs.file_or_folder import FileOrFolder
from tiltyard_checks.runs.run_folder import open_run_folder
from tiltyard_engine.errors import UserError, file_errors
from tiltyard_engine.errors.named_paths import check_output
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.records import Game
from tiltyard_engine.replay import Replay, Theme
from tiltyard_engine.texts.public_text import public_text
from tiltyard_engine.texts.quantities import counted
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.replays.encoding import encode
from tiltyard_simulator.replays.files import is_replay, write_replay
from tiltyard_site.pages.match_scripts import Listed, match_details
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import TableFormat
from tiltyard_tournaments.cli.tournament_options import say_earlier
from tiltyard_tournaments.publishers.results import SHOWN_KEY, find_replay
from tiltyard_tournaments.running.schedule import progress_to_show
from tiltyard_tournaments.running.tournament import Tournament, open_store
from tiltyard_tournaments.store import Store
from tiltyard_viewer.command.replay_source import MatchChoice

app = application()


@app.command()
def replay(
    *,
    options: FileOrFolder,
    match: MatchChoice = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write to this file instead of standard output. It is compressed if its name ends in .zst.",
            show_default=False,
        ),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(
            "--html",
            help="Write a page that plays the game to this file. It opens anywhere, offline.",
            show_default=False,
        ),
    ] = None,
    embed: Annotated[
        bool, typer.Option("--embed", help="With --html: print the code that shows this page in another page in the same folder.")
    ] = False,
    style: TableFormat = "simple",
) -> None:
    """Extract a replay from a tournament's store, or make a page of it. Without --match, list the matches.

    A round robin saves no replays: if you name its output folder, the match is played again, and must have the same result.

    \b
    Examples:
      tiltyard replay cup.yaml
      tiltyard replay cup.yaml --match 12 -o final.jsonl
      tiltyard replay cup.yaml --match 3fa2c1 -o final.jsonl.zst
      tiltyard replay cup.yaml --match 12 --html final.html --embed
      tiltyard replay results/cup/ --match 12 --html final.html
    """
    if output is not None:
        check_output(output, "a replay", is_replay)
    if page is not None:
        check_output(page, "a page", lambda head: head.startswith(b"<!doctype html>"))
    elif embed:
        raise UserError("--embed needs the page: name the file to write with --html")
    if match is None and (output is not None or page is not None):
        raise UserError(f"{options.file}: choose the match to write to {output or page} with --match")
    if options.is_folder:
        recording = _of_folder(options, match, page, style, embed=embed)
    else:
        options.check_file()
        recording = _of_tournament(options, match, page, style, embed=embed)
    if recording is None:
        return
    if output is None:
        if page is None:
            sys.stdout.buffer.write(encode(recording))
        return
    size = write_replay(output, recording)
    print(f"{output}: {counted(len(recording.frames), 'round')}, {size:,} bytes")


def _of_tournament(options: FileOrFolder, match: str | None, page: Path | None, style: str, *, embed: bool) -> Replay | None:
    """The replay of a match, which is also written to a page; None: the matches were listed instead."""
    tournament = options.tournament(as_run=True)
    with open_store(tournament) as store:
        if match is None:
            progress = progress_to_show(tournament, store)
            _list(progress.schedule.records, style)
            say_earlier(options.file, progress.earlier)
            return None
        key, recording = find_replay(tournament, store, match, str(options.file))
        outcome = None if page is None else _outcome(tournament, store, key)
    recording.message = public_text(recording.message)
    if page is not None and outcome is not None:
        theme = tournament.game.load_as(Game).display.theme
        _write_page(
            page, match_details(Listed(outcome.place + 1, outcome), {}, tournament.publication.hide), theme, recording, embed
        )
    return recording


def _of_folder(options: FileOrFolder, match: str | None, page: Path | None, style: str, *, embed: bool) -> Replay | None:
    """As ``_of_tournament``, from the output folder of a run."""
    with open_run_folder(options.file) as run:
        if match is None:
            _list([outcome for _, outcome in run.matches], style)
            return None
        spec, outcome = run.match(match)
        recording = run.replay(spec, options.policy)
        here = None if page is None else run.to_play(spec, options.policy)
    recording.message = public_text(recording.message)
    if page is not None and here is not None:
        details = match_details(Listed(outcome.place + 1, outcome), {}, frozenset())
        _write_page(page, details, here.input.game.load_as(Game).display.theme, recording, embed)
    return recording


def _list(matches: Sequence[Outcome], style: str) -> None:
    print(render(("number", "key", "teams", "map", "result"), [_row(match) for match in matches], style))


def _outcome(tournament: Tournament, store: Store, key: str) -> Outcome:
    """The outcome of a match, as the tournament shows it; of one that is not in its schedule any more, as it is stored."""
    for match in progress_to_show(tournament, store).schedule.records:
        if match.key == key:
            return match
    record = store.ended(key)
    assert record is not None
    return record.outcome


def _write_page(path: Path, details: Mapping[str, Any], theme: Theme | None, recording: Replay, embed: bool) -> None:
    # The templates take a moment to load.
    from tiltyard_site.notebook.cells import embedding, player_page

    text = player_page(details, recording, theme, plays=True)
    with file_errors(path, "written"):
        path.write_text(text, encoding="utf-8")
    size = f"{path.stat().st_size:,} bytes"
    print(f"{path}: {counted(len(recording.frames), 'turn')}, {size}", file=sys.stderr if embed else sys.stdout)
    if embed:
        print(embedding(quote(path.name), recording))


def _row(match: Outcome) -> tuple[str | int, ...]:
    return match.place + 1, match.key[:SHOWN_KEY], " - ".join(match.teams), match.map, match.message
