"""What an audit found, for people and for programs."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

from tiltyard_engine.texts import quantities
from tiltyard_engine.texts.sanitize import one_line, printable, quoted
from tiltyard_filler.audit import AuditGame, Entrant, PairingResult
from tiltyard_kit.sheet import Column, Sheet

SAID_LINES: Final = 8
"""The number of lines shown of what a failed robot wrote to standard error: the last ones."""


def has_passed(results: Sequence[PairingResult]) -> bool:
    """Whether all pairings that count were passed."""
    return all(result.passed for result in results if not result.pairing.is_bonus)


def report(robot: Entrant, results: Sequence[PairingResult], isolation: str, seconds: float) -> str:
    """The report as text for people, from the table to the failures of each game."""
    games, wins = len(results[0].games), results[0].wins_needed
    least = f"at least {quantities.counted(wins, 'win')}, {quantities.in_seconds(seconds)} per answer"
    rules = f"{quantities.counted(games, 'game')} per map and opponent, alternating seats, {least}"
    lines = [
        f"Audit of {robot.path}: {rules}",
        f"Robot isolation: {isolation}",
        "",
        *Sheet(COLUMNS, results).lines(is_ruled=False),
    ]
    remarks = [line for result in results for game in result.games for line in _remarks(robot, result, game)]
    if remarks:
        lines += ["", *remarks]
    counted = [result for result in results if not result.pairing.is_bonus]
    bonus = [result for result in results if result.pairing.is_bonus]
    lines += ["", f"{'PASSED' if has_passed(results) else 'NOT PASSED'}: {_passed(counted)}"]
    if bonus:
        lines.append(f"bonus: {_passed(bonus)}")
    return "\n".join(lines) + "\n"


def game_line(robot: Entrant, result: PairingResult, game: AuditGame) -> str:
    """One game in one line."""
    where = f"{result.pairing.map_name}, {result.pairing.opponent.name}, game {game.number}"
    return f"{where}: {robot.name} as player {game.seat} {game.outcome}, {game.cells[0]} : {game.cells[1]} cells (seed {game.seed})"


def as_json(robot: Entrant, results: Sequence[PairingResult], isolation: str, seconds: float) -> dict[str, Any]:
    """The report as values for JSON, for programs."""
    return {
        "robot": robot.path,
        "held": isolation,
        "seconds": seconds,
        "passed": has_passed(results),
        "pairings": [
            {
                "map": result.pairing.map_name,
                "opponent": result.pairing.opponent.path,
                "bonus": result.pairing.is_bonus,
                "wins_needed": result.wins_needed,
                "won": result.count("won"),
                "drawn": result.count("drawn"),
                "lost": result.count("lost"),
                "passed": result.passed,
                "games": [
                    {
                        "number": game.number,
                        "seat": game.seat,
                        "seed": game.seed,
                        "outcome": game.outcome,
                        "cells": list(game.cells),
                        "turns": game.turns,
                        "message": game.message,
                        "slowest_seconds": round(game.slowest, 6),
                        "failings": [{"robot": one.name, "what": one.what, "stderr": one.stderr} for one in game.failings],
                    }
                    for game in result.games
                ],
            }
            for result in results
        ],
    }


def _passed(results: Sequence[PairingResult]) -> str:
    passed = sum(result.passed for result in results)
    won, games = sum(result.count("won") for result in results), sum(len(result.games) for result in results)
    return f"{passed} of {len(results)} pairings, {won} of {games} games won"


def _count(outcome: str, result: PairingResult) -> str:
    return str(result.count(outcome))


def _cells(result: PairingResult) -> str:
    return " : ".join(str(sum(game.cells[side] for game in result.games)) for side in (0, 1))


def _verdict(result: PairingResult) -> str:
    verdict = "passed" if result.passed else "not passed"
    return f"{verdict}, bonus" if result.pairing.is_bonus else verdict


COLUMNS: Final = (
    Column[PairingResult]("map", lambda result: result.pairing.map_name),
    Column[PairingResult]("opponent", lambda result: result.pairing.opponent.name),
    Column[PairingResult]("games", lambda result: str(len(result.games)), is_number=True),
    *(Column(outcome, partial(_count, outcome), is_number=True) for outcome in ("won", "drawn", "lost")),
    Column("cells", _cells),
    Column[PairingResult](
        "slowest answer", lambda result: f"{max(game.slowest for game in result.games) * 1000:.0f} ms", is_number=True
    ),
    Column("", _verdict),
)


def _remarks(robot: Entrant, result: PairingResult, game: AuditGame) -> Iterator[str]:
    """Games that were not won, with what went wrong and how to see them again; and failings in those that were."""
    failings = [one for one in game.failings if game.outcome != "won" or one.name == robot.name]
    if game.outcome == "won" and not failings:
        return
    yield game_line(robot, result, game)
    for failing in failings:
        yield f"    {printable(failing.name)}: {one_line(failing.what)}"
        if failing.stderr:
            yield quoted(failing.stderr, "        | ", SAID_LINES)
    paths = (_command(robot), _command(result.pairing.opponent))
    first, second = paths if game.seat == 1 else paths[::-1]
    map_path = shlex.quote(result.pairing.map_path)
    yield f"    to see it again: game_engine -f {map_path} -p1 {first} -p2 {second} -s {game.seed} | tiltyard watch -"


def _command(entrant: Entrant) -> str:
    """A robot's path for a shell."""
    return f"$(command -v filler-{entrant.name})" if entrant.is_own else shlex.quote(entrant.path)
