"""The helper that compiles C# by the SDK's compiler alone: which files, with which usings, and what it says of an old SDK."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest
from tests.intake.making import need, plant

from tiltyard_intake.building.toolchains import find_tool
from tiltyard_intake.recipes.program_recipes import CSHARP_HELPERS

HELPER: Final = Path(CSHARP_HELPERS, "compile_csharp.py")
GREETS: Final = "class Program { static void Main() { Console.WriteLine(new List<int> { 1, 2 }.Sum()); } }\n"
MODERN: Final = (
    "namespace Bot;\nrecord Move(int Row);\nclass Program { static void Main() => Console.WriteLine(new Move(3).Row); }\n"
)
TESTS: Final = "using Xunit;\nclass Tests { [Fact] public void Adds() { Assert.True(true); } }\n"


def project(inside: str = "", framework: str = "net8.0", kind: str = "Exe", items: str = "") -> str:
    properties = f"<OutputType>{kind}</OutputType><TargetFramework>{framework}</TargetFramework>{inside}"
    return f'<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>{properties}</PropertyGroup><ItemGroup>{items}</ItemGroup></Project>\n'


@pytest.fixture(scope="module")
def helper() -> ModuleType:
    spec = importlib.util.spec_from_file_location("compile_csharp", HELPER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sdk_of(number: int, folder: Path) -> Path:
    """The .NET of this machine with no other SDK than that; skips where there is none."""
    need("dotnet-sdk")
    tool = find_tool("dotnet-sdk")
    assert tool is not None
    real = Path(tool.path).resolve().parent
    found = [path for path in (real / "sdk").iterdir() if path.name.startswith(f"{number}.")]
    if not found:
        pytest.skip(f"no SDK {number} in {real}")
    (folder / "sdk").mkdir(parents=True)
    (folder / "sdk" / found[0].name).symlink_to(found[0])
    for path in real.iterdir():
        if path.name in ("host", "shared", "packs") or path.name.startswith("lib"):
            (folder / path.name).symlink_to(path)
    shutil.copy(real / "dotnet", folder)
    return folder


def compiled(tree: dict[str, str], folder: Path, root: Path) -> tuple[str, str]:
    """What the helper printed, and what the program says; empty if there is none."""
    plant(folder / "source", tree)
    environment = {"PATH": f"{root}:/usr/bin:/bin", "HOME": str(folder), "LD_LIBRARY_PATH": str(root)}
    environment |= {"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}
    (folder / "out").mkdir()
    words = [sys.executable, "-I", str(HELPER), str(folder / "source"), str(folder / "out" / "bot.dll")]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stdout + done.stderr, ""
    program = [root / "dotnet", folder / "out" / "bot.dll"]
    return done.stdout, subprocess.run(program, env=environment, capture_output=True, text=True, check=True).stdout.strip()


BUILT: Final = {
    "bare files have the usual usings": ({"Program.cs": GREETS}, "3"),
    "modern files": ({"Program.cs": MODERN}, "3"),
    "tests beside the program, whose package is not here": (
        {
            "Bot.csproj": project(
                "<ImplicitUsings>enable</ImplicitUsings>", items='<PackageReference Include="xunit" Version="2" />'
            ),
            "Program.cs": GREETS,
            "Tests/Tests.cs": TESTS,
        },
        "3",
    ),
    "files that the project leaves out, and usings that it adds": (
        {
            "Bot.csproj": project(
                "<StartupObject>Program</StartupObject>",
                items='<Compile Remove="old\\**\\*.cs" /><Using Include="System.Math" Static="true" /><Using Include="System" />',
            ),
            "Program.cs": "class Program { static void Main() { Console.WriteLine(Max(3, 2)); } }\n",
            "Other.cs": "class Other { static void Main() { } }\n",
            "old/deep/Broken.cs": "class {\n",
        },
        "3",
    ),
}


@pytest.mark.parametrize("case", list(BUILT))
def test_it_builds_what_students_hand_in(case: str, tmp_path: Path) -> None:
    tree, output = BUILT[case]
    printed, said = compiled(tree, tmp_path, sdk_of(8, tmp_path / "net"))
    assert said == output, printed


def test_the_usual_usings_are_written_for_the_oldest_compiler_too(tmp_path: Path) -> None:
    tree = {"Program.cs": GREETS, "More.cs": "#define MORE\nclass More { }\n", "Broken.txt": ""}
    printed, said = compiled(tree, tmp_path, sdk_of(3, tmp_path / "net"))
    assert said == "3", printed


def test_what_an_older_sdk_refuses_is_no_error_of_the_work(tmp_path: Path) -> None:
    root = sdk_of(3, tmp_path / "net")
    for number, tree in enumerate(({"Program.cs": MODERN}, {"Bot.csproj": project(framework="net6.0"), "Program.cs": MODERN})):
        printed, said = compiled(tree, tmp_path / str(number), root)
        assert said == ""
        assert printed.splitlines()[-1].startswith("this machine lacks the SDK of .NET 6 or newer (it has 3.1.")


def test_a_wrong_line_for_an_old_framework_is_the_works_own(tmp_path: Path) -> None:
    tree = {
        "Bot.csproj": project(framework="netcoreapp3.1"),
        "Program.cs": "class Program {\n    static void Main() { x = 1; }\n}\n",
    }
    printed, said = compiled(tree, tmp_path, sdk_of(3, tmp_path / "net"))
    assert said == ""
    assert "Program.cs(2,26): error CS0103" in printed
    assert "lacks" not in printed


def test_a_package_that_is_not_here_is_named_first(tmp_path: Path) -> None:
    items = '<PackageReference Include="Newtonsoft.Json" Version="13" /><PackageReference Include="xunit" Version="2" />'
    tree = {"Bot.csproj": project(items=items), "Program.cs": "using Newtonsoft.Json;\nclass Program { static void Main() { } }\n"}
    printed, _ = compiled(tree, tmp_path, sdk_of(8, tmp_path / "net"))
    assert printed.startswith("error NU1101: the package Newtonsoft.Json is not here, and builds have no network\n")


def test_the_program_is_none_of_the_tests_or_windows(tmp_path: Path, helper: ModuleType) -> None:
    runner = project(items='<PackageReference Include="Microsoft.NET.Test.Sdk" Version="17" />')
    plant(
        tmp_path,
        {
            "A.Tests/A.Tests.csproj": runner,
            "B/Gui.csproj": project("<UseWindowsForms>true</UseWindowsForms>", "net7.0-windows", "WinExe"),
            "Deep/In/Bot.csproj": project(),
            "Engine/Engine.csproj": project(kind="Library"),
        },
    )
    assert helper.project_of(tmp_path) == tmp_path / "Deep" / "In" / "Bot.csproj"


@pytest.mark.parametrize(
    ("text", "is_project", "version"),
    [
        ("<TargetFramework>net6.0</TargetFramework>", True, 6),
        ("<TargetFrameworks>net48;net8.0-windows;net10.0</TargetFrameworks>", True, 8),
        ("<TargetFramework>netcoreapp3.1</TargetFramework>", True, 0),
        ("<TargetFrameworkVersion>v4.7.2</TargetFrameworkVersion>", True, 0),
        ("", False, 6),
    ],
)
def test_which_net_a_project_is_for(text: str, is_project: bool, version: int, helper: ModuleType) -> None:
    assert helper.needed(text, is_project=is_project) == version
