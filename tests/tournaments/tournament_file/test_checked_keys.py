"""The keys of a file are the same whether they were checked by this command or an earlier one."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest

from tiltyard_simulator.match import own_cache
from tiltyard_tournaments.tournament_file import validation
from tiltyard_tournaments.tournament_file.checked_keys import checked_keys
from tiltyard_tournaments.tournament_file.document import parse_document, read_document
from tiltyard_tournaments.tournament_file.model import TournamentKeys

WHOLE = """\
title: Cup
game: tanks
teams: [acorn, {team: bramble, name: Bram, limits: {move_seconds: 2}}]
maps: back-yard
format: {name: swiss, rounds: 3, pairs: [1, 2.5, null, true]}
disqualify: {acorn: late}
withdraw: {bramble: now}
qualify: level 4
publication: {publishers: [{name: markdown, folder: x}], links: {home: https://example.org}}
analysis: {cpu_seconds: 3}
"""


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
    """A cache that is empty, and the kinds of value that pydantic was asked to check since."""
    monkeypatch.delenv(own_cache.FRESH_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    asked: list[Any] = []
    check = validation.check_sound_part

    def counted(kind: Any, *rest: Any) -> Any:
        asked.append(kind)
        return check(kind, *rest)

    monkeypatch.setattr(validation, "check_sound_part", counted)
    return asked


def test_the_next_command_reads_what_was_checked(checks: list[Any]) -> None:
    document = parse_document(WHOLE, "cup.yaml")
    first, second = checked_keys(document), checked_keys(parse_document(WHOLE, "other.yaml"))
    assert checks == [TournamentKeys]
    assert first == second
    keys, problems, left_out = second
    assert (problems, left_out) == ([], set())
    model = TournamentKeys.model_validate(document.data, strict=True)
    assert vars(keys).keys() == {*TournamentKeys.model_fields, "model_extra"}
    assert (keys.title, keys.withdraw, keys.qualify) == (model.title, model.withdraw, model.qualify)
    assert (keys.teams[1].name, keys.teams[1].limits) == ("Bram", {"move_seconds": 2.0})
    assert (keys.format.name, keys.format.model_extra) == ("swiss", model.format.model_extra)
    assert keys.disqualify["acorn"].reason == "late"
    assert keys.publication.publishers[0].model_extra == {"folder": "x"}
    assert keys.analysis is not None
    assert repr(keys.analysis.cpu_seconds) == "3.0"


def test_what_is_wrong_is_told_each_time(checks: list[Any]) -> None:
    document = parse_document("title: 5\ngame: tanks\n", "cup.yaml")
    first, second = checked_keys(document), checked_keys(document)
    assert checks == [TournamentKeys] * 2
    assert first == second
    assert [problem.key for problem in second[1]] == ["title"]
    assert (second[0].title, second[0].game) == ("Tournament", "tanks")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2026-11-27", datetime.date(2026, 11, 27)),
        ("'2026-11-27'", "2026-11-27"),
        (str(1 << 70), 1 << 70),
        (".nan", None),
    ],
)
def test_values_of_options_stay_as_yaml_has_them(checks: list[Any], tmp_path: Path, text: str, value: object) -> None:
    file = tmp_path / "cup.yaml"
    file.write_text(f"format: {{name: swiss, option: {text}}}\n")
    for _ in range(2):
        keys, problems, _ = checked_keys(read_document(file))
        assert problems == []
        option = (keys.format.model_extra or {})["option"]
        assert option == value or (value is None and option != option)
        assert value is None or type(option) is type(value)


def test_a_document_has_its_lines_again(checks: list[Any], tmp_path: Path) -> None:
    file = tmp_path / "cup.yaml"
    file.write_text(WHOLE)
    fresh = parse_document(WHOLE, str(file))
    assert read_document(file) == read_document(file) == fresh
    assert read_document(file).line_of(("teams", 1, "limits", "move_seconds")) == 3
    assert len(list((tmp_path / "cache" / "tiltyard").iterdir())) == 1
