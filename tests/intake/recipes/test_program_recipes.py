"""Programs in the languages that people hand in, built by the compilers of this machine."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest
from tests.intake.making import built, need, plant

from tiltyard_engine.registry import Registry
from tiltyard_filler.recipes import filler_recipes
from tiltyard_intake.building.build import Built
from tiltyard_intake.building.toolchains import find_tool, try_tool
from tiltyard_intake.recipes.program_recipes import recipes
from tiltyard_simulator.guard.programs.program_paths import on_dotnet

RECIPES: Final = [*recipes(), *filler_recipes()]
RUST: Final = 'fn main() {\n    println!("{}", name());\n}\n\nfn name() -> &\'static str {\n    "rust"\n}\n'
CARGO: Final = '[package]\nname = "solution"\nversion = "0.1.0"\nedition = "2021"\n'
LIBRARY: Final = 'pub fn name() -> &\'static str { "vendored" }\n'
BUILD_SCRIPT: Final = 'fn main() { println!("cargo:rustc-env=MADE=by-its-script"); }\n'
GO: Final = 'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println(name())\n}\n'
GO_NAME: Final = 'package main\n\nfunc name() string {\n\treturn "go"\n}\n'
C_SHARP: Final = """using System;

namespace Bot
{
    public static class Program
    {
        public static int Main(string[] arguments)
        {
            Console.WriteLine(Names.Own());
            return 0;
        }
    }
}
"""
C_SHARP_NAME: Final = 'namespace Bot { static class Names { public static string Own() { return "csharp"; } } }\n'
PROJECT: Final = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>netcoreapp3.1</TargetFramework>
  </PropertyGroup>
</Project>
"""
CASES: Final = {
    "cargo": (
        ("cargo", "gcc"),
        {"solution/Cargo.toml": CARGO, "solution/src/main.rs": RUST, "maps/map00": "."},
        "rust-cargo",
        "rust",
    ),
    "cargo with a build script": (
        ("cargo", "gcc"),
        {"Cargo.toml": CARGO, "build.rs": BUILD_SCRIPT, "src/main.rs": 'fn main() { println!(env!("MADE")); }\n'},
        "rust-cargo",
        "by-its-script",
    ),
    "cargo with vendored crates": (
        ("cargo", "gcc"),
        {
            "Cargo.toml": CARGO + '[dependencies]\nnames = "1.0"\n',
            "src/main.rs": 'fn main() { println!("{}", names::name()); }\n',
            "vendor/names/Cargo.toml": CARGO.replace("solution", "names").replace("0.1.0", "1.0.0"),
            "vendor/names/.cargo-checksum.json": '{"files":{}}',
            "vendor/names/src/lib.rs": LIBRARY,
        },
        "rust-cargo",
        "vendored",
    ),
    "rust without cargo": (("rustc", "gcc"), {"main.rs": RUST}, "rust-files", "rust"),
    "a go module": (("go",), {"go.mod": "module bot\n\ngo 1.16\n", "main.go": GO, "name.go": GO_NAME}, "go-module", "go"),
    "a go module with cmd/": (
        ("go",),
        {"go.mod": "module bot\n\ngo 1.16\n", "cmd/bot/main.go": GO, "cmd/bot/name.go": GO_NAME},
        "go-module",
        "go",
    ),
    "go files": (("go",), {"main.go": GO, "name.go": GO_NAME}, "go-files", "go"),
    "C# files": (("mcs", "mono"), {"Program.cs": C_SHARP, "Names/Own.cs": C_SHARP_NAME}, "csharp-files", "csharp"),
    "a C# project": (
        ("mcs", "mono"),
        {"Bot/Bot.csproj": PROJECT, "Bot/Program.cs": C_SHARP, "Bot/Own.cs": C_SHARP_NAME},
        "csharp-project",
        "csharp",
    ),
    "C": (("gcc",), {"main.c": '#include <stdio.h>\nint main(void) { puts("c"); return 0; }\n'}, "c-files", "c"),
    "C++ by CMake": (
        ("g++", "cmake", "make"),
        {
            "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(bot CXX)\nadd_executable(bot bot.cpp)\n",
            "bot.cpp": '#include <cstdio>\nint main() { std::puts("c++"); }\n',
        },
        "c-project",
        "c++",
    ),
    "Python": (
        ("python3",),
        {"bot.py": "import words\nprint(words.NAME)\n", "words.py": "NAME = 'python'\n"},
        "python-program",
        "python",
    ),
    "a script": (("sh",), {"robot": "#!/bin/sh\necho script\n", "notes.txt": "ours"}, "script", "script"),
    "a script in solution/": (
        ("sh",),
        {"robots/x": "#!/bin/sh\nexit 1\n", "solution/robot": "#!/bin/sh\necho script\n"},
        "filler-solution-script",
        "script",
    ),
}


