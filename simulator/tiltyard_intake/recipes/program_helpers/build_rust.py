"""Builds the robot of a Rust project alone, without crates that are not on this machine and that perhaps only a viewer needs.

Cargo itself says which crates it lacks. They are taken out of the manifests. Then one program after the other is built, the
likeliest first, until one is made. If that one uses what was taken out, the crates are named.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

SAID = "tiltyard: "
"""How lines begin that go into the report."""
LACKING = re.compile(
    r"no matching package named `([^`]+)`|searched package name: `([^`]+)`|failed to get `([^`]+)`"
    r"|failed to (?:download|select a version for the requirement) `([\w-]+)"
)
LOCKED = re.compile(r"\(locked to |checksum for `|unable to verify that `")
"""What a Cargo.lock asks for exactly is there in another version, or differs."""
UNLOCKED = "requires a lock file to be present"
HEADING = re.compile(r"\s*\[+([^\]]+)\]+")
MOST_CRATES = 100


def settings(folder: Path) -> list[str]:
    """Where cargo finds crates that were handed in."""
    if not (folder / "vendor").is_dir() or any((folder / ".cargo").glob("config*")):
        return []
    place = f'source.vendored.directory="{folder}/vendor"'
    return ["--config", 'source.crates-io.replace-with="vendored"', "--config", place]


def cargo(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run cargo without a network."""
    command = ["cargo", *words, "--offline", *settings(folder)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)


def lacking_crate(output: str) -> str:
    """The crate that cargo lacks; empty if something else is wrong."""
    match = LACKING.search(output)
    return next(filter(None, match.groups())) if match is not None else ""


def without(text: str, crate: str) -> str:
    """A manifest's text without a dependency, whichever of TOML's forms it is written in."""
    lines = iter(text.splitlines())
    return "\n".join(_others(lines, crate)) + "\n"


def _others(lines: Iterator[str], crate: str) -> Iterator[str]:
    table: list[str] = []
    for line in lines:
        if heading := HEADING.match(line):
            table = [part.strip().strip("\"'") for part in re.split(r"\.(?=(?:[^'\"]*['\"][^'\"]*['\"])*[^'\"]*$)", heading[1])]
        if len(table) > 1 and table[-2].endswith("dependencies") and table[-1] == crate:
            continue
        if table and table[-1].endswith("dependencies") and not heading:
            entry = _whole_entry(line, lines)
            if not _is_of(entry, crate):
                yield entry
        elif table == ["features"]:
            yield re.sub(rf'"(?:dep:)?{re.escape(crate)}(?:\?)?(?:/[^"]*)?"\s*,?', "", line)
        else:
            yield line


def _whole_entry(line: str, lines: Iterator[str]) -> str:
    """An entry of a table to its end: a list may go on over several lines."""
    entry = line
    while True:
        try:
            tomllib.loads(entry)
        except tomllib.TOMLDecodeError:
            more = next(lines, None)
            if more is None:
                return entry
            entry += "\n" + more
        else:
            return entry


def _is_of(entry: str, crate: str) -> bool:
    try:
        values = tomllib.loads(entry)
    except tomllib.TOMLDecodeError:
        return False
    return any((value.get("package", name) if isinstance(value, dict) else name) == crate for name, value in values.items())


def take_out_lacking(folder: Path, manifests: Sequence[Path]) -> tuple[list[str], str]:
    """Take crates out until cargo lacks none that a manifest names; their names, and what cargo still says."""
    crates: list[str] = []
    while len(crates) < MOST_CRATES:
        process = cargo(folder, "metadata", "--format-version", "1")
        crate = lacking_crate(process.stderr)
        if process.returncode and LOCKED.search(process.stderr) and unlock(folder / "Cargo.lock"):
            print(f"{SAID}its Cargo.lock names versions that are not on this machine: others are taken")
            continue
        if process.returncode and UNLOCKED in process.stderr:
            return [], f"error: {crate} comes from git, so cargo needs the Cargo.lock: hand it in too"
        if not process.returncode or not crate:
            return crates, process.stderr if process.returncode else ""
        changed = False
        for manifest in manifests:
            text = manifest.read_text("utf-8", "replace")
            if (shorter := without(text, crate)) != text.rstrip("\n") + "\n":
                manifest.write_text(shorter, "utf-8")
                changed = True
        crates.append(crate)
        if not changed:
            return crates, process.stderr
    return crates, ""


def unlock(lock: Path) -> bool:
    """Let cargo choose versions, except of crates from git, which it takes only by a lock; whether there was anything to do."""
    blocks = lock.read_text("utf-8", "replace").split("[[package]]") if lock.is_file() else []
    left = [block for block in blocks if 'source = "registry+' not in block]
    if len(left) < len(blocks):
        lock.write_text("[[package]]".join(left), "utf-8")
    return len(left) < len(blocks)


def programs(folder: Path, avoided: Sequence[str]) -> list[tuple[str, str]]:
    """The package and the name of each program, the likeliest robot first."""
    process = cargo(folder, "metadata", "--format-version", "1", "--no-deps")
    targets = [
        (package["name"], target["name"])
        for package in (json.loads(process.stdout)["packages"] if not process.returncode else ())
        for target in package["targets"]
        if "bin" in target["kind"]
    ]
    return sorted(targets, key=lambda names: any(word in name.lower() for name in names for word in avoided))


def crates_in(crates: Sequence[str], output: str) -> list[str]:
    """The crates that an output complains of."""
    return [crate for crate in crates if re.search(rf"`{re.escape(crate.replace('-', '_'))}(?:`|::)", output)]


def main(folder: Path, avoided: Sequence[str]) -> int:
    """Build the likeliest robot, say what cargo lacks, and return the exit code."""
    ignored = {"target", "vendor"}
    manifests = [file for file in folder.rglob("Cargo.toml") if not ignored & set(file.relative_to(folder).parts)]
    crates, problem = take_out_lacking(folder, manifests)
    words = f"{', '.join(crates)}; builds have no network: hand in the crates too ('cargo vendor')"
    if problem:
        print(f"{SAID}needs crates that are not on this machine: {words}" if crates else problem)
        return 1
    for package, name in programs(folder, avoided):
        print(f"$ cargo build --bin {name}", flush=True)
        process = cargo(folder, "build", "--release", "--package", package, "--bin", name)
        print(process.stdout + process.stderr)
        if not process.returncode:
            if crates:
                print(f"{SAID}made {name} without crates that are not on this machine: {', '.join(crates)}")
            return 0
        if lacked := crates_in(crates, process.stderr):
            words = words.replace(", ".join(crates), ", ".join(lacked))
            print(f"{SAID}{name} needs crates that are not on this machine: {words}")
    return 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
