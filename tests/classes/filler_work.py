"""What students hand in for filler: robots in Rust, Go, C and Python, and the subject's folder with ``solution/``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.classes.kinds import (
    IN_JAVA,
    PROGRAMS,
    Files,
    Kind,
    Work,
    broken_archives,
    compiled,
    hostile_archives,
    hostile_makefiles,
    of_texts,
    program,
    python_forms,
    python_programs,
)

from tiltyard_simulator.intake.team_report import Verdict

RUST: Final = program("handed_in/filler.rs")
GO: Final = program("handed_in/filler.go")
C: Final = program("handed_in/filler.c")
PYTHON: Final = program("handed_in/filler.py")
CARGO: Final = '[package]\nname = "robot"\nversion = "0.1.0"\nedition = "2021"\n'
RAND: Final = CARGO + '[dependencies]\nrand = "0.8"\n'
MODULE: Final = "module robot\n\ngo 1.16\n"
FITS: Final = RUST[RUST.index("fn fits(") : RUST.index("fn answer(")]
VENDORED: Final = {
    "Cargo.toml": CARGO + '[dependencies]\nplaces = "1.0"\n',
    "src/main.rs": RUST.replace(FITS, "use places::fits;\n\n"),
    "vendor/places/Cargo.toml": CARGO.replace("robot", "places").replace("0.1.0", "1.0.0"),
    "vendor/places/.cargo-checksum.json": '{"files":{}}',
    "vendor/places/src/lib.rs": f"pub {FITS}",
}
MAKEFILE: Final = "robot: robot.c\n\tgcc -O2 -Wall -o $@ $<\n"
CMAKE: Final = "cmake_minimum_required(VERSION 3.10)\nproject(robot C)\nadd_executable(robot robot.c)\n"
PLUGIN: Final = """from tiltyard_engine import TurnTeam, hookimpl
from tiltyard_filler.algorithms.nearest import Nearest


class Ours(Nearest):
    pass


@hookimpl
def algorithms():
    yield TurnTeam("TEAM", "filler", Ours, "the nearest place")
