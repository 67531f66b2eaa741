"""The output folder of a round robin in place of a tournament file."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.made_records import changed
from typer import Typer
from typer.testing import CliRunner

from tiltyard_checks.command.status import app as status
from tiltyard_checks.command.verify import app as verify
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Source
from tiltyard_engine.registry.sources import Origin
from tiltyard_matchups.commands.round_robin import app as round_robin
from tiltyard_simulator.match.code_digest import code_digest
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.key import with_key
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.replays.files import unpack
from tiltyard_site.commands.replay import app as replay
from tiltyard_tournaments.store import Store
from tiltyard_viewer.command.watch import app as watch
from tiltyard_whatif.command.whatif import app as whatif
from tiltyard_whatif.command.why import app as why

RUNNER = CliRunner()
TEAM = """
from tiltyard_engine import ActionRequest, TankAlgorithm, Team, hookimpl

class Idle(TankAlgorithm):
    def __init__(self, player, tank):
        pass
    def get_action(self):
        return ActionRequest.DO_NOTHING
    def update_battle_info(self, info):
        pass

@hookimpl
def algorithms():
    yield Team("idle", "tanks", Idle)
"""


def run(app: Typer, *words: str) -> str:
    done = RUNNER.invoke(app, list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory, programs: Path) -> Path:
    """The folder with a team's file, and 'cup', a round robin of 2 games."""
    folder = tmp_path_factory.mktemp("played")
    shutil.copy(programs / "teams" / "sound.py", folder / "team.py")
    words = (str(folder / "team.py:idler"), "acorn", "--maps", "back-yard", "--workers", "1", "--output", str(folder / "cup"))
    run(round_robin, *words)
    return folder


