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
    changed,
    compiled,
    hostile_archives,
    hostile_makefiles,
    of_texts,
    program,
    python_at_home,
    python_forms,
    python_programs,
)

from tiltyard_intake.report.team_report import Verdict

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
C_42: Final = changed(
    C,
    ('" Anfield %d %d:", &width, &height', '" Plateau %d %d:", &height, &width'),
    ('" Piece %d %d:", &wide, &high', '" Piece %d %d:", &high, &wide'),
    ('"%d %d\\n", x, y', '"%d %d\\n", y, x'),
    ("!= 'O'", "!= '*'"),
    ('"@a" : "$s"', '"Oo" : "Xx"'),
)
"""As 42's engine speaks: rows before columns."""
C_FITS: Final = C[C.index("static int fits(") : C.index("int main(")].replace("static ", "")
C_DECLARED: Final = C_FITS.partition(" {")[0] + ";\n\n"
SPARE: Final = ("int main(void) {", "int main(void) {\n    int spare;")
WITH_LIBRARY: Final = (
    "robot: src/robot.c libft/libft.a\n\tclang -Wall -Wextra -Werror -o $@ $^\nlibft/libft.a:\n\t$(MAKE) -C libft\n"
)
LIBRARY: Final = "libft.a: length.o\n\tar rcs $@ $^\n%.o: %.c\n\tclang -Wall -Wextra -Werror -c $<\n"
LENGTH: Final = "int length(const char *text) { return *text ? 1 + length(text + 1) : 0; }\n"
USES_LIBRARY: Final = (
    ("static char board", "int length(const char *text);\n\nstatic char board"),
    ("= 0, is_found = 0", '= length(""), is_found = 0'),
)
SUBMODULE: Final = '[submodule "libft"]\n\tpath = libft\n\turl = https://example.org/libft.git\n'
VIEWER: Final = {
    "Cargo.toml": '[workspace]\nmembers = ["robot", "a_viewer"]\nresolver = "2"\n',
    "robot/Cargo.toml": CARGO,
    "robot/src/main.rs": RUST,
    "a_viewer/Cargo.toml": CARGO.replace('"robot"', '"a_viewer"') + '[dependencies]\nsdl2 = "0.37"\n',
    "a_viewer/src/main.rs": 'fn main() { println!("{:?}", sdl2::pixels::Color::RED); }\n',
}
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
    *python_at_home(PLUGIN),
    Kind(
        name="42's robot with its library, clang and -Werror",
        files=of_texts(
            {
                "src/robot.c": changed(C_42, SPARE, *USES_LIBRARY),
                "libft/length.c": LENGTH,
                "libft/Makefile": LIBRARY,
                "Makefile": WITH_LIBRARY,
            }
        ),
        tools=("gcc", "make"),
        unless=("clang",),
        recipe="c-project",
        words="uses the protocol 42: its sources mention Plateau",
    ),
    Kind(
        name="42's robot in C files",
        files=of_texts({"robot.c": C_42}),
        tools=("gcc",),
        words="uses the protocol 42: its sources mention Plateau",
    ),
    Kind(
        name="a Makefile with clang",
        files=of_texts({"robot.c": C, "Makefile": MAKEFILE.replace("gcc", "clang")}),
        tools=("gcc", "make"),
        unless=("clang",),
        words="with gcc for clang",
    ),
    Kind(
        name="a Makefile with -Werror, and a header that others brought along",
        files=of_texts(
            {
                "robot.c": changed(C, SPARE, ("    int width,", "    intmax_t turn = 0;\n    int width,")),
                "Makefile": MAKEFILE.replace("-Wall", "-Wall -Werror"),
            }
        ),
        tools=("gcc", "make"),
        words="without -Werror and with <stddef.h>, <stdint.h> included",
    ),
    Kind(
        name="C beside its library and a viewer",
        files=of_texts(
            {
                "src/main.c": changed(C, (C_FITS.replace("int fits", "static int fits", 1), C_DECLARED), ("static char", "char")),
                "libft/fits.c": f"#include <string.h>\nextern char board[512][512], piece[512][512];\n{C_FITS}",
                "viewer/main.c": "#include <SDL2/SDL.h>\nint main(void) { return SDL_Init(0); }\n",
            }
        ),
        tools=("gcc",),
        words="the program of src/main.c was taken",
    ),
    Kind(
        name="Go with other names",
        files=of_texts({"filler.go": changed(GO, ("board", "field"), ("piece", "shape"), ("down", "dy"), ("right", "dx"))}),
        tools=("go",),
        is_dear=True,
        alike="Go files",
    ),
    Kind(
        name="Rust beside a viewer that needs crates",
        files=of_texts(VIEWER),
        tools=CARGO_TOOLS,
        is_dear=True,
        words="without crates that are not on this machine: sdl2",
    ),
    Kind(
        name="Rust with what it built",
        files=of_texts({**PROJECT, "target/release/robot.d": "robot: src/main.rs\n"}),
        tools=CARGO_TOOLS,
        is_dear=True,
        words="target/ (made by a build",
    ),
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
    Kind(
        name="a submodule that is missing",
        files=of_texts({"robot.c": f'#include "libft/ft.h"\n{C}', ".gitmodules": SUBMODULE}),
        verdict=UNBUILT,
        words="these git submodules have no files, since a download leaves them out: libft",
        tools=("gcc",),
    ),
    Kind(
        name="a robot that never flushes",
        files=of_texts({"robot.c": changed(C, ("fflush(stdout);", ""))}),
        verdict=Verdict.FAULTY,
        words="flush after each line, with fflush(stdout)",
        tools=("gcc",),
    ),
    Kind(
        name="a robot that ends after its first answer",
        files=of_texts({"robot.c": changed(C, ("while (scanf", "if (scanf"))}),
        verdict=Verdict.FAULTY,
        words="must run until its input ends",
        tools=("gcc",),
    ),
    Kind(
        name="rows taken for columns",
        files=of_texts({"robot.c": changed(C, ("&width, &height", "&height, &width"), ("&wide, &high", "&high, &wide"))}),
        verdict=Verdict.FAULTY,
        words="no answer, and it waits for more input",
        tools=("gcc",),
    ),
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

FILLER: Final = Work(sound=SOUND, broken=BROKEN, hostile=HOSTILE)
