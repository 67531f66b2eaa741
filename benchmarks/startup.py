"""How long ``tiltyard --help`` takes, as a ratio of a bare typer program with two commands.

    .venv/bin/python benchmarks/startup.py

The two are run in turn, so that a machine that gets slower or faster meanwhile does not tilt the ratio.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from measuring import command_line, medians_and_ratio, wall_seconds
from tabulate import tabulate

RUNS = 15
BARE = """\
import typer

app = typer.Typer()


@app.command()
def one(number: int = 1) -> None:
    "The first."


@app.command()
def two(number: int = 2) -> None:
    "The second."


if __name__ == "__main__":
    app()
"""


def seconds(command: Sequence[str]) -> float:
    """Wall time of one run."""
    return wall_seconds(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))


def main() -> None:
    """Measure and print."""
    command_line(__doc__).parse_args()
    scripts = Path(sys.executable).parent
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "bare.py"
        bare.write_text(BARE)
        baseline = [sys.executable, str(bare), "--help"]
        commands = {
            "tiltyard --help": [str(scripts / "tiltyard"), "--help"],
            "tiltyard plugins": [str(scripts / "tiltyard"), "plugins"],
        }
        rows = []
        for name, command in commands.items():
            pairs = [(seconds(command), seconds(baseline)) for _ in range(RUNS + 1)][1:]
            own, other, ratio = medians_and_ratio(pairs)
            rows.append((name, f"{1000 * own:.0f}", f"{1000 * other:.0f}", f"{ratio:.2f}"))
    print(tabulate(rows, ("command", "ms", "bare typer, ms", "ratio"), colalign=("left", "right", "right", "right")))


if __name__ == "__main__":
    main()
