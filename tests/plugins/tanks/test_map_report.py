from __future__ import annotations

import pytest

from tiltyard_engine.errors import MapError
from tiltyard_tanks.map_report import MapReport, check_map

OFF_CENTRE = "(around a centre across the edges: 0 right and 1 down)"


def report(*rows: str, steps: int = 100, shells: int = 5, players: int | None = None) -> MapReport:
    header = f"Yard\nMaxSteps = {steps}\nNumShells = {shells}\nRows = {len(rows)}\nCols = {len(rows[0])}\n"
    return check_map("yard.txt", (header + "\n".join(rows) + "\n").encode(), players)


FAIR_YARD = ("#1  @   ", "        ", "        ", "   @  2#")


def test_a_fair_map_has_facts_and_nothing_to_mend() -> None:
    found = report(*FAIR_YARD)
    assert found.is_clean
    assert dict(found.facts) == {
        "title": "Yard",
        "board": "4 rows x 8 columns",
        "limits": "MaxSteps 100, NumShells 5",
        "players": "made for 2",
        "tanks": "player 1: 1, player 2: 1",
        "ground": "walls 6.2%, mines 6.2%",
        "symmetry": "half turn: fair to all players",
        "driving": "all tanks can reach each other",
        "first shots": "no tank starts in an enemy's line of fire",
    }


def test_the_text_has_a_finding_a_line() -> None:
    lines = report("#1  @  ", "       ").text().splitlines()
    assert lines[0] == "yard.txt: usable, with warnings"
    assert "  ground       walls 7.1%, mines 7.1%" in lines
    assert lines[-2:] == [
        "  warning: player 2 is without tanks and lost before the first round",
        "  warning: not fair: the players have different numbers of tanks (1, 0)",
    ]


def test_oddities_of_the_file_are_part_of_the_report() -> None:
    found = check_map("yard.txt", b"Yard\nMaxSteps=9\nNumShells=9\nRows=2\nCols=3\n1\n x2\n  \n")
    assert not found.is_clean
    assert found.recovered == (
        "line 6: line has 1 of 3 columns; filled with spaces",
        "line 7, column 2: unknown character 'x' read as a space",
        "ignored 1 line after row 2",
    )
    assert "  repaired: ignored 1 line after row 2" in found.text().splitlines()


def test_control_characters_of_a_title_never_reach_the_terminal() -> None:
    data = b"\x1b[2Jgone\nMaxSteps=9\nNumShells=9\nRows=1\nCols=1\n1\n"
    assert "\x1b" not in check_map("yard.txt", data).text()


@pytest.mark.parametrize(
    ("rows", "symmetry"),
    [
        (FAIR_YARD, "half turn: fair to all players"),
        (("#1  2#", " @  @ ", "  @@  "), "left-right mirror: fair to all players"),
        (("#1  2#", "      "), f"left-right mirror and half turn {OFF_CENTRE}: fair to all players"),
        (("  3 #", "     ", "4   3", "   # ", "  4  "), "none"),
        (("1 ", " 2"), f"half turn and left-right mirror {OFF_CENTRE}: fair to all players"),
        (("1#  ", "  2@"), "none"),
    ],
)
def test_symmetry_is_told(rows: tuple[str, ...], symmetry: str) -> None:
    assert dict(report(*rows).facts)["symmetry"] == symmetry


def test_symmetry_about_another_centre_counts_for_the_board_has_no_edges() -> None:
    moved = [row[3:] + row[:3] for row in (*FAIR_YARD[1:], FAIR_YARD[0])]
    found = report(*moved)
    assert dict(found.facts)["symmetry"] == "half turn (around a centre across the edges: 2 right and 2 down): fair to all players"
    assert found.is_clean


def test_four_players_are_told_who_is_like_whom() -> None:
    quarter = report("1     3", "       ", "       ", "   #   ", "       ", "       ", "4     2")
    assert dict(quarter.facts)["players"] == "made for 4"
    assert dict(quarter.facts)["symmetry"] == "quarter turn and half turn: fair to all players"
    half = report("1  3   #", "        ", "        ", "        ", "#   4  2")
    assert dict(half.facts)["symmetry"] == "half turn: fair within the groups 1-2, 3-4"
    assert half.warnings == ("not fair between the groups 1-2, 3-4",)


