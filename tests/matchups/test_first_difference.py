from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.conftest import map_text

from tiltyard_checks.command.drawn_difference import show_difference
from tiltyard_checks.runs.difference import FirstRounds
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.loading import load_source
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_engine.replay import Recorder
from tiltyard_matchups import first_difference
from tiltyard_matchups.comparison import ManagerComparison
from tiltyard_matchups.first_difference import Explainer, explain
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MapSource, MatchSpec, Recording
from tiltyard_simulator.play.arena import Arena, play_match
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_simulator.replays.files import record_replay
from tiltyard_tanks.rules import DIALECTS
from tiltyard_viewer.drawing.options import DrawOptions

FIELD = ("            ", " 1    #   2 ", "     @      ", "   #     #  ", " 2        1 ", "            ")
STEPS = 40
OTHERS = sorted(set(DIALECTS) - {"reference"})

Scripts = tuple[str, str, str, str]


@pytest.fixture
def comparison(tanks: Reference, teams: Mapping[str, Reference], managers: Mapping[str, Reference]) -> ManagerComparison:
    source = MapSource("field", map_text(FIELD, STEPS, 4).encode())
    # Inline, so that the tests can tell the teams their scripts.
    inline = IsolationPolicy(Isolation.INLINE)
    return ManagerComparison(
        game=tanks,
        map=source,
        algorithms=(teams["script1"], teams["script2"]),
        managers=tuple(managers.values()),
        isolation_policy=inline,
    )


@pytest.fixture
def odd_managers(programs: Path) -> Mapping[str, Reference]:
    """Managers that show or write something else."""
    found = Registry.from_paths([programs / "differing_managers"])
    return {entry.name: entry.reference for entry in found.all(MANAGER)}


def tell(comparison: ManagerComparison, scripts: Scripts) -> None:
    """Give the tanks their scripts: player 1's two, then player 2's."""
    told: dict[tuple[int, int], str] = load_source(comparison.algorithms[0].source).object.SCRIPTS
    told.clear()
    told.update(zip(((1, 0), (1, 1), (2, 0), (2, 1)), scripts))


def boards(comparison: ManagerComparison, manager: Reference) -> list[tuple[str, ...]]:
    """The recorded board at the start and after each round."""
    replay = record_replay(play_match(comparison.spec(manager, recording=Recording(replay=True))))
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
    comparison: ManagerComparison, managers: Mapping[str, Reference], dialect: str, kind: str
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
def test_recorders_find_the_true_first_round(
    comparison: ManagerComparison, managers: Mapping[str, Reference], dialect: str
) -> None:
    tell(comparison, SHOOTING)
    one, other = managers["recorded-reference"], managers[f"recorded-{dialect}"]
    truth = first_different_board(boards(comparison, one), boards(comparison, other))
    difference = explain(comparison, one, other)
    assert difference.round == truth or (0 < difference.round < truth and "board" not in difference.kinds)
    if "board" in difference.kinds:
        left, right = difference.boards
        assert left != right


def test_some_of_these_dialects_do_differ(comparison: ManagerComparison, managers: Mapping[str, Reference]) -> None:
    tell(comparison, SHOOTING)
    reference = boards(comparison, managers["recorded-reference"])
    truths = {name: first_different_board(reference, boards(comparison, managers[f"recorded-{name}"])) for name in OTHERS}
    assert len({truth for truth in truths.values() if truth > 0}) >= 2, truths


def test_a_recording_and_a_silent_manager_can_be_compared(comparison: ManagerComparison, managers: Mapping[str, Reference]) -> None:
    tell(comparison, SHOOTING)
    both = explain(comparison, managers["recorded-reference"], managers["recorded-two-ahead"])
    mixed = explain(comparison, managers["recorded-reference"], managers["silent-two-ahead"])
    assert (mixed.round, mixed.boards) == (both.round, both.boards)


def test_names_what_each_tank_did(comparison: ManagerComparison, managers: Mapping[str, Reference]) -> None:
    tell(comparison, ("DDS", "", "", ""))
    comparison = replace(comparison, map=MapSource("field", map_text(FIELD, 3, 4).encode()))
    logged = explain(comparison, managers["recorded-reference"], managers["recorded-two-ahead"])
    assert logged.round == 3
    assert logged.actions[0] == ("tank 1", "Shoot", "Shoot")
    traced = explain(comparison, managers["silent-reference"], managers["silent-two-ahead"])
    assert traced.round == 3
    assert traced.actions[0] == ("player 1 tank 0", "Shoot", "Shoot")


ASKING: Scripts = ("GSSSSSSSSSSS" * 3, "FFSLFFSRFFSlFFS" * 2, "rSFFGFSFFFFS" * 3, "FBDDBBSFFRRSF" * 3)