"""


def _compiled() -> bytes:
    return compiled("robot", "gcc", "-O2", str(PROGRAMS / "handed_in" / "filler.c"), "-o", "PRODUCT")


def _subjects_folder(solution: Mapping[str, bytes]) -> Files:
    """As the subject's archive lays it out: others' robots lie beside the own one."""
    others = {"maps/map00": b"Anfield", "linux_robots/bender": b"\x7fELF" + bytes(60), "game_engine": b"\x7fELF" + bytes(60)}
    return {**others, **{f"solution/{name}": data for name, data in solution.items()}}


def _below(folder: str, files: Mapping[str, str]) -> Mapping[str, str]:
    return {f"{folder}/{name}": text for name, text in files.items()}


CARGO_TOOLS: Final = ("cargo", "rustc", "gcc")
PROJECT: Final = {"Cargo.toml": CARGO, "src/main.rs": RUST}
SOUND: Final = (
    Kind(name="Rust", files=of_texts({**PROJECT, "notes.txt": "TEAM"}), tools=CARGO_TOOLS, recipe="rust-cargo", is_dear=True),
    Kind(
        name="Rust in the subject's folder",
        files=lambda team: _subjects_folder({name: text.encode() for name, text in PROJECT.items()}),
        tools=CARGO_TOOLS,
        recipe="rust-cargo",
        is_dear=True,
    ),
    Kind(
        name="Rust with a crate that it does not use",
        files=of_texts({**PROJECT, "Cargo.toml": RAND}),
        tools=CARGO_TOOLS,
        recipe="rust-cargo",
        is_dear=True,
    ),
    Kind(name="Rust with vendored crates", files=of_texts(VENDORED), tools=CARGO_TOOLS, recipe="rust-cargo", is_dear=True),
    Kind(name="Rust without cargo", files=of_texts({"main.rs": RUST}), tools=CARGO_TOOLS, recipe="rust-files"),
    Kind(name="a Go module", files=of_texts({"go.mod": MODULE, "main.go": GO}), tools=("go",), recipe="go-module", is_dear=True),
    Kind(
        name="a Go module with cmd/",
        files=of_texts({"go.mod": MODULE, "cmd/robot/main.go": GO}),
        tools=("go",),
        recipe="go-module",
        is_dear=True,
    ),
    Kind(name="Go files", files=of_texts({"robot.go": GO}), tools=("go",), recipe="go-files", is_dear=True),
    Kind(name="a Makefile", files=of_texts({"robot.c": C, "Makefile": MAKEFILE}), tools=("gcc", "make"), recipe="c-project"),
    Kind(
        name="CMake",
        files=of_texts({"robot.c": C, "CMakeLists.txt": CMAKE}),
        tools=("gcc", "cmake", "make", "g++"),
        recipe="c-project",
    ),
    Kind(name="C", files=of_texts({"robot.c": C}), tools=("gcc",), recipe="c-files"),
    Kind(name="C in solution/", files=of_texts(_below("solution", {"robot.c": C})), tools=("gcc",), recipe="c-files"),
    *python_programs("filler", PYTHON),
    Kind(
        name="a script in the subject's folder",
        files=lambda team: _subjects_folder({"robot": f"#!/usr/bin/env python3\n# {team}\n{PYTHON}".encode()}),
        recipe="filler-solution-script",
    ),
    Kind(
        name="the subject's folder",
        files=lambda team: _subjects_folder({"robot": _compiled()}),
        tools=("gcc",),
        recipe="filler-solution",
    ),
    Kind(name="a compiled program", files=lambda team: {"robot": _compiled()}, tools=("gcc",), recipe="prebuilt"),
    *python_forms(PLUGIN),
)
"""Work that plays."""

UNBUILT: Final = Verdict.UNBUILT
BROKEN: Final = (
    Kind(
        name="a wrong name in Rust",
        files=of_texts({**PROJECT, "src/main.rs": RUST.replace("answer(&board,", "reply(&board,")}),
        verdict=UNBUILT,
        words="src/main.rs:",
        tools=CARGO_TOOLS,
    ),
    Kind(
        name="a crate that is not handed in",
        files=of_texts({**PROJECT, "Cargo.toml": RAND, "src/main.rs": f"use rand::random;\n{RUST}"}),
        verdict=UNBUILT,
        words="cargo vendor",
        tools=CARGO_TOOLS,
    ),
    Kind(
        name="a syntax error in Go",
        files=of_texts({"go.mod": MODULE, "main.go": GO.replace("own++", "own+++")}),
        verdict=UNBUILT,
        words="main.go:",
        tools=("go",),
    ),
    Kind(
        name="a Go module that is not handed in",
        files=of_texts(
            {
                "go.mod": MODULE + "\nrequire example.com/places v1.0.0\n",
                "main.go": GO.replace('"os"', '"os"\n\t_ "example.com/places"'),
            }
        ),
        verdict=UNBUILT,
        words="example.com/places",
        tools=("go",),
    ),
    Kind(
        name="a syntax error in C",
        files=of_texts({"robot.c": C.replace("return own == 1;", "return own == 1")}),
        verdict=UNBUILT,
        words="robot.c:",
        tools=("gcc",),
    ),
    Kind(
        name="a syntax error in Python",
        files=of_texts({"robot.py": PYTHON.replace("def main() -> None:", "def main() -> None")}),
        verdict=UNBUILT,
        words="SyntaxError: expected ':'",
    ),
    Kind(
        name="a program that ends at once",
        files=of_texts({"robot.c": "int main(void) { return 3; }\n"}),
        verdict=Verdict.FAULTY,
        words="crash",
        tools=("gcc",),
    ),
    Kind(
        name="an answer in words",
        files=of_texts({"robot.py": PYTHON.replace("print(*answer(board, piece, mine), flush=True)", 'print("here", flush=True)')}),
        verdict=Verdict.FAULTY,
        words="protocol",
    ),
    Kind(
        name="a robot for macOS in solution/",
        files=lambda team: {"solution/robot": b"\xcf\xfa\xed\xfe" + bytes(60), "maps/map00": team.encode()},
        verdict=Verdict.UNKNOWN,
        words="only",
    ),
    IN_JAVA,
    *broken_archives(of_texts({"robot.c": C})),
)
"""Work that does not play, and why."""

BUILD_SCRIPT: Final = """use std::{env, fs, process::Command};

fn main() {
    let _ = Command::new("sh").args(["-c", "cat /etc/shadow ../../*/*/*.rs; ls ../.. ../../.."]).status();
    let _ = fs::write("/usr/bin/gcc", "#!/bin/sh\\n");
    panic!("{}", env::var("SSH_AUTH_SOCK").unwrap_or("nothing to be had".into()));
}
"""
HOSTILE: Final = (
    *hostile_archives(of_texts({"robot.c": C})),
    *hostile_makefiles(
        lambda makefile: of_texts({"robot.c": "#error built by its Makefile alone\n", "Makefile": makefile}), ("gcc", "make")
    ),
    Kind(
        name="a build script that looks round",
        files=of_texts({**PROJECT, "build.rs": BUILD_SCRIPT}),
        verdict=UNBUILT,
        words="",
        tools=CARGO_TOOLS,
        is_dear=True,
    ),
)
"""Work that means harm."""

FILLER: Final = Work(sound=SOUND, broken=BROKEN, hostile=HOSTILE, map="picture")
