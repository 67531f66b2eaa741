"""The first error of what compilers really print."""

from __future__ import annotations

import pytest

from tiltyard_intake.building.first_error import first_error

CASES = {
    "gcc": (
        (
            "In file included from main.c:1:\nboard.h:3:10: warning: unused\nmain.c: In function \u2018main\u2019:\n"
            "main.c:12:5: error: \u2018x\u2019 undeclared (first use in this function)\nmain.c:13:1: error: expected\n"
        ),
        "main.c:12: 'x' undeclared (first use in this function)",
    ),
    "clang": ("src/a.cpp:7:3: fatal error: 'gone.h' file not found\n1 error generated.\n", "src/a.cpp:7: 'gone.h' file not found"),
    "linker": (
        (
            "/usr/bin/ld: /tmp/cc1.o: in function `main':\nmain.c:(.text+0x9): undefined reference to `name'\n"
            "collect2: error: ld returned 1 exit status\nmake: *** [Makefile:2: all] Error 1\n"
        ),
        "undefined reference to `name' (in main.c)",
    ),
    "library": (
        "/usr/bin/ld: cannot find -lncurses: No such file or directory\n",
        "cannot find -lncurses: No such file or directory",
    ),
    "mcs": (
        "Bot.cs(3,14): error CS0246: The type or namespace name `List' could not be found\n",
        "Bot.cs:3: CS0246: The type or namespace name `List' could not be found",
    ),
    "dotnet": (
        "  Restore completed\nAI/Bot.cs(9,5): error CS1002: ; expected [/scratch/source/AI/Bot.csproj]\n",
        "AI/Bot.cs:9: CS1002: ; expected",
    ),
    "a file of the SDK": (
        "/opt/dotnet/sdk/3.1/Microsoft.Common.targets(11,5): error MSB3644: The assemblies were not found. [/s/B.csproj]\n",
        "MSB3644: The assemblies were not found.",
    ),
    "msbuild": (
        "/s/source/B.csproj : error NU1101: Unable to find package NUnit. [/s/source/B.sln]\n",
        "NU1101: Unable to find package NUnit.",
    ),
    "msbuild with spaces in names": (
        "/s/source/My Bot.csproj : error NU1101: Unable to find package NUnit. [/s/source/B.sln]\n",
        "NU1101: Unable to find package NUnit.",
    ),
    "msbuild without a number": (
        "/s/NuGet.targets(123,5): error : Permission denied [/s/source/B.sln]\n\nBuild FAILED.\n\nTime Elapsed 00:00:01.40\n",
        "Permission denied",
    ),
    "the end of msbuild": (
        "The build stopped at once.\n\nBuild FAILED.\n    0 Warning(s)\n    1 Error(s)\n\nTime Elapsed 00:00:03.18\n",
        "The build stopped at once.",
    ),
    "cargo": (
        (
            "   Compiling bot v0.1.0\nerror[E0425]: cannot find value `x` in this scope\n  --> src/main.rs:4:9\n   |\n"
            "error: could not compile `bot` due to previous error\n"
        ),
        "src/main.rs:4: cannot find value `x` in this scope",
    ),
    "cargo without a place": (
        "error: no matching package named `rand` found\nlocation searched: registry\n",
        "no matching package named `rand` found; builds have no network: hand in the crates too ('cargo vendor')",
    ),
    "cargo beside a folder of crates": (
        "error: no matching package found\nsearched package name: `rand`\nperhaps you meant:      `ran`\n",
        "no matching package named `rand` found; builds have no network: hand in the crates too ('cargo vendor')",
    ),
    "go": ("# bot\n./main.go:6:2: undefined: name\n", "./main.go:6: undefined: name"),
    "python": (
        '  File "bot.py", line 2\n    def f(:\n          ^\nSyntaxError: invalid syntax\n',
        "bot.py:2: SyntaxError: invalid syntax",
    ),
    "cmake": (
        "-- Configuring\nCMake Error at CMakeLists.txt:3 (find_package):\n  Could not find TBB\n\n\n-- Configuring incomplete\n",
        "CMakeLists.txt:3: Could not find TBB",
    ),
    "cargo's build script": (
        (
            "   Compiling robot v0.1.0 (.)\nerror: failed to run custom build command for `robot v0.1.0 (.)`\n\nCaused by:\n"
            "  process didn't exit successfully: `build-script-build` (exit status: 101)\n  --- stderr\n\n"
            "  thread 'main' (26) panicked at build.rs:6:5:\n  no such file\n"
        ),
        "build.rs:6: the build script failed: no such file",
    ),
    "a module of go": (
        "go: example.com/p@v1.0.0: missing go.sum entry; to add it:\n\tgo mod download example.com/p\n",
        "example.com/p@v1.0.0: missing go.sum entry; builds have no network: hand in the modules too ('go mod vendor')",
    ),
    "a command of make": (
        "cat ../other/secret.c\ncat: ../other/secret.c: No such file or directory\nmake: *** [Makefile:3: all] Error 1\n",
        "Makefile:3: cat: ../other/secret.c: No such file or directory",
    ),
    "a silent command of make": ("$ make\nmake: *** [Makefile:3: all] Error 1\n", "[Makefile:3: all] Error 1"),
    "a full disk": (
        "dd of=big\ndd: error writing 'big': No space left on device\nmake: *** [Makefile:2: all] Error 1\n",
        "Makefile:2: dd: error writing 'big': No space left on device; a build may not write that much",
    ),
    "too many processes": (
        "sh b\n./b: 0: Cannot fork\nmake: *** [Makefile:2: all] Error 2\n",
        "Makefile:2: ./b: 0: Cannot fork; a build may not start that many processes",
    ),
    "make": (
        "make: *** No rule to make target 'gone.c', needed by 'all'.  Stop.\n",
        "No rule to make target 'gone.c', needed by 'all'.  Stop.",
    ),
    "make's own syntax": ("Makefile:2: *** missing separator.  Stop.\n", "Makefile:2: missing separator.  Stop."),
    "shell": ("clang++ -c a.cpp\n/bin/sh: 1: clang++: not found\nmake: *** [Makefile:2: all] Error 127\n", "clang++: not found"),
    "nothing known": ("one\n\nsomething else\n\n", "something else"),
    "nothing at all": ("\n", ""),
}


@pytest.mark.parametrize("case", list(CASES))
def test_the_first_error_is_found(case: str) -> None:
    log, error = CASES[case]
    assert first_error(log) == error


def test_the_scratch_folder_is_left_out_and_long_lines_are_cut() -> None:
    assert first_error("/scratch/source/a.c:1:1: error: bad\n", "/scratch/source") == "a.c:1: bad"
    long = first_error("a.c:1:1: error: " + "x" * 5000 + " at the end")
    assert long == f"a.c:1: {'x' * 193} ... {'x' * 189} at the end"
