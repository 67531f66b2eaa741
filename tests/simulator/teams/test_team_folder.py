"""The record in a folder of teams, as those read it who play the folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiltyard_engine.errors import UserError
from tiltyard_simulator.teams import TEAMS_RECORD, team_folder
from tiltyard_simulator.teams.team_folder import TeamFolder, read_team_folder


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": "another"}', '{"labels": {"a": 1}}', "[" * 100_000, b"\xff".decode("latin-1"), "x" * 300]
)
def test_a_record_that_is_damaged_is_told(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(team_folder, "MOST_BYTES", 200 if text.startswith("x") else 1 << 20)
    assert read_team_folder(tmp_path) == TeamFolder()
    (tmp_path / TEAMS_RECORD).write_text(text)
    with pytest.raises(UserError, match=r"\.tiltyard-intake\.json: isn't what an intake writes.*Run the intake again"):
        read_team_folder(tmp_path)
