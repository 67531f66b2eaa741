"""Compare what a fixed set of tournaments and commands gives with what is kept.

    python -m tests.same_bytes                          all scenarios, with this environment's commands
    python -m tests.same_bytes -k filler                those whose names hold this word
    python -m tests.same_bytes --bin OTHER/.venv/bin    with the commands of another checkout's environment
    python -m tests.same_bytes --keep FOLDER            also write what is compared, for 'diff -r' between two runs
    python -m tests.same_bytes --record                 keep the results of this run as the right ones

The exit status is 0 if all is the same, 1 if something differs.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.same_bytes.comparison import differences, expected, missing, play_all, record
from tests.same_bytes.scenario import SCENARIOS


def main() -> int:
    """Play, compare, tell."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.same_bytes", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-k", metavar="WORD", default="", help="only scenarios whose names hold WORD")
    parser.add_argument("--bin", metavar="DIR", type=Path, default=Path(sys.executable).parent, help="where the commands are")
    parser.add_argument("--keep", metavar="FOLDER", type=Path, help="write all that is compared into this folder")
    parser.add_argument("--record", action="store_true", help="write the expected hashes")
    parser.add_argument("-w", "--workers", type=int, default=2, help="worker processes of each command")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="scenarios at a time")
    options = parser.parse_args()
    commands = options.bin.absolute()

    chosen = [one for name, one in SCENARIOS.items() if options.k in name]
    able = []
    for one in chosen:
        if reason := missing(one, commands):
            print(f"{one.name}: skipped: {reason}")
        else:
            able.append(one)
    start = time.monotonic()

    played = []
    for result in play_all(able, commands, options.workers, options.jobs):
        played.append(result)
        print(f"{time.monotonic() - start:5.0f} s  {result.scenario.name}", file=sys.stderr, flush=True)
        if options.keep:
            result.keep(options.keep)
    if options.record:
        record(played)
        print(f"kept: {len(played)} scenarios")
        return 0
    kept = expected()
    different = 0
    for result in played:
        lines = differences(result, kept)
        different += bool(lines)
        print("".join(line + "\n" for line in lines), end="")
        if lines:
            print("".join(f"  {line}\n" for complaint in result.complaints for line in complaint.splitlines()), end="")
    print(f"{len(played)} scenarios in {time.monotonic() - start:.0f} s: {f'{different} differ' if different else 'all the same'}")
    return 1 if different or not played else 0


if __name__ == "__main__":
    sys.exit(main())