def said(folder: Path) -> str:
    """What a team's program prints."""
    (entry,) = Registry.from_paths([folder]).entries
    program = entry.reference.program
    assert program is not None
    assert (program.name, program.game) == ("anna", "filler")
    return subprocess.run(
        on_dotnet(program).command, cwd=program.folder, capture_output=True, check=True, text=True, timeout=60
    ).stdout.strip()


@pytest.mark.parametrize("case", list(CASES))
def test_a_program_comes_out_and_runs(case: str, tmp_path: Path) -> None:
    tools, files, recipe, output = CASES[case]
    need(*tools)
    made = built(plant(tmp_path / "tree", files), RECIPES, game="filler")
    assert (made.error, made.recipe) == ("", recipe), made.log
    assert said(tmp_path / "teams") == output


def built_by_dotnet(tree: Mapping[str, str], folder: Path) -> Built:
    """A tree of C#, built by a .NET SDK; skips where there is none that builds anything."""
    if find_tool("dotnet-sdk") is None:
        pytest.skip("no .NET SDK: not in PATH, and TILTYARD_DOTNET doesn't name its folder")
    made = built(plant(folder / "tree", tree), RECIPES, game="filler")
    for reason in ("No usable version of libssl", "Couldn't find a valid ICU package"):
        if reason in made.log:
            pytest.skip(f"this .NET SDK builds nothing here: {reason}")
    return made


def test_dotnet_builds_a_project_without_a_network(tmp_path: Path) -> None:
    made = built_by_dotnet({"Bot.csproj": PROJECT, "Program.cs": C_SHARP, "Own.cs": C_SHARP_NAME}, tmp_path)
    assert (made.error, made.ways) == ("", ("its project",)), made.log
    assert (tmp_path / "teams" / "anna" / "Bot.dll").exists()
    assert said(tmp_path / "teams") == "csharp"


def test_the_sdks_compiler_builds_what_dotnet_build_cannot(tmp_path: Path) -> None:
    library = PROJECT.replace("<OutputType>Exe</OutputType>", "")
    refers = '<ItemGroup><ProjectReference Include="..\\Names\\Names.csproj" /></ItemGroup></Project>'
    tree = {
        "Bot.sln": "Microsoft Visual Studio Solution File, Format Version 12.00\n",
        "Bot/Bot.csproj": PROJECT.replace("</Project>", refers),
        "Bot/Program.cs": C_SHARP,
        "Bot/obj/Generated.cs": "what an earlier build made",
        "Names/Names.csproj": library,
        "Names/Own.cs": C_SHARP_NAME,
        "Bot.Tests/Bot.Tests.csproj": library,
        "Bot.Tests/Tests.cs": "using Xunit;",
    }
    made = built_by_dotnet(tree, tmp_path)
    assert (made.error, made.ways) == ("", ("its C# files, by .NET",)), made.log
    assert said(tmp_path / "teams") == "csharp"


ERRORS: Final = {
    "cargo": (
        {"Cargo.toml": CARGO, "src/main.rs": RUST.replace("name())", "nam())")},
        "src/main.rs:2: cannot find function `nam` in this scope",
    ),
    "go": ({"go.mod": "module bot\n\ngo 1.16\n", "main.go": GO}, "./main.go:6: undefined: name"),
    "dotnet-sdk": ({"Program.cs": C_SHARP}, "Program.cs:9: CS0103: The name 'Names' does not exist in the current context"),
    "gcc": ({"main.c": "int main(void) {\n    return x;\n}\n"}, "main.c:2: 'x' undeclared (first use in this function)"),
}


