"""What becomes of an upload: it is unpacked, built and checked, or refused with a reason."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.intake.made_archives import empty_folders, endless, zipped
from tests.league.made_league import CRASHING, IDLE, make_league

from tiltyard_league.database.database import Database, make_database
from tiltyard_league.database.teams import add_team
from tiltyard_league.database.versions import CheckReport, add_version
from tiltyard_league.league_file.loading import League
from tiltyard_league.submissions.checker import TEAMS, Checker, check_all, folder_of, read_report, sweep_versions
from tiltyard_league.submissions.upload import receive_upload


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> League:
    return make_league(tmp_path_factory.mktemp("league") / "course", maps=1)


@pytest.fixture(scope="module")
def checker(league: League) -> Iterator[Checker]:
    """As the service has it: one for all versions."""
    with closing(Checker(league)) as one:
        yield one


def checked(checker: Checker, league: League, data: bytes, name: str, version: int) -> CheckReport:
    with receive_upload(league.settings.folder, 10**7, 0) as upload:
        upload.write(data)
    return checker.check(version, upload.digest, name)


def test_what_plays_is_accepted_and_can_not_be_changed_any_more(league: League, checker: Checker) -> None:
    report = checked(checker, league, zipped({"thunder/thunder.py": IDLE.encode(), "thunder/notes.txt": b"x"}), "thunder.zip", 101)
    assert (report.accepted, report.reason) == (True, "")
    assert report.entry is not None
    assert report.entry.name == "idle"
    assert [step["step"] for step in report.steps][:3] == ["built", "found", "loads"]
    assert {"acorn", "bramble"} <= {str(step["step"]) for step in report.steps}
    folder = folder_of(league.settings.folder, 101) / TEAMS
    assert {path.stat().st_mode & 0o222 for path in folder.rglob("*")} == {0}
    # The same code in another archive is the same code.
    again = checked(checker, league, zipped({"thunder.py": IDLE.encode()}), "Other Name.zip", 102)
    assert again.code == report.code


def test_python_is_accepted_as_it_ran_at_home(league: League, checker: Checker) -> None:
    begins = "from mybot.conf import WORD\nassert open('weights.txt').read() == WORD\n"
    files = {"mybot/tank.py": begins + IDLE, "mybot/conf.py": "WORD = 'one'\n", "mybot/weights.txt": "one"}
    first, other = (
        checked(
            checker, league, zipped({name: text.replace("one", word).encode() for name, text in files.items()}), "bot.zip", version
        )
        for version, word in ((103, "one"), (104, "two"))
    )
    assert [(report.accepted, report.reason) for report in (first, other)] == [(True, "")] * 2
    assert first.code != other.code


@pytest.mark.parametrize(
    ("data", "name", "reason"),
    [
        (b"def broken(:\n", "a.py", "team.py:1: SyntaxError"),
        (b"PK\x03\x04 not a zip", "a.zip", "can't be opened"),
        (zipped({"../../escapes.py": b"x"}), "a.zip", "can't be opened"),
        (endless(), "a.tar.gz", "team.tar.gz: is damaged (its end is missing); send it again"),
        (empty_folders(4_001), "a.zip", "team.zip: contains more than 4,000 folders"),
        (b"\x7fELF nothing", "a.so", ""),
        (CRASHING.encode(), "a.py", "answers: crash"),
        (IDLE.replace('yield TankTeam("idle", player=Coach, tank=Tank)', "return []").encode(), "a.py", "contributes nothing"),
        (
            (IDLE + '    yield TankTeam("other", player=Coach, tank=Tank)\n').encode(),
            "a.py",
            "contains several algorithms: idle, other",
        ),
    ],
)
def test_what_does_not_play_is_refused_with_its_reason(
    league: League, checker: Checker, data: bytes, name: str, reason: str, request: pytest.FixtureRequest
) -> None:
    number = 200 + request.node.callspec.indices["data"]
    report = checked(checker, league, data, name, number)
    assert not report.accepted
    assert reason in report.reason
    assert report.reason.count("\n") == 0
    text = " ".join(str(step) for step in report.steps) + report.reason
    assert str(league.settings.folder) not in text


def test_what_is_left_of_versions_that_do_not_play_is_removed(tmp_path: Path) -> None:
    make_database(tmp_path)
    with Database(tmp_path) as database, database.writing():
        add_team(database, "Red")
        states = ("received", "checking", "accepted", "refused", "again", "withdrawn", "withdrawn")
        for number, state in enumerate(states, start=1):
            add_version(database, 1, upload=f"{number}", name="a.py", size=1, member=None, note="", late=False)
            database.run(
                "UPDATE versions SET state = ?, entry = ? WHERE id = ?", state, None if number in (1, 2, 7) else b"x", number
            )
            (folder_of(tmp_path, number) / TEAMS).mkdir(parents=True)
            (folder_of(tmp_path, number) / TEAMS).chmod(0o555)
        assert sweep_versions(tmp_path, database) == 3
    assert sorted(path.name for path in (tmp_path / "versions").iterdir()) == ["1", "2", "3", "6"]


def test_a_check_leaves_a_report_for_the_steward(league: League) -> None:
    folder = league.settings.folder
    with receive_upload(folder, 10**7, 0) as upload:
        upload.write(b"nothing that plays")
    with Database(folder) as database, database.writing():
        add_version(database, 1, upload=upload.digest, name="a.txt", size=1, member=None, note="", late=False)
        version = database.number("SELECT max(id) FROM versions")
    assert read_report(folder, version) is None
    answers = io.StringIO()
    check_all(folder, [f"{version}\n"], answers, unconfined=False)
    assert answers.getvalue() == f"{version}\n"
    report = read_report(folder, version)
    assert report is not None
    assert not report.accepted
    Path(folder_of(folder, version), "report.msgpack").write_bytes(b"half")
    assert read_report(folder, version) is None


LOOKS_FOR_OTHERS = re.compile(r"rb\"/riva\[l\]/riva\[l\]\\.py\"")


def test_a_check_tells_a_team_nothing_of_another_one(league: League, checker: Checker, programs: Path) -> None:
    """Its code reads all memory of its process that it can find, and its report would say what it found of the others."""
    others = IDLE.replace('"idle"', '"planted_7411"')
    assert checked(checker, league, others.encode(), "others.py", 301).accepted
    text = (programs / "hostile" / "scans_memory.py").read_text(encoding="utf-8")
    # Of the other version: its folder, and the name of its algorithm.
    text, changed = LOOKS_FOR_OTHERS.subn('rb"versions/30[1]|planted_741[1]"', text)
    assert changed == 1
    text = text.replace("print(attack(), file=sys.stderr)", "found = attack()\n            assert 'OPEN' not in found, found")
    report = checked(checker, league, text.encode(), "own.py", 302)
    assert (report.accepted, report.reason) == (True, "")
