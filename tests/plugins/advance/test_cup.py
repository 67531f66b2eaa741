"""A small cup from its file: openings for variety, both colours, a film of a game, its pages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.conftest import RunCommand

from tiltyard_advance.positions import START
from tiltyard_simulator.replays.encoding import decode

CUP = """\
title: Small cup
game: advance
manager: advance
maps: [{generate: {count: 1, plies: 4, seed: 3}}]
teams: [advance-level-4, advance-level-5]
"""


def test_openings_are_played_with_both_colours_filmed_and_published(tmp_path: Path, run_command: RunCommand) -> None:
    pytest.importorskip("PIL")
    (tmp_path / "cup.yaml").write_text(CUP)
    done = run_command("tiltyard", "run", "cup.yaml")
    assert done.returncode == 0, done.stderr
    replays = []
    for number in (1, 2):
        assert run_command("tiltyard", "replay", "cup.yaml", "--match", str(number), "-o", f"{number}.jsonl").returncode == 0
        replays.append(decode((tmp_path / f"{number}.jsonl").read_bytes()))
    one, two = replays
    assert one.seats == two.seats[::-1] == ("advance-level-4", "advance-level-5")
    assert one.squares == two.squares
    assert "".join(token[0] for token in one.squares) != START
    assert one.frames[0].actions[1] == ""
    film = run_command("tiltyard", "picture", "cup.yaml", "--match", "2", "--to", "6", "-o", "film.gif")
    assert film.returncode == 0, film.stderr
    assert (tmp_path / "film.gif").read_bytes().startswith(b"GIF89a")
    shown = run_command("tiltyard", "watch", "cup.yaml", "--match", "1", "--ascii")
    assert "  +a-b-c-d-e-f-g-h-i-+" in shown.stdout
    assert any(line.startswith("9 |") for line in shown.stdout.splitlines())
    assert run_command("tiltyard", "publish", "cup.yaml").returncode == 0
    text = (tmp_path / "cup/site/data/theme.js").read_text()
    theme = json.loads(text[text.index("{") : text.rindex("}") + 1])
    assert theme["columns"] == list("abcdefghi")
    assert theme["rows"] == list("123456789")
    assert {"floor", "ring", "dot"} <= set(theme["styles"]["Z^!+"])
