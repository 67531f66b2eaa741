"""Scenarios of the tank game: round robins, tournament files of every format, the two modes of assignment 3, checks."""

from __future__ import annotations

from typing import Final

from tests.same_bytes import normal
from tests.same_bytes.scenario import EXAMPLES, INPUTS, PROGRAMS, WORKERS, Place, in_each, scenario

RESULT_TABLES: Final = ("standings.csv", "ratings.csv", "crosstable.csv", "maps.csv", "games.csv")


def _bring_maps(place: Place) -> None:
    place.bring(EXAMPLES / "duel.txt", "maps/duel.txt")
    place.bring(EXAMPLES / "gates.txt", "maps/gates.txt")


def _keep_fault_folders(place: Place, folder: str) -> list[str]:
    """Names of the folders of faults; sorted, as numbers stand before them."""
    names = sorted(path.name for path in (place.folder / folder).glob("*") if path.is_dir())
    place.keep("fault-folders", "".join(name + "\n" for name in names))
    return [f"{folder}/{name}" for name in names]


@in_each()
def tanks_round_robin(place: Place, isolation: str) -> None:
    """A round robin with teams that break the contract; its faults are played again and debugged."""
    _bring_maps(place)
    place.bring(PROGRAMS / "teams" / "faulty.py")
    # A team that ends its own process may not run in the runner's.
    faulty = ("crasher", "liar", "printer") if isolation == "inline" else ("crasher", "liar", "printer", "dier")
    words = ["acorn", "bramble", *(f"faulty.py:{name}" for name in faulty)]
    options = ["--maps", "maps", "--output", "out", "--verbose", "--keep-output", "--workers", WORKERS]
    place.run("tiltyard", "round-robin", *words, *options, "--isolation", isolation)
    place.keep_files([f"out/{name}" for name in RESULT_TABLES], normal.table)
    place.keep_output_files()
    for folder in _keep_fault_folders(place, "out/faults")[:2]:
        trusted = ["--trust", "faulty.py"] if isolation != "sandbox" else []
        place.run("tiltyard", "rerun", folder, *trusted)
        place.run("tiltyard", "debug", folder)


@in_each()
def tanks_tournament(place: Place, isolation: str) -> None:
    """A tournament file whose GameManager comes from a stranger."""
    _bring_maps(place)
    place.bring(PROGRAMS / "teams" / "faulty.py")
    place.bring(INPUTS / "managers")
    place.play_tournament(f"""
title: Held
game: tanks
manager: managers/readings.py:tanks-move-first
teams: [acorn, coyote, "faulty.py:crasher", "faulty.py:printer"]
maps: [maps/]
format: {{name: round-robin, seats: single}}
isolation: {isolation}
""")


@scenario()
def tanks_held_by_default(place: Place) -> None:
    """The project's own inline, strangers in a sandbox; a GameManager that fails leaves matches that count for nobody."""
    _bring_maps(place)
    place.bring(PROGRAMS / "teams")
    place.bring(INPUTS / "managers")
    place.play_tournament("""
game: tanks
manager: managers/readings.py:failing
teams: [acorn, coyote, "teams/sound.py:shooter", "teams/faulty.py:dier"]
maps: [maps/duel.txt]
""")


@scenario()
def tanks_swiss(place: Place) -> None:
    _bring_maps(place)
    place.play_tournament("""
teams: [acorn, bramble, coyote, dragoon, {team: acorn, name: acorn-two}]
maps: [maps/]
format: {name: swiss, rounds: 3}
tie-breaks: [buchholz-cut-1, sonneborn-berger, head-to-head, wins]
seed: 7
""")
    place.keep("schedule.csv", place.run("tiltyard", "plan", "cup.yaml", "--trials", "0", "--format", "csv"))
    place.keep_replay_file(1)
    place.run("tiltyard", "publish", "cup.yaml", "--publisher", "csv", "--publisher", "json", "--output", "others")
    for file in sorted((place.folder / "others").rglob("*")):
        name = str(file.relative_to(place.folder))
        if file.suffix == ".csv":
            place.keep_files([name], normal.table)
        elif file.suffix == ".json":
            place.keep_files([name], normal.tables)


@scenario()
def tanks_knockout(place: Place) -> None:
    _bring_maps(place)
    place.play_tournament("""
teams: [acorn, bramble, coyote, dragoon]
maps: [maps/]
format: {name: knockout, best_of: 3, seeding: drawn}
seed: 3
""")


@scenario()
def tanks_gauntlet(place: Place) -> None:
    _bring_maps(place)
    place.play_tournament("""
teams: [bramble, acorn, coyote, dragoon]
maps: [{generate: {count: 2, seed: 5, rows: 9, cols: 16, tanks: 2, steps: 120}}]
format: gauntlet
games: 2
scoring: {win: 2, draw: 1}
""")


@scenario()
def tanks_until_settled(place: Place) -> None:
    _bring_maps(place)
    place.play_tournament("""
teams: [acorn, bramble, coyote]
maps: [{generate: {count: 2, seed: 5, rows: 9, cols: 16, tanks: 1, steps: 60}}]
format: {name: until-settled, budget: 24}
""")


