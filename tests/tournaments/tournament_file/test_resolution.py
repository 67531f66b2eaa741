"""Names, files and folders of a tournament file become a tournament that can be played."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
import yaml
from tests.conftest import WriteMap
from tests.engine.making import team_source, write
from tests.tournaments.tournament_file.conftest import Read, map_names, problems, team

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.sources import Origin
from tiltyard_kit_commands.first_file import tournament_template
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_tournaments.running.schedule import Schedule
from tiltyard_tournaments.tournament_file.problems import TournamentFileError

EARS = """\
from dataclasses import dataclass
from tiltyard_engine import Observer, TournamentObserver, hookimpl

@dataclass(frozen=True)
class Options:
    loud: bool = False

@hookimpl
def observers():
    yield Observer("ear", lambda options: TournamentObserver(), Options)
"""


# What is right


def test_who_hears_and_publishes(read: Read, tmp_path: Path) -> None:
    (tmp_path / "ears.py").write_text(EARS)
    found = read("""\
        game: tanks
        teams: [acorn, bramble]
        observers: [ears.py]
        publication:
          publishers: [site, {name: markdown, file: all.md}, {name: csv, tables: [games]}]
    """).tournament
    assert [(chosen.name, chosen.options.loud) for chosen in found.observers] == [("ear", False)]
    assert [chosen.name for chosen in found.publishers] == ["site", "markdown", "csv"]
    assert (found.publishers[1].options.file, found.publishers[2].options.tables) == ("all.md", ["games"])
    assert read("game: tanks\nobservers: {name: ears.py, loud: true}\n").tournament.observers[0].options.loud
    assert read("game: tanks\n").tournament.publishers == ()


def test_who_hears_and_publishes_is_checked_like_all_else(read: Read, tmp_path: Path) -> None:
    (tmp_path / "ears.py").write_text(EARS)
    found = problems(
        read,
        """\
        game: tanks
        observers:
          - {name: ears.py, load: true}
          - ears.py:eer
          - acorn
        publication:
          publishers: [site, site, {name: markdown, file: 3}]
        """,
    )
    assert found == [
        "cup.yaml:3: observers[1].load: unknown key; did you mean loud?",
        "cup.yaml:4: observers[2]: no observer is called 'eer'; did you mean ear?",
        "cup.yaml:5: observers[3]: no observer is called 'acorn'; that is an algorithm for tanks",
        "cup.yaml:7: publication.publishers[2]: 'site' is listed twice",
        "cup.yaml:7: publication.publishers[3].file: expected text, got 3",
        "cup.yaml: 5 problems; nothing was played",
    ]
    assert problems(read, "observers: [{loud: true}]\npublication: {publishres: [site]}\ngame: tanks\n")[:2] == [
        "cup.yaml:1: observers[1].name: this key is required",
        "cup.yaml:2: publication.publishres: unknown key; did you mean publishers?",
    ]
    for text, problem in (
        ("600", "cup.yaml:1: analysis: expected keys and values, got 600"),
        ("{cpu_seconds: 0}", "cup.yaml:1: analysis.cpu_seconds: expected more than 0.0, got 0"),
        ("{cpu_seconds: lots}", "cup.yaml:1: analysis.cpu_seconds: expected a number, got 'lots'"),
        ("{}", "cup.yaml:1: analysis.cpu_seconds: this key is required"),
        ("{cpu-seconds: 600}", "cup.yaml:1: analysis.cpu-seconds: unknown key; did you mean cpu_seconds?"),
    ):
        assert problems(read, f"analysis: {text}\ngame: tanks\n")[0] == problem
    resolved = read("game: tanks\nteams: [acorn, bramble]\nmaps: [narrow-pass]\nanalysis: {cpu_seconds: 600}\n")
    assert resolved.tournament.analysis_seconds == 600


def test_four_lines_are_enough(read: Read, tmp_path: Path) -> None:
    found = read("game: tanks\nteams: all installed\nmaps: all installed\nformat: round-robin\n").tournament
    assert {"acorn", "bramble", "coyote", "dragoon"} <= set(found.names)
    assert {"back-yard", "narrow-pass"} <= {source.name for source in found.maps}
    assert (found.manager.name, found.format_name, found.folder) == ("reference", "round-robin", tmp_path / "cup")
    assert (found.field.seats, found.field.games, found.field.seed, found.replays) == (2, 1, 1, True)


def test_paths_are_relative_to_the_file(read: Read, tmp_path: Path, write_map: WriteMap, monkeypatch: pytest.MonkeyPatch) -> None:
    team(tmp_path / "bots" / "ann.py")
    team(tmp_path / "bob.py", "bob", "bobby")
    write_map("boards/one.txt")
    (tmp_path / "logo.png").touch()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    found = read("""\
        game: tanks
        teams: [bots/ann.py, "bob.py:bobby", acorn]
        maps: boards/one.txt
        output: results
        publication: {logo: logo.png}
    """).tournament
    assert found.names == ("ann", "bobby", "acorn")
    assert [source.name for source in found.maps] == ["one"]
    assert found.folder == tmp_path / "results"
    assert found.publication.logo == tmp_path / "logo.png"
    assert found.teams[0].source.value == str(tmp_path / "bots" / "ann.py")


def test_a_file_with_a_relative_path_of_its_own(read: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    team(tmp_path / "cups" / "ann.py")
    monkeypatch.chdir(tmp_path)
    found = read("game: tanks\nteams: [ann.py, acorn]\n", Path("cups")).tournament
    assert found.names == ("ann", "acorn")
    assert found.folder == Path("cups/cup")


def test_a_path_is_never_an_installed_name(read: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code beside a file that is named without its folder was taken for the installed team of that name, and never played."""
    monkeypatch.chdir(tmp_path)
    team(tmp_path / "acorn" / "__init__.py", "acorn")
    beside, installed = (read(f"game: tanks\nteams: [{word}, bramble]\n", Path()) for word in ("./acorn", "acorn"))
    assert beside.tournament.teams[0].source.value == str(tmp_path / "acorn")
    assert beside.notes == []
    assert installed.tournament.teams[0].source.origin is Origin.INSTALLED
    assert installed.notes == ["'acorn' is the installed team; for what lies beside this file, write ./acorn"]


