"""From handed-in folders of every shape to entries: nothing is lost, the latest counts, a list brings students together."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.intake.made_archives import zipped
from tests.intake.made_exports import (
    BOT,
    CANVAS,
    CLONES,
    EXPORTS,
    GRADESCOPE,
    METADATA,
    MOODLE_FOLDERS,
    MOODLE_GROUPS,
    NOON,
    PLAIN,
    at,
    write_all,
)

from tiltyard_engine.errors import UserError
from tiltyard_intake.exports.entries import ClassEntry, Listing, read_entries
from tiltyard_intake.exports.lms_exports import TimeFrom
from tiltyard_intake.exports.roster import Roster, parse_roster
from tiltyard_simulator.output.folder_lock import LOCK_NAME
from tiltyard_simulator.teams import TEAMS_RECORD

LABELS: Mapping[str, list[str]] = {
    "Moodle, folders": ["Ann Alder", "Bob Birch", "Cem Çelik", "Zoë O'Hara"],
    "Moodle, files": ["Ann Alder", "Bob Birch"],
    "Moodle, groups": ["Default group", "Team A", "Team B"],
    "Canvas": ["alderann", "anon_x7Kd2", "birchbob", "celikcem", "dillondee", "elmeve"],
    "Gradescope": ["Ann Alder", "Bob Birch, Cem Çelik", "submission_15"],
    "clones": ["ann", "anna-b", "bob"],
    "one each": ["Algorithm_209277367_322542887", "ann", "bob", "cem", "dee", "eve", "fay"],
}


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def roster(text: str) -> Roster:
    return parse_roster(text, Path("students.csv"))


def labels(listing: Listing) -> list[str]:
    return [entry.label for entry in listing.entries]


def entry_of(listing: Listing, label: str) -> ClassEntry:
    return next(entry for entry in listing.entries if entry.label == label)


def names(entry: ClassEntry) -> list[str]:
    return [source.name for source in entry.sources]


def check_nothing_is_lost(handed_in: Path, listing: Listing) -> None:
    """Every file and every empty folder is told exactly once."""
    roots = [handed_in, *(folder for _, folder in listing.archives)]
    told = [source.path for entry in listing.entries for source in entry.sources]
    told += [path for entry in listing.entries for path in entry.earlier]
    assert len(set(told)) == len(told)
    known = {*told, *(skipped.path for skipped in listing.skipped), *(path for path, _ in listing.archives)}
    for root in roots:
        for path in sorted(root.rglob("*")):
            if path.is_symlink() or not path.is_dir() or not any(path.iterdir()):
                owners = [owner for owner in (path, *path.parents) if owner in known]
                assert owners, f"{path} is told nowhere"
    assert len(set(labels(listing))) == len(listing.entries)


@pytest.mark.parametrize("shape", EXPORTS)
@pytest.mark.parametrize("around", ["a folder", "too deep", "an archive", "an archive alone", "an archive with a folder"])
def test_every_shape_however_it_is_packed(shape: str, around: str, tmp_path: Path, work: Path) -> None:
    files, handed_in = EXPORTS[shape], tmp_path / "handed-in"
    if around == "a folder":
        write_all(handed_in, files)
    elif around == "too deep":
        write_all(handed_in, {f"download/course-tanks-99/{name}": data for name, data in files.items()})
    else:
        packed = zipped({f"export/{name}": data for name, data in files.items()} if "folder" in around else files)
        handed_in = tmp_path / "export.zip"
        handed_in.write_bytes(packed)
        if around == "an archive alone":
            handed_in = write_all(tmp_path / "handed-in", {"export.zip": packed, ".DS_Store": b""})
    listing = read_entries(handed_in, work=work)
    assert labels(listing) == LABELS[shape]
    if handed_in.is_dir():
        check_nothing_is_lost(handed_in, listing)


OUTPUTS: Mapping[str, bytes] = {
    f"old/{TEAMS_RECORD}": b"",
    "old/ann.py": b"",
    f"old.intake/{LOCK_NAME}": b"",
    "old.intake/feedback/ann.txt": b"",
    f"cup/{LOCK_NAME}": b"",
    "cup.yaml": b"",
    "tournament.schema.json": b"",
    "students.csv": b"",
    "teams/ann.py": b"",
    "deep/er/reports/intake.json": b"",
    f"deep/old/{TEAMS_RECORD}": b"",
}
"""What stands in a folder after commands that ran in it."""


@pytest.mark.parametrize(
    "files", [{"ann.py": b"", "bob/main.py": b""}, {"class.zip": zipped({"ann.py": b"", "bob.zip": BOT, "cem.zip": BOT})}]
)
def test_what_commands_wrote_among_what_was_handed_in_is_nobodys(files: Mapping[str, bytes], tmp_path: Path, work: Path) -> None:
    handed_in = write_all(tmp_path / "handed-in", files)
    before = labels(read_entries(handed_in, work=work))
    assert len(before) > 1
    write_all(handed_in, OUTPUTS)
    outputs = {handed_in / "teams": "--into", handed_in / "deep" / "er" / "reports": "--report"}
    listing = read_entries(handed_in, work=work, outputs=outputs)
    assert labels(listing) == before
    check_nothing_is_lost(handed_in, listing)
    assert {each.path.name for each in listing.skipped} == {name.partition("/")[0] for name in OUTPUTS}


@pytest.mark.parametrize(
    ("handed_in", "output", "words"),
    [
        ("in", "in", "would be written where what was handed in lies"),
        ("in", "in/ann/teams", "would be written in what 'ann' handed in"),
        ("in/made", "teams", "is a folder of teams that an intake made"),
    ],
)
def test_commands_write_nowhere_into_what_was_handed_in(
    handed_in: str, output: str, words: str, tmp_path: Path, work: Path
) -> None:
    write_all(tmp_path / "in", {"ann/bot.py": b"", f"made/{TEAMS_RECORD}": b""})
    with pytest.raises(UserError, match=words):
        read_entries(tmp_path / handed_in, work=work, outputs={tmp_path / output: "--into"})


def test_names_are_compared_in_one_form_and_those_that_look_alike_are_marked(tmp_path: Path, work: Path) -> None:
    zoe = unicodedata.normalize("NFD", "Zo\u00eb")
    files = {
        f"{zoe}_1_assignsubmission_file_/bot.py": b"",
        f"{zoe}.cpp": b"",
        "Zo\u00eb.h": b"",
        "\u0410nn/bot.py": b"",
        "bob/a.py": b"",
    }
    people = roster(f"name,id,group\n{zoe},1{zoe},{zoe}\nAnn,22,\n")
    listing = read_entries(write_all(tmp_path / "in", files), work=work, roster=people)
    assert labels(listing) == ["bob", "Zo\u00eb", "\u0410nn"]
    assert listing.absent == ("Ann",)
    assert people.by_id("1Zo\u00eb")
    assert entry_of(listing, "bob").notes == ("not in the list of students",)
    assert entry_of(listing, "\u0410nn").notes[1:] == ("'\u0410nn' and 'Ann' look alike and differ in CYRILLIC CAPITAL LETTER A",)
    assert entry_of(read_entries(tmp_path / "in", work=work), "Zo\u00eb").label == "Zo\u00eb"


def test_moodle(tmp_path: Path, work: Path) -> None:
    listing = read_entries(write_all(tmp_path / "in", MOODLE_FOLDERS), work=work)
    bob = entry_of(listing, "Bob Birch")
    assert bob.student_id == "1002"
    assert [(source.path.name, source.name) for source in bob.sources] == [("Bob Birch_1002_assignsubmission_file", "")]
    assert [(skipped.path.name, skipped.reason) for skipped in listing.skipped] == [
        ("Bob Birch_1002_assignsubmission_onlinetext", "is text that Bob Birch typed into a form; the files were taken")
    ]
    # Who typed text only has an entry too.
    assert entry_of(listing, "Cem Çelik").sources[0].path.name == "Cem Çelik_1003_assignsubmission_onlinetext_"


def test_canvas(tmp_path: Path, work: Path) -> None:
    listing = read_entries(write_all(tmp_path / "in", CANVAS), work=work)
    ann = entry_of(listing, "alderann")
    assert [(source.path.name, source.name) for source in ann.sources] == [("alderann_101_5011_bot-2.zip", "bot.zip")]
    assert [path.name for path in ann.earlier] == ["alderann_101_5001_bot.zip", "alderann_101_5009_bot-1.zip"]
    assert not ann.late
    bob = entry_of(listing, "birchbob")
    assert bob.late
    assert bob.student_id == "102"
    assert names(bob) == ["main.cpp", "tank.h"]
    # All of it was handed in again, so that files include each other by the names without numbers.
    assert sorted(names(entry_of(listing, "celikcem"))) == ["Tank.cpp", "Tank.h"]
    # Numbers of parts are no numbers of uploads.
    assert names(entry_of(listing, "dillondee")) == ["part-1.cpp", "part-2.cpp"]
    assert names(entry_of(listing, "elmeve")) == ["elmeve_105_text.html"]


def test_gradescope(tmp_path: Path, work: Path) -> None:
    listing = read_entries(write_all(tmp_path / "in", GRADESCOPE), work=work, deadline=NOON)
    ann = entry_of(listing, "Ann Alder")
    assert (ann.student_id, ann.members, ann.late, ann.time_from) == ("1001", ("Ann Alder",), False, TimeFrom.EXPORT)
    assert ann.handed_in == datetime(2024, 5, 6, 10, tzinfo=UTC)
    assert [path.name for path in ann.earlier] == ["submission_11"]
    both = entry_of(listing, "Bob Birch, Cem Çelik")
    assert (both.members, both.late) == (("Bob Birch", "Cem Çelik"), True)
    reasons = {skipped.path.name: skipped.reason for skipped in listing.skipped}
    assert reasons["submission_14"] == "is named in submission_metadata.yml, but is not there"


def test_metadata_that_cannot_be_read_costs_nobody_the_place(tmp_path: Path, work: Path) -> None:
    listing = read_entries(write_all(tmp_path / "in", {**GRADESCOPE, "submission_metadata.yml": b"{a: ["}), work=work)
    assert labels(listing) == ["submission_11", "submission_12", "submission_13", "submission_15"]
    assert listing.skipped[0].reason.startswith("cannot be used, so the names of folders count: not YAML: ")


def test_clones_have_no_time(tmp_path: Path, work: Path) -> None:
    listing = read_entries(write_all(tmp_path / "tanks-submissions", CLONES), work=work, deadline=NOON - timedelta(days=9))
    assert [(entry.label, entry.time_from, entry.late) for entry in listing.entries] == [
        ("ann", TimeFrom.UNKNOWN, False),
        ("anna-b", TimeFrom.UNKNOWN, False),
        ("bob", TimeFrom.UNKNOWN, False),
    ]


def test_one_each(tmp_path: Path, work: Path) -> None:
    listing = read_entries(write_all(tmp_path / "in", PLAIN), work=work)
    assert names(entry_of(listing, "eve")) == ["eve.cpp", "eve.h"]
    reasons = {skipped.path.name: skipped.reason for skipped in listing.skipped}
    assert reasons["grades.csv"] == "is a table and no submission; give a list of students with --roster"
    assert reasons["gil"] == "is an empty folder"
    assert reasons[".DS_Store"] == "belongs to the operating system or an editor"


def test_several_exports_side_by_side_and_somebody_who_sent_a_mail(tmp_path: Path, work: Path) -> None:
    first = {name: data for name, data in MOODLE_FOLDERS.items() if name.startswith("Ann")}
    second = {name: data for name, data in MOODLE_FOLDERS.items() if not name.startswith("Ann")}
    files = {"monday.zip": zipped(first), "tuesday.zip": zipped(second), "fay.zip": BOT, "gil/main.cpp": b""}
    handed_in = write_all(tmp_path / "in", files)
    listing = read_entries(handed_in, work=work)
    assert labels(listing) == ["Ann Alder", "Bob Birch", "Cem Çelik", "fay", "gil", "Zoë O'Hara"]
    assert [path.name for path, _ in listing.archives] == ["monday.zip", "tuesday.zip"]
    check_nothing_is_lost(handed_in, listing)


def test_an_archive_of_archives(tmp_path: Path, work: Path) -> None:
    handed_in = write_all(tmp_path / "in", {"class.zip": zipped({"ann.zip": BOT, "bob.zip": BOT, "notes.md": b""})})
    listing = read_entries(handed_in, work=work)
    assert labels(listing) == ["ann", "bob", "notes"]


def test_a_project_alone_is_one_team(tmp_path: Path, work: Path) -> None:
    for name, project in (("a", {"src/main.cpp": b"", "include/tank.h": b""}), ("b", {"Bot/Bot.csproj": b"", "Bot.sln": b""})):
        handed_in = write_all(tmp_path / name, {"ann.zip": zipped(project)})
        assert labels(read_entries(handed_in, work=work)) == ["ann"]


def test_one_hostile_member_does_not_cost_a_class_its_export(tmp_path: Path, work: Path) -> None:
    packed = zipped({**MOODLE_FOLDERS, "../../evil": b"", "Bob Birch_1002_assignsubmission_file/MAIN.py": b""})
    handed_in = write_all(tmp_path / "in", {"export.zip": packed})
    listing = read_entries(handed_in, work=work)
    assert labels(listing) == LABELS["Moodle, folders"]
    assert "contains a path that leads out of it (../../evil); zip the folder itself" in {skip.reason for skip in listing.skipped}
    assert not (tmp_path.parent / "evil").exists()


def test_downloaded_twice(tmp_path: Path, work: Path) -> None:
    handed_in = write_all(tmp_path / "in", {"ann.zip": BOT, "ann (1).zip": BOT, "ann (2).zip": BOT, "bob (1).zip": BOT})
    listing = read_entries(handed_in, work=work)
    assert labels(listing) == ["ann", "bob (1)"]
    assert [path.name for path in entry_of(listing, "ann").earlier] == ["ann (1).zip", "ann.zip"]


def test_an_archive_counts_before_what_was_unpacked_of_it(tmp_path: Path, work: Path) -> None:
    listing = read_entries(write_all(tmp_path / "in", {"ann.zip": BOT, "ann/main.cpp": b""}), work=work)
    assert [source.path.name for source in listing.entries[0].sources] == ["ann.zip"]
    assert [path.name for path in listing.entries[0].earlier] == ["ann"]


def test_links_are_told_and_not_followed(tmp_path: Path, work: Path) -> None:
    handed_in = write_all(tmp_path / "in", {"ann.zip": BOT})
    (handed_in / "bob").symlink_to(tmp_path)
    listing = read_entries(handed_in, work=work)
    assert labels(listing) == ["ann"]
    assert [(skipped.path.name, skipped.reason) for skipped in listing.skipped] == [("bob", "is a link; links are not followed")]


def test_the_parts_of_one_archive_are_one_teams(tmp_path: Path, work: Path) -> None:
    files = {"ann.zip": b"end", "ann.z01": b"1", "ann.z02": b"2", "bob.7z.001": b"1", "bob.7z.002": b"2", "cem.zip": BOT}
    handed_in = write_all(tmp_path / "in", files)
    listing = read_entries(handed_in, work=work)
    assert {entry.label: names(entry) for entry in listing.entries} == {
        "ann": ["ann.z01", "ann.z02", "ann.zip"],
        "bob": ["bob.7z.001", "bob.7z.002"],
        "cem": ["cem.zip"],
    }
    check_nothing_is_lost(handed_in, listing)


def test_pipes_are_told(tmp_path: Path, work: Path) -> None:
    handed_in = write_all(tmp_path / "in", {"ann.zip": BOT, "bob.py": b""})
    os.mkfifo(handed_in / "pipe")
    listing = read_entries(handed_in, work=work)
    assert labels(listing) == ["ann", "bob"]
    assert [skipped.reason for skipped in listing.skipped] == ["is neither a file nor a folder"]


def test_one_folder_for_work_serves_several_times(tmp_path: Path, work: Path) -> None:
    handed_in = write_all(tmp_path / "in", {"export.zip": zipped(MOODLE_FOLDERS)})
    first, second = (read_entries(handed_in, work=work) for _ in range(2))
    assert labels(first) == labels(second)
    assert first.archives != second.archives


class TestDeadline:
    def test_by_the_files_own_time(self, tmp_path: Path, work: Path) -> None:
        handed_in = write_all(tmp_path / "in", {"ann.zip": BOT, "bob/main.cpp": b"", "bob/tank.h": b""})
        at(handed_in / "bob" / "tank.h", NOON + timedelta(hours=1))
        listing = read_entries(handed_in, work=work, deadline=NOON)
        assert [(entry.label, entry.late, entry.time_from) for entry in listing.entries] == [
            ("ann", False, TimeFrom.FILE),
            ("bob", True, TimeFrom.FILE),
        ]
        assert entry_of(listing, "bob").handed_in == NOON + timedelta(hours=1)

    def test_without_a_zone_it_is_local(self, tmp_path: Path, work: Path) -> None:
        handed_in = write_all(tmp_path / "in", {"ann.zip": BOT})
        local = NOON.astimezone().replace(tzinfo=None)
        assert not read_entries(handed_in, work=work, deadline=local).entries[0].late
        assert read_entries(handed_in, work=work, deadline=local - timedelta(minutes=1)).entries[0].late

    def test_a_zip_of_a_class_says_when_each_was_handed_in(self, tmp_path: Path, work: Path) -> None:
        ann, bob, cem = (f"{name}_assignsubmission_file_/bot.py" for name in ("Ann Alder_1", "Bob Birch_2", "Cem Cedar_3"))
        deadline = datetime(2026, 11, 30, 23, 59)
        times = {ann: (2026, 11, 29, 9, 0, 0), bob: (2026, 12, 1, 0, 30, 0)}
        data = zipped(dict.fromkeys((ann, bob, cem), b"x = 1"), times=times)
        handed_in = write_all(tmp_path / "in", {"export.zip": data}) / "export.zip"
        listing = read_entries(handed_in, work=work, deadline=deadline)
        assert [(entry.label, entry.handed_in, entry.late, entry.time_from) for entry in listing.entries] == [
            ("Ann Alder", datetime(2026, 11, 29, 9).astimezone(), False, TimeFrom.ARCHIVE),
            ("Bob Birch", datetime(2026, 12, 1, 0, 30).astimezone(), True, TimeFrom.ARCHIVE),
            ("Cem Cedar", None, False, TimeFrom.UNKNOWN),
        ]

    def test_times_of_the_download_make_nobody_late(self, tmp_path: Path, work: Path) -> None:
        """Some platforms write when they made the archive, which is after the deadline."""
        names = [f"{name}_assignsubmission_file_/bot.py" for name in ("Ann Alder_1", "Bob Birch_2")]
        times = {name: (2026, 12, 1, 12, 59 * place, 0) for place, name in enumerate(names)}
        handed_in = write_all(tmp_path / "in", {"export.zip": zipped(dict.fromkeys(names, b"x = 1"), times=times)})
        listing = read_entries(handed_in, work=work, deadline=datetime(2026, 11, 30))
        assert [(entry.late, entry.time_from) for entry in listing.entries] == [(False, TimeFrom.UNKNOWN)] * 2

    def test_a_zip_without_times_makes_nobody_late(self, tmp_path: Path, work: Path) -> None:
        handed_in = write_all(tmp_path / "in", {"export.zip": zipped(MOODLE_FOLDERS)})
        listing = read_entries(handed_in, work=work, deadline=NOON)
        assert {(entry.handed_in, entry.late, entry.time_from) for entry in listing.entries} == {(None, False, TimeFrom.UNKNOWN)}


class TestRoster:
    PAIRS = "Name;ID;Group\nAlder, Ann;1001;Team A\nBob Birch;1002;Team A\nCem Çelik;1003;Team B\nDee Dillon;1004;\n"

    def test_a_group_is_one_entry_and_its_latest_attempt_counts(self, tmp_path: Path, work: Path) -> None:
        handed_in = write_all(tmp_path / "in", {"1001.zip": BOT, "Bob Birch.zip": BOT, "dee dillon.py": b"", "fay.zip": BOT})
        at(handed_in / "1001.zip", NOON + timedelta(hours=1))
        listing = read_entries(handed_in, work=work, roster=roster(self.PAIRS))
        assert labels(listing) == ["Dee Dillon", "fay", "Team A"]
        team = entry_of(listing, "Team A")
        assert (team.members, team.student_id) == (("Alder, Ann", "Bob Birch"), "")
        assert names(team) == ["1001.zip"]
        assert [path.name for path in team.earlier] == ["Bob Birch.zip"]
        assert entry_of(listing, "Dee Dillon").student_id == "1004"
        assert entry_of(listing, "fay").notes == ("not in the list of students",)
        assert listing.absent == ("Team B",)
        check_nothing_is_lost(handed_in, listing)

    def test_who_was_last_may_be_unknown(self, tmp_path: Path, work: Path) -> None:
        handed_in = write_all(tmp_path / "in", {"export.zip": zipped(MOODLE_FOLDERS)})
        listing = read_entries(handed_in, work=work, roster=roster(self.PAIRS))
        assert entry_of(listing, "Team A").notes == (
            "which of 2 attempts is the latest can't be seen: 'Bob Birch_1002_assignsubmission_file' was used",
        )

    @pytest.mark.parametrize("shape", ["Moodle, folders", "Moodle, files", "Canvas", "Gradescope"])
    def test_names_and_ids_of_every_platform(self, shape: str, tmp_path: Path, work: Path) -> None:
        listing = read_entries(write_all(tmp_path / "in", EXPORTS[shape]), work=work, roster=roster(self.PAIRS))
        assert "Team A" in labels(listing)

    def test_a_platforms_groups(self, tmp_path: Path, work: Path) -> None:
        listing = read_entries(write_all(tmp_path / "in", MOODLE_GROUPS), work=work, roster=roster(self.PAIRS))
        assert labels(listing) == ["Default group", "Team A", "Team B"]
        assert entry_of(listing, "Team A").members == ("Alder, Ann", "Bob Birch")
        assert listing.absent == ("Dee Dillon",)

    def test_ids_in_a_name(self, tmp_path: Path, work: Path) -> None:
        listing = read_entries(
            write_all(tmp_path / "in", PLAIN), work=work, roster=roster("name,id\nAnn Alder,209277367\nBob Birch,322542887\n")
        )
        assert entry_of(listing, "Ann Alder, Bob Birch").members == ("Ann Alder", "Bob Birch")
        assert listing.absent == ()

    def test_of_two_groups(self, tmp_path: Path, work: Path) -> None:
        text = "name,id,group\nAnn Alder,209277367,A\nBob Birch,322542887,B\n"
        listing = read_entries(write_all(tmp_path / "in", PLAIN), work=work, roster=roster(text))
        assert entry_of(listing, "A").notes == ("others who handed in this work are not in its group",)
        assert listing.absent == ("B",)


def test_labels_are_told_apart(tmp_path: Path, work: Path) -> None:
    files = {f"Participant_{number}_assignsubmission_file_/a.py": b"" for number in (7, 8)} | {"Participant.zip": BOT}
    listing = read_entries(write_all(tmp_path / "in", files), work=work)
    assert labels(listing) == ["Participant", "Participant (7)", "Participant (8)"]


@pytest.mark.parametrize("what", ["missing", "text.txt"])
def test_what_is_no_folder(what: str, tmp_path: Path, work: Path) -> None:
    (tmp_path / "text.txt").write_text("")
    with pytest.raises(UserError, match="expected "):
        read_entries(tmp_path / what, work=work)


NAMES = st.sampled_from(
    [name.partition("/")[0] for files in EXPORTS.values() for name in files] + ["a", "a (1)", "src", "a.zip", "b-1"]
)
INSIDE = st.sampled_from(["", "/a.py", "/.git/HEAD", "/src/a.c", "/b.zip", "/"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(found=st.lists(st.tuples(NAMES, INSIDE, st.sampled_from([BOT, b"", METADATA]))))
def test_nothing_is_ever_lost(found: list[tuple[str, str, bytes]], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("any")
    for name, inside, data in found:
        try:
            write_all(folder / "in", {f"{name}{inside}": data})
        except OSError:
            # A file and a folder of one name.
            continue
    (folder / "in").mkdir(exist_ok=True)
    listing = read_entries(folder / "in", work=folder / "work", deadline=NOON)
    check_nothing_is_lost(folder / "in", listing)
