"""Take a generated class in, play its cup, and hold everybody to what their work says of itself.

    python -m tests.classes                       Moodle's entries: of what plays, of broken work and of what means harm, each kind
    python -m tests.classes --game penguins       the same of C programs; advance has C#, filler Rust, Go, C and Python
    python -m tests.classes --platform canvas     the same as another platform offers them
    python -m tests.classes --only library        only the kinds whose names hold this word; --no-cup: they play no cup
    python -m tests.classes --kills 10            first stop the intake ten times, by Ctrl-C and by SIGKILL, and go on
    python -m tests.classes --keep FOLDER         everything stays there: archives, teams, reports, the cup and its site

The commands are those of this environment, as each names the next: 'tiltyard intake', 'new tournament', 'run', 'publish'. The exit
status is 0 if everybody stands where they should, 1 if not.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import get_args

from tests.classes.accounts import (
    read_back,
    told_of_everybody,
    told_of_files,
    told_of_likeness,
    told_of_matches,
    told_of_the_cup,
    told_of_the_site,
)
from tests.classes.downloads import Platform, write_download, write_roster
from tests.classes.handed_in import WORK, Student, a_class
from tests.classes.kills import stop_somewhere

from tiltyard_intake.report.team_report import TeamReport


def main() -> int:
    """Generate, take in, play, tell."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.classes", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", choices=sorted(WORK), default="tanks")
    parser.add_argument("--sound", type=int, default=40, help="entries that play; of each kind there is one at least")
    parser.add_argument("--broken", type=int, default=15, help="entries that don't, likewise")
    parser.add_argument("--hostile", type=int, default=5, help="entries that mean harm, likewise")
    parser.add_argument("--only", metavar="WORD", default="", help="one of each kind whose name holds this word, and nothing else")
    parser.add_argument("--no-cup", action="store_true", help="end after the intake")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--platform", choices=get_args(Platform), default="moodle")
    parser.add_argument("--rounds", type=int, default=0, help="of a cup by the Swiss system, for the format that is proposed")
    parser.add_argument("--build-seconds", default="60", help="given to 'tiltyard intake'")
    parser.add_argument("--kills", type=int, default=0, help="first stop the intake so often, at any moment")
    parser.add_argument("--kill-within", type=float, default=8.0, help="seconds from its start")
    parser.add_argument("--keep", metavar="FOLDER", type=Path)
    options = parser.parse_args()
    counts = {"sound": options.sound, "broken": options.broken, "hostile": options.hostile}
    students = a_class(game=options.game, **counts, seed=options.seed, only=options.only, is_whole=True)
    if options.keep is not None:
        options.keep.mkdir(parents=True)
        return play(students, options.keep, options)
    with tempfile.TemporaryDirectory() as folder:
        return play(students, Path(folder), options)


def play(students: list[Student], folder: Path, options: argparse.Namespace) -> int:
    """Play the class in a folder."""
    write_download(students, folder / "download.zip", options.platform)
    write_roster(students, folder / "students.csv", absent=["Nobody Nowhere"])
    taken = f"intake download.zip --game {options.game} --roster students.csv --build-seconds {options.build_seconds}"
    wrong = []
    if options.kills:
        temporary = folder / "temporary"
        temporary.mkdir()
        wrong += stop_somewhere(taken.split(), folder, temporary, options.kills, options.kill_within, options.seed)
    if not tiltyard(taken, folder):
        return 1
    accounts = read_back(folder / "teams.intake")
    wrong += [*told_of_everybody(students, accounts), *told_of_files(folder / "teams.intake", folder / "teams", accounts)]
    wrong += told_of_likeness(students, accounts, folder / "teams.intake")
    if not options.no_cup:
        wrong += play_cup(folder, options.game, accounts, options.rounds)
    for line in wrong:
        print(f"WRONG: {line}")
    counts = Counter(str(each.verdict) for each in accounts.values())
    print(f"{len(students)} entries: {dict(counts)}; {len(wrong)} are not where they should be")
    return 1 if wrong else 0


def play_cup(folder: Path, game: str, accounts: Mapping[str, TeamReport], rounds: int = 0) -> Iterator[str]:
    """Play a cup of what an intake made, by the commands that it and they name; what is wrong with it.

    Args:
        folder: holds the folder ``teams``.
        game: what is played.
        accounts: what the intake said.
        rounds: of the Swiss system; 0: the format that is proposed.
    """
    for words, into in (
        (f"new tournament cup.yaml --game {game} --teams teams/", None),
        ("run cup.yaml --format json", "tables.json"),
        ("export cup.yaml --all --output cup.jsonl", None),
        ("publish cup.yaml", None),
    ):
        if not tiltyard(words, folder, None if into is None else folder / into):
            yield f"tiltyard {words} failed"
            return
        if rounds and words.startswith("new"):
            text = (folder / "cup.yaml").read_text(encoding="utf-8")
            swiss = f"format: {{name: swiss, rounds: {rounds}}}"
            (folder / "cup.yaml").write_text(re.sub("^format: .*$", swiss, text, flags=re.MULTILINE), encoding="utf-8")
    tables = json.loads((folder / "tables.json").read_text(encoding="utf-8"))
    yield from told_of_the_cup(accounts, tables)
    yield from told_of_matches((folder / "cup.jsonl").read_text(encoding="utf-8"))
    yield from told_of_the_site(folder / "cup" / "site", [str(row["algorithm"]) for row in tables["Standings"]])


def tiltyard(words: str, folder: Path, into: Path | None = None) -> bool:
    """Run the command; whether it ended well."""
    begun = time.monotonic()
    with contextlib.nullcontext() if into is None else into.open("w", encoding="utf-8") as printed:
        command = [str(Path(sys.executable).with_name("tiltyard")), *words.split()]
        done = subprocess.run(command, cwd=folder, check=False, stdout=printed)
    print(f"tiltyard {words}: status {done.returncode}, {time.monotonic() - begun:.0f} s", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