def test_folders_and_patterns(read: Read, tmp_path: Path, write_map: WriteMap) -> None:
    for name in ("cat", "ann", "bob"):
        team(tmp_path / "bots" / f"{name}.py")
    for name in ("b", "a", "c"):
        write_map(f"boards/{name}.txt")
    write_map("boards/deep/d.txt")
    assert read("game: tanks\nteams: bots\nmaps: boards\n").tournament.names == ("ann", "bob", "cat")
    assert map_names(read("game: tanks\nmaps: boards/\n")) == ["a", "b", "c"]
    assert map_names(read("game: tanks\nmaps: boards/[bc].txt\n")) == ["b", "c"]
    assert map_names(read("game: tanks\nmaps: boards/**/*.txt\n")) == ["a", "b", "c", "d"]
    assert map_names(read("game: tanks\nmaps: [boards/c.txt, back-yard, {map: boards/a.txt}]\n")) == ["c", "back-yard", "a"]


def test_what_changes_no_match_changes_no_key(read: Read) -> None:
    def keys(text: str) -> list[str]:
        return [
            spec.place.key for spec in Schedule(tournament=read(f"game: tanks\nmaps: back-yard\n{text}").tournament).next_batch()
        ]

    before = keys("teams: [acorn, bramble]\n")
    shown = """\
        title: Another   # with a comment
        description: Of colours
        teams: [{team: acorn, name: Oak}, bramble]
        scoring: {win: 2}
        tie-breaks: [score]
        quarantine: 3
        replays: false
        disqualify: {Oak: late}
        publication: {title: A, links: {b: "https://c.org"}, hide: []}
    """
    assert keys(textwrap.dedent(shown)) == before
    assert keys("teams: [acorn, bramble]\nseed: 2\n") != before


def test_generated_maps(read: Read) -> None:
    text = "game: tanks\nmaps: [{generate: {count: 3, seed: 7, rows: 9, cols: 12, steps: 20}}]\n"
    maps = read(text).tournament.maps
    assert [source.name for source in maps] == ["generated-7", "generated-8", "generated-9"]
    assert len({source.data for source in maps}) == 3
    assert all(b"Rows = 9" in source.data and b"MaxSteps = 20" in source.data for source in maps)
    assert read(text).tournament.maps == maps
    assert map_names(read("game: tanks\nseed: 5\nmaps: {generate: {rows: 9, cols: 12}}\n")) == ["generated-5"]


