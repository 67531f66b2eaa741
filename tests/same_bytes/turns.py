"""Scenarios of Filler, Advance and Penguins: tournaments with programs, and the games' own commands."""

from __future__ import annotations

import json

from tests.same_bytes import normal
from tests.same_bytes.scenario import INPUTS, PROGRAMS, WORKERS, Place, in_each, scenario


@in_each()
def filler_tournament(place: Place, isolation: str) -> None:
    place.bring(INPUTS / "board")
    place.play_tournament(f"""
game: filler
manager: filler
teams: [heat, nearest, voronoi]
maps: [board, {{generate: {{count: 1, seed: 3, rows: 10, cols: 12}}}}]
isolation: {isolation}
scoring: {{by: score}}
""")


@scenario()
def filler_programs(place: Place) -> None:
    """A sound robot, robots that answer badly, and 42's rules."""
    place.bring(INPUTS / "board")
    place.bring_program("filler", INPUTS / "robots" / "first" / "robot", "robots/first", '"./robot"')
    for name in ("abc", "exit0", "segv"):
        place.bring_program("filler", PROGRAMS / "filler" / name, f"robots/{name}", f'"./{name}"')
    place.play_tournament("""
game: filler
manager: filler
teams: [robots/, nearest]
maps: [board]
format: {name: round-robin, seats: single}
""")


@scenario()
def filler_42(place: Place) -> None:
    place.bring(INPUTS / "board")
    place.bring_program("filler", PROGRAMS / "filler" / "exit0", "robots/exit0", '"./exit0"')
    place.play_tournament("""
game: filler
manager: filler-42
teams: [robots/, heat, nearest]
maps: [board]
""")
    place.keep_replay_file(2)


@scenario()
def filler_commands(place: Place) -> None:
    """The subject's engine, byte for byte, with and without a guard; an audit."""
    place.bring(INPUTS / "board")
    place.bring(INPUTS / "robots" / "first" / "robot")
    place.bring(PROGRAMS / "filler" / "abc")
    place.bring(PROGRAMS / "filler" / "two")
    for number, (one, two, *flags) in enumerate(
        [
            ("./robot", "./robot", "-s", "7"),
            ("./robot", "./abc", "-s", "8"),
            ("./two", "./robot", "-s", "9", "-strict"),
            ("./robot", "./robot", "-s", "10", "-q", "-unconfined"),
        ]
    ):
        place.keep(f"transcript-{number}", place.run("game_engine", "-f", "board", "-p1", one, "-p2", two, *flags))
    place.write("transcript.txt", place.products["transcript-0"])
    place.run("tiltyard", "watch", "transcript.txt", "--ascii")
    place.run("tiltyard", "picture", "transcript.txt", "--svg", "--output", "picture.svg")
    place.keep_files(["picture.svg"], normal.svg)
    report = place.run("tiltyard", "audit", "filler", "heat", "-o", "nearest", "--map", "board", "--games", "2", "--json")
    place.keep("audit", normal.json_text(report or "null"))


@in_each(("inline", "sandbox"))
def advance_tournament(place: Place, isolation: str) -> None:
    place.play_tournament(f"""
game: advance
teams: [advance-level-4, advance-level-5, advance-level-6]
maps: [{{generate: {{count: 1, plies: 6, seed: 4}}}}]
isolation: {isolation}
""")


@scenario()
def advance_programs(place: Place) -> None:
    """Programs that are run anew for each move; who fails a level's tests is not admitted."""
    honest = PROGRAMS / "advance" / "honest.py"
    for name in ("honest", "illegal", "crashes"):
        with_it = () if name == "honest" else (honest,)
        place.bring_program("advance", PROGRAMS / "advance" / f"{name}.py", f"bots/{name}", f'"python3", "{name}.py"', *with_it)
    place.run("tiltyard", "advance", "generate-tests", "pack", "--count", "1", "--level", "4", "--seed", "5", "--workers", WORKERS)
    place.keep_files(sorted(str(file.relative_to(place.folder)) for file in (place.folder / "pack").rglob("*.txt")))
    place.play_tournament("""
game: advance
teams: [bots/, advance-level-4]
qualify: {level: 4, tests: pack}
maps: [{generate: {count: 1, plies: 4}}]
""")
    place.keep_replay_file(1)
    place.write("free.yaml", "game: advance\nteams: [bots/, advance-level-4]\nformat: {name: round-robin, seats: single}\n")
    place.run("tiltyard", "run", "free.yaml", "--workers", WORKERS)
    for name, text in normal.export(place.run("tiltyard", "export", "free.yaml", "--replays")).items():
        place.keep(f"free-{name}", text)


