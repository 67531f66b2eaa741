"""Builds one program of a Go module alone: another one, such as a viewer, may need modules that are not on this machine."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

MAIN = re.compile(r"^package main\b", re.MULTILINE)


def programs(folder: Path, avoided: Sequence[str]) -> list[str]:
    """The folders of programs, the likeliest robot first."""
    files = [file for file in folder.rglob("*.go") if "vendor" not in file.relative_to(folder).parts]
    mains = [file for file in files if not file.name.endswith("_test.go") and MAIN.search(file.read_text("utf-8", "replace"))]
    folders = {file.parent.relative_to(folder).as_posix() for file in mains}
    return sorted(folders, key=lambda name: (any(word in name.lower() for word in avoided), name.count("/"), name))


def main(folder: Path, out: Path, avoided: Sequence[str]) -> int:
    """Build the likeliest robot, and return the exit code."""
    for name in programs(folder, avoided):
        command = ["go", "build", "-buildvcs=false", "-o", f"{out}/", f"./{name}"]
        print("$", *command, flush=True)
        process = subprocess.run(command, cwd=folder, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
        print(process.stderr)
        if not process.returncode:
            print(f"tiltyard: made the program of {name}/ alone")
            return 0
    return 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]))
