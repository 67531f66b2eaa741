"""``tiltyard mark advance``: the course's marking at the command line. Needs typer and jinja2, which ``tiltyard`` brings."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from tiltyard_advance.level_tests import LevelTest
from tiltyard_advance.levels import LEVELS
from tiltyard_advance.mark_page import write_pages
from tiltyard_advance.mark_report import MarkSheet, class_sheet, json_report, text_report
from tiltyard_advance.marker import ADVANCE, Marker
from tiltyard_advance.marks import GAMES, GIVE_UP, PER_WIN, BotMark, levels_of
from tiltyard_advance.outcome_file import OutcomeFile
from tiltyard_advance.packs import read_pack, shipped_pack
from tiltyard_advance.progress_line import ProgressLine
from tiltyard_engine.errors import UserError, file_errors
from tiltyard_engine.exit_status import INTERRUPTED, errors_told
from tiltyard_engine.host import Host, HostPlayer, find_host, names_of
from tiltyard_engine.registry.sources import MANIFEST, PYPROJECT, is_plugin_file
from tiltyard_engine.texts.sanitize import one_line

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None)

BOTS_HELP = (
    "A program, a folder with a program.toml, an installed algorithm, sources, an archive, a folder of these, or a download of a"
    " platform. If you name several, you get a table."
)
TESTS_HELP = "A folder or file of tests. Default: the shipped ones."
HIDDEN_HELP = "Extra tests that don't affect the mark but reveal hard-coded answers."
GAMES_HELP = "Games against level 7, with alternating colours."
OUTPUT_HELP = "Folder for results, and for the report as text, JSON, CSV and HTML."
SECONDS: Final = 30.0
HANDED_IN: Final = "handed-in"
"""The folder below that of the results where what was built goes, with the report of the intake."""
NOT_ALL: Final = 1
"""The exit status where a bot could not be marked, or a mark is not final."""
STARTUP_SECONDS: Final = 5.0
"""More CPU time for the first move of a test or game, in which a program also starts; the guard's default."""
GIVE_UP_HELP: Final = "Stop asking a bot the tests of a level after this many timeouts in a row. 0 means never."


@app.callback()
def mark() -> None:
    """Mark programs as a course does."""


@app.command()
def advance(
    bots: Annotated[
        list[str],
        typer.Argument(metavar="BOT...", help=BOTS_HELP, autocompletion=names_of("algorithms", game=ADVANCE)),
    ],
    *,
    tests: Annotated[Path | None, typer.Option("--tests", "-t", metavar="DIR", help=TESTS_HELP, show_default=False)] = None,
    hidden: Annotated[Path | None, typer.Option(metavar="DIR", help=HIDDEN_HELP)] = None,
    games: Annotated[int, typer.Option("--games", "-g", min=0, max=10_000, help=GAMES_HELP)] = GAMES,
    per_win: Annotated[float, typer.Option(min=0.0, max=100.0, help="Percent for each win beyond 30 of 100.")] = PER_WIN,
    seed: Annotated[int, typer.Option(min=0, help="Seed for the first game.")] = 1,
    seconds: Annotated[float, typer.Option(min=0.001, help="Seconds of CPU time per move.")] = SECONDS,
    give_up: Annotated[int, typer.Option(min=0, help=GIVE_UP_HELP)] = GIVE_UP,
    workers: Annotated[int, typer.Option("--workers", "-w", min=0, help="Worker processes; 0 means one per core.")] = 0,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help=OUTPUT_HELP)] = Path("marks"),
    style: Annotated[Literal["text", "json", "csv"], typer.Option("--format", "-f", help="Format of the printed report.")] = "text",
) -> None:
    """Mark bots for Advance as the course does, with the tests of levels 4 to 7 in order, then games against level 7.

    A bot that passes level 4 gets 50 %, level 5 65 %, level 6 75 % and level 7 85 %. If a bot fails a test, it gets a share for the
    tests of that level that it passed, and marking stops there. A bot that passes all levels plays 100 games. Each win beyond 30
    adds 0.5 %, up to 100 %.

    Results are saved in the output folder at once. If you stop the command, the reports contain the results so far. Run it again to
    continue. If a bot's files or a test have changed, only these are marked again. The exit status is 1 if an entry could not be
    marked, or a mark is not final.

    \b
    Examples:
      tiltyard mark advance ./bot
      tiltyard mark advance submissions/ --hidden hidden/ --workers 4
      tiltyard mark advance "dotnet bot.dll" --games 0 --format json
    """
    with errors_told(), find_host() as host:
        pack, public = _pack(tests)
        secret, hidden_words = _pack(hidden) if hidden is not None else ([], "")
        _check_packs(pack, secret, tests, hidden)
        line = ProgressLine()
        players, left_out = _find(host, bots, output / HANDED_IN, workers, line.say)
        marks = _with_labels(players)
        is_stopped = False
        with OutcomeFile(output) as outcome_file:
            line.say(_plan(len(marks), pack, secret, games))
            for refused in left_out:
                line.say(f"not marked: {refused}")
            marker = Marker(
                host=host,
                outcome_file=outcome_file,
                show=line.show,
                say=line.say,
                tests=pack,
                hidden=secret,
                games=games,
                seed=seed,
                limits={"move_seconds": seconds, "startup_seconds": STARTUP_SECONDS},
                workers=workers,
                give_up=give_up,
            )
            try:
                marker.mark(marks)
            except KeyboardInterrupt:
                is_stopped = True
                line.say(f"stopped; results are saved in {outcome_file.path}: run the same command again to continue")
            finally:
                line.clear()
        sheet = MarkSheet(
            marks=[bot for bot, _ in marks],
            tests=public,
            hidden=hidden_words,
            isolation=marker.isolation,
            seconds=seconds,
            startup_seconds=STARTUP_SECONDS,
            per_win=per_win,
            left_out=left_out,
        )
        report = _write(sheet, output)
    typer.echo({"text": text_report, "json": _as_json, "csv": _as_csv}[style](sheet), nl=False)
    line.say(f"report: {report}")
    if is_stopped:
        raise typer.Exit(INTERRUPTED)
    if left_out or not all(bot.is_final for bot, _ in marks):
        raise typer.Exit(NOT_ALL)


