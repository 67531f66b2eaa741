"""What students hand in for Advance: C# as Visual Studio, ``dotnet`` and Mono make it, and teams in Python."""

from __future__ import annotations

from typing import Final

from tests.classes.kinds import (
    IN_JAVA,
    PROGRAMS,
    Files,
    Kind,
    Work,
    broken_archives,
    broken_python,
    changed,
    compiled,
    hostile_archives,
    of_texts,
    program,
    python_at_home,
    python_forms,
)

from tiltyard_intake.report.team_report import Verdict

BOT: Final = program("runtimes/Bot.cs")
PROJECT: Final = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>netcoreapp3.1</TargetFramework>
    <AssemblyName>Bot</AssemblyName>
  </PropertyGroup>
</Project>
"""
OLD_PROJECT: Final = """<?xml version="1.0" encoding="utf-8"?>
<Project ToolsVersion="15.0" DefaultTargets="Build" xmlns="http://schemas.microsoft.com/developer/msbuild/2003">
  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFrameworkVersion>v4.7.2</TargetFrameworkVersion>
    <AssemblyName>Bot</AssemblyName>
  </PropertyGroup>
  <ItemGroup><Compile Include="Bot.cs" /><Compile Include="Words.cs" /></ItemGroup>
  <Import Project="$(MSBuildToolsPath)\\Microsoft.CSharp.targets" />
</Project>
"""
SOLUTION: Final = (
    "\ufeff\nMicrosoft Visual Studio Solution File, Format Version 12.00\n# Visual Studio Version 16\n"
    'Project("{FAE04EC0-301F-11D3-BF4B-00C04F79EFBC}") = "Bot", "Bot\\Bot.csproj", "{11111111-2222-3333-4444-555555555555}"\n'
    "EndProject\nGlobal\n\tGlobalSection(SolutionConfigurationPlatforms) = preSolution\n"
    "\t\tDebug|Any CPU = Debug|Any CPU\n\t\tRelease|Any CPU = Release|Any CPU\n\tEndGlobalSection\n"
    "\tGlobalSection(ProjectConfigurationPlatforms) = postSolution\n"
    "\t\t{11111111-2222-3333-4444-555555555555}.Release|Any CPU.ActiveCfg = Release|Any CPU\n"
    "\t\t{11111111-2222-3333-4444-555555555555}.Release|Any CPU.Build.0 = Release|Any CPU\n"
    "\tEndGlobalSection\nEndGlobal\n"
)
WORDS: Final = 'static class Words { public const string Team = "TEAM"; }\n'
USINGS: Final = BOT[BOT.index("using System;") : BOT.index("class Bot")]
BARE: Final = changed(BOT, (USINGS, "namespace Advance;\n\n"))
"""As since .NET 6: what is used everywhere needs no line."""
MODERN: Final = changed(BARE, ("new[] { -1, 1 }", "(int[])[-1, 1]"))
"""In C# 12."""


def _project_of(framework: str, more: str = "", kind: str = "Exe") -> str:
    return (
        f'<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>{kind}</OutputType><TargetFramework>{framework}'
        f"</TargetFramework><ImplicitUsings>enable</ImplicitUsings></PropertyGroup>{more}</Project>\n"
    )


XUNIT: Final = "".join(
    f'<ItemGroup><PackageReference Include="{name}" Version="17.0.0" /></ItemGroup>' for name in ("xunit", "Microsoft.NET.Test.Sdk")
)
FACTS: Final = "using Xunit;\npublic class Facts { [Fact] public void Adds() { Assert.Equal(2, 1 + 1); } }\n"
WINDOW: Final = "class Window : System.Windows.Forms.Form { static void Main() { } }\n"
FILES: Final = {"Bot.cs": BOT, "Words.cs": WORDS}
PLUGIN: Final = """from tiltyard_advance.positions import AdvancePosition, Turn, turn_after
from tiltyard_advance.rules import Board
from tiltyard_engine import TurnAlgorithm, TurnTeam, hookimpl


class First(TurnAlgorithm[AdvancePosition, Turn]):
    def __init__(self, seat):
        pass

    def choose(self, position):
        board = Board(position.board)
        return turn_after(board, board.legal_moves(position.side)[0])


@hookimpl
def algorithms():
    yield TurnTeam("TEAM", "advance", First, "the first legal move")
"""