def true_firsts(left: list[tuple[str, ...]], right: list[tuple[str, ...]]) -> tuple[int | None, int | None]:
    """The first round in which boards differ, and the first from which on they stay different."""
    end = min(len(left), len(right)) - 1
    differing = [number for number in range(end + 1) if left[number] != right[number]]
    if end not in differing:
        return min(differing, default=None), None if len(left) == len(right) else end + 1
    first = end
    while first - 1 in differing:
        first -= 1
    return differing[0], first


@pytest.mark.parametrize("kind", ["recorded", "silent"])
@pytest.mark.parametrize("dialect", [name for name in OTHERS if "zero" not in name])
def test_names_the_first_other_board_and_from_when_results_cannot_agree(
    comparison: ManagerComparison, managers: Mapping[str, Reference], dialect: str, kind: str
) -> None:
    tell(comparison, SHOOTING)
    truth = true_firsts(*(boards(comparison, managers[f"recorded-{name}"]) for name in ("reference", dialect)))
    firsts = explain(comparison, managers[f"{kind}-reference"], managers[f"{kind}-{dialect}"]).firsts
    assert firsts is not None
    assert (firsts.board, firsts.result) == truth


def test_names_the_first_round_in_which_actions_differ(comparison: ManagerComparison, managers: Mapping[str, Reference]) -> None:
    tell(comparison, SHOOTING)
    one, other = managers["recorded-reference"], managers["recorded-two-ahead"]
    logs = [
        play_match(comparison.spec(manager, recording=Recording(log=True))).evidence.claim.log.splitlines()
        for manager in (one, other)
    ]
    truth = next(number for number, pair in enumerate(zip(*logs), start=1) if pair[0] != pair[1])
    found = explain(comparison, one, other)
    assert found.firsts is not None
    assert found.firsts.board is not None
    assert 0 < found.firsts.board < truth
    assert (found.firsts.actions, found.action_round) == (truth, truth)
    lines = show_difference(found, None, DrawOptions(unicode=False))
    assert f"; actions in round {truth}; " in lines[1]
    assert f"round {truth}:" in lines


def test_boards_that_become_equal_again_do_not_decide(comparison: ManagerComparison, managers: Mapping[str, Reference]) -> None:
    """A shell that starts two squares ahead hits the same wall; a later one hits a tank sooner."""
    comparison = replace(comparison, map=MapSource("field", map_text(("#    1   2 ",), STEPS, 4).encode()))
    tell(comparison, ("SDDRRDDDS", "", "", ""))
    for kind in ("recorded", "silent"):
        one, other = (managers[f"{kind}-{name}"] for name in ("reference", "two-ahead"))
        found = explain(comparison, one, other).firsts
        recorded = (boards(comparison, managers[f"recorded-{name}"]) for name in ("reference", "two-ahead"))
        assert found is not None
        assert (found.board, found.result) == true_firsts(*recorded) == (1, 9)


def test_shows_the_two_views_if_these_differ_first(
    comparison: ManagerComparison, managers: Mapping[str, Reference], odd_managers: Mapping[str, Reference]
) -> None:
    """And the boards of the first round in which they differ: those of the first round are equal."""
    tell(comparison, ASKING)
    found = explain(comparison, managers["recorded-reference"], odd_managers["hiding-two-ahead"])
    assert (found.round, found.kinds) == (1, ("view of player 1 tank 0",))
    assert found.views is not None
    mine, theirs = found.views
    assert mine == tuple(row.replace("1", "%", 1) if y == 1 else row for y, row in enumerate(FIELD))
    assert theirs == tuple(row.replace("@", " ") for row in mine)
    truth = true_firsts(*(boards(comparison, managers[f"recorded-{name}"]) for name in ("reference", "two-ahead")))
    assert found.firsts is not None
    assert (found.firsts.view, found.firsts.board, found.firsts.result) == (1, *truth)
    assert found.board_round == found.firsts.board
    assert found.boards[0] != found.boards[1]


def test_views_alone_do_not_part_the_boards(
    comparison: ManagerComparison, managers: Mapping[str, Reference], odd_managers: Mapping[str, Reference]
) -> None:
    tell(comparison, ASKING)
    found = explain(comparison, managers["silent-reference"], odd_managers["hiding-reference"])
    assert (found.round, found.firsts) == (1, FirstRounds(view=1, actions=None, board=None, result=None))
    lines = show_difference(found, None, DrawOptions(unicode=False))
    assert lines[1] == "views first differ in round 1; actions never differ; boards never differ; the results agree"
    assert lines[2] == "the views of round 1:"
    assert "1 square differs (x,y): silent-reference vs hiding-reference" in lines
    assert not any("board" in line for line in lines[2:])


