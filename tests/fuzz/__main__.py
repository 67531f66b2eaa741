"""Feed damaged inputs to everything that reads what strangers hand in. No input may end in a traceback, or take for ever.

    python -m tests.fuzz --minutes 30           all readers in turn; each finding is written into a folder
    python -m tests.fuzz --minutes 5 -k replay  those whose names hold this word, or one of several with commas between
    python -m tests.fuzz --seed 7 ...           other inputs; the same number gives the same ones
    python -m tests.fuzz --again FILE ...       read the inputs of findings again, with the whole traceback

An input is read in a child process, within 10 seconds and 1 GB more memory than before. The status is 1 if something was found.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fuzz.files import FILES
from tests.fuzz.handed_in import HANDED_IN
from tests.fuzz.runs import RUNS
from tests.fuzz.trial import Finding, Reader, problem_with, try_reader
from tests.fuzz.wires import WIRES

READERS = (*FILES, *HANDED_IN, *RUNS, *WIRES)
ROUND_SECONDS = 3.0
"""How long one reader is tried before the next."""


def main() -> int:
    """Try, tell, keep."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-k", metavar="WORD,...", default="", help="only readers whose names hold one of the words")
    parser.add_argument("--findings", metavar="FOLDER", type=Path, default=Path("fuzz-findings"), help="where inputs are kept")
    parser.add_argument("--again", metavar="FILE", type=Path, nargs="+", help="inputs of findings")
    options = parser.parse_args()
    if options.again:
        return max(map(_again, options.again))
    chosen = [reader for reader in READERS if any(word in reader.name for word in options.k.split(","))]
    tried: Counter[str] = Counter()
    found: Counter[tuple[str, str]] = Counter()
    longest: dict[str, tuple[float, int]] = {}
    until = time.monotonic() + options.minutes * 60
    while chosen and time.monotonic() < until:
        for reader in chosen:
            trials = try_reader(reader, options.seed, tried[reader.name], 1 << 30, ROUND_SECONDS)
            tried[reader.name] += trials.tried
            longest[reader.name] = max(longest.get(reader.name, (0.0, 0)), trials.longest)
            for finding in trials.findings:
                found[finding.reader, finding.problem] += 1
                if found[finding.reader, finding.problem] == 1:
                    _keep(options.findings, reader, options.seed, finding)
    for reader in chosen:
        seconds, number = longest.get(reader.name, (0.0, 0))
        print(f"{reader.name}: {tried[reader.name]} inputs, the longest {seconds:.2f} CPU s (number {number})")
    for (name, problem), times in sorted(found.items()):
        print(f"{name}: {problem} ({times} times)")
    return 1 if found else 0


def _keep(folder: Path, reader: Reader, seed: int, finding: Finding) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{reader.name}.{seed}-{finding.number}"
    path.write_bytes(reader.input(seed, finding.number))
    path.with_name(f"{path.name}.txt").write_text(f"{finding.problem}\n\n{finding.trace}", errors="backslashreplace")
    print(f"{reader.name}: {finding.problem}; again: python -m tests.fuzz --again {path}", flush=True)


def _again(path: Path) -> int:
    reader = next(reader for reader in READERS if path.name.startswith(f"{reader.name}."))
    reader.samples()
    with TemporaryDirectory(prefix="fuzz-") as folder:
        problem, trace = problem_with(reader, path.read_bytes(), Path(folder))
    print(f"{path}: {problem or 'nothing is wrong'}\n{trace}")
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
