"""All benchmarks: lists them, runs one, or writes this release's measurements into docs/reference/benchmarks.md.

    .venv/bin/python -m benchmarks                                                 # what there is
    .venv/bin/python -m benchmarks sandbox breakdown                               # the same as benchmarks/sandbox.py breakdown
    .venv/bin/python -m benchmarks table [--peers peers/bin/python] [--only peers]

``table`` runs some scripts in a short form, on this machine, now. The page then says when and on which machine this was, and how
busy it was. Run it on a quiet machine before a release; it takes a few minutes. ``--only`` measures one part again and leaves the
others as they are. ``--peers`` names the Python of ``peers.py``.
"""

from __future__ import annotations

import ast
import os
import platform
import re
import runpy
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parent))
from measuring import run

from tiltyard_simulator.output.tables import render

FOLDER: Final = Path(__file__).resolve().parent
PAGE: Final = FOLDER.parent / "docs" / "reference" / "benchmarks.md"
MOST_SECONDS: Final = 600
LOOK_SECONDS: Final = 3.0
BUSY: Final = 0.1
"""The share of all cores' time that other work takes, from which on it disturbs the measurements."""
_PART: Final = re.compile(r"<!-- measured: (?P<name>[\w-]+) -->\n.*?<!-- end -->", re.DOTALL)


@dataclass(frozen=True)
class Part:
    """A script with the arguments of its short form."""

    script: str
    arguments: tuple[str, ...] = ()


PARTS: Final[Mapping[str, Part]] = {
    "peers": Part("peers.py", ("--seconds", "1")),
    "sandbox": Part("sandbox.py", ("--matches", "200", "--games", "420", "--runs", "3")),
    "breakdown": Part("sandbox.py", ("breakdown", "--matches", "200")),
    "workers": Part("workers.py", ("200",)),
    "coordinator": Part("coordinator.py", ("10000", "100000", "--cores", "1000", "--seconds", "1")),
    "programs": Part("programs.py", ("--calls", "100")),
    "ratings": Part("ratings.py", ("100",)),
    "cycles": Part("verdicts.py", ("cycles", "200")),
    "fair_maps": Part("verdicts.py", ("maps", "100")),
    "startup": Part("startup.py", ("--runs", "9")),
}
"""By its name on the page."""


def machine() -> str:
    """When and where this is, and what else the machine does."""
    cpu = next(
        (line.split(":")[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")), platform.machine()
    )
    memory = next((int(line.split()[1]) >> 20 for line in _lines("/proc/meminfo") if line.startswith("MemTotal")), 0)
    share = others_share()
    busy = ": **the machine had other work**, so compare only ratios" if share > BUSY else ""
    made_of = f"tiltyard {version('tiltyard')}, CPython {platform.python_version()}, Linux {platform.release().split('-')[0]}"
    where = f"{os.cpu_count()} cores ({cpu}), {memory} GiB"
    return f"Measured on {time.strftime('%Y-%m-%d')}: {made_of}, {where}, {share:.0%} used by other work{busy}."


def others_share() -> float:
    """The share of all cores' time that others use while this process waits. The load average still knows our own last part."""
    before = _times()
    time.sleep(LOOK_SECONDS)
    spent = [after - earlier for earlier, after in zip(before, _times(), strict=True)]
    # proc(5): user, nice, system, idle, iowait, and more.
    return 1 - sum(spent[3:5]) / max(1, sum(spent))


def _times() -> list[int]:
    first, *_ = _lines("/proc/stat") or ["cpu 0 0 0 0 0"]
    return [int(word) for word in first.split()[1:]]


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


def measured(name: str, peers: Path) -> str:
    """What a script prints, with its command and the machine's state before it."""
    part, where = PARTS[name], machine()
    extra = ("--python", str(peers)) if name == "peers" else ()
    words = [sys.executable, str(FOLDER / part.script), *part.arguments, *extra]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=MOST_SECONDS, cwd=FOLDER.parent)
    if done.returncode != 0:
        raise SystemExit(f"{part.script} failed:\n{done.stderr}")
    shown = "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())
    command = " ".join(["benchmarks/" + part.script, *part.arguments])
    return f"{where}\n\n```text\n$ python {command}\n{shown}\n```"


def refreshed(page: str, results: Mapping[str, str]) -> str:
    """The page with new results; a part that wasn't measured stays."""

    def part(found: re.Match[str]) -> str:
        name = found["name"]
        return f"<!-- measured: {name} -->\n{results[name]}\n<!-- end -->" if name in results else found[0]

    return _PART.sub(part, page)


def scripts() -> dict[str, Path]:
    """The benchmarks that can be run, by name."""
    return {
        path.stem: path
        for path in sorted(FOLDER.glob("*.py"))
        if path.stem != "__main__" and '__name__ == "__main__"' in path.read_text(encoding="utf-8")
    }


def about(script: Path) -> str:
    """What a script says first about itself."""
    return (ast.get_docstring(ast.parse(script.read_bytes())) or "").partition("\n")[0]


def write_page(*, peers: Path = Path(sys.executable), only: tuple[str, ...] = ()) -> None:
    """Measure again what the page shows."""
    if unknown := set(only) - set(PARTS):
        raise SystemExit(f"the page has no part {', '.join(sorted(unknown))}: expected {', '.join(PARTS)}")
    for name in only or PARTS:
        print(f"{name} ...", file=sys.stderr, flush=True)
        result = measured(name, peers)
        # Part by part: whoever stops this keeps what was measured.
        PAGE.write_text(refreshed(PAGE.read_text(encoding="utf-8"), {name: result}), encoding="utf-8")


def list_scripts() -> None:
    """Say what there is."""
    print(render(("benchmark", "what it measures"), [(name, about(path)) for name, path in scripts().items()]))


def main() -> None:
    """List the benchmarks, run one, or write the page."""
    if len(sys.argv) > 1 and (script := scripts().get(sys.argv[1])):
        sys.argv = [str(script), *sys.argv[2:]]
        runpy.run_path(sys.argv[0], run_name="__main__")
    else:
        run(__doc__, list=list_scripts, table=write_page)


if __name__ == "__main__":
    main()
