"""Compiles the C or C++ files of a folder to one program: those of its Code::Blocks project, or all that belong together.

Many hand in two main functions, one for people and one for the tournament: the files named after the former are left out.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

MAIN = re.compile(rb"^[ \t]*(?:int|void)?[ \t\r\n]*main[ \t]*\(", re.MULTILINE)
UNIT = re.compile(r'<Unit\s+filename="([^"]+)"')
SUFFIXES = (".c", ".cpp", ".cc", ".cxx")
NOT_PLAYING = ("inter", "test", "manual", "human", "master", "server", "generat")


def of_project(folder: Path) -> list[Path]:
    """The sources that a Code::Blocks project names; empty if there is none."""
    named: list[Path] = []
    for project in sorted(folder.glob("*.cbp"))[:1]:
        for name in UNIT.findall(project.read_text("utf-8", "replace")):
            file = project.parent / name.replace("\\", "/")
            if file.suffix in SUFFIXES and file.is_file():
                named.append(file)
    return named


def without_other_mains(files: list[Path]) -> list[Path]:
    """The files without those that have a main function for something else."""
    mains = [file for file in files if MAIN.search(file.read_bytes())]
    if len(mains) < 2:
        return files
    playing = [file for file in mains if not any(word in file.stem.lower() for word in NOT_PLAYING)] or mains[:1]
    return [file for file in files if file not in mains or file in playing]


def main(folder: Path, program: Path) -> int:
    """The compiler's exit code."""
    files = of_project(folder) or sorted(file for file in folder.rglob("*") if file.suffix in SUFFIXES)
    files = without_other_mains(files)
    includes = sorted({str(file.parent.relative_to(folder)) for file in folder.rglob("*.h")} | {"."})
    compiler = ["gcc"] if all(file.suffix == ".c" for file in files) else ["g++", "-std=c++20"]
    flags = ["-O2", f"-ffile-prefix-map={folder}=.", *(f"-I{path}" for path in includes)]
    command = [*compiler, *flags, *(str(file.relative_to(folder)) for file in files), "-o", str(program), "-lm"]
    print("$", *command, flush=True)
    return subprocess.run(command, cwd=folder, check=False).returncode


sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
