"""What was found under its names, and a row for everything, usable or not."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.engine.making import install, installed, project, row_of, team_source, unique, write

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.registry import Contribution, Description, Reference, Registry, Selection, Source
from tiltyard_engine.registry.lookup import choose
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER, MAP

GAME_SOURCE = """\
from tiltyard_engine import Game, GameManager, GameMaps, GameResult, Manager, MapFile, hookimpl

class Referee(GameManager):
    def run(self, match):
        return GameResult(0, "", 0, ())

def read_map(name, data, seats):
    return data

@hookimpl
def games():
    yield Game(name="nim", seats=range(2, 3), maps=GameMaps(read_map))

@hookimpl
def game_managers():
    yield Manager(name="strict", game="nim", create=Referee)

@hookimpl
def maps():
    yield MapFile("small", "nim", b"3")
    yield MapFile("large", "nim", b"30")
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder like site-packages."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("TILTYARD_BLOCK", raising=False)
    monkeypatch.delenv("TILTYARD_ONLY", raising=False)
    return tmp_path


def put(site: Path, distribution: str, version: str, entry: str, text: str) -> str:
    """Install a distribution with one plugin; the name of its module."""
    module = unique("installed")
    write(site / f"{module}.py", text)
    install(site, distribution, version, {entry: module})
    return module


def test_two_distributions_with_the_same_entry_point_name_both_load(site: Path) -> None:
    put(site, "alpha-bots", "1.0", "bot", team_source("alpha"))
    put(site, "beta-bots", "2.0", "bot", team_source("beta"))
    rows = installed("alpha-bots", "beta-bots").rows
    assert [(row.name, row.distribution, row.version, row.status) for row in rows if row.status != "blocked"] == [
        ("alpha", "alpha-bots", "1.0", "ok"),
        ("beta", "beta-bots", "2.0", "ok"),
    ]


def test_duplicate_names_across_distributions_the_first_counts_and_the_other_is_told(site: Path) -> None:
    put(site, "zulu-bots", "2.0", "b", team_source("same"))
    put(site, "yank-bots", "1.0", "a", team_source("same"))
    registry = installed("zulu-bots", "yank-bots")
    (entry,) = registry.all(ALGORITHM)
    assert entry.reference.source.distribution == "yank-bots"
    (row,) = registry.failures()
    assert (row.name, row.kind, row.status, row.distribution) == ("same", "algorithm", "duplicate", "zulu-bots")
    assert row.reason == "the algorithm 'same' is already contributed by a (yank-bots 1.0)"


VALLEY = """
from tiltyard_engine import MapFile, hookimpl

@hookimpl
def maps():
    yield MapFile("valley", "tanks", b"")
"""
REFEREE = """
from tiltyard_engine import Manager, hookimpl

@hookimpl
def game_managers():
    yield Manager(name="referee", game="tanks", create=lambda: None)
"""


def test_duplicate_names_across_files(tmp_path: Path) -> None:
    """Algorithms and GameManagers are known by their files, whatever they call themselves; nothing else is."""
    write(tmp_path / "one.py", team_source("same"))
    write(tmp_path / "two.py", team_source("same"))
    registry = Registry.from_paths([tmp_path])
    assert [(row.status, Path(row.file).name) for row in registry.rows] == [("ok", "one.py"), ("ok", "two.py")]
    write(tmp_path / "three" / "__init__.py", team_source("same") + VALLEY)
    write(tmp_path / "four.py", VALLEY + REFEREE)
    write(tmp_path / "five.py", REFEREE)
    rows = Registry.from_paths([tmp_path]).rows
    assert [row.name for row in rows if row.status == "duplicate"] == ["valley"]
    assert [Path(row.file).name for row in rows if (row.name, row.status) == ("referee", "ok")] == ["five.py", "four.py"]


def test_a_name_of_something_else(tmp_path: Path) -> None:
    write(tmp_path / "four.py", VALLEY)
    with pytest.raises(NotFoundError, match=r"^no algorithm is called 'valley'; that is a map for tanks$"):
        Registry.from_paths([tmp_path]).find("algorithm", "valley")