def _compiled(team: str) -> Files:
    """The bot as a program for Mono."""
    return {"Bot.exe": compiled("Bot.exe", "mcs", "-out:PRODUCT", str(PROGRAMS / "runtimes" / "Bot.cs"))}


def _with_its_build(team: str) -> Files:
    """A folder as Visual Studio leaves it."""
    sources = of_texts({**{f"Bot/{name}": text for name, text in FILES.items()}, "Bot/Bot.csproj": PROJECT, "Bot.sln": SOLUTION})
    return {
        **sources(team),
        "Bot/bin/Debug/Bot.exe": b"MZ" + bytes(90),
        "Bot/obj/Debug/Generated.cs": b"what an earlier build made",
        ".vs/Bot/v16/.suo": b"x",
    }


MONO: Final = ("mcs", "mono")
SDK: Final = ("dotnet-sdk",)
"""What Mono's compiler refuses may be right, so without an SDK nobody is said to be wrong."""
SOUND: Final = (
    Kind(name="a project", files=of_texts({**FILES, "Bot.csproj": PROJECT}), tools=MONO, recipe="csharp-project", is_dear=True),
    Kind(
        name="a solution",
        files=of_texts({**{f"Bot/{name}": text for name, text in FILES.items()}, "Bot/Bot.csproj": PROJECT, "Bot.sln": SOLUTION}),
        tools=MONO,
        recipe="csharp-project",
        is_dear=True,
    ),
    Kind(name="a solution with what it built", files=_with_its_build, tools=MONO, recipe="csharp-project", is_dear=True),
    Kind(
        name="a project of the old .NET",
        files=of_texts({**FILES, "Bot.csproj": OLD_PROJECT}),
        tools=MONO,
        recipe="csharp-project",
        is_dear=True,
    ),
    Kind(name="one file", files=of_texts({"Bot.cs": f"// TEAM\n{BOT}"}), tools=MONO, recipe="csharp-files", is_dear=True),
    Kind(
        name="files in folders",
        files=of_texts({"Program/Bot.cs": BOT, "Program/Text/Words.cs": WORDS}),
        tools=MONO,
        recipe="csharp-files",
        is_dear=True,
    ),
    Kind(name="a compiled .exe", files=_compiled, tools=MONO, recipe="mono-prebuilt", is_dear=True),
    *python_forms(PLUGIN),
    *python_at_home(PLUGIN),
    Kind(name="bare files of .NET 6", files=of_texts({"Bot.cs": BARE, "Words.cs": WORDS}), tools=SDK, is_dear=True),
    Kind(
        name="a project in C# 12",
        files=of_texts({"My Bot/Bot.cs": MODERN, "My Bot/Words.cs": WORDS, "My Bot/My Bot.csproj": _project_of("net8.0")}),
        tools=SDK,
        is_dear=True,
    ),
    Kind(
        name="a solution with tests and a window",
        files=of_texts(
            {
                "Bot.sln": SOLUTION,
                "Bot/Bot.csproj": _project_of("net8.0"),
                "Bot/Bot.cs": BARE,
                "Bot.Tests/Bot.Tests.csproj": _project_of("net8.0", XUNIT, "Library"),
                "Bot.Tests/Facts.cs": FACTS,
                "Gui/Gui.csproj": _project_of("net8.0-windows", kind="WinExe"),
                "Gui/Window.cs": WINDOW,
            }
        ),
        tools=SDK,
        is_dear=True,
    ),
    Kind(
        name="modern sources beside a program for Mono",
        files=lambda team: {**of_texts({"Bot.cs": MODERN, "Words.cs": WORDS})(team), **_compiled(team)},
        tools=MONO,
        is_dear=True,
    ),
)
"""Work that plays."""