def test_a_top_bottom_mirror_is_explained() -> None:
    assert report("#1   @", "      ", "#2   @").warnings == (
        "not fair: top and bottom mirror each other, but player 1 starts facing left in both; mirror left and right instead",
    )


def test_no_symmetry_is_not_fair() -> None:
    assert "not fair: no symmetry of the board gives all players the same start" in report("#1   @", "    2 ", "      ").warnings


def test_missing_players_are_told() -> None:
    assert "player 2 is without tanks and lost before the first round" in report("1   ").warnings
    assert "players 2, 4 are without tanks and lost before the first round" in report("1  3", players=4).warnings
    assert "there are no tanks: every match is a tie before its first round" in report("    ").warnings


def test_pointless_limits_are_told() -> None:
    assert report(*FAIR_YARD, steps=0).warnings == ("MaxSteps is 0: every match is a tie before its first round",)
    assert report(*FAIR_YARD, shells=0).warnings == ("NumShells is 0: no tank can shoot",)


def test_another_number_of_players_can_be_checked() -> None:
    found = report(*FAIR_YARD, players=3)
    assert dict(found.facts)["players"] == "made for 2, checked for 3"
    assert "player 3 is without tanks and lost before the first round" in found.warnings


def test_a_deadly_first_shot_is_a_warning() -> None:
    found = report("#2    1#", "        ")
    assert (
        "the tank of player 2 at row 1, column 2 can hit player 1 at row 1, column 7 in round 3, "
        "before it could notice and move away" in found.warnings
    )
    assert dict(found.facts)["first shots"] == "2 tanks could hit an enemy without turning, in round 3 at the earliest"


def test_a_shot_from_afar_is_only_a_fact() -> None:
    found = report("#2     1#", "         ")
    assert dict(found.facts)["first shots"] == "2 tanks could hit an enemy without turning, in round 4 at the earliest"
    assert found.is_clean


def test_a_first_shot_flies_across_the_edges_and_over_mines_but_not_through_walls_and_friends() -> None:
    assert dict(report(" 1@  @2 ").facts)["first shots"] == "2 tanks could hit an enemy without turning, in round 2 at the earliest"
    assert report("#1     2#").is_clean
    assert dict(report("11   22", "#     #").facts)["first shots"].startswith("2 tanks")


def test_many_deadly_shots_are_summed_up() -> None:
    found = report(*["#2 1#"] * 4)
    assert len([warning for warning in found.warnings if "can hit player" in warning]) == 5
    assert "3 more tanks can hit an enemy that early" in found.warnings


def test_enemies_behind_walls_or_mines_are_told() -> None:
    found = report("#####@", "#1# 2@", "#####@", "@@@@@@")
    assert dict(found.facts)["driving"] == "the tanks are in 2 separate areas"
    assert "1 tank of player 1 cannot reach any enemy by driving: walls or mines are in the way" in found.warnings
    assert "1 tank of player 2 cannot reach any enemy by driving: walls or mines are in the way" in found.warnings


def test_two_battlefields_on_one_map_are_told() -> None:
    found = report("#1 2#1 2", "########")
    assert "the board is split into 2 areas by walls or mines, and each has tanks of several players" in found.warnings


def test_sealed_parts_without_tanks_are_only_a_fact() -> None:
    found = report("#1   2#", "       ", "  ###  ", "  # #  ", "  ###  ")
    assert dict(found.facts)["driving"] == "all tanks can reach each other; 1 more area without tanks"
    assert found.is_clean


def test_a_tank_drives_diagonally_between_walls() -> None:
    assert dict(report("1##", "#2#", "###").facts)["driving"] == "all tanks can reach each other"


def test_an_unusable_file_is_an_error() -> None:
    with pytest.raises(MapError, match="line 2: expected 'MaxSteps"):
        check_map("yard.txt", b"nothing\n")