@pytest.mark.parametrize("trusted", ["[bots/ann.py, pytest]", "./bots/ann.py"])
def test_trusted_paths_and_names(read: Read, tmp_path: Path, trusted: str) -> None:
    for name in ("ann", "bob"):
        team(tmp_path / "bots" / f"{name}.py")
    found = read(f"game: tanks\nteams: bots\nmaps: back-yard\ntrust: {trusted}\n").tournament
    assert [found.isolation_policy.of(each) for each in found.teams] == [Isolation.INLINE, Isolation.SANDBOX]


@pytest.mark.parametrize("words", ["many.py:*", "./many.py:*"])
def test_all_teams_of_a_file(read: Read, tmp_path: Path, words: str) -> None:
    write(tmp_path / "many.py", team_source(*(f"bot{number}" for number in range(80))))
    found = read(f"game: tanks\nteams: ['{words}', acorn]\nmaps: back-yard\n")
    assert len(found.tournament.teams) == 81
    with pytest.raises(UserError, match=r"nobody\.py: no such file or folder"):
        read("game: tanks\nteams: ['nobody.py:*', acorn]\nmaps: back-yard\n")


def test_how_it_is_judged(read: Read) -> None:
    found = read("""\
        game: tanks
        teams: [acorn, bramble]
        scoring: {win: 2, draw: 0.5, places: [5, 1]}
        tie-breaks: [head-to-head, buchholz]
        quarantine: 0
        workers: 3
        replays: false
        seed: 9
        games: 4
        format: {name: swiss, rounds: 1}
    """).tournament
    assert (found.rules.scoring.win, found.rules.scoring.draw, found.rules.scoring.places) == (2.0, 0.5, (5.0, 1.0))
    assert found.rules.tie_breaks == ("head-to-head", "buchholz")
    assert (found.quarantine, found.workers, found.replays, found.field.win_points) == (0, 3, False, 2.0)
    assert not Schedule(tournament=found).next_batch()[0].recording.replay
    assert read("game: tanks\nscoring: score\n").tournament.rules.scoring.by == "score"


# What is shipped


def test_the_template_can_be_played(read: Read, registry: Registry) -> None:
    found = read(tournament_template("It's a cup: yes", registry.game("tanks"))).tournament
    assert found.title == "It's a cup: yes"
    assert Schedule(tournament=found).next_batch()
    assert read(tournament_template("Cup", registry.game("tanks"), ["bramble", "acorn"])).tournament.names == ("bramble", "acorn")


def test_what_the_template_shows_in_comments_is_right_too(
    read: Read, tmp_path: Path, write_map: WriteMap, registry: Registry
) -> None:
    team(tmp_path / "submissions" / "ann.py")
    team(tmp_path / "special" / "thunder.py")
    write_map("maps/a.txt")
    (tmp_path / "logo.png").touch()
    (tmp_path / "notices.py").write_text(EARS)
    lines: list[str] = []
    for line in tournament_template("Cup", registry.game("tanks")).splitlines():
        bare = line.replace("# ", "", 1)
        if line.startswith("format:") or "yaml-language-server" in line:
            continue
        key = yaml.safe_load(bare) if line.lstrip().startswith("# ") and ":" in bare and not bare.lstrip().startswith("-") else None
        is_example = isinstance(key, dict) and next(iter(key)).replace("-", "").isalpha() and next(iter(key)).islower()
        is_item = line.lstrip().startswith(("# - ", "#   "))
        lines.append(bare if is_example or is_item else line)
    found = read("\n".join(lines)).tournament
    assert {"ann", "thunder", "acorn"} <= set(found.names)
    assert {"a", "generated-7", "generated-11", "back-yard"} <= {source.name for source in found.maps}
    assert found.format_name == "swiss"
    assert found.rules.tie_breaks == ("wins", "head-to-head", "sonneborn-berger")
    assert [chosen.name for chosen in found.observers] == ["ear"]
    assert [chosen.name for chosen in found.publishers] == ["site", "markdown"]
    assert found.publication.links == (("The course", "https://example.org/"),)
    assert found.isolation_policy.limits.for_teams == {"thunder": {"move_seconds": 2}}


