"""What is published, exported and extracted names no folder of the machine, whatever teams raise, print and are called."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from tests.engine.making import team_source
from tests.site.packed_replays import files_in
from typer.testing import CliRunner

from tiltyard_checks.command import export
from tiltyard_site.commands import replay
from tiltyard_tournaments.cli import publish
from tiltyard_tournaments.cli import run as running

PLANTED = "/srv/secret place/x.py"
CUP = """\
title: Cup
game: tanks
teams: [acorn, teams]
maps: [back-yard]
workers: 1
output: {output}
publication:
  hide: []
  publishers: [site, markdown, html, json, csv]
"""


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("secret")
    teams = folder / "teams"
    teams.mkdir()
    raising = "import json; print(json.__file__, __file__); raise RuntimeError(f'see {json.__file__}, {__file__} and \"PLANTED\"')"
    raising = raising.replace("PLANTED", PLANTED)
    (teams / "raising.py").write_text(team_source("raising", action=raising))
    # Python finds its own json first, and says where.
    (teams / "json.py").write_text("from json import hookimpl\n")
    (teams / "bad.py").write_text("def f(:\n")
    (teams / "path.py").write_text("import sys\nraise ValueError(sys.path, __file__, sys.prefix)\n")
    file = folder / "cup.yaml"
    file.write_text(CUP.format(output=folder / "cup"))
    done = CliRunner().invoke(running.app, [str(file), "--log", str(folder / "log.jsonl")])
    assert done.exit_code == 0, done.output
    return file


def paths_in(text: str, cup: Path) -> list[str]:
    """Folders that a text names, with what is before and behind."""
    own = map(str, (cup.parent, Path(json.__file__).parent, Path.home()))
    folders = {*own, sys.prefix, sys.base_prefix, "/srv/secret"}
    places = [found.span() for each in folders for found in re.finditer(re.escape(each) + "/", text)]
    return [text[max(begin - 60, 0) : end + 20] for begin, end in places]


def test_no_published_file_names_a_folder(cup: Path) -> None:
    assert CliRunner().invoke(publish.app, [str(cup)]).exit_code == 0
    files = [path for path in (cup.parent / "cup").rglob("*") if path.suffix in (".html", ".js", ".md", ".csv", ".json")]
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    bundles = {path: files_in(text) for path, text in texts.items() if path.parent.name == "replays"}
    assert bundles
    texts |= {path: b"".join(replays.values()).decode() for path, replays in bundles.items()}
    assert {path: found for path, text in texts.items() if (found := paths_in(text, cup))} == {}
    whole = "".join(texts.values())
    for told in ("json/__init__.py", "raising.py", "cannot import name", "invalid syntax (bad.py, line 1)", "x.py"):
        assert told in whole


def test_no_export_and_no_replay_names_a_folder(cup: Path) -> None:
    for words in ([], ["--replays"], ["--all"], ["--reproducible"]):
        exported = CliRunner().invoke(export.app, [str(cup), *words])
        assert exported.exit_code == 0
        assert paths_in(exported.stdout, cup) == []
    lines = [json.loads(line) for line in CliRunner().invoke(export.app, [str(cup)]).stdout.splitlines()]
    assert any("raising.py" in fault["message"] for line in lines for fault in line.get("faults", ()))
    extracted = CliRunner().invoke(replay.app, [str(cup), "--match", "1"])
    assert extracted.exit_code == 0
    assert paths_in(extracted.stdout, cup) == []
