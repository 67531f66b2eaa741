from __future__ import annotations

import shutil
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import DUEL, map_text
from tests.engine.making import write
from tests.made_specs import made_spec, spec_with

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import GAME as GAMES
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_simulator.match import key as keys
from tiltyard_simulator.match.code_digest import code_digest
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.key import KeyMaker, match_key, with_key
from tiltyard_simulator.match.limits import Limits
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.match.verdict import OnCrash


@pytest.fixture
def spec(tanks: Reference, reference_manager: Reference, tmp_path: Path) -> MatchSpec:
    source = Source(name="bot", origin=Origin.FILE, value=str(write(tmp_path / "bot.py", "x = 1\n")))
    teams = tuple(Reference(kind="algorithm", name=name, game="tanks", source=source) for name in ("ann", "bob"))
    return made_spec(game=tanks, manager=reference_manager, map=MapSource("duel", map_text(DUEL, 5, 5).encode()), teams=teams)


def test_the_key_depends_on_what_the_result_depends_on(spec: MatchSpec) -> None:
    one, two = spec.input.teams
    others = [
        spec_with(spec, seed=1),
        spec_with(spec, rounds=3),
        spec_with(spec, idle_on_fault=True),
        spec_with(spec, on_crash=OnCrash.IDLE),
        spec_with(spec, on_crash=OnCrash.VOID),
        spec_with(spec, teams=(two, one)),
        spec_with(spec, teams=(one, one)),
        spec_with(spec, map=replace(spec.input.map, name="other")),
        spec_with(spec, map=replace(spec.input.map, data=b"x")),
        spec_with(spec, isolations=(Isolation.INLINE, Isolation.SANDBOX)),
        spec_with(spec, limits=(Limits(), Limits(move_seconds=3.0))),
        spec_with(spec, manager_isolation=Isolation.SANDBOX),
        spec_with(spec, manager_isolation=Isolation.SANDBOX, manager_limits=Limits()),
    ]
    keys = [match_key(other) for other in [spec, *others]]
    assert len(set(keys)) == len(keys)
    assert all(len(key) == 32 for key in keys)


def test_the_key_does_not_depend_on_what_is_only_wanted_of_a_match(spec: MatchSpec) -> None:
    wanted = spec_with(spec, log=True, replay=True, trace=True, measure=True)
    defaults = spec_with(spec, isolations=(Isolation.INLINE,) * 2, limits=(Limits(),) * 2, on_crash=OnCrash.FORFEIT)
    unused = spec_with(spec, manager_limits=Limits())
    assert {match_key(spec), match_key(unused), match_key(wanted), match_key(defaults)} == {match_key(spec)}


def digest(path: Path, origin: Origin) -> str:
    code_digest.cache_clear()
    return code_digest(Source(name="team", origin=origin, value=str(path), folder=str(path)))


def test_the_digest_of_a_folder_is_that_of_its_code(tmp_path: Path) -> None:
    team = tmp_path / "team"
    write(team / "__init__.py", "x = 1\n")
    write(team / "deep" / "brain.py", "y = 2\n")
    before = digest(team, Origin.PACKAGE)
    write(team / "__pycache__" / "brain.pyc", "whatever")
    write(team / ".git" / "index", "whatever")
    assert digest(team, Origin.PACKAGE) == before
    moved = shutil.copytree(team, tmp_path / "elsewhere" / "team")
    assert digest(moved, Origin.PACKAGE) == before
    write(team / "deep" / "brain.py", "y = 3\n")
    changed = digest(team, Origin.PACKAGE)
    (team / "deep" / "brain.py").rename(team / "deep" / "mind.py")
    assert len({before, changed, digest(team, Origin.PACKAGE)}) == 3


def test_every_file_of_an_installed_plugin_counts(tanks: Reference) -> None:
    assert len(code_digest(tanks.source)) == 32
    other = replace(tanks.source, distribution="tiltyard-acorn")
    assert code_digest(tanks.source) != code_digest(other)


def test_a_compiled_file_is_the_same_whatever_its_loader_is(spec: MatchSpec, tmp_path: Path) -> None:
    write(tmp_path / "team.so", "code")
    loaders = ("tiltyard_acorn:load", "tiltyard_bramble:load")
    sources = [Source(name="team", origin=Origin.LIBRARY, value=str(tmp_path / "team.so"), loader=each) for each in loaders]
    teams = [replace(spec.input.teams[0], source=source) for source in sources]
    first, second = (with_key(spec_with(spec, teams=(team, spec.input.teams[1]))) for team in teams)
    assert first.place.key != second.place.key
    assert first.place.digests == second.place.digests


SANDBOXED = (Isolation.SANDBOX,) * 2
RECORDED: list[tuple[str, dict[str, Any]]] = [
    ("274087abbded38ff3fdbcad35617b919", {}),
    ("55177928e3e72aec5c718214e67dcb69", {"seed": 3}),
    ("73d8ea8e0a46edc10833871d7d8f92f1", {"rounds": 3}),
    ("0d9e8205030c7a6a934908826d541e09", {"idle_on_fault": True}),
    ("e3198f18047d1c0018101b83636ba844", {"on_crash": OnCrash.VOID}),
    ("36a444a5ff0044e967e44c8e6c1e8351", {"isolations": SANDBOXED, "limits": (Limits(move_seconds=2.0), Limits())}),
    ("7c07d8ad9c5c7beefee9eae91f357575", {"manager_isolation": Isolation.SANDBOX}),
    ("b63513c2b4c677a63514480848a8e357", {"manager_isolation": Isolation.SANDBOX, "manager_limits": Limits()}),
    ("274087abbded38ff3fdbcad35617b919", {"together": True}),
    ("3f23232e48fd8fc02e88a8377b4778aa", {"watch_infos": True}),
    ("274087abbded38ff3fdbcad35617b919", {"log": True, "replay": True, "trace": True, "measure": True, "watch_denials": True}),
    ("274087abbded38ff3fdbcad35617b919", {"number": 7, "game_number": 1, "stage": "final"}),
]
OF_COMPILED_FILES: list[tuple[str, dict[str, Any]]] = [
    ("7489372e864098ff69a3b340f97db24e", {}),
    ("3c55cdf991848e81e3a78131832174f8", {"trace": True}),
    ("4718eec5393bdf8816674b21bb7ca042", {"together": True, "isolations": SANDBOXED, "manager_isolation": Isolation.SANDBOX}),
]


