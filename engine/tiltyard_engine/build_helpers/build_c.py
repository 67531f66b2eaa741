"""Compiles the C or C++ files of a folder to one program, each file alone: what the program needs is linked, and nothing else.

Many hand in more than one program: one for people and one for the tournament, tests, a viewer. The files of one Code::Blocks
project count, or else all. Each is compiled, and the main file is linked with an archive of the others. So it does not matter if
two others define the same name and one of them is not needed, or if one that is not needed can't be compiled here.

Of several main functions the one counts whose file is named so (auto, bot, player, or what the recipe prefers), not the one that is
named after something else. If the names don't tell, each is tried.

Usage: build_c.py FOLDER PROGRAM [--together] [--prefers WORD ...] [--avoids WORD ...]

With ``--together``, all files are compiled by one command first, which is faster.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

MAIN = re.compile(rb"^[ \t]*(?:int|void)?[ \t\r\n]*main[ \t]*\(", re.MULTILINE)
OF_TESTS = re.compile(
    rb"^[ \t]*#[ \t]*include[ \t]*[<\"](?:gtest/|gmock/|catch2/|criterion/|doctest|unity|munit|cmocka)", re.MULTILINE
)
UNIT = re.compile(r'<Unit\s+filename="([^"]+)"')
UNDEFINED = re.compile(r"undefined reference to [`'\u2018](\w+)")
C = (".c",)
CPP = (".cpp", ".cc", ".cxx")
PREFERRED = ("auto", "bot", "player")
AVOIDED = (
    *("inter", "test", "manual", "human", "master", "server", "generat", "match", "engine", "example", "bench"),
    *("visual", "view", "display", "render", "replay"),
)
WORKERS = 2


@dataclass(frozen=True)
class Compiled:
    """A source and the result of compiling it."""

    source: Path
    object_file: Path
    failed: bool
    output: str


@dataclass(frozen=True)
class Build:
    """The build of one program from the C and C++ files in a folder."""

    folder: Path
    program: Path
    prefers: Sequence[str]
    avoids: Sequence[str]

    def sources(self) -> list[Path]:
        """What is compiled: the files that a Code::Blocks project names, or all but tests."""
        if files := self._of_project():
            return files
        files = sorted(file for file in self.folder.rglob("*") if file.suffix in C + CPP and file.is_file())
        return [file for file in files if not OF_TESTS.search(file.read_bytes())] or files

    def _of_project(self) -> list[Path]:
        files: list[Path] = []
        for project in sorted(self.folder.glob("*.cbp"))[:1]:
            for name in UNIT.findall(project.read_text("utf-8", "replace")):
                file = project.parent / name.replace("\\", "/")
                if file.suffix in C + CPP and file.is_file():
                    files.append(file)
        return files

    def ranked(self, mains: Sequence[Path]) -> list[Path]:
        """Those that are the likeliest to play; several if their names do not tell."""
        ranks = {file: self._rank(file) for file in mains}
        return [file for file in mains if ranks[file] == min(ranks.values())]

    def _rank(self, file: Path) -> tuple[int, int, int]:
        name = file.relative_to(self.folder).as_posix().lower()
        preferred = sum(word in file.stem.lower() for word in self.prefers)
        return sum(word in name for word in self.avoids), -preferred, name.count("/")

    @cached_property
    def _includes(self) -> list[str]:
        headers = (file for file in self.folder.rglob("*.h*") if file.suffix in (".h", ".hpp"))
        return sorted({f"-I{file.parent.relative_to(self.folder)}" for file in headers} | {"-I."})

    def flags(self, source: Path) -> list[str]:
        """The compiler and its flags for a source."""
        compiler = ["gcc", "-fcommon"] if source.suffix in C else ["g++", "-std=c++20"]
        return [*compiler, "-O2", "-pthread", f"-ffile-prefix-map={self.folder}=.", *self._includes]

    def together(self, sources: Sequence[Path]) -> bool:
        """Compile all by one command."""
        cpp = [file for file in sources if file.suffix in CPP]
        words = [*self.flags((cpp or sources)[0]), *(str(file.relative_to(self.folder)) for file in sources)]
        failed, output = self._run([*words, "-o", str(self.program), "-lm"])
        print(output)
        return not failed

    def compiled(self, sources: Sequence[Path]) -> list[Compiled]:
        """All sources, each alone."""
        objects = self.program.with_name(f"{self.program.name}.objects")
        objects.mkdir(exist_ok=True)

        def compiled(number: int, source: Path) -> Compiled:
            object_file = objects / f"{number}-{source.stem}.o"
            words = [*self.flags(source), "-c", str(source.relative_to(self.folder)), "-o", str(object_file)]
            return Compiled(source, object_file, *self._run(words))

        with ThreadPoolExecutor(WORKERS) as pool:
            return list(pool.map(compiled, range(len(sources)), sources))

    def link(self, main: Compiled, others: Sequence[Compiled]) -> tuple[bool, str]:
        """Link a main file with what it needs of the others: whether that failed, and what was printed.

        Where two of the others define a name, the one is left out without which nothing is missing.
        """
        failed, first_output = self._link_with(main, others)
        for each in others:
            if failed and "multiple definition" in first_output and f"({each.object_file.name})" in first_output:
                rest = [other for other in others if other is not each]
                failed_too, output = self._link_with(main, rest)
                if not UNDEFINED.search(output):
                    return self.link(main, rest) if failed_too else (False, output)
        return failed, first_output

    def _link_with(self, main: Compiled, others: Sequence[Compiled]) -> tuple[bool, str]:
        archive = main.object_file.with_name("others.a")
        archive.unlink(missing_ok=True)
        if others:
            self._run(["ar", "rcs", str(archive), *(str(each.object_file) for each in others)])
        linker = "g++" if any(each.source.suffix in CPP for each in (main, *others)) else "gcc"
        words = [linker, "-pthread", str(main.object_file), *([str(archive)] if others else []), "-o", str(self.program), "-lm"]
        return self._run(words)

    def _run(self, words: list[str]) -> tuple[bool, str]:
        process = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, errors="replace", check=False)
        return process.returncode != 0, f"$ {' '.join(words)}\n{process.stdout}{process.stderr}"


def main(build: Build, is_together: bool) -> int:
    """Build the program, tell which of several it is, and return the exit code."""
    sources = build.sources()
    mains = [file for file in sources if MAIN.search(file.read_bytes())]
    likely = build.ranked(mains) if mains else []
    without_others = [file for file in sources if file not in mains or file in likely]
    names = {file: file.relative_to(build.folder).as_posix() for file in mains}
    if is_together and len(likely) < 2 and build.together(without_others):
        tell_which(names, likely)
        return 0
    compiled = build.compiled(without_others)
    others = [each for each in compiled if not each.failed and each.source not in mains]
    programs: list[Compiled] = []
    for each in (each for each in compiled if each.source in likely):
        failed, output = (True, each.output) if each.failed else build.link(each, others)
        print(output)
        if not failed:
            programs.append(each)
        else:
            # What could not be compiled matters only where something of it is missing.
            missing = [name.encode() for name in UNDEFINED.findall(output)]
            needed = [file for file in compiled if file.failed and any(name in file.source.read_bytes() for name in missing)]
            print(*(file.output for file in needed), sep="\n")
    build.program.unlink(missing_ok=True)
    if len(programs) > 1:
        several = ", ".join(names[each.source] for each in programs)
        print(f"tiltyard: there are several programs, {several}; to choose one, put auto, bot or player into its file's name")
        return 1
    if programs:
        # Another one that was tried after it may have taken its place.
        build.link(programs[0], others)
        tell_which(names, [programs[0].source])
        return 0
    if not mains:
        print("tiltyard: no file has a main function, where a program begins")
    return 1


def tell_which(names: Mapping[Path, str], programs: Sequence[Path]) -> None:
    """Tell which of several programs was taken, and how to choose another."""
    others = ", ".join(name for file, name in names.items() if file not in programs)
    if others:
        which = f"the program of {names[programs[0]]} was taken, not that of {others}"
        print(f"tiltyard: {which}; to choose another, put auto, bot or player into its file's name")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("program", type=Path)
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--prefers", nargs="*", default=[])
    parser.add_argument("--avoids", nargs="*", default=[])
    options = parser.parse_args()
    words = (*PREFERRED, *options.prefers), (*AVOIDED, *options.avoids)
    sys.exit(main(Build(options.folder, options.program, *words), options.together))
