"""``tiltyard mark advance``: the course's marking at the command line. Needs typer and jinja2, which ``tiltyard`` brings."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from tiltyard_advance.adapter import introduce
from tiltyard_advance.command_line import ProgressLine, errors_told
from tiltyard_advance.level_tests import LevelTest
from tiltyard_advance.mark_keeping import KeptOutcomes
from tiltyard_advance.mark_page import write_pages
from tiltyard_advance.mark_report import MarkSheet, csv_report, json_report, text_report
from tiltyard_advance.mark_running import ADVANCE, Marker, MarkWishes
from tiltyard_advance.marking import GAMES, PER_WIN, BotMark, levels_of
from tiltyard_advance.packs import read_pack, shipped_pack
from tiltyard_engine.errors import UserError
from tiltyard_engine.host import Host, find_host
from tiltyard_engine.host_matches import HostPlayer
from tiltyard_engine.programs import ProgramError
from tiltyard_engine.registry.sources import MANIFEST, PYPROJECT
from tiltyard_engine.wording import one_line

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="A course's marking of programs.",
)

BOTS_HELP = (
    "A program, a folder with a program.toml, an installed algorithm; or a folder of them. Several make a table of the class."
)
OUTPUT_HELP = "Where results are kept, and the report is written as text, JSON, CSV and HTML."
SECONDS: Final = 30.0
NAME_LIMITS: Final = {"startup_seconds": 2.0, "wall_factor": 3.0}
NAME_SECONDS: Final = 2.0
INTERRUPTED: Final = 130


@app.callback()
def mark() -> None:
    """A course's marking of programs."""


@app.command()
def advance(
    bots: Annotated[list[str], typer.Argument(metavar="BOT...", help=BOTS_HELP)],
    tests: Annotated[
        Path | None,
        typer.Option("--tests", "-t", metavar="DIR", help="The tests; by default the shipped ones.", show_default=False),
    ] = None,
    hidden: Annotated[
        Path | None, typer.Option("--hidden", metavar="DIR", help="Tests that count for nothing, but tell hard-coded answers.")
    ] = None,
    games: Annotated[
        int, typer.Option("--games", "-g", min=0, max=10_000, help="Games against level 7, colours alternating.")
    ] = GAMES,
    per_win: Annotated[float, typer.Option(min=0.0, max=100.0, help="Percent for each win of 100 beyond 30.")] = PER_WIN,
    seed: Annotated[int, typer.Option(min=0, help="That of the first game.")] = 1,
    seconds: Annotated[float, typer.Option("--seconds", min=0.001, help="CPU time for a move.")] = SECONDS,
    workers: Annotated[int, typer.Option("--workers", "-w", min=0, help="Processes; 0: one a core.")] = 0,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help=OUTPUT_HELP)] = Path("marks"),
    style: Annotated[Literal["text", "json", "csv"], typer.Option("--format", "-f", help="What is printed.")] = "text",
) -> None:
    """Mark bots for Advance as the course does: the tests of levels 4 to 7 in order, then games against level 7.

    Level 4 is worth 50 %, level 5 takes that to 65, level 6 to 75, level 7 to 85. A bot that fails a test of a level is marked by
    those that it passed, and is asked no more. One that passes all plays 100 games; each win beyond 30 adds 0.5 %, up to 100 %.

    Results are kept in the output folder as they come: stop it or kill it, and the same command goes on. What has changed
    since, a bot's files or a test, is asked again.

    \b
    Examples:
      tiltyard mark advance ./bot
      tiltyard mark advance submissions/ --hidden hidden/ --workers 4
      tiltyard mark advance "dotnet bot.dll" --games 0 --format json
    """
    with errors_told(), find_host() as host:
        pack, public = _pack(tests, "shipped_tests")
        secret, hidden_words = _pack(hidden, "") if hidden is not None else ([], "")
        _check_packs(pack, secret, tests, hidden)
        line = ProgressLine()
        entrants = _find(host, bots)
        wishes = MarkWishes(pack, secret, games, seed, {"move_seconds": seconds}, workers)
        with KeptOutcomes(output) as kept:
            try:
                for number, (bot, player) in enumerate(entrants.bots, start=1):
                    line.show(f"names: {number} of {len(entrants.bots)}")
                    bot.name = _name(host, player)
                Marker(host, kept, wishes, line.show, line.say).mark(entrants.bots)
            except KeyboardInterrupt:
                line.say(f"stopped; what was found is kept in {kept.path}: the same command goes on")
                raise typer.Exit(INTERRUPTED) from None
            finally:
                line.clear()
        marks = [bot for bot, _ in entrants.bots]
        sheet = MarkSheet(marks, public, hidden_words, host.held, seconds, per_win, entrants.left_out)
        written = _write(sheet, output)
    typer.echo({"text": text_report, "json": _as_json, "csv": csv_report}[style](sheet), nl=False)
    line.say(f"report: {written}")