def _plan(bots: int, pack: Sequence[LevelTest], secret: Sequence[LevelTest], games: int) -> str:
    """What will be asked, in one line."""
    levels = levels_of(pack)
    tests = sum(test.level in levels for test in pack)
    words = [f"{bots} bot{'' if bots == 1 else 's'}", f"{tests} tests of level{'' if len(levels) == 1 else 's'} {_list(levels)}"]
    words += [f"{len(secret)} hidden tests"] if secret else []
    words += [f"{games} games for each bot that passes all levels"] if games and len(levels) == len(LEVELS) else []
    return f"to mark: {'; '.join(words)}"


def _list(levels: Sequence[int]) -> str:
    return str(levels[0]) if len(levels) == 1 else f"{levels[0]} to {levels[-1]}"


def _find(
    host: Host, words: Sequence[str], folder: Path, workers: int, say: Callable[[str], None]
) -> tuple[list[HostPlayer], list[str]]:
    """The bots that words name, built where they have to be; and why others that were handed in are none.

    Raises:
        UserError: a word names no bot.
    """
    players: list[HostPlayer] = []
    left_out: list[str] = []
    places = _folder_names(words)
    for word, place in zip(words, places, strict=True):
        if not _was_handed_in(Path(word)):
            players.append(host.find_player(word, ADVANCE))
            continue
        several = host.take_in(word, ADVANCE, folder / place, workers=workers, tell=say)
        players += [HostPlayer(label, reference) for label, reference in several.players]
        refused = [*map(one_line, several.left_out)]
        left_out += refused
        if not several.players:
            reasons = "".join(f"\n  {reason}" for reason in refused)
            raise UserError(f"{word}: contains no bots: expected programs, sources that can be built, or plugins{reasons}")
    return players, left_out


def _folder_names(words: Sequence[str]) -> list[str]:
    """A folder's name for what each word names, no two alike."""
    places: list[str] = []
    for word in words:
        stem = re.sub(r"[^\w.+-]+", "_", Path(word).stem) or "bots"
        names = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
        places.append(next(name for name in names if name not in places))
    return places


def _with_labels(players: Sequence[HostPlayer]) -> list[tuple[BotMark, HostPlayer]]:
    """Each under a label of its own."""
    by_label: dict[str, tuple[BotMark, HostPlayer]] = {}
    for player in players:
        first_label = label = one_line(player.label)
        number = 1
        while label in by_label:
            number += 1
            label = f"{first_label} ({number})"
        by_label[label] = (BotMark(label=label), player)
    return list(by_label.values())


def _was_handed_in(path: Path) -> bool:
    """Whether it is a folder of bots, an archive or a file of sources, and not what plays under its own name."""
    if path.is_dir():
        return not any((path / name).is_file() for name in ("__init__.py", PYPROJECT, MANIFEST))
    return path.is_file() and not is_plugin_file(path) and not os.access(path, os.X_OK)


def _pack(path: Path | None) -> tuple[list[LevelTest], str]:
    """The tests, and which they are in words."""
    tests = shipped_pack() if path is None else read_pack(path)
    return tests, f"{len(tests)} in {path}" if path is not None else f"{len(tests)} (shipped)"


def _check_packs(pack: Sequence[LevelTest], secret: Sequence[LevelTest], tests: Path | None, hidden: Path | None) -> None:
    if not levels_of(pack):
        raise UserError(f"{tests}: contains no tests of level 4, where marking starts")
    if same := set(pack) & set(secret):
        raise UserError(
            f"{hidden}: {len(same)} of its tests are also public, so they are not hidden; generate others with another seed"
        )


def _write(sheet: MarkSheet, output: Path) -> Path:
    """The report in all its forms; the page to look at."""
    with file_errors(output, "written"):
        (output / "report.txt").write_text(text_report(sheet), encoding="utf-8")
        (output / "report.json").write_text(_as_json(sheet), encoding="utf-8")
        (output / "report.csv").write_text(_as_csv(sheet), encoding="utf-8")
        return write_pages(sheet, output)


def _as_json(sheet: MarkSheet) -> str:
    return json.dumps(json_report(sheet), indent=2) + "\n"


def _as_csv(sheet: MarkSheet) -> str:
    return class_sheet(sheet).csv()
