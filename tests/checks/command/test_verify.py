"""``tiltyard verify`` of a tournament: its stored matches are played again and compared."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.made_records import changed
from typer.testing import CliRunner

from tiltyard_checks.command.verify import app
from tiltyard_checks.runs.stored_matches import StoredMatches
from tiltyard_engine.errors import UserError
from tiltyard_simulator.match.code_digest import code_digest
from tiltyard_simulator.replays.files import pack
from tiltyard_tournaments.cli.run import app as run
from tiltyard_tournaments.store import Store
from tiltyard_tournaments.store.row_form import result_bytes

RUNNER = CliRunner()
CUP = """title: Cup
game: tanks
maps: [narrow-pass, back-yard]
teams: [acorn, team.py:idler]
isolation: process
workers: 1
output: cup
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory, programs: Path) -> Path:
    """The folder of a tournament of 4 games that was played, one team from a file."""
    folder = tmp_path_factory.mktemp("played")
    shutil.copy(programs / "teams" / "sound.py", folder / "team.py")
    (folder / "cup.yaml").write_text(CUP)
    done = RUNNER.invoke(run, [str(folder / "cup.yaml")], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def cup(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of its results, to be changed; the team's file lies where it was."""
    shutil.copytree(played / "cup", tmp_path / "cup")
    (tmp_path / "cup.yaml").write_text(CUP.replace("team.py", str(played / "team.py")))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "cup"


def verify(*words: str) -> tuple[int, str, str]:
    done = RUNNER.invoke(app, [*words, "-w", "1"], catch_exceptions=False)
    return done.exit_code, done.stdout, done.stderr


def test_what_was_stored_comes_out_again(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (cup / "tournament.sqlite").read_bytes()
    assert verify("cup.yaml") == (0, "4 of 4 matches gave the stored result\n", "")
    # A store alone cannot say that code may run without a sandbox.
    with pytest.raises(UserError, match="set TILTYARD_ISOLATION=process"):
        verify("cup", "--sample", "1")
    monkeypatch.setenv("TILTYARD_ISOLATION", "process")
    assert verify("cup", "--sample", "1") == (0, "1 of 1 matches gave the stored result\n", "")
    assert (cup / "tournament.sqlite").read_bytes() == before


def test_a_result_and_a_replay_that_were_edited(cup: Path) -> None:
    with Store(cup) as store:
        one, two, three, _ = store.matches()
        claim = replace(one.record.evidence.claim, rounds=one.record.evidence.claim.rounds + 1)
        store._connection.execute(
            "UPDATE matches SET outcome = ? WHERE key = ?", (result_bytes(changed(one.record, claim=claim)), one.key)
        )
        replay, message = store.replay(two.key), store.replay(three.key)
        assert replay is not None
        assert message is not None
        replay.frames[4] = replace(replay.frames[4], actions=("Nonsense", *replay.frames[4].actions[1:]))
        message.message = "somebody won"
        for key, edited in ((two.key, replay), (three.key, message)):
            store._connection.execute("UPDATE matches SET replay = ? WHERE key = ?", (pack(edited), key))
    status, out, _ = verify("cup.yaml")
    assert status == 1
    assert "stored and played again first differ in round 5" in out
    assert out.endswith("\n1 of 4 matches gave the stored result\n")
    status, out, _ = verify("cup.yaml", "--format", "json")
    rows = {row["match"]: (row["verdict"], row["round"], row["what differs"]) for row in json.loads(out)}
    assert status == 1
    assert rows == {
        one.key[:8]: ("differs", "", "result"),
        two.key[:8]: ("differs", 5, "actions"),
        three.key[:8]: ("differs", "", "replay"),
    }


def test_matches_of_a_team_that_changed_since_are_told_apart(cup: Path, played: Path) -> None:
    (cup.parent / "team.py").write_text((played / "team.py").read_text() + "# better\n")
    text = (cup.parent / "cup.yaml").read_text()
    (cup.parent / "cup.yaml").write_text(text.replace(str(played / "team.py"), "team.py"))
    status, out, err = verify("cup.yaml")
    assert (status, out) == (0, "0 of 0 matches gave the stored result\n")
    assert err == "not compared: 4 matches: the code of algorithm idler has changed since\n"
    (cup.parent / "cup.yaml").write_text(text.replace(f"acorn, {played / 'team.py'}:idler", "acorn, bramble"))
    assert verify("cup.yaml")[2] == "not compared: 4 matches: algorithm idler no longer takes part\n"


@pytest.mark.parametrize(
    ("old", "new", "compared", "told"),
    [
        ("maps: [narrow-pass, back-yard]", "maps: [narrow-pass]", 2, "2 matches: the map back-yard is no longer played"),
        ("title: Cup", "title: Cup\nseed: 5", 0, "4 matches: they don't belong to the tournament as its file is now"),
        ("title: Cup", "title: Cup\nlimits: {move_seconds: 9}", 0, "4 matches: they were played with different settings"),
        ("title: Cup", "title: Cup\non-crash: void", 0, "4 matches: they were played with different settings"),
        ("title: Cup", "title: Cup\nformat: {name: gauntlet, challengers: [bramble]}", 0, "4 matches: they don't belong to the"),
    ],
)
def test_why_matches_are_not_compared_is_true(cup: Path, old: str, new: str, compared: int, told: str) -> None:
    file = cup.parent / "cup.yaml"
    text = file.read_text().replace(old, new)
    file.write_text(text.replace("teams: [acorn", "teams: [bramble, acorn") if "bramble" in new else text)
    status, out, err = verify("cup.yaml")
    assert (status, out) == (0, f"{compared} of {compared} matches gave the stored result\n")
    assert err.startswith(f"not compared: {told}")


def test_two_teams_of_one_name_are_not_taken_for_each_other(cup: Path, played: Path) -> None:
    other = cup.parent / "other.py"
    other.write_text((played / "team.py").read_text() + "# another one\n")
    file = cup.parent / "cup.yaml"
    text = file.read_text()
    # All matches are played on other seeds now, and there is a second idler with other code: nobody's code changed.
    both = text.replace("teams: [acorn, ", f"teams: [acorn, {{name: second, team: '{other}:idler'}}, ")
    file.write_text(both.replace("title: Cup", "title: Cup\nseed: 5"))
    assert verify("cup.yaml")[2].startswith("not compared: 4 matches: they don't belong to the tournament")


def test_of_a_folder_alone_too(cup: Path, played: Path) -> None:
    team = played / "team.py"
    text = team.read_text()
    try:
        team.write_text(text + "# better\n")
        code_digest.cache_clear()
        assert verify("cup") == (
            0,
            "0 of 0 matches gave the stored result\n",
            "not compared: 4 matches: the code of algorithm idler has changed since\n",
        )
    finally:
        team.write_text(text)
        code_digest.cache_clear()


def test_what_a_store_says_about_isolation_grants_no_trust(cup: Path) -> None:
    """Whoever hands in a folder of results could have written into it that code runs in the runner's own process."""
    text = Path("cup.yaml").read_text()
    Path("cup.yaml").write_text(text.replace("process", "inline"))
    shutil.rmtree(cup)
    assert RUNNER.invoke(run, ["cup.yaml"], catch_exceptions=False).exit_code == 0
    with pytest.raises(UserError, match=r"the algorithm 'idler' ran in-process in this match; .* use --trust "):
        verify("cup")


def test_the_sample_depends_on_the_seed_alone(cup: Path) -> None:
    with Store(cup, writable=False) as store:
        specs = tuple(stored.spec for stored in store.matches()) * 10
    matches = StoredMatches(specs, {})
    assert matches.sample(None, 0) == matches.sample(99, 0) == specs
    assert matches.sample(5, 1) == matches.sample(5, 1)
    assert len({matches.sample(5, seed) for seed in range(5)}) > 1


def test_mistakes(cup: Path) -> None:
    for words, told in (
        (["cup.yaml", "acorn"], "give one tournament file or output folder, and nothing else"),
        (["cup.yaml", "--times", "3"], "leave --times, --maps"),
        (["cup.yaml", "--maps", "narrow-pass"], "leave --times, --maps"),
        (["cup.yaml", "--trust", "tiltyard"], "says what is trusted"),
        (["acorn", "bramble", "--sample", "3"], "--sample is for the stored matches of a tournament file"),
    ):
        with pytest.raises(UserError, match=told):
            verify(*words)