@dataclass(slots=True)
class _Entrants:
    bots: list[tuple[BotMark, HostPlayer]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def add(self, player: HostPlayer) -> None:
        """Under a label of its own."""
        taken = {mark.label for mark, _ in self.bots}
        wanted = label = one_line(player.label)
        number = 1
        while label in taken:
            number += 1
            label = f"{wanted} ({number})"
        self.bots.append((BotMark(label), player))


def _find(host: Host, words: Sequence[str]) -> _Entrants:
    """The bots that words name.

    Raises:
        UserError: one names none; one of a folder that is none is left out instead.
    """
    found = _Entrants()
    for word in words:
        if not _is_folder_of_bots(Path(word)):
            found.add(host.find_player(word, ADVANCE))
            continue
        several = host.find_submissions(word, ADVANCE)
        for label, reference in several.players:
            found.add(HostPlayer(label, reference))
        found.left_out += several.left_out
        if not several.players:
            reasons = "".join(f"\n  {reason}" for reason in several.left_out)
            raise UserError(f"{word}: holds no bots: expected programs, folders that hold one each, or plugins{reasons}")
    return found


def _is_folder_of_bots(path: Path) -> bool:
    return path.is_dir() and not any((path / name).is_file() for name in ("__init__.py", PYPROJECT, MANIFEST))


def _name(host: Host, player: HostPlayer) -> str:
    """What a program calls itself; an algorithm in Python goes by the name that it is registered under."""
    program = player.reference.program
    if program is None:
        return ""
    with contextlib.suppress(ProgramError), host.open_program(program, NAME_LIMITS) as opened:
        opened.begin(NAME_SECONDS, "name")
        return introduce(opened)
    return ""


def _pack(path: Path | None, default: str) -> tuple[list[LevelTest], str]:
    """The tests, and which they are in words."""
    found = shipped_pack() if path is None else read_pack(path)
    return found, f"{len(found)} of {path}" if path is not None else f"{len(found)}, the shipped ones"


def _check_packs(pack: Sequence[LevelTest], secret: Sequence[LevelTest], tests: Path | None, hidden: Path | None) -> None:
    if not levels_of(pack):
        raise UserError(f"{tests}: holds no tests of level 4, with which marking begins")
    if same := set(pack) & set(secret):
        raise UserError(
            f"{hidden}: {len(same)} of its tests are public ones too, which hides nothing; make others with another seed"
        )


def _write(sheet: MarkSheet, output: Path) -> Path:
    """The report in all its forms; the page to look at."""
    try:
        (output / "report.txt").write_text(text_report(sheet), encoding="utf-8")
        (output / "report.json").write_text(_as_json(sheet), encoding="utf-8")
        (output / "report.csv").write_text(csv_report(sheet), encoding="utf-8")
        return write_pages(sheet, output)
    except OSError as error:
        raise UserError(f"{error.filename or output}: cannot be written: {error.strerror}") from error


def _as_json(sheet: MarkSheet) -> str:
    return json.dumps(json_report(sheet), indent=2) + "\n"