UNBUILT: Final = Verdict.UNBUILT
BROKEN: Final = (
    Kind(
        name="a syntax error",
        files=of_texts({"Bot.cs": BOT.replace("return own == 1;", "return own == 1")}),
        verdict=UNBUILT,
        words="Bot.cs:",
        tools=SDK,
    ),
    Kind(
        name="a wrong name in a project",
        files=of_texts({**FILES, "Bot.cs": BOT.replace("IsSafe(board, white)", "IsSave(board, white)"), "Bot.csproj": PROJECT}),
        verdict=UNBUILT,
        words="IsSave",
        tools=SDK,
    ),
    Kind(
        name="a window of Windows",
        files=of_texts({"Bot.cs": f"using System.Windows.Media;\n{BOT}"}),
        verdict=UNBUILT,
        words="Bot.cs:",
        tools=SDK,
    ),
    Kind(
        name="no main function",
        files=of_texts({"Words.cs": WORDS, "More.cs": "class More { }\n"}),
        verdict=UNBUILT,
        words="Main",
        tools=SDK,
    ),
    Kind(
        name="an exception in the first move",
        files=of_texts({"Bot.cs": BOT.replace('string text = "";', "string text = ((string)null).Trim();")}),
        verdict=Verdict.FAULTY,
        words="crash",
        tools=MONO,
        is_dear=True,
    ),
    Kind(
        name="no move",
        files=of_texts({"Bot.cs": BOT.replace("File.WriteAllText(answer, moved);", "")}),
        verdict=Verdict.FAULTY,
        words="",
        tools=MONO,
        is_dear=True,
    ),
    broken_python(PLUGIN),
    Kind(
        name="a move that is not allowed",
        files=of_texts(
            {"ours.py": PLUGIN.replace("return turn_after(board, board.legal_moves(position.side)[0])", "return position.board")}
        ),
        verdict=Verdict.FAULTY,
        words="",
    ),
    IN_JAVA,
    *broken_archives(of_texts(FILES)),
    Kind(
        name="a modern project where there is no .NET",
        files=of_texts({"Bot.cs": MODERN, "Words.cs": WORDS, "Bot.csproj": _project_of("net8.0")}),
        verdict=Verdict.UNTRIED,
        words="could not be tried, because the course's machine",
        tools=MONO,
        unless=SDK,
        is_dear=True,
    ),
    Kind(
        name="a program that takes no words",
        files=of_texts(
            {
                "Bot.cs": changed(
                    BOT, ('if (words.Length == 3) Move(words[0] == "white", words[1], words[2]);\n        else Fill();', "Fill();")
                )
            }
        ),
        verdict=Verdict.FAULTY,
        words="",
        tools=MONO,
        is_dear=True,
    ),
    Kind(
        name="C of another game",
        files=of_texts({"game.c": '#include <stdio.h>\nint main(void) { puts("TEAM"); return 0; }\n'}),
        verdict=Verdict.FAULTY,
        words="made no move",
        tools=("gcc",),
    ),
)
"""Work that does not play, and why."""

TARGETS: Final = PROJECT.replace(
    "</Project>",
    '  <Target Name="Look" BeforeTargets="BeforeBuild;CoreCompile">\n'
    '    <Exec Command="cat ../../*/*/*.cs /etc/shadow; ls ../.. ../../..; COMMAND" />\n  </Target>\n</Project>\n',
)


def _project(command: str) -> Kind:
    broken = {**FILES, "Words.cs": '#error "built by its project alone"\n', "Bot.csproj": TARGETS.replace("COMMAND", command)}
    return Kind(name="", files=of_texts(broken), verdict=UNBUILT)


HOSTILE: Final = (
    *hostile_archives(of_texts(FILES)),
    Kind(name="a project that looks round", files=_project("exit 1").files, verdict=UNBUILT, tools=SDK, is_dear=True),
    Kind(
        name="a project without end",
        files=_project("while :; do :; done").files,
        verdict=UNBUILT,
        tools=SDK,
        is_dear=True,
        is_slow=True,
    ),
    Kind(
        name="a program that forks",
        files=of_texts(
            {
                "Bot.cs": BOT.replace(
                    'string text = "";',
                    'while (true) System.Diagnostics.Process.Start("/bin/sleep", "60");\n        string text = "";',
                )
            }
        ),
        verdict=Verdict.FAULTY,
        tools=MONO,
        is_dear=True,
    ),
)
"""Work that means harm."""

ADVANCE: Final = Work(sound=SOUND, broken=BROKEN, hostile=HOSTILE)