def test_a_view_that_only_one_of_them_gave(
    comparison: ManagerComparison, managers: Mapping[str, Reference], odd_managers: Mapping[str, Reference]
) -> None:
    tell(comparison, ASKING)
    found = explain(comparison, managers["silent-reference"], odd_managers["mute-reference"])
    assert found.views is not None
    assert (found.round, len(found.views[0]), found.views[1]) == (1, len(FIELD), ())
    lines = show_difference(found, None, DrawOptions(unicode=False))
    assert lines[2:4] == ["the views of round 1:", "only silent-reference gave one:"]


def test_boards_that_nobody_shows_are_not_different(
    comparison: ManagerComparison, managers: Mapping[str, Reference], odd_managers: Mapping[str, Reference]
) -> None:
    tell(comparison, ASKING)
    for name in ("recorded-reference", "silent-reference"):
        found = explain(comparison, managers[name], odd_managers["blind-reference"])
        assert found.firsts is not None
        assert (found.round, found.firsts.board) == (-1, None)
        assert found.note == (
            "no round differs; only the reported results do (final board); "
            "boards can't be compared: no final board of blind-reference"
        )
    both = explain(comparison, odd_managers["blind-two-ahead"], odd_managers["blind-reference"])
    assert both.note.endswith("no final board of blind-two-ahead and blind-reference")


def test_spelling_is_a_note_and_no_difference(
    comparison: ManagerComparison, managers: Mapping[str, Reference], odd_managers: Mapping[str, Reference]
) -> None:
    tell(comparison, ASKING)
    note = "only the spelling differs, which doesn't count: 'GetBattleInfo' and 'Get Battle Info'"
    same = explain(comparison, managers["recorded-reference"], odd_managers["spelling-reference"])
    assert (same.round, same.note.split("; ")[1][: len(note)]) == (-1, "only the reported results do")
    assert note in same.note
    other = explain(comparison, managers["recorded-reference"], odd_managers["spelling-two-ahead"])
    plain = explain(comparison, managers["recorded-reference"], managers["recorded-two-ahead"])
    assert (other.round, other.kinds, other.firsts) == (plain.round, plain.kinds, plain.firsts)
    assert other.note.startswith(note)


def test_what_the_results_differ_in_is_said_if_no_round_differs(
    comparison: ManagerComparison, managers: Mapping[str, Reference], odd_managers: Mapping[str, Reference]
) -> None:
    tell(comparison, ("", "", "", ""))
    found = explain(comparison, managers["recorded-reference"], odd_managers["wrong-reference"])
    assert (found.round, found.firsts and found.firsts.result) == (-1, STEPS)
    assert found.note == (
        "no round differs; only the reported results do (reason: MAX_STEPS and OTHER; remaining tanks: 2, 2 and 7, 7)"
    )