@pytest.fixture
def cup(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of its results; the team's file lies where it was."""
    shutil.copytree(played / "cup", tmp_path / "cup")
    monkeypatch.chdir(tmp_path)
    return Path("cup")


def put(cup: Path, spec: MatchSpec, record: MatchRecord, *, instead_of: str) -> None:
    with Store(cup) as store:
        store.remove(instead_of)
        store.add(spec.place.key, spec, replace(record, outcome=spec.label(record.outcome)))


def test_why_a_match_of_a_round_robin_was_lost(cup: Path) -> None:
    told = run(why, "cup", "--match", "1", "--cpu-seconds", "0", "--format", "json")
    assert json.loads(told)["team"] == "idler"
    assert "idler - acorn on back-yard: idler lost" in run(why, "cup", "--match", "1", "--cpu-seconds", "0")
    assert re.search(r"\d match(es)? that idler didn't win: ", run(why, "cup", "--team", "idler", "--cpu-seconds", "0"))
    assert run(whatif, "cup", "--match", "1").startswith("idler - acorn on back-yard: idler lost")


def test_a_replay_that_was_not_saved_is_played(cup: Path) -> None:
    listed = json.loads(run(replay, "cup", "--format", "json"))
    assert [(row["number"], row["teams"]) for row in listed] == [(1, "idler - acorn"), (2, "acorn - idler")]
    run(replay, "cup", "--match", "2", "-o", "game.jsonl", "--html", "game.html")
    shown = unpack(Path("game.jsonl").read_bytes(), "game.jsonl")
    assert (shown.seats, shown.message) == (("acorn", "idler"), listed[1]["result"])
    assert listed[1]["result"] in Path("game.html").read_text()
    with Store(cup, writable=False) as store:
        assert not store.replayed()


def test_a_match_that_is_another_one_now_is_not_shown(cup: Path) -> None:
    with Store(cup, writable=False) as store:
        match = next(store.matches())
    claim = replace(match.record.evidence.claim, rounds=match.record.evidence.claim.rounds + 1)
    put(cup, match.spec, changed(match.record, claim=claim), instead_of=match.key)
    with pytest.raises(UserError, match=r"the match isn't the same when it is played again; 'tiltyard verify cup' says"):
        run(replay, "cup", "--match", match.key)


def test_code_that_has_changed_or_gone(cup: Path, played: Path) -> None:
    team = played / "team.py"
    text = team.read_text()
    try:
        team.write_text(text + "# better\n")
        code_digest.cache_clear()
        changed_code = "the code of algorithm idler has changed since; run the command that made cup again to play what changed"
        for app, words in ((why, ["--match", "1"]), (replay, ["--match", "1"]), (why, ["--team", "idler"])):
            with pytest.raises(UserError, match=f"can't be played again: {changed_code}$"):
                run(app, "cup", *words)
        team.unlink()
        with pytest.raises(UserError, match=r"^cup: the algorithm 'idler' came from .*team.py, which no longer exists$"):
            run(why, "cup", "--match", "1")
    finally:
        team.write_text(text)
        code_digest.cache_clear()


@pytest.mark.parametrize("app", [why, replay, verify])
def test_a_folder_cannot_call_a_strangers_code_the_projects_own(cup: Path, played: Path, app: Typer) -> None:
    """The code would run in tiltyard's own process, with all that the user may do."""
    stranger = played / "stranger.py"
    stranger.write_text("import pathlib\npathlib.Path(__file__).with_suffix('.ran').touch()\n" + TEAM)
    with Store(cup, writable=False) as store:
        match = next(match for match in store.matches() if match.spec.input.names[0] == "idler")
    idler, acorn = match.spec.input.teams
    source = Source(name="acorn", origin=Origin.FILE, value=str(stranger), distribution=acorn.source.distribution)
    teams = replace(idler, source=source), acorn
    holding = replace(match.spec.holding, isolations=(Isolation.INLINE,) * 2)
    doctored = with_key(replace(match.spec, input=replace(match.spec.input, teams=teams), holding=holding))
    put(cup, doctored, match.record, instead_of=match.key)
    with pytest.raises(UserError, match=r"the algorithm 'idler' ran in-process in this match; .* --trust "):
        run(app, "cup", *([] if app is verify else ["--match", doctored.place.key]))
    assert not stranger.with_suffix(".ran").exists()


@pytest.mark.parametrize(
    ("app", "words", "told"),
    [
        (why, ["cup", "--match", "9"], "no match '9' has been played; .* 'tiltyard replay cup' lists the matches"),
        (why, ["cup", "--team", "nobody"], "nobody plays in no match of cup; expected acorn, idler"),
        (why, ["cup", "--team", "idler", "--stage", "finals"], "--stage finals: is for a tournament file"),
        (replay, ["cup", "-o", "x.jsonl"], "cup: choose the match to write to x.jsonl with --match"),
        (status, ["cup"], "cup: is the output folder of a run, .*; the commands replay, why, whatif and verify take it"),
        (watch, ["cup", "--match", "2"], "'tiltyard replay cup --match 2 -o game.jsonl' writes the replay"),
        (watch, ["cup"], "'tiltyard replay cup --match N -o game.jsonl' writes the replay"),
    ],
)
def test_mistakes(cup: Path, app: Typer, words: list[str], told: str) -> None:
    with pytest.raises(UserError, match=told):
        run(app, *words)


def test_a_number_that_two_runs_gave(cup: Path, played: Path) -> None:
    run(round_robin, "acorn", "bramble", "--maps", "back-yard", "--workers", "1", "--output", "cup")
    with pytest.raises(UserError, match=r"cup: 1 stands for several matches; give more digits of a key: \w{8}, \w{8}$"):
        run(why, "cup", "--match", "1")


@pytest.mark.parametrize("app", [why, whatif, replay])
def test_a_file_says_what_is_trusted(tmp_path: Path, app: Typer) -> None:
    file = tmp_path / "cup.yaml"
    file.write_text("title: Cup\ngame: tanks\nteams: [acorn, bramble]\n")
    with pytest.raises(UserError, match=r"says what is trusted and what may run unconfined: leave --trust and --unconfined out$"):
        run(app, str(file), "--match", "1", "--trust", "x")
