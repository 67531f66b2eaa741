"""Playing scenarios, and holding what came of them against what is kept."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from tests.same_bytes import compiled, gatherings, tanks, turns
from tests.same_bytes.scenario import PROGRAMS, SCENARIOS, Place, Scenario

EXPECTED: Final = Path(__file__).resolve().parent / "expected.json"
GROUPS: Final = (tanks, turns, compiled, gatherings)
"""The modules that register scenarios."""
DIGEST_BYTES: Final = 12
LONGEST_COMPLAINT: Final = 600

Hashes = dict[str, dict[str, str]]


@dataclass(frozen=True)
class Played:
    """What came of a scenario."""

    scenario: Scenario
    products: Mapping[str, str]
    complaints: Sequence[str]

    def hashes(self) -> dict[str, str]:
        return {name: digest(text) for name, text in sorted(self.products.items())}

    def keep(self, folder: Path) -> None:
        """Write all products, so that two runs can be held against each other by ``diff -r``."""
        for name, text in self.products.items():
            file = folder / self.scenario.name / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")


def digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=DIGEST_BYTES).hexdigest()


def play(scenario: Scenario, commands: Path, workers: int, quick: Path | None = None) -> Played:
    """Play one in a temporary folder. Whatever goes wrong is a product that is missing, and a complaint.

    ``quick`` is a folder of commands that take the place of those of the same name.
    """
    with tempfile.TemporaryDirectory(prefix="same-bytes-") as folder:
        place = Place(Path(folder).resolve(), commands, workers, quick)
        try:
            scenario.play(place)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, subprocess.SubprocessError) as error:
            place.complaints.append(f"{type(error).__name__}: {error}")
        here = str(place.folder)
        products = {name: text.replace(here, "HERE") for name, text in place.products.items()}
    return Played(scenario, products, [complaint[-LONGEST_COMPLAINT:] for complaint in place.complaints])


def play_all(scenarios: Iterable[Scenario], commands: Path, workers: int, jobs: int) -> Iterator[Played]:
    """Play several at a time; they come in the order in which they were given."""
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(lambda scenario: play(scenario, commands, workers), scenarios)


def expected() -> Hashes:
    """What is kept."""
    found: Hashes = json.loads(EXPECTED.read_text(encoding="utf-8")) if EXPECTED.exists() else {}
    return found


def record(played: Iterable[Played]) -> None:
    """Keep what came of scenarios, and forget those that are no more."""
    kept = {name: hashes for name, hashes in expected().items() if name in SCENARIOS}
    kept |= {one.scenario.name: one.hashes() for one in played}
    EXPECTED.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def differences(played: Played, kept: Hashes) -> list[str]:
    """A line for each product that is not what is kept."""
    name, now = played.scenario.name, played.hashes()
    if name not in kept:
        return [f"{name}: nothing is kept of it"]
    before = kept[name]
    lines = []
    for product in sorted(before.keys() | now.keys()):
        if product not in now:
            lines.append(f"{name}: {product} is missing")
        elif product not in before:
            lines.append(f"{name}: {product} is new")
        elif before[product] != now[product]:
            lines.append(f"{name}: {product} differs")
    return lines


def missing(scenario: Scenario, commands: Path) -> str:
    """Why this machine cannot play it, or nothing."""
    for need in scenario.needs:
        if shutil.which(need) is None:
            return f"{need} is not installed"
    return "" if can_confine(commands) else "this machine can't confine code from outside: see 'tiltyard doctor'"


@cache
def can_confine(commands: Path) -> bool:
    """Whether a stranger's team may play in a sandbox here."""
    environment = {name: value for name, value in os.environ.items() if name != "TILTYARD_ISOLATION"}
    team = PROGRAMS / "teams" / "sound.py"
    words = [str(commands / "tiltyard"), "plugins", str(team)]
    return subprocess.run(words, capture_output=True, env=environment, check=False).returncode == 0
