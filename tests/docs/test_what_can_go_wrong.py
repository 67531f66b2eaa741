"""Each message on the pages *What can go wrong* is one that the code has, and errors name only sections that are there.

Where that is cheap, the message is really produced. Of the others, the source must have the text, with holes for what differs.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest
from tests.engine.making import installed, write

from tiltyard_checks.command.explain import PAGES, Section, read_sections
from tiltyard_contest.formats.knockout import Knockout, KnockoutOptions
from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.formats import Field
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.contributions import Contribution, Description
from tiltyard_engine.registry.lookup import choose
from tiltyard_engine.registry.registry import ALGORITHM, GAME
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_intake.archives.unpack_errors import Cause, UnpackError
from tiltyard_intake.exports.roster import parse_roster
from tiltyard_league.league_file.loading import read_settings
from tiltyard_matchups.commands.round_robin import make_folder
from tiltyard_simulator.guard.programs.program_paths import paths_for_program
from tiltyard_simulator.output.folder_lock import FolderLock
from tiltyard_simulator.registry.game_search import fitting_game
from tiltyard_simulator.registry.plugin_inspection import checked
from tiltyard_site.publication.page_writer import SiteFolder
from tiltyard_tournaments.formats.swiss import Swiss, SwissOptions
from tiltyard_tournaments.store.failures import damaged, explaining
from tiltyard_tournaments.store.schema import VERSION
from tiltyard_tournaments.store.store import Store
from tiltyard_tournaments.store.store_file import STORE_NAME
from tiltyard_tournaments.tournament_file.document import parse_document
from tiltyard_tournaments.tournament_file.resolution import resolve

ROOT = Path(__file__).resolve().parents[2]
TEXTS = {page: (ROOT / "docs" / page).read_text(encoding="utf-8") for page in PAGES}
SECTIONS = {section.name: section for text in TEXTS.values() for section in read_sections(text)}
ROOMS = ("engine", "simulator", "tournaments", "plugins")
LEAST_TEXT, LEAST_WORD = 20, 6
"""Letters of a message that one text of the source must account for, and of its longest words: a text of holes fits everything."""

# What raises


def of_an_installed_game(folder: Path) -> None:
    fitting_game(Registry([], []))


def of_several_games(folder: Path) -> None:
    fitting_game(installed("tanks", "filler", "penguins"))


def of_teams_of_two_games(folder: Path) -> None:
    fitting_game(installed("tanks", "filler", "acorn"), ["acorn", "heat"])


def of_a_wrong_name(folder: Path) -> None:
    installed("tanks", "acorn").find(ALGORITHM, "acron")


def chosen(name: str, text: str) -> Callable[[Path], None]:
    """Name a file with this text as a team."""

    def choose_it(folder: Path) -> None:
        write(folder / name, text)
        choose(name, ALGORITHM, installed(), "tanks")

    return choose_it


TWO = """\
from tiltyard_engine import TankTeam, hookimpl
from tiltyard_acorn import algorithms as of_acorn
(acorn,) = of_acorn()
algorithms = hookimpl(lambda: [TankTeam(name, acorn.player, acorn.tank) for name in ("left", "right")], specname="algorithms")
"""


def of_a_game_without_trust(folder: Path) -> None:
    source = Source(name="nim", origin=Origin.FILE, value="games/nim.py")
    (problem,) = checked(source, Description("", [Contribution(kind=GAME, name="nim", game="nim")])).problems
    raise UserError(problem.reason)


def of_a_manifest(folder: Path) -> None:
    team = ProgramTeam(name="robot", game="filler", command=("./robot",), readable=("/srv/data",))
    paths_for_program(team, Source(name="robot", origin=Origin.PROGRAM, value="robot"))


def of_a_tournament_file(text: str) -> Callable[[Path], object]:
    return lambda folder: resolve(
        parse_document(text, "cup.yaml"),
        folder / "cup.yaml",
        lambda _: installed("tanks", "acorn", "bramble", "tournament-formats"),
    )


def of_rounds(folder: Path) -> None:
    Swiss(Field(teams=tuple("abcdef"), maps=("m",)), SwissOptions(rounds=9))


def of_players(folder: Path) -> None:
    Knockout(Field(teams=tuple("abcdef"), maps=("m",), seats=3), KnockoutOptions())


def of_two_runs(folder: Path) -> None:
    (folder / "cup").mkdir()
    with FolderLock(folder / "cup", "running this tournament"):
        FolderLock(Path("cup"), "running this tournament")


def of_no_results(folder: Path) -> None:
    (folder / "cup").mkdir()
    Store(Path("cup"), writable=False)


def of_somebody_elses_folder(folder: Path) -> None:
    write(folder / "results/notes.txt", "mine")
    make_folder(Path("results"))


def of_a_damaged_store(folder: Path) -> None:
    raise damaged(Path("cup") / STORE_NAME, "database disk image is malformed")


def of_a_newer_store(folder: Path) -> None:
    (folder / "cup").mkdir()
    Store(Path("cup")).close()
    with sqlite3.connect(folder / "cup" / STORE_NAME) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    Store(Path("cup"))


def of_a_full_disk(folder: Path) -> None:
    connection = sqlite3.connect(folder / "small.sqlite")
    connection.execute("PRAGMA max_page_count = 1")
    with explaining(Path("cup") / STORE_NAME):
        try:
            connection.execute("CREATE TABLE more (text)")
        finally:
            connection.close()


def of_somebody_elses_page(folder: Path) -> None:
    write(folder / "public/index.html", "mine")
    SiteFolder.open(Path("public")).claim(["index.html"])


def of_a_locked_archive(folder: Path) -> None:
    raise UnpackError("bob.zip", Cause.LOCKED)


def of_an_archive_that_leads_out(folder: Path) -> None:
    raise UnpackError("bob.zip", Cause.OUTSIDE, "../../etc/passwd")


def of_a_list_without_names(folder: Path) -> None:
    parse_roster("A,B\n1,2\n", Path("students.csv"))


def of_no_league(folder: Path) -> None:
    (folder / "course").mkdir()
    read_settings(Path("course"))


RAISED: Mapping[str, list[Callable[[Path], object]]] = {
    "no-game": [of_an_installed_game],
    "unknown-name": [of_a_wrong_name],
    "which-game": [of_several_games, of_teams_of_two_games],
    "several-in-a-file": [chosen("teams.py", TWO)],
    "cannot-be-loaded": [
        chosen("broken.py", "def algorithms(:\n"),
        chosen("empty.py", ""),
        chosen("typo.py", "from tiltyard_engine import hookimpl\nalgorithm = hookimpl(lambda: (), specname='algorithm')\n"),
    ],
    "not-trusted": [of_a_game_without_trust],
    "wants-to-read": [of_a_manifest],
    "tournament-file": [of_a_tournament_file("game: tanks\nfromat: swiss\nworkers: -1\n")],
    "not-valid-yaml": [of_a_tournament_file("game: tanks\nformat: name: swiss\n")],
    "format-does-not-fit": [of_rounds, of_players],
    "already-running": [of_two_runs],
    "nothing-played": [of_no_results],
    "folder-not-empty": [of_somebody_elses_folder],
    "damaged-store": [of_a_damaged_store],
    "newer-store": [of_a_newer_store],
    "disk-full": [of_a_full_disk],
    "not-ours": [of_somebody_elses_page],
    "archive-refused": [of_a_locked_archive, of_an_archive_that_leads_out],
    "student-list": [of_a_list_without_names],
    "no-league": [of_no_league],
}
"""By section: what raises its messages, from the first on."""

IN_SOURCE: Mapping[str, tuple[str, ...]] = {
    "missing-package": ("tiltyard_pictures.raster", "tiltyard_cluster.connection", "tiltyard_site.web.packages"),
    "same-name": ("tiltyard_checks.command.games",),
    "too-few-teams": ("tiltyard_checks.command.games",),
    "time-ran-out": ("tiltyard_simulator.guard.cells.cell_client",),
    "no-answer": ("tiltyard_engine.programs", "tiltyard_engine.seat_kinds.program_turns"),
    "crash": ("tiltyard_engine.seat_kinds.seat_ports", "tiltyard_simulator.guard.cells.cell_client"),
    "wrong-answer": ("tiltyard_engine.seat_kinds.tank_seats",),
    "in-the-sandbox": ("tiltyard_simulator.guard.cells.limit_hints",),
    "out-of-memory": ("tiltyard_simulator.guard.cells.limit_hints",),
    "quarantine": ("tiltyard_simulator.match.eligibility",),
    "no-sandbox": ("tiltyard_simulator.registry.isolation_policy",),
    "level-does-not-work": ("tiltyard_simulator.guard.confinement.probes",),
    "open-files": ("tiltyard_simulator.guard.open_files",),
    "no-file-matches": ("tiltyard_tournaments.tournament_file.map_entries",),
    "damaged-store": ("tiltyard_tournaments.store.failures",),
    "store-moved": ("tiltyard_tournaments.store.store_file",),
    "another-version": ("tiltyard_tournaments.cli.tournament_options", "tiltyard_tournaments.running.earlier_games"),
    "no-replay": ("tiltyard_tournaments.publishers.results",),
    "address-in-use": ("tiltyard_site.live.site_server",),
    "several-teams": ("tiltyard_intake.one_team",),
    "package-not-allowed": ("tiltyard_intake.environments.allowed",),
    "missing-compiler": ("tiltyard_intake.building.build",),
    "no-token": ("tiltyard_league.cli.hand_in", "tiltyard_league.cli.league_client"),
    "league-address": ("tiltyard_league.cli.league_client",),
}
"""By section: the modules that have the texts of those messages that are not raised here."""
WITHOUT_ADDRESS = {
    *(
        "not-trusted",
        "time-ran-out",
        "no-answer",
        "crash",
        "wrong-answer",
        "in-the-sandbox",
        "out-of-memory",
        "quarantine",
        "package-not-allowed",
    ),
    *("not-valid-yaml", "no-file-matches", "format-does-not-fit", "missing-compiler", "another-version"),
}
"""Messages in tables, reports and faults, notes, and lines of a file's problems: no line about ``explain`` follows them."""


