"""Recipes for programs, for every game that programs play: Rust, Go, C and C++, C#, Python, and what is built already.

A game that knows more of what is handed in for it brings recipes of its own, which come first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.recipes import BUILD_HELPERS, CMAKE_OPTIONS, KEEP_GOING, Part, Product, Recipe, Step, Way
from tiltyard_engine.registry.sources import MANIFEST

TILTYARD_API = 1
PYTHON_HELPERS: Final = str(Path(__file__).parent / "python_helpers")
PROGRAM_HELPERS: Final = str(Path(__file__).parent / "program_helpers")
CSHARP_HELPERS: Final = str(Path(__file__).parent / "csharp_helpers")
SDK: Final = "dotnet-sdk"
TITLE: Final = "the program"
MAKEFILE: Final = "Makefile|makefile|GNUmakefile"
C_SOURCES: Final = "*.c|*.cpp|*.cc|*.cxx"
C_BELOW: Final = "**/*.c|**/*.cpp|**/*.cc|**/*.cxx"
HELPERS_OF_TEAMS: Final = (
    *("test", "util", "helper", "bench", "example", "setup", "server", "engine"),
    *("visual", "view", "display", "render", "replay"),
)
NATIVE: Final = Product(form="program", patterns=("**/*",), contents="executable", avoids=HELPERS_OF_TEAMS)
MONO: Final = Product(
    form="program",
    patterns=("*.exe", "**/*.exe"),
    contents="assembly",
    avoids=(*HELPERS_OF_TEAMS, "vshost"),
    command=("{tool:mono}", "{product}"),
    also=("*.dll", "*.config"),
)
DOTNET: Final = Product(
    form="program",
    patterns=("*.dll", "**/*.dll"),
    contents="assembly",
    avoids=HELPERS_OF_TEAMS,
    beside=("{stem}.runtimeconfig.json",),
    command=("{tool:dotnet}", "{product}"),
    also=("*.dll", "*.json"),
)


@hookimpl
def recipes() -> Iterator[Recipe]:
    """The more special first."""
    yield manifest()
    yield from rust()
    yield from go()
    yield from c_sharp()
    yield from c()
    yield python()
    yield from built_already()


def manifest() -> Recipe:
    """A folder that says itself how its program is run."""
    return Recipe(
        name="program-manifest",
        title="a folder with a program.toml that says how its program is run",
        wants=(MANIFEST,),
        parts=(Part(title=TITLE, ways=(Way(title="its program.toml"),), product=Product(form="folder", patterns=())),),
        order=30,
    )


def rust() -> Iterator[Recipe]:
    """Rust with cargo, its dependencies handed in or none, and without it."""
    environment = (
        ("CARGO_TARGET_DIR", "{out}/target"),
        ("RUSTFLAGS", "--remap-path-prefix {source}=. --remap-path-prefix {packages}=packages"),
    )
    release = ("build", "--release", "--offline")
    vendored = (
        *("--config", 'source.crates-io.replace-with="vendored"'),
        *("--config", 'source.vendored.directory="{source}/vendor"'),
    )
    alone = Step(tool="python3", words=("-I", "{headers}/build_rust.py", "{source}", *HELPERS_OF_TEAMS), environment=environment)
    product = Product(form="program", patterns=("target/release/*",), contents="executable", avoids=HELPERS_OF_TEAMS)
    yield Recipe(
        name="rust-cargo",
        title="a Rust project with a Cargo.toml",
        wants=("Cargo.toml", "**/*.rs"),
        parts=(
            Part(
                title=TITLE,
                ways=(
                    Way(
                        title="its Cargo.toml, with the crates in vendor/",
                        wants=("vendor/**/Cargo.toml",),
                        rejects=(".cargo/config*",),
                        steps=(Step(tool="cargo", words=(*release, *vendored), environment=environment),),
                        uses=("rustc", "gcc"),
                    ),
                    Way(
                        title="its Cargo.toml",
                        steps=(Step(tool="cargo", words=release, environment=environment),),
                        uses=("rustc", "gcc"),
                        is_again=True,
                    ),
                    Way(
                        title="its Cargo.toml, the robot alone",
                        steps=(alone,),
                        uses=("cargo", "rustc", "gcc"),
                        is_again=True,
                    ),
                ),
                product=product,
            ),
        ),
        headers=(PROGRAM_HELPERS,),
        order=40,
    )
    words = ("--edition", "2021", "-O", "--remap-path-prefix", "{source}=.", "-o", "{out}/{team}")
    yield Recipe(
        name="rust-files",
        title="a main.rs without a Cargo.toml",
        wants=("main.rs|src/main.rs",),
        parts=(
            Part(
                title=TITLE,
                ways=(
                    Way(
                        title="its main.rs",
                        steps=(Step(tool="rustc", words=(*words, "{files:main.rs|src/main.rs}")),),
                        uses=("gcc",),
                    ),
                ),
                product=NATIVE,
            ),
        ),
        order=41,
    )


def go() -> Iterator[Recipe]:
    """Go with a module and without one.

    Without ``-trimpath``: with it, the standard library is compiled again for each team, which takes 7 s in place of 0.3.
    """
    module = Step(tool="go", words=("build", "-buildvcs=false", "-o", "{out}/{team}", "."))
    below = Step(tool="go", words=("build", "-buildvcs=false", "-o", "{out}/bin/", "./..."))
    alone = ("-I", "{headers}/build_go.py", "{source}", "{out}/bin", *HELPERS_OF_TEAMS)
    files = Step(tool="go", words=("build", "-buildvcs=false", "-o", "{out}/{team}", "{files:*.go}"))
    yield Recipe(
        name="go-module",
        title="a Go module with a go.mod",
        wants=("go.mod", "**/*.go"),
        parts=(
            Part(
                title=TITLE,
                ways=(
                    Way(title="its go.mod", wants=("*.go",), steps=(module,)),
                    Way(title="the programs of its go.mod", steps=(Step(tool="mkdir", words=("-p", "{out}/bin")), below)),
                    Way(
                        title="its go.mod, the robot alone",
                        steps=(Step(tool="python3", words=alone),),
                        uses=("go",),
                        is_again=True,
                    ),
                ),
                product=NATIVE,
            ),
        ),
        headers=(PROGRAM_HELPERS,),
        order=42,
    )
    yield Recipe(
        name="go-files",
        title="Go files without a module",
        wants=("*.go",),
        parts=(Part(title=TITLE, ways=(Way(title="its Go files", rejects=("*_test.go",), steps=(files,)),), product=NATIVE),),
        order=43,
    )


def c_sharp() -> Iterator[Recipe]:
    """C# with a project or a solution, and bare files.

    The SDK's compiler itself needs neither MSBuild nor packages of the project's framework: it builds what ``dotnet build`` can't.
    """
    options = (
        "-c",
        "Release",
        "-o",
        "{out}/built",
        "--nologo",
        "-m:1",
        "-nodeReuse:false",
        "-p:UseAppHost=false",
        "-p:Deterministic=true",
        # The machine may have another .NET than the project's, of which the newest starts in the least time, and none of the files
        # for languages.
        "-p:RollForward=LatestMajor",
        "-p:InvariantGlobalization=true",
        "-p:PredefinedCulturesOnly=false",
        "-p:TieredPGO=false",
    )
    compiled = Way(
        title="its C# files, by .NET",
        steps=(Step(tool="python3", words=("-I", "{headers}/compile_csharp.py", "{source}", "{out}/{team}.dll")),),
        uses=("dotnet", SDK),
        product=DOTNET,
    )
    mcs = ("-nologo", "-optimize+", "-debug-", "-target:exe", "-out:{out}/{team}.exe")
    bare = Way(title="its C# files", steps=(Step(tool="mcs", words=(*mcs, "{files:**/*.cs}")),), uses=("mono",), product=MONO)
    top = Way(
        title="the C# files at the top",
        wants=("**/*/*.cs", "*.cs"),
        steps=(Step(tool="mcs", words=(*mcs, "{files:*.cs}")),),
        product=MONO,
    )
    yield Recipe(
        name="csharp-project",
        title="a C# project (.csproj) or solution (.sln)",
        wants=("*.csproj|*.sln", "**/*.cs"),
        parts=(
            Part(
                title=TITLE,
                ways=(
                    Way(
                        title="its solution",
                        wants=("*.sln",),
                        rejects=("*.csproj",),
                        steps=(Step(tool="dotnet", words=("build", "{files:*.sln}", *options)),),
                        uses=(SDK,),
                    ),
                    Way(
                        title="its project",
                        wants=("*.csproj",),
                        steps=(Step(tool="dotnet", words=("build", "{files:*.csproj}", *options)),),
                        uses=(SDK,),
                    ),
                    compiled,
                    bare,
                ),
                product=DOTNET,
            ),
        ),
        headers=(CSHARP_HELPERS,),
        order=44,
    )
    yield Recipe(
        name="csharp-files",
        title="C# files",
        wants=("*.cs|**/*.cs",),
        parts=(Part(title=TITLE, ways=(compiled, bare, top), product=MONO),),
        headers=(CSHARP_HELPERS,),
        order=46,
    )


def c() -> Iterator[Recipe]:
    """C and C++ by a Makefile, by CMake, and bare files."""
    includes = ("-I{source}", "-I{folders:**/*.h|**/*.hpp}")
    flags = ("-O2", "-ffile-prefix-map={source}=.", *includes)
    files = (
        Way(
            title="its C files",
            rejects=("*.cpp", "*.cc", "*.cxx"),
            steps=(Step(tool="gcc", words=(*flags, "-fcommon", "{files:*.c|src/**/*.c}", "-o", "{out}/{team}", "-lm")),),
        ),
        Way(
            title="its C++ files",
            wants=("*.cpp|*.cc|*.cxx|src/**/*.cpp",),
            steps=(Step(tool="g++", words=("-std=c++20", *flags, "{files:*.cpp|*.cc|*.cxx|src/**/*.cpp}", "-o", "{out}/{team}")),),
        ),
        Way(
            title="its C or C++ files, each alone",
            steps=(Step(tool="python3", words=("-I", "{headers}/build_c.py", "{source}", "{out}/{team}")),),
            uses=("gcc", "g++"),
            is_again=True,
        ),
    )
    yield Recipe(
        name="c-project",
        title="a C or C++ project with a Makefile or a CMakeLists.txt",
        wants=(f"{MAKEFILE}|CMakeLists.txt", C_BELOW),
        parts=(Part(title=TITLE, ways=(*project_ways(), *files), product=NATIVE),),
        headers=(BUILD_HELPERS,),
        order=60,
    )
    yield Recipe(
        name="c-files",
        title="C or C++ files",
        wants=(f"{C_SOURCES}|src/*.c|src/*.cpp",),
        parts=(Part(title=TITLE, ways=files, product=NATIVE),),
        headers=(BUILD_HELPERS,),
        order=62,
    )


def project_ways() -> tuple[Way, ...]:
    """A Makefile, and CMake."""
    flags = (("CFLAGS", "-ffile-prefix-map={source}=."), ("CXXFLAGS", "-ffile-prefix-map={source}=."))
    configure = ("-S", "{source}", "-B", "{out}/build", *CMAKE_OPTIONS)
    return (
        Way(
            title="its CMakeLists.txt",
            wants=("CMakeLists.txt",),
            steps=(
                Step(tool="cmake", words=configure, environment=flags),
                Step(tool="cmake", words=("--build", "{out}/build", *KEEP_GOING)),
            ),
            uses=("make", "gcc", "g++"),
        ),
        Way(title="its Makefile", wants=(MAKEFILE,), steps=(Step(tool="make", words=("-k",)),), uses=("gcc",)),
    )


def python() -> Recipe:
    """A program in Python: its main file by its name, or the only one."""
    product = Product(
        form="program",
        patterns=("main.py", "__main__.py", "bot.py", "*.py"),
        avoids=HELPERS_OF_TEAMS,
        command=("python3", "{product}"),
        also=("**/*",),
    )
    checked = Step(tool="python3", words=("-I", "{headers}/check_syntax.py", "{source}"))
    return Recipe(
        name="python-program",
        title="a program in Python",
        wants=("*.py",),
        parts=(Part(title=TITLE, ways=(Way(title="its Python files", steps=(checked,)),), product=product),),
        headers=(PYTHON_HELPERS,),
        order=80,
    )


def built_already() -> Iterator[Recipe]:
    """Programs that were handed in ready to run."""
    yield Recipe(
        name="dotnet-prebuilt",
        title="a .NET program that is built already",
        wants=("**/*.runtimeconfig.json", "**/*.dll"),
        parts=(
            Part(
                title=TITLE,
                ways=(Way(title="its .NET program", uses=("dotnet",)),),
                product=replace(DOTNET, command=("{tool:dotnet}", "--roll-forward", "Major", "{product}")),
            ),
        ),
        order=88,
    )
    yield Recipe(
        name="mono-prebuilt",
        title="a .NET program (.exe) that is built already",
        wants=("**/*.exe",),
        mentions=("mscoree.dll", "BSJB"),
        parts=(Part(title=TITLE, ways=(Way(title="its .exe file", uses=("mono",)),), product=MONO),),
        order=90,
    )
    yield Recipe(
        name="prebuilt",
        title="a Linux program that is built already",
        wants=("**/*",),
        mentions=("\x7fELF",),
        parts=(Part(title=TITLE, ways=(Way(title="its program"),), product=NATIVE),),
        order=94,
    )
    script = Product(
        form="program", patterns=("*", "**/*"), contents="script", avoids=(*HELPERS_OF_TEAMS, ".sh", "docker"), also=("**/*",)
    )
    yield Recipe(
        name="script",
        title="a script that names its interpreter in its first line",
        wants=("**/*",),
        mentions=("#!/",),
        parts=(Part(title=TITLE, ways=(Way(title="its script"),), product=script),),
        order=96,
    )