def test_a_key_is_what_it_always_was(tmp_path: Path) -> None:
    """With another one, the next run would play a match of an older store again."""
    mill = write(
        tmp_path / "mill.py",
        """from tiltyard_engine import Game, GameMaps, hookimpl

@hookimpl
def games():
    yield Game(name="mill", seats=range(2, 3), maps=GameMaps(lambda name, data, seats: data))
""",
    )
    write(tmp_path / "bob.so", "code")

    def player(kind: str, name: str, path: Path, origin: Origin = Origin.FILE) -> Reference:
        return Reference(kind=kind, name=name, game="mill", source=Source(name=name, origin=origin, value=str(path)))

    ann = player("algorithm", "ann", write(tmp_path / "ann.py", "x = 1\n"))
    bob = player("algorithm", "bob", tmp_path / "bob.so", Origin.LIBRARY)
    game, manager = player("game", "mill", mill), player("manager", "miller", mill)
    met = made_spec(game=game, manager=manager, map=MapSource("duel", b"a map"), teams=(ann, bob))
    compiled = spec_with(met, manager=replace(manager, source=bob.source), teams=(bob, bob))
    assert [match_key(spec_with(met, **values)) for _, values in RECORDED] == [key for key, _ in RECORDED]
    assert [match_key(spec_with(compiled, **values)) for _, values in OF_COMPILED_FILES] == [key for key, _ in OF_COMPILED_FILES]


GAME = """
from tiltyard_engine import Game, GameMaps, hookimpl
from tiltyard_engine.records import GameDisplay
from .theme import THEME

@hookimpl
def games():
    yield Game(name="mill", seats=range(2, 3), maps=GameMaps(lambda name, data, seats: data), display=GameDisplay(THEME{modules}))
"""


@pytest.mark.parametrize(("modules", "same"), [(', modules=("mill.theme",)', True), ("", False)])
def test_what_only_shows_matches_does_not_change_their_keys(spec: MatchSpec, tmp_path: Path, modules: str, same: bool) -> None:
    """If the game says what that is, and for the game's own plugin alone."""
    folder, team = tmp_path / "mill", tmp_path / "team"
    write(folder / "__init__.py", GAME.replace("{modules}", modules))
    write(team / "mill" / "theme.py", "x = 1\n")
    source = Source(name="mill", origin=Origin.PACKAGE, value=str(folder))
    game = Reference(kind="game", name="mill", game="mill", source=source)
    own = replace(spec.input.teams[0], source=source)
    other = replace(own, source=Source(name="team", origin=Origin.PACKAGE, value=str(team)))
    mill = spec_with(spec, game=game, manager=replace(spec.input.manager, source=source), teams=(own, own))

    def key(spec: MatchSpec, color: str) -> str:
        write(
            folder / "theme.py", f"from tiltyard_engine.replay import Theme\nTHEME = Theme(styles={{}}, seat_colors=('{color}',))\n"
        )
        code_digest.cache_clear()  # as in another process
        return match_key(spec)

    before = key(mill, "#000000")
    assert (key(mill, "#ffffff") == before) is same
    write(folder / "rules.py", "steps = 1\n")
    assert key(mill, "#000000") != before
    met = spec_with(mill, teams=(own, other))
    before = key(met, "#000000")
    write(team / "mill" / "theme.py", "x = 2\n")
    assert key(met, "#000000") != before


def test_modules_that_only_show_matches_are_used_for_nothing_else(registry: Registry) -> None:
    games = [entry.reference for entry in registry.all(GAMES)]
    shown = {module: reference for reference in games for module in reference.load_as(Game).display.modules}
    assert {module.partition(".")[0] for module in shown} >= {
        f"tiltyard_{name}" for name in ("tanks", "filler", "penguins", "advance")
    }
    for module in shown:
        package = Path(str(files(module.partition(".")[0])))
        users = {str(path.relative_to(package)) for path in package.rglob("*.py") if f"from {module} import" in path.read_text()}
        assert {user for user in users if not user.startswith("terminal/")} == {"plugin.py"}, module


def test_code_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read: No such file"):
        digest(write(tmp_path / "gone" / "bot.py", "x").parent / "none.py", Origin.FILE)


def test_a_maker_for_a_whole_season_forgets_which_sets_of_digests_it_has_seen(
    spec: MatchSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys, "MOST_SAME", 2)
    maker = KeyMaker()
    one, two = spec.input.teams
    for teams in ((one, two), (one, two, one), (one, two, one, two), (one,) * 5, (two,) * 6):
        made = maker.with_key(spec_with(spec, teams=teams))
        assert made == with_key(made)
        assert len(maker._same) <= 2
    again = maker.with_key(made)
    assert again.place.digests is made.place.digests
