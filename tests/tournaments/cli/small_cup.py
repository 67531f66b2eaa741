"""A tournament that was played, small and once for all tests of a file."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from tiltyard_tournaments.cli.run import app

CUP = "title: Small cup\ngame: tanks\nmaps: [back-yard, narrow-pass]\nteams: [acorn, bramble]\nworkers: 1\n"


def play_small_cup(folder: Path) -> Path:
    """The tournament's file; it has 4 games."""
    file = folder / "cup.yaml"
    file.write_text(CUP + f"output: {folder / 'cup'}\n")
    done = CliRunner().invoke(app, [str(file)])
    assert done.exit_code == 0, done.output
    return file