@pytest.mark.parametrize("tool", list(ERRORS))
def test_the_first_error_is_told_as_the_student_wants_to_read_it(tool: str, tmp_path: Path) -> None:
    need(tool)
    files, error = ERRORS[tool]
    made = built(plant(tmp_path / "tree", files), RECIPES, game="filler")
    # Mono's compiler and that of .NET quote in different ways.
    assert error in (made.error, made.error.replace("`", "'")), made.log


USING: Final = "use rand::random;\nuse my_grid::Grid;\n" + RUST
BOT: Final = '[[bin]]\nname = "bot"\npath = "src/main.rs"\n[[bin]]\nname = "a_visualizer"\npath = "src/view.rs"\n'
DRAWING: Final = 'use sdl2::pixels::Color;\nfn main() { println!("{:?}", Color::RED); }\n'
MEMBER: Final = CARGO.replace("solution", "a_viewer") + '[dependencies]\nmy_robot = { path = "../my_robot" }\nggez = "0.9.3"\n'
NOT_HERE: Final = {
    "of another program": {
        "Cargo.toml": f'{CARGO}{BOT}[dependencies]\nsdl2 = {{ version = "0.37", features = [\n  "ttf",\n] }}\n',
        "src/main.rs": RUST,
        "src/view.rs": DRAWING,
    },
    "of another member": {
        "Cargo.toml": '[workspace]\nmembers = ["a_viewer", "my_robot"]\nresolver = "2"\n',
        "a_viewer/Cargo.toml": MEMBER,
        "a_viewer/src/main.rs": DRAWING.replace("sdl2::pixels", "ggez::graphics"),
        "my_robot/Cargo.toml": CARGO.replace("solution", "my_robot"),
        "my_robot/src/lib.rs": "",
        "my_robot/src/main.rs": RUST,
    },
    "of nothing, in other forms": {
        "Cargo.toml": CARGO
        + '[features]\ndefault = ["gui"]\ngui = ["dep:minifb", "rayon?/web"]\n'
        + '[dependencies.minifb]\nversion = "0.23"\noptional = true\n'
        + '[target."cfg(unix)".dependencies]\nrayon = { version = "1.5", optional = true }\n'
        + '[dev-dependencies]\nquick.package = "quickcheck"\nquick.version = "1"\n'
        + '[dependencies]\nlinalg = { git = "https://localhost/linalg" }\n[profile.release]\nlto = false',
        "src/main.rs": RUST,
    },
}
"""Robots that need no crate, in projects with crates that are not here."""


@pytest.mark.parametrize("case", list(NOT_HERE))
def test_the_robot_is_built_without_crates_that_it_does_not_use(case: str, tmp_path: Path) -> None:
    need("cargo", "gcc")
    made = built(plant(tmp_path / "tree", NOT_HERE[case]), RECIPES, game="filler")
    assert (made.error, made.ways) == ("", ("its Cargo.toml, the robot alone",)), made.log
    assert said(tmp_path / "teams") == "rust"
    assert any("without crates that are not on this machine: " in note for note in made.notes), made.notes


def test_a_robot_in_go_is_built_without_modules_that_only_a_viewer_uses(tmp_path: Path) -> None:
    need("go")
    tree = {
        "go.mod": "module bot\n\ngo 1.18\n\nrequire example.com/ebiten v1.5.0\n",
        "cmd/bot/main.go": GO,
        "cmd/bot/name.go": GO_NAME,
        "cmd/a_viewer/main.go": 'package main\n\nimport "example.com/ebiten"\n\nfunc main() {\n\tebiten.Run()\n}\n',
    }
    made = built(plant(tmp_path / "tree", tree), RECIPES, game="filler")
    assert (made.error, made.ways) == ("", ("its go.mod, the robot alone",)), made.log
    assert said(tmp_path / "teams") == "go"


def test_all_crates_that_the_robot_uses_and_that_are_not_here_are_named(tmp_path: Path) -> None:
    need("cargo")
    crates = '[dependencies]\nmy-grid = "1"\nrand = "0.8"\nunused = "2"\n'
    made = built(plant(tmp_path / "tree", {"Cargo.toml": CARGO + crates, "src/main.rs": USING}), RECIPES, game="filler")
    assert made.error == (
        "solution needs crates that are not on this machine: my-grid, rand; "
        "builds have no network: hand in the crates too ('cargo vendor'); "
        "or for my-grid and rand: ask the organiser to add --allow cargo:my-grid --allow cargo:rand"
    ), made.log
    assert made.products == ()