@scenario()
def tanks_competition_format(place: Place) -> None:
    _bring_maps(place)
    place.play_tournament("""
teams: [acorn, bramble, coyote, dragoon]
maps: [maps/]
format: competition
""")


@scenario()
def tanks_four_players(place: Place) -> None:
    place.bring(EXAMPLES / "four_players.txt")
    place.play_tournament("""
teams: [acorn, bramble, coyote, dragoon, {team: coyote, name: coyote-two}]
maps: [four_players.txt]
players: 4
format: pools
scoring: {places: [5, 3, 2, 1]}
""")


@scenario()
def tanks_quarantine(place: Place) -> None:
    """After two matches with faults a team's other matches are forfeits."""
    _bring_maps(place)
    place.bring(PROGRAMS / "teams" / "faulty.py")
    # Several workers play ahead: what they play of a team that is quarantined meanwhile depends on timing, and counts for nothing.
    place.play_tournament(
        """
teams: ["faulty.py:crasher", acorn, bramble, "faulty.py:liar"]
maps: [maps/duel.txt]
quarantine: 2
tie-breaks: [faults, wins]
"""
    )


def _keep_comparison(place: Place, printed: str, folder: str) -> None:
    (file,) = (place.folder / folder).glob("comparative_results_*.txt")
    place.keep("groups", normal.groups(file.read_text(encoding="utf-8")))
    place.keep("differences", normal.differences(printed))
    place.keep_output_files()


@in_each(("process", "sandbox"))
def tanks_comparative(place: Place, isolation: str) -> None:
    """Strangers' GameManagers, some of which record nothing, and every two groups explained."""
    place.bring(EXAMPLES / "duel.txt")
    place.bring(INPUTS / "managers")
    options = ["--managers", "managers", "--explain", "all", "--site", "report", "--verbose", "--workers", WORKERS]
    printed = place.run("tiltyard", "comparative", "duel.txt", "acorn", "bramble", *options, "--isolation", isolation)
    _keep_comparison(place, printed, "managers")
    place.keep_all(normal.site(place.folder / "report"))


@scenario()
def simulator_modes(place: Place) -> None:
    """Both modes in the syntax of assignment 3."""
    _bring_maps(place)
    place.bring(PROGRAMS / "teams", "algorithms")
    (place.folder / "algorithms" / "scripted.py").unlink()
    words = ["game_map=maps/gates.txt", "game_managers_folder=installed", "algorithm1=acorn", "algorithm2=dragoon"]
    printed = place.run("simulator", "-comparative", *words, "-verbose")
    _keep_comparison(place, printed, ".")
    words = ["game_maps_folder=maps", "game_manager=reference", "algorithms_folder=algorithms"]
    place.run("simulator", "-competition", *words, "-verbose")
    (file,) = (place.folder / "algorithms").glob("competition_*.txt")
    place.keep("points", normal.points(file.read_text(encoding="utf-8")))
    place.keep_output_files()


@scenario()
def tanks_checks(place: Place) -> None:
    """A check of a good and of a bad team; matches verified."""
    place.bring(EXAMPLES / "duel.txt")
    place.bring(PROGRAMS / "teams" / "faulty.py")
    for team in ("acorn", "faulty.py:crasher"):
        words = ("tiltyard", "check", team, "--map", "duel.txt", "--against", "bramble", "--json")
        place.keep(f"check-{team}", normal.checked(place.run(*words)))
    place.run("tiltyard", "verify", "acorn", "bramble", "--maps", "duel.txt", "--workers", WORKERS)
    place.run("tiltyard", "verify", "acorn", "faulty.py:crasher", "--maps", "duel.txt", "--workers", WORKERS)


@scenario()
def tanks_game(place: Place) -> None:
    """The command of assignment 2, all dialects, and its files read again."""
    for name in ("duel", "gates", "four_players", "two_shells"):
        place.bring(EXAMPLES / f"{name}.txt")
        place.run("tanks_game", f"{name}.txt")
    place.keep_output_files()
    place.run("tiltyard", "watch", "output_gates.txt", "--map", "gates.txt")
    place.run("tiltyard", "watch", "output_gates.txt", "--map", "duel.txt")
    for rules in ("two-ahead", "tanks-first", "one-by-one", "info-at-once"):
        place.run("tanks_game", "gates.txt", "coyote", "dragoon", "--rules", rules)
        place.keep(f"gates-{rules}", (place.folder / "output_gates.txt").read_text(encoding="utf-8"))


@scenario()
def tanks_maps(place: Place) -> None:
    """Generated maps, and a picture of one."""
    wishes = (["--seed", "7"], ["--symmetry", "mirror"], ["--players", "3"], ["--symmetry", "none", "--tanks", "1"])
    for number, words in enumerate(wishes):
        place.run("tiltyard", "tanks", "generate", "--rows", "12", "--cols", "18", *words, "--output", f"map{number}.txt")
        place.keep_files([f"map{number}.txt"])
    place.run("tiltyard", "tanks", "check", "--strict", "map3.txt")
    place.run("tiltyard", "tanks", "draw", "map0.txt", "--svg", "--output", "map.svg")
    place.keep_files(["map.svg"], normal.svg)
