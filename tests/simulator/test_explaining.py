from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.conftest import map_text

from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.loading import load_source
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_simulator import explaining
from tiltyard_simulator.comparative import Comparison
from tiltyard_simulator.explaining import explain
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.guard.trust import Holding
from tiltyard_simulator.playing import play_match
from tiltyard_simulator.specs import MapSource
from tiltyard_tanks.rules import DIALECTS

FIELD = ("            ", " 1    #   2 ", "     @      ", "   #     #  ", " 2        1 ", "            ")
STEPS = 40
OTHERS = sorted(set(DIALECTS) - {"reference"})

Scripts = tuple[str, str, str, str]


@pytest.fixture
def comparison(tanks: Reference, teams: Mapping[str, Reference], managers: Mapping[str, Reference]) -> Comparison:
    source = MapSource("field", map_text(FIELD, STEPS, 4).encode())
    # Inline, so that the tests can tell the teams their scripts.
    inline = Holding(Isolation.INLINE)
    return Comparison(tanks, source, (teams["script1"], teams["script2"]), tuple(managers.values()), holding=inline)


def tell(comparison: Comparison, scripts: Scripts) -> None:
    """Give the tanks their scripts: player 1's two, then player 2's."""
    told: dict[tuple[int, int], str] = load_source(comparison.algorithms[0].source).object.SCRIPTS
    told.clear()
    told.update(zip(((1, 0), (1, 1), (2, 0), (2, 1)), scripts))


def boards(comparison: Comparison, manager: Reference) -> list[tuple[str, ...]]:
    """The recorded board at the start and after each round."""
    replay = play_match(comparison.spec(manager, record=True)).replay
    assert replay is not None
    return list(replay.all_rows())


def first_different_board(left: list[tuple[str, ...]], right: list[tuple[str, ...]]) -> int:
    """The true first round; -1 if there is none."""
    found = next((number for number, pair in enumerate(zip(left, right)) if pair[0] != pair[1]), None)
    if found is not None:
        return found
    return -1 if len(left) == len(right) else min(len(left), len(right))


SHOOTING: Scripts = ("SSSSSSSSSSSS" * 3, "FFSLFFSRFFSlFFS" * 2, "rSFFFFSFFFFS" * 3, "FBDDBBSFFRRSF" * 3)


@pytest.mark.parametrize("dialect", OTHERS)
@pytest.mark.parametrize("kind", ["silent", "needs-steps"])
def test_halving_finds_the_true_first_round(
    comparison: Comparison, managers: Mapping[str, Reference], dialect: str, kind: str
) -> None:
    tell(comparison, SHOOTING)
    truth = first_different_board(
        boards(comparison, managers["recorded-reference"]), boards(comparison, managers[f"recorded-{dialect}"])
    )
    difference = explain(comparison, managers[f"{kind}-reference"], managers[f"{kind}-{dialect}"])
    if "board" in difference.kinds or difference.round < 0:
        assert difference.round == truth
    else:
        assert difference.round <= truth or truth < 0
    assert difference.note.startswith("no round differs") == (difference.round < 0)


@pytest.mark.parametrize("dialect", OTHERS)
def test_recorders_find_the_true_first_round(comparison: Comparison, managers: Mapping[str, Reference], dialect: str) -> None:
    tell(comparison, SHOOTING)
    one, other = managers["recorded-reference"], managers[f"recorded-{dialect}"]
    truth = first_different_board(boards(comparison, one), boards(comparison, other))
    difference = explain(comparison, one, other)
    assert difference.round == truth or (0 < difference.round < truth and "board" not in difference.kinds)
    if "board" in difference.kinds:
        left, right = difference.boards
        assert left != right


def test_some_of_these_dialects_do_differ(comparison: Comparison, managers: Mapping[str, Reference]) -> None:
    tell(comparison, SHOOTING)
    reference = boards(comparison, managers["recorded-reference"])
    truths = {name: first_different_board(reference, boards(comparison, managers[f"recorded-{name}"])) for name in OTHERS}
    assert len({truth for truth in truths.values() if truth > 0}) >= 2, truths


def test_a_recording_and_a_silent_manager_can_be_compared(comparison: Comparison, managers: Mapping[str, Reference]) -> None:
    tell(comparison, SHOOTING)
    both = explain(comparison, managers["recorded-reference"], managers["recorded-two-ahead"])
    mixed = explain(comparison, managers["recorded-reference"], managers["silent-two-ahead"])
    assert (mixed.round, mixed.boards) == (both.round, both.boards)