@cache
def templates(module: str) -> list[re.Pattern[str]]:
    """The texts of a module, each with holes where something is put in."""
    found: list[re.Pattern[str]] = []
    for node in ast.walk(ast.parse(inspect.getsource(importlib.import_module(module)))):
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        texts = [part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "\0" for part in parts]
        # A few words with a hole on either side are a text too, such as what was raised.
        if any(len(text.strip()) >= LEAST_WORD for text in texts):
            found.append(re.compile(".*".join(map(re.escape, "".join(texts).strip().split("\0"))), re.DOTALL))
    return found


def is_in(message: str, module: str) -> bool:
    """Whether a text of the module is the message, or a whole part of it."""
    found = [match[0] for template in templates(module) for match in [template.search(message)] if match]
    return any(len(text) >= LEAST_TEXT for text in found)


@pytest.mark.parametrize("name", RAISED)
def test_a_message_is_the_one_that_is_raised(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for raising, message in zip(RAISED[name], SECTIONS[name].messages, strict=False):
        with pytest.raises(UserError) as caught:
            raising(tmp_path)
        shown = re.sub(r"process \d+", "process 4711", str(caught.value).replace(f"{tmp_path}/", ""))
        shown = shown.replace(f"reads up to {VERSION}", "reads up to 3")
        assert shown == message
        if name not in WITHOUT_ADDRESS:
            assert caught.value.see == name


@pytest.mark.parametrize("name", IN_SOURCE)
def test_a_message_is_a_text_of_the_source(name: str) -> None:
    for message in SECTIONS[name].messages[len(RAISED.get(name, ())) :]:
        assert any(is_in(message, module) for module in IN_SOURCE[name]), message


def test_that_no_other_text_is_taken_for_a_message() -> None:
    assert not is_in("get_action used up its patience, the limit is near", "tiltyard_simulator.guard.cells.cell_client")
    assert not is_in("no such text is in this module at all", "tiltyard_checks.command.games")


def test_every_message_of_the_pages_is_looked_at() -> None:
    assert set(RAISED) | set(IN_SOURCE) == set(SECTIONS)
    assert all(len(SECTIONS[name].messages) >= len(raising) for name, raising in RAISED.items())
    assert {name for name in RAISED if len(SECTIONS[name].messages) > len(RAISED[name])} <= set(IN_SOURCE)


def named_sections() -> Iterator[str]:
    """The sections that errors in the source name."""
    for room in ROOMS:
        for file in (ROOT / room).rglob("*.py"):
            yield from re.findall(r'\bsee ?= ?"([\w-]+)"', file.read_text(encoding="utf-8"))


def test_every_address_leads_to_a_section() -> None:
    assert set(named_sections()) == set(SECTIONS) - WITHOUT_ADDRESS


@pytest.mark.parametrize("page", PAGES)
def test_the_installed_page_is_the_one_in_docs(page: str) -> None:
    packed = (ROOT / "simulator/tiltyard_checks/command" / page).read_text(encoding="utf-8")
    assert packed == TEXTS[page], f"copy docs/{page} to simulator/tiltyard_checks/command/{page}"


@pytest.mark.parametrize("section", SECTIONS.values(), ids=SECTIONS)
def test_a_section_says_what_it_means_and_what_to_do(section: Section) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", section.name)
    meaning, found, mend = section.text.rpartition("```")[2].partition("**What to do.**")
    assert found
    assert meaning.strip()
    assert mend.strip()


def test_a_name_that_is_not_found_is_explained_too() -> None:
    assert NotFoundError("map", "x", []).see == "unknown-name"
