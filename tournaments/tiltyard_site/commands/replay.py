"""``tiltyard replay``: write the replay of a match."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer

from tiltyard_engine.errors import UserError
from tiltyard_engine.errors.named_paths import check_output
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.records import Game
from tiltyard_engine.replay import Replay
from tiltyard_engine.texts.public_text import public_text
from tiltyard_engine.texts.quantities import counted
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.replays.encoding import encode
from tiltyard_simulator.replays.files import is_replay, write_replay
from tiltyard_site.pages.match_scripts import Listed, match_details
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import TableFormat
from tiltyard_tournaments.cli.tournament_options import TournamentOptions, say_earlier
from tiltyard_tournaments.publishers.results import SHOWN_KEY, find_replay
from tiltyard_tournaments.running.schedule import progress_to_show
from tiltyard_tournaments.running.tournament import Tournament, open_store
from tiltyard_tournaments.store import Store
from tiltyard_viewer.command.replay_source import MatchChoice

app = application()


@app.command()
def replay(
    *,
    options: TournamentOptions,
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

    \b
    Examples:
      tiltyard replay cup.yaml
      tiltyard replay cup.yaml --match 12 -o final.jsonl
      tiltyard replay cup.yaml --match 3fa2c1 -o final.jsonl.zst
      tiltyard replay cup.yaml --match 12 --html final.html --embed
    """
    if output is not None:
        check_output(output, "a replay", is_replay)
    if page is not None:
        check_output(page, "a page", lambda head: head.startswith(b"<!doctype html>"))
    elif embed:
        raise UserError("--embed needs the page: name the file to write with --html")
    tournament = options.tournament(as_run=True)
    with open_store(tournament) as store:
        if match is None:
            if output is not None or page is not None:
                raise UserError(f"{options.file}: choose the match to write to {output or page} with --match")
            progress = progress_to_show(tournament, store)
            rows = [_row(match) for match in progress.schedule.records]
            print(render(("number", "key", "teams", "map", "result"), rows, style))
            say_earlier(options.file, progress.earlier)
            return
        key, recording = find_replay(tournament, store, match, str(options.file))
        outcome = None if page is None else _outcome(tournament, store, key)
    recording.message = public_text(recording.message)
    if page is not None and outcome is not None:
        _write_page(page, tournament, outcome, recording, embed)
    if output is None:
        if page is None:
            sys.stdout.buffer.write(encode(recording))
        return
    size = write_replay(output, recording)
    print(f"{output}: {counted(len(recording.frames), 'round')}, {size:,} bytes")


def _outcome(tournament: Tournament, store: Store, key: str) -> Outcome:
    """The outcome of a match, as the tournament shows it; of one that is not in its schedule any more, as it is stored."""
    for match in progress_to_show(tournament, store).schedule.records:
        if match.key == key:
            return match
    record = store.ended(key)
    assert record is not None
    return record.outcome


def _write_page(path: Path, tournament: Tournament, match: Outcome, recording: Replay, embed: bool) -> None:
    # The templates take a moment to load.
    from tiltyard_site.notebook.cells import embedding, player_page

    details = match_details(Listed(match.place + 1, match), {}, tournament.publication.hide)
    text = player_page(details, recording, tournament.game.load_as(Game).display.theme, plays=True)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from error
    size = f"{path.stat().st_size:,} bytes"
    print(f"{path}: {counted(len(recording.frames), 'turn')}, {size}", file=sys.stderr if embed else sys.stdout)
    if embed:
        print(embedding(quote(path.name), recording))


def _row(match: Outcome) -> tuple[str | int, ...]:
    return match.place + 1, match.key[:SHOWN_KEY], " - ".join(match.teams), match.map, match.message