def test_the_same_name_for_two_games_or_two_kinds_is_no_duplicate(tmp_path: Path) -> None:
    text = """\
        from tiltyard_engine import MapFile, hookimpl
        @hookimpl
        def maps():
            yield MapFile("field", "tanks", b"")
            yield MapFile("field", "nim", b"")
            yield MapFile("nim", "nim", b"")
        """
    write(tmp_path / "shelf.py", text)
    write(tmp_path / "nim.py", GAME_SOURCE)
    registry = Registry.from_paths([tmp_path])
    assert registry.failures() == []
    assert registry.find(MAP, "field", "nim").reference.game == "nim"
    assert registry.find(MAP, "field").reference.game == "tanks"


def test_a_failing_installed_plugin_is_a_row_with_distribution_version_and_reason(site: Path) -> None:
    module = put(site, "crash-bots", "0.9", "crash", "1 / 0\n")
    (row,) = [row for row in installed("crash-bots").rows if row.status != "blocked"]
    assert (row.name, row.kind, row.distribution, row.version, row.status) == ("crash", "plugin", "crash-bots", "0.9", "failed")
    assert row.reason == f"cannot be imported: ZeroDivisionError: division by zero ({module}.py, line 1)"
    assert "ZeroDivisionError" in row.detail


def test_broken_metadata_of_a_distribution_is_a_row(site: Path) -> None:
    folder = install(site, "garbled-bots", "1.0", {})
    write(folder / "entry_points.txt", "[tiltyard]\ngarbled\n")
    row = row_of(installed("garbled-bots"), "garbled-bots")
    assert (row.status, row.distribution, row.version) == ("failed", "garbled-bots", "1.0")
    assert row.reason.startswith("entry_points.txt: ")


def test_entries_of_a_kind_are_sorted_and_rows_follow_the_sources(tmp_path: Path) -> None:
    for stem, name in (("a", "zebra"), ("b", "ant"), ("c", "Mole")):
        write(tmp_path / f"{stem}.py", team_source(name))
    registry = Registry.from_paths([tmp_path])
    assert [row.name for row in registry.rows] == ["zebra", "ant", "Mole"]
    assert [entry.name for entry in registry.all(ALGORITHM)] == ["Mole", "ant", "zebra"]
    assert registry.all(ALGORITHM, "nim") == []


def test_paths_are_looked_at_in_the_order_given(tmp_path: Path) -> None:
    first, second = (write(tmp_path / f"{name}.py", team_source(name)) for name in ("second", "first"))
    assert [row.name for row in Registry.from_paths([first, second]).rows] == ["second", "first"]


def test_a_game_and_all_that_belongs_to_it(tmp_path: Path) -> None:
    registry = Registry.from_paths([write(tmp_path / "nim.py", GAME_SOURCE)])
    assert registry.game("nim").seats == range(2, 3)
    assert [(row.name, row.kind, row.game) for row in registry.rows] == [
        ("nim", GAME, "nim"),
        ("strict", MANAGER, "nim"),
        ("small", MAP, "nim"),
        ("large", MAP, "nim"),
    ]


def test_a_name_that_nobody_registered_is_answered_with_the_nearest(tmp_path: Path) -> None:
    registry = Registry.from_paths([write(tmp_path / "nim.py", GAME_SOURCE)])
    with pytest.raises(NotFoundError, match="no game is called 'nym'; did you mean nim"):
        registry.game("nym")
    with pytest.raises(NotFoundError, match="no algorithm is called 'nim'; that is a game"):
        registry.find(ALGORITHM, "nim")


def test_a_name_whose_plugin_failed_is_answered_with_the_reason(tmp_path: Path) -> None:
    registry = Registry.from_paths([write(tmp_path / "thunder.py", "1 / 0\n")])
    with pytest.raises(
        NotFoundError, match=r"no algorithm is called 'thunder'; .*the plugin thunder failed: cannot be imported: Zero"
    ):
        registry.find(ALGORITHM, "thunder")