def test_names_what_each_tank_did(comparison: Comparison, managers: Mapping[str, Reference]) -> None:
    tell(comparison, ("DDS", "", "", ""))
    comparison = replace(comparison, map=MapSource("field", map_text(FIELD, 3, 4).encode()))
    logged = explain(comparison, managers["recorded-reference"], managers["recorded-two-ahead"])
    assert logged.round == 3
    assert logged.actions[0] == ("tank 1", "Shoot", "Shoot")
    traced = explain(comparison, managers["silent-reference"], managers["silent-two-ahead"])
    assert traced.round == 3
    assert traced.actions[0] == ("player 1 tank 0", "Shoot", "Shoot")


def test_a_match_that_ends_earlier_differs_after_its_end(comparison: Comparison, managers: Mapping[str, Reference]) -> None:
    tell(comparison, ("", "", "", ""))
    spare = replace(comparison, map=MapSource("field", map_text(FIELD, 60, 0).encode()))
    difference = explain(spare, managers["recorded-reference"], managers["recorded-zero-shells-39"])
    assert (difference.round, difference.kinds) == (41, ("length of the match",))


def test_the_same_rules_show_no_difference(comparison: Comparison, managers: Mapping[str, Reference]) -> None:
    tell(comparison, SHOOTING)
    difference = explain(comparison, managers["recorded-reference"], managers["silent-reference"])
    assert (difference.round, difference.note) == (-1, "no round differs, only the claimed results")


def test_a_manager_that_disagrees_with_itself_is_noted(comparison: Comparison, managers: Mapping[str, Reference]) -> None:
    tell(comparison, SHOOTING)
    note = explain(comparison, managers["silent-reference"], managers["fickle"]).note
    assert note.startswith("fickle gave another result when run again")


@pytest.mark.parametrize("kinds", [("silent", "silent"), ("recorded", "silent"), ("recorded", "recorded")])
def test_strangers_in_cells_part_where_they_part_inline(
    comparison: Comparison, managers: Mapping[str, Reference], tmp_path: Path, kinds: tuple[str, str]
) -> None:
    """Two strangers' managers and two strangers' teams, each in a cell of its own."""
    scripts = dict(zip(((1, 0), (1, 1), (2, 0), (2, 1)), SHOOTING))
    teams = tuple(scripted_team(tmp_path, f"team{seat}", scripts) for seat in (1, 2))
    rounds = set()
    for dialect in ("two-ahead", "tanks-first"):
        left, right = managers[f"{kinds[0]}-reference"], managers[f"{kinds[1]}-{dialect}"]
        inline = replace(comparison, algorithms=teams)
        found = explain(replace(inline, holding=Holding.from_environment()), left, right)
        assert found == explain(inline, left, right)
        rounds.add(found.round)
    assert min(rounds) > 0


def scripted_team(folder: Path, name: str, scripts: Mapping[tuple[int, int], str]) -> Reference:
    """A team whose script is in its file."""
    text = (Path(__file__).parents[1] / "programs" / "teams" / "scripted.py").read_text(encoding="utf-8")
    path = folder / f"{name}.py"
    path.write_text(text.replace("SCRIPTS: dict[tuple[int, int], str] = {}", f"SCRIPTS = {dict(scripts)!r}"), encoding="utf-8")
    return Registry.from_paths([path]).find(ALGORITHM, "script1").reference


@pytest.mark.parametrize("looked_at", [0, explaining.LOOKED_AT_ONE_BY_ONE])
def test_looking_and_recording_agree_on_random_games(
    comparison: Comparison, managers: Mapping[str, Reference], looked_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All games whose results differ. By halving alone a later round may be named where boards become equal again."""
    monkeypatch.setattr(explaining, "LOOKED_AT_ONE_BY_ONE", looked_at)
    seen: Counter[str] = Counter()
    script = st.text("FBLRlrSSSD", min_size=8, max_size=30)

    @settings(max_examples=200, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.tuples(script, script, script, script), st.sampled_from(OTHERS))
    def check(scripts: Scripts, dialect: str) -> None:
        tell(comparison, scripts)
        left, right = (play_match(comparison.spec(managers[f"silent-{name}"])).claim for name in ("reference", dialect))
        if (left.winner, left.reason, left.rounds, left.final_state) == (
            right.winner,
            right.reason,
            right.rounds,
            right.final_state,
        ):
            return
        one, other = (boards(comparison, managers[f"recorded-{name}"]) for name in ("reference", dialect))
        truth = first_different_board(one, other)
        found = explain(comparison, managers["silent-reference"], managers[f"silent-{dialect}"]).round
        length = max(len(one), len(other))
        apart = [one[min(at, len(one) - 1)] != other[min(at, len(other) - 1)] for at in range(length)]
        if found == truth:
            seen["same round"] += 1
        else:
            assert not all(apart[truth:])
            assert found > truth > looked_at
            seen["became equal again"] += 1

    check()
    assert seen["same round"] >= 15