QUALIFY = "game: advance\nteams: [advance-level-4, advance-level-5]\n"


@pytest.mark.parametrize(("text", "tests"), [("level 4", 50), ("{level: 5}", 100), ("{}", 50), ("level 7", 200)])
def test_what_a_team_has_to_show(read: Read, text: str, tests: int) -> None:
    tournament = read(f"{QUALIFY}qualify: {text}\n").tournament
    assert len(tournament.tests) == tests
    assert {test.group for test in tournament.tests} == {f"level {level}" for level in range(4, 4 + tests // 50)}
    assert tournament.tests_game is not None


def test_without_qualify_there_are_no_tests(read: Read) -> None:
    assert read(QUALIFY).tournament.tests == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("level 8", "cup.yaml:3: qualify.level: expected at most 7, got 8"),
        ("level four", "cup.yaml:3: qualify.level: expected a whole number, got 'four'"),
        ("{levels: 4}", "cup.yaml:3: qualify.levels: unknown key; did you mean level?"),
        ("level", "cup.yaml:3: qualify: expected keys and values, got 'level'"),
        ("true", "cup.yaml:3: qualify: expected keys and values, got true"),
        ("{tests: nowhere}", "cup.yaml:3: qualify.tests: "),
    ],
)
def test_what_is_wrong_with_what_a_team_has_to_show(read: Read, text: str, message: str) -> None:
    with pytest.raises(TournamentFileError) as caught:
        read(f"{QUALIFY}qualify: {text}\n")
    assert str(caught.value).startswith(message)
    assert "no such file or folder" in str(caught.value) or "nowhere" not in text


def test_a_game_without_tests_has_nothing_to_qualify_by(read: Read) -> None:
    with pytest.raises(TournamentFileError, match="qualify: the game tanks has no qualifying tests"):
        read("game: tanks\nqualify: level 4\n")


def test_who_comes_late_leaves_or_sits_out(read: Read) -> None:
    text = "game: tanks\nteams: [acorn, bramble, coyote, dragoon]\nmaps: back-yard\nformat: {name: swiss, rounds: 3}\n"
    keys = "late: {acorn: {from: 3, points: 2}}\nwithdraw: {bramble: 2, coyote: now}\nhalf-point-byes: {dragoon: [1, 3]}\n"
    cup = read(text + keys).tournament
    assert [(each.team.label, each.first, each.last, each.ending.value, each.points) for each in cup.absences] == [
        ("acorn", 1, 2, "late", 2.0),
        ("bramble", 2, None, "absent", 0.0),
        ("coyote", 0, None, "absent", 0.0),
        ("dragoon", 1, 1, "half-point bye", 0.0),
        ("dragoon", 3, 3, "half-point bye", 0.0),
    ]
    assert [(each.team, each.first, each.last) for each in cup.field.absences] == [
        (0, 1, 2),
        (1, 2, None),
        (2, 1, None),
        (3, 1, 1),
        (3, 3, 3),
    ]


def test_who_comes_late_leaves_or_sits_out_is_checked(read: Read) -> None:
    text = "game: tanks\nteams: [acorn, bramble]\nmaps: back-yard\n"
    assert problems(read, text + "withdraw: {acorn: -1, brambel: 2}\nlate: {acorn: {points: 1}}\n")[:3] == [
        "cup.yaml:4: withdraw.acorn: expected at least 0, got -1",
        "cup.yaml:4: withdraw.brambel: no team is called 'brambel'; did you mean bramble?",
        "cup.yaml:5: late.acorn.from: this key is required",
    ]
    assert problems(read, text + "withdraw: {acorn: soon}\n")[0] == (
        "cup.yaml:4: withdraw.acorn: expected the number of a round, or 'now', got 'soon'"
    )
    assert problems(read, text + "half-point-byes: {acorn: [1]}\n")[0] == (
        "cup.yaml:4: half-point-byes: only teams of a swiss can have this, but the format is round-robin"
    )
    # Where another mistake leaves the format unknown, nothing is said of it.
    unknown = text.replace("bramble", "brambel") + "format: {name: swiss, rounds: 1}\nlate: {acorn: {from: 2}}\n"
    assert [problem for problem in problems(read, unknown) if "swiss" in problem] == []