@scenario()
def advance_marking(place: Place) -> None:
    """One that earns all marks for its tests plays games too, which takes seconds."""
    _mark_advance(place, "advance-level-5", "advance-level-7", seed=5)


@scenario()
def advance_commands(place: Place) -> None:
    """A marking, single moves, and a game against a person."""
    _mark_advance(place, "advance-level-5", seed=2)
    place.write("start", "mjdsgscjm\nbzzzzzzzb\n" + ".........\n" * 5 + "BZZZZZZZB\nMJCSGSDJM\n")
    for level in ("4", "5", "6", "7", "champion"):
        place.run("advance", "--level", level, "--seed", "3", "white", "start", f"moved-{level}")
        place.keep_files([f"moved-{level}"])
    typed = "c8 c7\n\nb8 b7\n\nresign\ny\n"
    place.run("tiltyard", "play", "advance", "--black", "6", "--seed", "3", "--output", "game.jsonl", typed=typed)
    place.keep_files(["game.jsonl"], normal.replay)


@in_each(("inline", "sandbox"))
def penguins_tournament(place: Place, isolation: str) -> None:
    place.play_tournament(f"""
game: penguins
manager: penguins-lenient
teams: [penguins-greedy, penguins-random, penguins-champion]
maps: [{{generate: {{count: 2, rows: 5, columns: 6, penguins: 2, seed: 2}}}}]
isolation: {isolation}
""")


@scenario()
def penguins_programs(place: Place) -> None:
    """Three at a table: programs that keep the rules, and some that do not."""
    honest = PROGRAMS / "penguins" / "honest.py"
    for name in ("honest", "sloppy", "wrong_score", "dies"):
        with_it = () if name == "honest" else (honest,)
        file = PROGRAMS / "penguins" / f"{name}.py"
        place.bring_program("penguins", file, f"programs/{name}", f'"python3", "{name}.py"', *with_it)
    place.play_tournament("""
game: penguins
manager: penguins
teams: [programs/, penguins-greedy]
maps: [{generate: {count: 1, rows: 5, columns: 5, penguins: 1}}]
players: 3
format: pools
scoring: {places: [3, 1]}
""")
    place.keep_replay_file(1)


@scenario()
def penguins_commands(place: Place) -> None:
    """The course's loop, and single turns of the program."""
    options = ["--size", "6x6", "--seed", "1", "--penguins", "2", "--keep", "end.txt"]
    place.run("penguins-master", *options, "penguins-greedy", "penguins-champion", "penguins-random")
    place.keep_files(["end.txt"])
    place.write("board.txt", "3 4\n10 20 10 00\n30 10 00 20\n10 20 30 10\n")
    for turn in range(4):
        words = ("phase=placement", "penguins=1") if turn < 2 else ("phase=movement",)
        place.run("penguins", f"id=player{turn % 2}", *words, "board.txt", f"after-{turn}.txt")
        place.keep_files([f"after-{turn}.txt"])
        if (place.folder / f"after-{turn}.txt").exists():
            (place.folder / f"after-{turn}.txt").replace(place.folder / "board.txt")


@scenario()
def installed_plugins(place: Place) -> None:
    """What plugins contribute, by name, kind and game; and what cannot be used."""
    place.bring(PROGRAMS / "broken")
    for name, words in (("installed", ()), ("broken", ("broken",))):
        rows = json.loads(place.run("tiltyard", "plugins", *words, "--json"))
        # What is blocked, such as the optional distributions, is not on every machine.
        found = [row for row in rows if row["status"] != "blocked"]
        lines = sorted(" ".join((row["kind"], row["game"] or "-", row["name"], row["status"])) for row in found)
        place.keep(name, "".join(line + "\n" for line in lines))


def _mark_advance(place: Place, *bots: str, seed: int) -> None:
    place.bring_program("advance", PROGRAMS / "advance" / "honest.py", "bots/honest", '"python3", "honest.py"')
    place.run("tiltyard", "advance", "generate-tests", "pack", "--count", "1", "--seed", str(seed), "--workers", WORKERS)
    options = ["--tests", "pack", "--games", "2", "--workers", WORKERS, "--output", "marks"]
    place.run("tiltyard", "mark", "advance", "bots/honest", *bots, *options)
    place.keep_files(["marks/report.csv"], normal.table)
    place.keep_files(["marks/report.json"], normal.json_text)
