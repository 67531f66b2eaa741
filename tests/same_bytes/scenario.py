"""A scenario: commands in a folder of its own, and what of their results is kept."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.same_bytes import normal

ROOT: Final = Path(__file__).resolve().parents[2]
INPUTS: Final = Path(__file__).resolve().parent / "inputs"
PROGRAMS: Final = ROOT / "tests" / "programs"
EXAMPLES: Final = ROOT / "docs" / "examples"

LONGEST_COMMAND: Final = 300.0
"""Seconds."""
PASSED_ON: Final = frozenset({"TILTYARD_CACHE", "TILTYARD_CONFINEMENT", "TILTYARD_READABLE"})
"""All other variables of the project are left out: they would change what is played."""
TABLES: Final = ("standings", "not-admitted", "ratings", "crosstable", "maps", "seats", "faults", "games")
WORKERS: Final = "WORKERS"
"""Stands for the number of worker processes, so that it is not a part of what is compared."""


@dataclass
class Place:
    """Where a scenario is played, and what came of it so far."""

    folder: Path
    commands: Path
    """The folder of the installed commands."""
    workers: int
    quick: Path | None = None
    """A folder of commands that take the place of those of the same name."""
    products: dict[str, str] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)
    """What commands that failed wrote to standard error."""

    def environment(self) -> dict[str, str]:
        """What a command sees: nothing that the user has set for the project, or kept of it."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TILTYARD_") or name in PASSED_ON}
        environment["PATH"] = f"{self.commands}{os.pathsep}{environment.get('PATH', os.defpath)}"
        settings = str(self.folder / "settings")
        return environment | {"COLUMNS": "200", "NO_COLOR": "1", "TILTYARD_BLOCK": "openspiel", "XDG_CONFIG_HOME": settings}

    def run(self, *words: str, typed: str = "", isolation: str = "", name: str = "") -> str:
        """Run a command here, keep its exit status under its words or a name, and return what it printed."""
        environment = self.environment()
        if isolation:
            environment["TILTYARD_ISOLATION"] = isolation
        quick = None if self.quick is None else self.quick / words[0]
        command = quick if quick is not None and quick.exists() else self.commands / words[0]
        done = subprocess.run(
            [str(command), *(str(self.workers) if word == WORKERS else word for word in words[1:])],
            cwd=self.folder,
            env=environment,
            input=typed,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            timeout=LONGEST_COMMAND,
        )
        self.products["statuses"] = self.products.get("statuses", "") + f"{done.returncode}: {name or ' '.join(words)}\n"
        if done.returncode:
            self.complaints.append(f"{' '.join(words)}: status {done.returncode}\n{done.stderr}")
        return done.stdout

    def keep(self, name: str, text: str) -> None:
        """A product that is compared."""
        self.products[name] = text

    def keep_all(self, products: Mapping[str, str]) -> None:
        self.products.update(products)

    def keep_files(self, names: Iterable[str], clean: Callable[[str], str] = str, missing: str = "(missing)\n") -> None:
        """Files of the folder; one that is not there is told by its text."""
        for name in names:
            file = self.folder / name
            self.keep(name, clean(file.read_text(encoding="utf-8")) if file.is_file() else missing)

    def keep_output_files(self) -> None:
        """The output files of the tank game that ``--verbose`` leaves here."""
        self.keep_files(sorted(file.name for file in self.folder.glob("output_*.txt")))

    def write(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def bring(self, source: Path, to: str = "") -> None:
        """A copy of a file or folder."""
        target = self.folder / (to or source.name)
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)

    def bring_program(self, game: str, file: Path, folder: str, command: str, *with_it: Path) -> None:
        """An external program in a folder with its manifest."""
        for one in (file, *with_it):
            self.bring(one, f"{folder}/{one.name}")
        self.write(f"{folder}/program.toml", f'game = "{game}"\ncommand = [{command}]\n')

    def play_tournament(self, text: str, workers: str = WORKERS) -> None:
        """Play a tournament file; keep its matches, replays, tables, and the site's data with the schedule."""
        self.write("cup.yaml", f"{text.strip()}\npublication: {{publishers: [site]}}\n")
        self.run("tiltyard", "run", "cup.yaml", "--workers", workers)
        self.keep_all(normal.export(self.run("tiltyard", "export", "cup.yaml", "--replays")))
        names = [word for name in TABLES for word in ("--table", name)]
        self.keep("tables.json", normal.tables(self.run("tiltyard", "standings", "cup.yaml", *names, "--format", "json")))
        self.keep_all(normal.site(self.folder / "cup" / "site"))

    def keep_replay_file(self, match: int) -> None:
        """A match of the tournament as a replay file, byte for byte, and a picture of its third round."""
        self.run("tiltyard", "replay", "cup.yaml", "--match", str(match), "--output", "match.jsonl")
        self.keep_files(["match.jsonl"], normal.replay)
        self.run("tiltyard", "picture", "match.jsonl", "--svg", "--round", "3", "--output", "match.svg")
        self.keep_files(["match.svg"], normal.svg)


@dataclass(frozen=True)
class Scenario:
    """A name, what it plays, and what the machine has to have for it."""

    name: str
    play: Callable[[Place], None]
    needs: frozenset[str] = frozenset()


Play = Callable[[Place], None]
SCENARIOS: Final[dict[str, Scenario]] = {}
ISOLATIONS: Final = ("inline", "process", "sandbox")


def scenario(*needs: str) -> Callable[[Play], Play]:
    """Register a function as the scenario of its name."""

    def register(play: Play) -> Play:
        _register(play.__name__.replace("_", "-"), play, needs)
        return play

    return register


def in_each(isolations: Iterable[str] = ISOLATIONS, *needs: str) -> Callable[[Callable[[Place, str], None]], None]:
    """Register a function as a scenario for each way in which code is held."""

    def register(play: Callable[[Place, str], None]) -> None:
        for isolation in isolations:
            _register(f"{play.__name__.replace('_', '-')}-{isolation}", _held(play, isolation), needs)

    return register


def _held(play: Callable[[Place, str], None], isolation: str) -> Play:
    return lambda place: play(place, isolation)


def _register(name: str, play: Play, needs: Iterable[str]) -> None:
    if name in SCENARIOS:
        raise ValueError(f"two scenarios are called {name}")
    SCENARIOS[name] = Scenario(name, play, frozenset(needs))
