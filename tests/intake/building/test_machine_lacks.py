"""What this machine lacks is never a team's error: tools that are not there, that don't run, and that are too old."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from tests.intake.making import built, need, plant

from tiltyard_intake.building.machine_lacks import lack_of, says_nothing_of_work
from tiltyard_intake.building.toolchains import find_tool, missing_tools, try_tool
from tiltyard_intake.intake import take_in
from tiltyard_intake.options import IntakeOptions
from tiltyard_intake.pages.intake_page import intake_page
from tiltyard_intake.recipes.program_recipes import recipes
from tiltyard_intake.report.team_report import Verdict
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

MODERN: Final = "namespace Bot;\nrecord Move(int Row);\nclass Program { static void Main() => Console.WriteLine(new Move(1)); }\n"
PROJECT: Final = (
    '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net6.0</TargetFramework>'
    "<ImplicitUsings>enable</ImplicitUsings></PropertyGroup></Project>\n"
)
SDK: Final = "the SDK of .NET 6 or newer"


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that comes first in PATH; what was known of tools is forgotten, before and afterwards."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    try_tool.cache_clear()
    yield folder
    monkeypatch.undo()
    try_tool.cache_clear()


def test_a_tool_is_there_when_it_ran(tools: Path) -> None:
    plant(tools, {"cargo": "#!/bin/sh\necho 'error: rustup could not choose a version of cargo' >&2\nexit 1\n"})
    plant(tools, {"rustc": "#!/bin/sh\nexit 3\n", "go": "#!/nowhere/at/all\n", "mine": "#!/bin/sh\nexit 1\n"})
    assert [find_tool(name) for name in ("cargo", "rustc", "go")] == [None, None, None]
    said = missing_tools(["cargo", "rustc", "go"])
    assert said[0] == "cargo (it is there, but it doesn't run: error: rustup could not choose a version of cargo)"
    assert said[1] == "rustc (it is there, but it doesn't run: it ended with code 3)"
    assert said[2].startswith("go (it is there, but it doesn't run: ")
    # What nobody here knows need not tell a version.
    assert find_tool("mine") is not None


def test_a_sdk_that_is_only_half_there_is_none(tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILTYARD_DOTNET", str(tmp_path / "net"))
    starts = "#!/bin/sh\ncase $1 in --list-runtimes) echo Microsoft.NETCore.App 3.1.2;; *) echo 'No libssl'; exit 134;; esac\n"
    plant(tmp_path / "net", {"dotnet": starts, "sdk/3.1.102/Roslyn/bincore/csc.dll": "", "shared/x": ""})
    assert find_tool("dotnet") is not None
    assert missing_tools(["dotnet-sdk"]) == ["dotnet-sdk (it is there, but it doesn't run: No libssl)"]


def test_a_team_whose_compiler_does_not_run_is_told_of_the_machine(tools: Path, tmp_path: Path) -> None:
    plant(tools, {"rustc": "#!/bin/sh\nexit 0\n", "cargo": "#!/bin/sh\necho no toolchain >&2\nexit 1\n"})
    made = built(plant(tmp_path / "tree", {"Cargo.toml": "[package]\n", "src/main.rs": "fn main() {}\n"}), recipes())
    assert made.lacks.startswith("cargo (it is there, but it doesn't run: no toolchain)")
    assert made.error == f"needs {made.lacks}, which this machine does not have"


def test_nobodys_project_can_be_built_without_an_sdk(tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need("mcs", "mono", "gcc")
    monkeypatch.setenv("TILTYARD_DOTNET", str(tmp_path / "nowhere"))
    plant(
        tmp_path / "handed-in",
        {
            "ann/Bot.csproj": PROJECT,
            "ann/Program.cs": MODERN,
            "ben/Bot.cs": MODERN,
            "cleo/main.c": "int main(void) { return x; }\n",
        },
    )
    options = IntakeOptions(handed_in=tmp_path / "handed-in", into=tmp_path / "teams", reports=tmp_path / "reports", game="advance")
    report = take_in(options, open_registry(IsolationPolicy()), lambda *_: None)
    verdicts = {each.label: each.verdict for each in report.teams}
    assert verdicts == {"ann": Verdict.UNTRIED, "ben": Verdict.UNTRIED, "cleo": Verdict.UNBUILT}
    assert report.summary() == "3 handed in: 1 doesn't build, 2 can't be tried here"
    (lack,) = report.lacks()
    assert lack == (
        f"this machine lacks {SDK}: nobody's work can be built here that was read as C# files or a C# project (.csproj) or"
        " solution (.sln) (ann, ben)."
        " It isn't their fault. Install it, then take them in again ('tiltyard explain missing-compiler' says how)"
    )
    assert lack[1:] in intake_page(report, "class").replace("&#39;", "'")
    text = (tmp_path / "reports" / "feedback" / "ann.txt").read_text()
    assert "could not be tried, because the course's machine" in text
    assert "CS1" not in text
    assert {each.error for each in report.teams if each.lacks} == {f"needs {SDK}, which this machine does not have"}


LACKS: Final = {
    "CMake Error at a.txt:1:\n  CMake 3.28 or higher is required.  You are running version 3.25.1\n": "CMake 3.28 or newer",
    "go: go.mod requires go >= 1.23.1 (running go 1.21.3; GOTOOLCHAIN=local)\n": "Go 1.23.1 or newer",
    "./main.go:5:2: undefined: min\nnote: module requires Go 1.21\n": "Go 1.21 or newer",
    "x requires rustc 1.75 or newer, while the currently active rustc": "Rust 1.75 or newer",
    "  feature `edition2024` is required\n": "a newer Rust, which knows the edition 2024",
    "error: failed to parse lock file\nCaused by:\n  lock file version 4 requires `-Znext-lockfile-bump`\n": (
        "a newer Rust, which knows Cargo.lock 4"
    ),
    "Bot.cs(1,1): error CS1002: ; expected\n": "",
    "this machine lacks a moon": "",
}


@pytest.mark.parametrize("output", list(LACKS))
def test_what_the_machine_lacks_is_read_from_what_tools_say(output: str) -> None:
    assert lack_of(output) == LACKS[output]


def test_a_helper_of_our_own_says_it_itself() -> None:
    assert lack_of("error\nthis machine lacks a .NET SDK\n", is_own_helper=True) == "a .NET SDK"


@pytest.mark.parametrize(
    ("output", "is_silent"),
    [
        ("/x/M.targets(1,2): error MSB3644: The reference assemblies for .NETFramework,Version=v6.0 were not found.", True),
        ("error NETSDK1045: The current .NET SDK does not support targeting .NET 6.0.", True),
        ("My Bot.csproj : error NU1101: Unable to find package xunit.", True),
        ("/x/NuGet.targets(123,5): error : Permission denied [Bot.sln]", True),
        ("Bot.cs(1,1): error CS1002: ; expected [Bot.csproj]", False),
    ],
)
def test_what_msbuild_lacks_says_nothing_of_the_work(output: str, is_silent: bool) -> None:
    assert says_nothing_of_work(output) is is_silent


def test_a_cmake_that_is_too_old_is_no_error_of_the_team(tmp_path: Path) -> None:
    need("cmake", "make", "gcc", "g++")
    tree = {"CMakeLists.txt": "cmake_minimum_required(VERSION 99.1)\nproject(bot C)\n", "main.c": "int main(void) { return x; }\n"}
    made = built(plant(tmp_path / "tree", tree), recipes())
    assert made.lacks == "CMake 99.1 or newer"


def test_a_program_beside_sources_that_fail_plays(tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need("mcs", "mono")
    monkeypatch.setenv("TILTYARD_DOTNET", str(tmp_path / "nowhere"))
    plant(tmp_path / "handed-in", {"ann/Bot.cs": MODERN, "ann/bin/App.exe": b"MZ" + bytes(200), "ben/Bot.cs": MODERN})
    plant(tmp_path, {"Old.cs": 'class Old { static void Main() { System.Console.WriteLine("old"); } }\n'})
    subprocess.run(["mcs", f"-out:{tmp_path}/handed-in/ann/Program.exe", f"{tmp_path}/Old.cs"], check=True)
    # A program for Windows alone is none of .NET's.
    plant(tmp_path / "handed-in", {"ben/Program.exe": b"MZ" + bytes(200)})
    options = IntakeOptions(
        handed_in=tmp_path / "handed-in", into=tmp_path / "teams", reports=tmp_path / "reports", game="advance", plays_once=False
    )
    ann, ben = sorted(take_in(options, open_registry(IsolationPolicy()), lambda *_: None).teams, key=lambda team: team.label)
    assert (ann.verdict, ann.recipe, ben.verdict, ben.recipe) == (Verdict.PLAYS, "mono-prebuilt", Verdict.UNTRIED, "csharp-files")
    assert (
        ann.notes[-1]
        == f"C# files can't be built (needs {SDK}, which this machine does not have): the program beside it plays instead"
    )
    assert (tmp_path / "teams" / "ann" / "Program.exe").is_file()
