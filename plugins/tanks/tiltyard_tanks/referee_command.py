"""``tiltyard tanks referee``: programs of assignment 2 on maps, their output files compared with the rules. Needs typer."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from tiltyard_engine.errors import NotFoundError, UserError, file_errors, some_of
from tiltyard_engine.exit_status import errors_told
from tiltyard_engine.host import Host, find_host, names_of
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.texts.names import file_name
from tiltyard_kit.sheet import Column, Sheet
from tiltyard_tanks.files import read_map_bytes, shipped_map_files
from tiltyard_tanks.maps import count_players, read_map
from tiltyard_tanks.recipes import ASSIGNMENT_2, PROGRAM
from tiltyard_tanks.rules import DIALECTS
from tiltyard_tanks.whole_programs import DIFFERS, FAILED, SAME, Comparison, MapToPlay, agreeing_rules, compare

PROGRAM_HELP = "Assignment 2: a program, its sources, an archive, a folder of these, or the folder of teams that an intake made."
MAP_HELP = "A map file or the name of a shipped map. Can be repeated. Default: the shipped maps for two players."
OUTPUT_HELP = "Folder for the builds and the output files."
NOT_ALL: Final = 1
ROOM: Final = 16
"""Bytes of a folder's name that stay free for a number."""
HANDED_IN: Final = "handed-in"


def referee(
    programs: Annotated[list[str], typer.Argument(metavar="PROGRAM...", help=PROGRAM_HELP)],
    *,
    maps: Annotated[
        list[str] | None,
        typer.Option(
            "--map", "--maps", "-m", metavar="MAP", help=MAP_HELP, show_default=False, autocompletion=names_of("maps", game="tanks")
        ),
    ] = None,
    rules: Annotated[
        str, typer.Option(help="The dialect of the rules that is right.", autocompletion=lambda: list(DIALECTS))
    ] = "reference",
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds of CPU time for a map.")] = 30.0,
    workers: Annotated[int, typer.Option("--workers", "-w", min=0, help="Builds at once; 0 means one per core.")] = 0,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help=OUTPUT_HELP)] = Path("refereed"),
    as_json: Annotated[bool, typer.Option("--json", help="Print the comparisons as JSON.")] = False,
) -> None:
    """Compare the output files of assignment 2's programs with the rules.

    Each program is built if necessary, and plays each map in the sandbox with its own two players. Its output file is then played
    again by the rules, line by line. The first table names the first round that differs. The second one has a line for each
    program: on how many maps it is the same, where it differs first, and the dialects that it follows on all maps.

    The exit status is 0 if all output files are right, and 1 if not.

    Example: tiltyard tanks referee handed-in/ --map narrow-pass

    Example: tiltyard tanks referee ann.zip --rules info-at-once
    """
    with errors_told(), find_host() as host:
        if rules not in DIALECTS:
            raise NotFoundError("dialect", rules, DIALECTS)
        to_play = _read_maps(maps)
        entered, left_out = _find(host, programs, output / HANDED_IN, workers)
        host.preload(program for _, program in entered)
        comparisons: list[Comparison] = []
        for label, program in entered:
            for map_to_play in to_play:
                comparisons.append(compare(host, label, program, map_to_play, rules=rules, seconds=seconds))
                _keep(comparisons[-1], output)
    if as_json:
        plain = [each.plain() for each in comparisons]
        by_program = _class_sheet(comparisons, rules).objects()
        typer.echo(json.dumps({"rules": rules, "comparisons": plain, "programs": by_program, "left_out": left_out}, indent=2))
    else:
        typer.echo("\n".join(_report(comparisons, left_out, rules)))
    if left_out or not all(each.verdict == SAME for each in comparisons):
        raise typer.Exit(NOT_ALL)