def test_a_program_in_the_subject_s_folder_is_the_one_in_solution(tmp_path: Path) -> None:
    need("gcc")
    tree = plant(tmp_path / "tree", {"maps/map00": ".", "solution/readme.md": ""})
    (tree / "linux_robots").mkdir()
    for name, text in (("linux_robots/bender", "bender"), ("solution/robot", "mine")):
        source = tmp_path / "main.c"
        source.write_text(f'#include <stdio.h>\nint main(void) {{ puts("{text}"); return 0; }}\n')
        subprocess.run(["gcc", source, "-o", tree / name], check=True)
    made = built(tree, RECIPES, game="filler")
    assert (made.error, made.recipe) == ("", "filler-solution")
    assert said(tmp_path / "teams") == "mine"


def test_a_compiled_c_sharp_program_runs_with_mono(tmp_path: Path) -> None:
    need("mcs", "mono")
    plant(tmp_path, {"Program.cs": C_SHARP, "Own.cs": C_SHARP_NAME})
    (tmp_path / "tree").mkdir()
    subprocess.run(["mcs", "-out:tree/Bot.exe", "Program.cs", "Own.cs"], cwd=tmp_path, check=True)
    made = built(tmp_path / "tree", RECIPES, game="filler")
    assert (made.error, made.recipe) == ("", "mono-prebuilt")
    assert said(tmp_path / "teams") == "csharp"


def test_a_compiler_that_is_not_there_is_named_with_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *words, **options: None)
    try_tool.cache_clear()
    try:
        made = built(plant(tmp_path / "tree", {"main.go": GO}), RECIPES, game="filler")
    finally:
        try_tool.cache_clear()
    assert made.error == "needs go (apt install golang-go), which this machine does not have"
    assert [path.name for path in tmp_path.iterdir()] == ["tree"]


SAYS: Final = "#include <stdio.h>\nconst char *word(void);\nint main(void) { puts(word()); return 0; }\n"
WORD: Final = 'const char *word(void) { return "c"; }\n'
PROGRAMS: Final = {
    "a name that says so": ({"main.c": SAYS.replace("word()", '"x"'), "my_bot.c": SAYS, "word.c": WORD}, "my_bot.c"),
    "a name that says what else it is": ({"main.c": SAYS, "main_interactive.c": SAYS, "word.c": WORD}, "main.c"),
    "one that can be linked": ({"a.c": SAYS.replace("word", "lost"), "b.c": SAYS, "word.c": WORD}, "b.c"),
    "a name that a file of another program defines too": (
        {
            "bot.c": SAYS.replace("word())", "word() + more())").replace("int main", "int more(void);\nint main"),
            "ask.c": WORD.replace('"c"', '"x"'),
            "word.c": WORD + "int more(void) { return 0; }\n",
            "main.c": SAYS,
        },
        "bot.c",
    ),
    "a library and a viewer beside it": (
        {"src/main.c": SAYS, "libft/word.c": WORD, "viewer/main.c": "#include <SDL2/SDL.h>\nint main(void) { return 0; }\n"},
        "src/main.c",
    ),
}


@pytest.mark.parametrize("case", list(PROGRAMS))
def test_of_several_programs_in_c_the_one_that_plays_is_built(case: str, tmp_path: Path) -> None:
    need("gcc", "g++", "ar")
    files, taken = PROGRAMS[case]
    made = built(plant(tmp_path / "tree", files), RECIPES, game="filler")
    assert (made.error, made.ways) == ("", ("its C or C++ files, each alone",)), made.log
    assert said(tmp_path / "teams") == "c"
    assert any(note.startswith(f"the program of {taken} was taken, not that of ") for note in made.notes), made.notes


@pytest.mark.parametrize(
    ("files", "error"),
    [
        (
            {"one.c": SAYS, "two.c": SAYS, "word.c": WORD},
            "there are several programs, one.c, two.c; to choose one, put auto, bot or player into its file's name",
        ),
        ({"bot.c": SAYS, "main.c": SAYS, "word.c": WORD.replace(";", "")}, "word.c:1: expected ';' before '}' token"),
        ({"word.c": WORD}, "no file has a main function, where a program begins"),
    ],
)
def test_why_no_program_in_c_is_built(files: Mapping[str, str], error: str, tmp_path: Path) -> None:
    need("gcc", "g++", "ar")
    made = built(plant(tmp_path / "tree", files), RECIPES, game="filler")
    assert made.error == error, made.log