def test_each_manager_is_observed_once(
    comparison: ManagerComparison, managers: Mapping[str, Reference], monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(comparison, SHOOTING)
    played: Counter[str] = Counter()
    play = Arena.play

    def counted(self: Arena, spec: MatchSpec, recorder: Recorder | None = None) -> MatchRecord:
        played[spec.input.manager.name] += 1
        return play(self, spec, recorder)

    monkeypatch.setattr(Arena, "play", counted)
    names = ("recorded-reference", "recorded-two-ahead", "recorded-tanks-first", "recorded-one-by-one")
    with Explainer(comparison) as explainer:
        for left, right in combinations(names, 2):
            explainer.explain(managers[left], managers[right])
    assert dict(played) == dict.fromkeys(names, 2)


def test_a_match_that_ends_earlier_differs_after_its_end(comparison: ManagerComparison, managers: Mapping[str, Reference]) -> None:
    tell(comparison, ("", "", "", ""))
    spare = replace(comparison, map=MapSource("field", map_text(FIELD, 60, 0).encode()))
    difference = explain(spare, managers["recorded-reference"], managers["recorded-zero-shells-39"])
    assert (difference.round, difference.kinds) == (41, ("length of the match",))


@pytest.mark.parametrize("kinds", [("silent", "silent"), ("recorded", "silent"), ("silent", "recorded"), ("recorded", "recorded")])
@pytest.mark.parametrize(("length", "first"), [("longer", STEPS + 1), ("shorter", STEPS)])
@pytest.mark.parametrize("scripts", [("", "", "", ""), ("SDDS" * 10, "LLLL" * 10, "", "RF" * 20)])
def test_a_round_more_or_less_is_the_length_of_the_match(
    comparison: ManagerComparison,
    managers: Mapping[str, Reference],
    kinds: tuple[str, str],
    length: str,
    first: int,
    scripts: Scripts,
) -> None:
    """Whether or not there are replays: a manager's run that is to end after k rounds ends after k + 1, or k - 1."""
    tell(comparison, scripts)
    found = explain(comparison, managers[f"{kinds[0]}-reference"], managers[f"{kinds[1]}-{length}"])
    assert (found.round, found.kinds) == (first, ("length of the match",))
    both = explain(comparison, managers[f"{kinds[0]}-{length}"], managers[f"{kinds[1]}-{length}"])
    assert both.round == -1


def test_boards_of_a_manager_that_plays_a_round_more_are_those_of_the_same_round(
    comparison: ManagerComparison, managers: Mapping[str, Reference]
) -> None:
    tell(comparison, SHOOTING)
    for name in ("longer", "shorter"):
        recorded = explain(comparison, managers["recorded-two-ahead"], managers[f"recorded-{name}"])
        silent = explain(comparison, managers["silent-two-ahead"], managers[f"silent-{name}"])
        assert (silent.round, silent.boards) == (recorded.round, recorded.boards)


def test_a_claim_of_more_rounds_than_the_teams_were_asked_in_is_told(
    comparison: ManagerComparison, managers: Mapping[str, Reference]
) -> None:
    tell(comparison, ("", "", "", ""))
    found = explain(comparison, managers["silent-reference"], managers["boasting"])
    assert (found.round, found.kinds) == (-1, ())
    assert f"boasting claims {STEPS + 1} rounds, the teams were asked in {STEPS}" in found.note


def test_the_same_rules_show_no_difference(comparison: ManagerComparison, managers: Mapping[str, Reference]) -> None:
    tell(comparison, SHOOTING)
    difference = explain(comparison, managers["recorded-reference"], managers["silent-reference"])
    assert (difference.round, difference.note) == (-1, "no round differs; only the reported results do")


def test_a_manager_that_disagrees_with_itself_is_noted(comparison: ManagerComparison, managers: Mapping[str, Reference]) -> None:
    tell(comparison, SHOOTING)
    note = explain(comparison, managers["silent-reference"], managers["fickle"]).note
    assert note.startswith("fickle gave another result when run again")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("silent-reference", "silent-tanks-first"),
        ("recorded-reference", "silent-two-ahead"),
        ("recorded-reference", "recorded-tanks-first"),
    ],
)
def test_strangers_in_cells_part_where_they_part_inline(
    comparison: ManagerComparison, managers: Mapping[str, Reference], tmp_path: Path, one: str, other: str
) -> None:
    """Two strangers' managers and two strangers' teams, each in a cell of its own."""
    scripts = dict(zip(((1, 0), (1, 1), (2, 0), (2, 1)), SHOOTING))
    teams = tuple(scripted_team(tmp_path, f"team{seat}", scripts) for seat in (1, 2))
    inline = replace(comparison, algorithms=teams)
    found = explain(replace(inline, isolation_policy=IsolationPolicy.from_environment()), managers[one], managers[other])
    assert found == explain(inline, managers[one], managers[other])
    assert found.round > 0


def scripted_team(folder: Path, name: str, scripts: Mapping[tuple[int, int], str]) -> Reference:
    """A team whose script is in its file."""
    text = (Path(__file__).parents[1] / "programs" / "teams" / "scripted.py").read_text(encoding="utf-8")
    path = folder / f"{name}.py"
    path.write_text(text.replace("SCRIPTS: dict[tuple[int, int], str] = {}", f"SCRIPTS = {dict(scripts)!r}"), encoding="utf-8")
    return Registry.from_paths([path]).find(ALGORITHM, "script1").reference


@pytest.mark.parametrize("looked_at", [0, first_difference.LOOKED_AT_ONE_BY_ONE])
def test_looking_and_recording_agree_on_random_games(
    comparison: ManagerComparison, managers: Mapping[str, Reference], looked_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All games whose results differ. By halving alone a later round may be named where boards become equal again."""
    monkeypatch.setattr(first_difference, "LOOKED_AT_ONE_BY_ONE", looked_at)
    seen: Counter[str] = Counter()
    script = st.text("FBLRlrSSSD", min_size=8, max_size=30)

    @settings(max_examples=200, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.tuples(script, script, script, script), st.sampled_from(OTHERS))
    def check(scripts: Scripts, dialect: str) -> None:
        tell(comparison, scripts)
        left, right = (play_match(comparison.spec(managers[f"silent-{name}"])).evidence.claim for name in ("reference", dialect))
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