def _find(host: Host, words: Sequence[str], folder: Path, workers: int) -> tuple[list[tuple[str, ProgramTeam]], list[str]]:
    programs: list[tuple[str, ProgramTeam]] = []
    left_out: list[str] = []
    for number, word in enumerate(words, start=1):
        place = folder / f"{number}-{_file_name(Path(word).stem)}"
        # In the folder of teams that an intake made, whole programs have one of their own.
        inside = Path(word) / PROGRAM.folder
        several = host.take_in(
            str(inside) if inside.is_dir() else word, "tanks", place, recipe=ASSIGNMENT_2, workers=workers, tell=_tell
        )
        left_out += several.left_out
        for label, player in several.players:
            if player.program is None:
                raise UserError(f"{word}: is a team, not a whole program; 'tiltyard check {word}' checks it")
            programs.append((label, player.program))
    if not programs:
        raise UserError("\n  ".join(["there is no program to compare: expected assignment 2's", *left_out]))
    return programs, left_out


def _read_maps(names: Sequence[str] | None) -> list[MapToPlay]:
    maps: list[MapToPlay] = []
    for name in names or [file.name.removesuffix(".txt") for file in shipped_map_files()]:
        file_name, data = read_map_bytes(name)
        players = count_players(file_name, data)
        if names or players == 2:
            maps.append(MapToPlay(name=Path(file_name).stem, data=data, tank_map=read_map(file_name, data, players)))
    return maps


def _keep(comparison: Comparison, folder: Path) -> None:
    if comparison.output:
        path = folder / _file_name(comparison.program) / file_name(f"output_{comparison.map}", ".txt")
        with file_errors(path, "written"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(comparison.output, encoding="utf-8")


def _report(comparisons: Sequence[Comparison], left_out: Sequence[str], rules: str) -> Iterator[str]:
    yield from Sheet(COLUMNS, comparisons).lines()
    yield ""
    yield f"by the rules '{rules}':"
    yield from _class_sheet(comparisons, rules).lines()
    yield from (f"not compared: {line}" for line in left_out)


def _result(comparison: Comparison) -> str:
    return f"{f'round {comparison.line}: ' if comparison.line else ''}{comparison.words}"


COLUMNS: Final = (
    Column[Comparison]("program", lambda each: each.program),
    Column[Comparison]("map", lambda each: each.map),
    Column[Comparison]("verdict", lambda each: each.verdict),
    Column[Comparison]("rounds", lambda each: str(each.rounds or ""), is_number=True),
    Column("first difference, or the result", _result),
)


def _class_sheet(comparisons: Sequence[Comparison], rules: str) -> Sheet[list[Comparison]]:
    """A row for each program, which is all of its comparisons."""
    columns = (
        Column[list[Comparison]]("program", lambda own: own[0].program),
        Column[list[Comparison]]("same", lambda own: f"{sum(each.verdict == SAME for each in own)} of {len(own)}"),
        Column("first difference", _first_difference),
        Column("known dialect", partial(_dialects, rules)),
    )
    programs = dict.fromkeys(each.program for each in comparisons)
    return Sheet(columns, [[each for each in comparisons if each.program == program] for program in programs])


def _first_difference(own: Sequence[Comparison]) -> str:
    differing = min((each for each in own if each.verdict == DIFFERS), key=lambda each: each.line, default=None)
    failed = [each.map for each in own if each.verdict == FAILED]
    first = [f"round {differing.line} on {differing.map}"] if differing else []
    return "; ".join([*first, *([f"no output file on {some_of(failed, 2)}"] if failed else [])])


def _dialects(rules: str, own: Sequence[Comparison]) -> str:
    names = agreeing_rules(own)
    dialects = [f"the rules '{name}'" for name in names if name != rules and rules not in names]
    return "; ".join([*dialects, *dict.fromkeys(each.spelling for each in own if each.spelling)])


def _file_name(text: str) -> str:
    return file_name(re.sub(r"[^\w.+-]+", "_", text).strip("._-") or "program", room=ROOM)


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
