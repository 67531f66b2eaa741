from __future__ import annotations

import shutil
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest
from tests.conftest import DUEL, map_text
from tests.engine.making import write

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
from tiltyard_simulator.match.on_crash import OnCrash
from tiltyard_simulator.match.spec import MapSource, MatchSpec


@pytest.fixture
def spec(tanks: Reference, reference_manager: Reference, tmp_path: Path) -> MatchSpec:
    source = Source(name="bot", origin=Origin.FILE, value=str(write(tmp_path / "bot.py", "x = 1\n")))
    teams = tuple(Reference(kind="algorithm", name=name, game="tanks", source=source) for name in ("ann", "bob"))
    return MatchSpec(game=tanks, manager=reference_manager, map=MapSource("duel", map_text(DUEL, 5, 5).encode()), algorithms=teams)


def test_the_key_depends_on_what_the_result_depends_on(spec: MatchSpec) -> None:
    one, two = spec.algorithms
    others = [
        replace(spec, seed=1),
        replace(spec, rounds=3),
        replace(spec, idle_on_fault=True),
        replace(spec, on_crash=OnCrash.IDLE),
        replace(spec, on_crash=OnCrash.VOID),
        replace(spec, algorithms=(two, one)),
        replace(spec, algorithms=(one, one)),
        replace(spec, map=replace(spec.map, name="other")),
        replace(spec, map=replace(spec.map, data=b"x")),
        replace(spec, isolations=(Isolation.INLINE, Isolation.SANDBOX)),
        replace(spec, limits=(Limits(), Limits(move_seconds=3.0))),
        replace(spec, manager_isolation=Isolation.SANDBOX),
        replace(spec, manager_isolation=Isolation.SANDBOX, manager_limits=Limits()),
    ]
    keys = [match_key(other) for other in [spec, *others]]
    assert len(set(keys)) == len(keys)
    assert all(len(key) == 32 for key in keys)


def test_the_key_does_not_depend_on_what_is_only_wanted_of_a_match(spec: MatchSpec) -> None:
    wanted = replace(spec, verbose=True, record=True, trace=True, measure=True)
    defaults = replace(spec, isolations=(Isolation.INLINE,) * 2, limits=(Limits(),) * 2, on_crash=OnCrash.FORFEIT)
    unused = replace(spec, manager_limits=Limits())
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
    teams = [replace(spec.algorithms[0], source=source) for source in sources]
    first, second = (with_key(replace(spec, algorithms=(team, spec.algorithms[1]))) for team in teams)
    assert first.key != second.key
    assert first.digests == second.digests


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
    own = replace(spec.algorithms[0], source=source)
    other = replace(own, source=Source(name="team", origin=Origin.PACKAGE, value=str(team)))
    mill = replace(spec, game=game, manager=replace(spec.manager, source=source), algorithms=(own, own))

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
    met = replace(mill, algorithms=(own, other))
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
    one, two = spec.algorithms
    for teams in ((one, two), (one, two, one), (one, two, one, two), (one,) * 5, (two,) * 6):
        made = maker.with_key(replace(spec, algorithms=teams))
        assert made == with_key(made)
        assert len(maker._same) <= 2
    again = maker.with_key(made)
    assert again.digests is made.digests