C_BOT: Final = '#include <stdio.h>\nint main(void) { puts("c"); return 0; }\n'
TESTS: Final = "#include <gtest/gtest.h>\nint main(void) { return lost; }\n"
FETCHED: Final = """cmake_minimum_required(VERSION 3.14)
project(bot C)
FIND
add_executable(bot bot.c)
add_subdirectory(tests)
"""
FETCH: Final = (
    "include(FetchContent)\nFetchContent_Declare(googletest URL https://localhost/g.zip)\nFetchContent_MakeAvailable(googletest)\n"
)
BESIDE: Final = """add_executable(bot_tests tests.c)
target_link_libraries(bot_tests PRIVATE GTest::gtest_main)
include(GoogleTest)
gtest_discover_tests(bot_tests)
"""


@pytest.mark.parametrize("find", ["include(FetchContent)\nFETCH", "find_package(GTest REQUIRED)"])
def test_tests_that_would_fetch_a_library_are_not_built(find: str, tmp_path: Path) -> None:
    need("gcc", "cmake", "make", "g++")
    cmake = FETCHED.replace("FIND", find.replace("FETCH", FETCH))
    files = {"CMakeLists.txt": cmake, "bot.c": C_BOT, "tests/CMakeLists.txt": BESIDE, "tests/tests.c": TESTS}
    made = built(plant(tmp_path / "tree", files), RECIPES, game="filler")
    assert (made.error, made.ways, made.notes) == ("", ("its CMakeLists.txt",), ()), made.log
    assert said(tmp_path / "teams") == "c"


PASSES: Final = (
    "all: BEFORE bot check\nbot: bot.c\n\tgcc -o $@ $<\ncheck: tests/tests.c\n\tgcc -o $@ $<\nview:\n\tgcc -o $@ view.c\n"
)


def test_a_program_is_kept_whatever_fails_before_or_after_it(tmp_path: Path) -> None:
    need("gcc", "make")
    files = {
        "Makefile": PASSES.replace("BEFORE", "view"),
        "bot.c": C_BOT,
        "view.c": "#include <SDL2/SDL.h>\n",
        "tests/tests.c": TESTS,
    }
    made = built(plant(tmp_path / "tree", files), RECIPES, game="filler")
    assert (made.error, made.ways) == ("", ("its Makefile",)), made.log
    assert said(tmp_path / "teams") == "c"
    assert made.notes == (
        "its Makefile failed (view.c:1: SDL2/SDL.h: No such file or directory), but the program had been made by then",
    )


def test_what_is_named_after_something_else_does_not_stand_for_the_program(tmp_path: Path) -> None:
    need("gcc", "make")
    makefile = "all: run_tests bot\nrun_tests: main.c\n\tgcc -o $@ $<\nbot: bot.c\n\tgcc -o $@ $<\n"
    files = {"Makefile": makefile, "main.c": C_BOT, "bot.c": C_BOT.replace(";", "", 1)}
    made = built(plant(tmp_path / "tree", files), RECIPES, game="filler")
    assert made.error == "bot.c:2: expected ';' before 'return'", made.log


def test_files_in_folders_of_tests_are_not_compiled_into_the_program(tmp_path: Path) -> None:
    need("gcc")
    made = built(plant(tmp_path / "tree", {"src/bot.c": C_BOT, "src/tests/all.c": TESTS}), RECIPES, game="filler")
    assert (made.error, made.ways) == ("", ("its C files",)), made.log


def test_an_empty_submodule_is_named_beside_the_first_error(tmp_path: Path) -> None:
    need("gcc", "g++")
    modules = '[submodule "ft"]\n\tpath = ft\n\turl = https://localhost/ft.git\n'
    made = built(
        plant(tmp_path / "tree", {"bot.c": '#include "ft/io.h"\n' + C_BOT, ".gitmodules": modules}), RECIPES, game="filler"
    )
    lacking = "these git submodules have no files, since a download leaves them out: ft; hand in their files too"
    assert made.error == f"bot.c:1: ft/io.h: No such file or directory; {lacking}"