def test_a_name_whose_record_was_refused_is_answered_with_the_reason(tmp_path: Path) -> None:
    text = team_source("thunder").replace("tank=Tank", "tank=Commander")
    registry = Registry.from_paths([write(tmp_path / "bot.py", text)])
    with pytest.raises(NotFoundError, match="the algorithm thunder failed: tank is the class Commander, which is not a subclass"):
        registry.find(ALGORITHM, "thunder")


# Blocking and choosing


@pytest.mark.parametrize("name", ["entry-of-a", "a-bots", "A_Bots"])
def test_blocking_by_name_of_the_plugin_or_of_its_distribution(site: Path, name: str) -> None:
    put(site, "a-bots", "1.0", "entry-of-a", "raise SystemExit('imported')")
    rows = Registry.installed(Selection.from_environment(block=[name])).rows
    (row,) = [row for row in rows if row.distribution == "a-bots"]
    assert (row.name, row.kind, row.status, row.reason) == ("entry-of-a", "plugin", "blocked", "blocked")


def test_a_blocked_plugin_is_no_failure(site: Path) -> None:
    put(site, "b-bots", "1.0", "b", team_source("b"))
    registry = Registry.installed(Selection(block=frozenset({"b"}), only=frozenset({"b"})))
    assert registry.failures() == []
    assert registry.entries == []


@pytest.mark.parametrize("name", ["entry-of-c", "c-bots", "c.bots"])
def test_only_by_name_of_the_plugin_or_of_its_distribution(site: Path, name: str) -> None:
    put(site, "c-bots", "1.0", "entry-of-c", team_source("c"))
    registry = Registry.installed(Selection.from_environment(only=[name]))
    assert [entry.name for entry in registry.entries] == ["c"]
    assert {row.reason for row in registry.rows if row.status == "blocked"} <= {"not selected by --only or TILTYARD_ONLY"}


