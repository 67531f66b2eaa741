"""Two runs of one tournament give the same bytes, wherever and however they were played."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import DUEL, RunCommand, map_text
from tests.engine.making import team_source, write

from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level

CUP = """
title: Cup
game: tanks
teams: [acorn, teams/crashing.py, teams/talking.py]
maps: [duel.txt]
output: cup
replays: true
workers: {workers}
"""
TEAMS = {
    "crashing": "raise ValueError(f'cannot read {__file__}')",
    "talking": "print(__file__, id(self)); return ActionRequest.SHOOT",
}


def names_of(value: Any) -> Iterator[str]:
    """All names of fields, at any depth."""
    for name, part in value.items() if isinstance(value, dict) else ():
        yield name
        yield from names_of(part)
    for part in value if isinstance(value, list) else ():
        yield from names_of(part)


@pytest.mark.skipif(probe_confinement().level is Level.C, reason="nothing can be confined here")
def test_two_runs_in_two_folders(run_command: RunCommand, tmp_path: Path) -> None:
    exports: dict[str, list[str]] = {}
    for folder, workers in (("one", 1), ("another", 2)):
        write(tmp_path / folder / "duel.txt", map_text(DUEL, 20, 5))
        write(tmp_path / folder / "cup.yaml", CUP.format(workers=workers))
        for name, action in TEAMS.items():
            write(tmp_path / folder / "teams" / f"{name}.py", team_source(name, action=action))
        done = run_command("tiltyard", "run", f"{folder}/cup.yaml")
        assert done.returncode == 0, done.stderr
        for words in ([], ["--reproducible"], ["--reproducible", "--replays"]):
            exports.setdefault(" ".join(words), []).append(run_command("tiltyard", "export", f"{folder}/cup.yaml", *words).stdout)
    plain, bare, with_replays = exports.values()
    assert plain[0] != plain[1]
    assert bare[0] == bare[1]
    assert with_replays[0] == with_replays[1]
    lines = [json.loads(line) for line in with_replays[0].splitlines()]
    assert [line["kind"] for line in lines] == ["tournament", *["match", "replay"] * 6]
    assert "sandbox" in plain[0]
    for left_out in (str(tmp_path), "sandbox", "level", "ValueError"):
        assert left_out not in with_replays[0], left_out
    assert {"played_at", "seconds", "cpu_seconds", "peak_bytes", "output", "traceback"}.isdisjoint(names_of(lines))
    faults = [fault["termination"] for line in lines if line["kind"] == "match" for fault in line["faults"]]
    assert set(faults) == {"crash"}
    # Once more from what is there: nothing is played, and the store was written in another order.
    shutil.move(tmp_path / "another" / "cup", tmp_path / "one" / "other")
    write(tmp_path / "one" / "cup.yaml", CUP.format(workers=1).replace("output: cup", "output: other"))
    assert run_command("tiltyard", "export", "one/cup.yaml", "--reproducible", "--replays").stdout == with_replays[0]


def test_what_was_played_for_nothing_is_no_part_of_it(run_command: RunCommand, tmp_path: Path) -> None:
    write(tmp_path / "cup.yaml", CUP.format(workers=1))
    done = run_command("tiltyard", "export", "cup.yaml", "--all", "--reproducible")
    assert done.returncode == 2
    assert done.stderr.startswith("error: --all and --reproducible can't be used together")