def test_the_environment_blocks_too(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(site, "d-bots", "1.0", "d", team_source("d"))
    put(site, "e-bots", "1.0", "e", team_source("e"))
    monkeypatch.setenv("TILTYARD_BLOCK", " d , nobody,")
    chosen = Selection.from_environment(block=["e"])
    assert chosen == Selection(frozenset({"d", "e", "nobody"}))
    monkeypatch.setenv("TILTYARD_ONLY", "d-bots,e-bots")
    registry = Registry.installed()
    assert [entry.name for entry in registry.entries] == ["e"]


def test_the_option_only_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILTYARD_ONLY", "a,b")
    assert Selection.from_environment().only == frozenset({"a", "b"})
    assert Selection.from_environment(only=["c"]).only == frozenset({"c"})
    monkeypatch.setenv("TILTYARD_ONLY", "")
    assert Selection.from_environment().only == frozenset()


def test_an_empty_only_in_the_environment_loads_nothing(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(site, "f-bots", "1.0", "f", team_source("f"))
    monkeypatch.setenv("TILTYARD_ONLY", "")
    registry = Registry.installed()
    assert registry.entries == []
    assert "f-bots" in {row.distribution for row in registry.rows if row.status == "blocked"}


# Loaders


def test_a_registry_loads_paths_as_it_was_loaded_itself(tmp_path: Path) -> None:
    def tell(sources: Sequence[Source]) -> list[Description]:
        return [Description("elsewhere.py", [Contribution(kind=ALGORITHM, name=source.name, game="tanks")]) for source in sources]

    for name in ("one", "two"):
        write(tmp_path / f"{name}.py", "raise SystemExit('imported')")
    registry = Registry.from_paths([tmp_path / "one.py"], tell)
    assert [entry.name for entry in registry.of_paths([tmp_path]).entries] == ["one", "two"]
    assert {entry.file for entry in registry.entries} == {"elsewhere.py"}
    assert choose(str(tmp_path / "two.py"), ALGORITHM, registry).name == "two"


def test_what_is_told_of_a_manager_and_a_map(tmp_path: Path) -> None:
    text = GAME_SOURCE.replace("Referee)", 'Referee, on_fault="raise", log_suffix=".log", description="strict rules")')
    registry = Registry.from_paths([write(tmp_path / "nim.py", text)])
    manager, small = registry.find(MANAGER, "strict"), registry.find(MAP, "small")
    assert manager.contribution.description == "strict rules"
    assert (manager.reference.on_fault, manager.reference.log_suffix) == ("raise", ".log")
    assert (small.contribution.seats, small.contribution.data) == (2, b"3")


def test_nobody_takes_a_name_of_the_hosts_own(site: Path) -> None:
    put(site, "aaa-bots", "1.0", "aaa", team_source("acorn"))
    registry = Registry.installed(Selection(), own=frozenset(["tiltyard-acorn"]))
    assert registry.find(ALGORITHM, "acorn").reference.source.distribution == "tiltyard-acorn"
    (row,) = [row for row in registry.failures() if row.distribution == "aaa-bots"]
    assert (row.name, row.status) == ("acorn", "duplicate")


def test_words_of_plugins_cannot_play_with_the_screen(tmp_path: Path) -> None:
    registry = Registry.from_paths([write(tmp_path / "bot.py", r"raise ValueError('\x1b[2J\nall is well\udc80')")])
    assert "ValueError: \ufffd[2J all is well\ufffd (bot.py" in registry.rows[0].reason
    assert "\x1b" not in registry.rows[0].detail
    assert registry.rows[0].detail.count("\n") > 2


# References


ELSEWHERE = """\
import pickle, sys
for reference in pickle.load(sys.stdin.buffer):
    team = reference.load()
    print(team.name, team.tank(1, 0).get_action().title)
"""


def test_references_are_plain_data_that_load_in_another_process(tmp_path: Path) -> None:
    folder = tmp_path / "teams"
    module = unique("portable")
    write(folder / "bot.py", team_source("filed"))
    write(folder / "package" / "__init__.py", team_source("packaged"))
    write(project(folder / "project", "portable", {"entry": module}) / f"{module}.py", team_source("projected"))
    references = [entry.reference for entry in Registry.from_paths([folder]).entries]
    assert pickle.loads(pickle.dumps(references)) == references
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE], input=pickle.dumps(references), capture_output=True, check=True, timeout=60
    )
    assert done.stdout.decode().splitlines() == ["filed Shoot", "packaged Shoot", "projected Shoot"]


def test_a_reference_to_what_is_not_there_any_more(tmp_path: Path) -> None:
    (entry,) = Registry.from_paths([write(tmp_path / "bot.py", team_source("bot"))]).entries
    source = entry.reference.source
    with pytest.raises(UserError, match=rf"{source.value}: has no algorithm 'other'$"):
        Reference(kind=ALGORITHM, name="other", game="tanks", source=source).load()
    broken = write(tmp_path / "broken.py", "1 / 0\n")
    registry = Registry.from_paths([broken])
    assert registry.entries == []
    reference = Reference(kind=ALGORITHM, name="bot", game="tanks", source=replace(source, name="broken", value=str(broken)))
    with pytest.raises(UserError, match="has no algorithm 'bot': cannot be imported: ZeroDivisionError"):
        reference.load()


def test_an_algorithm_for_a_game_that_nobody_brings_is_told(site: Path) -> None:
    put(site, "lost-bots", "1.0", "lost", team_source("lost").replace("TankTeam(", 'TankTeam(game="tank", name=', 1))
    registry = Registry.installed(Selection())
    assert "lost" not in [entry.name for entry in registry.all(ALGORITHM)]
    row = row_of(registry, "lost")
    assert (row.status, row.kind, row.game) == ("failed", "algorithm", "tank")
    assert row.reason == "no game is called 'tank'; did you mean tanks?"
