"""Builds with packages of the organiser's: what teams may have is found without a network, and the rest is named."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from tests.intake.making import need, plant
from tests.intake.packages import add_crate, add_module, add_nupkg, checksum_of

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Registry
from tiltyard_intake.building.build import BuildRules, Built, build
from tiltyard_intake.building.toolchains import find_tool
from tiltyard_intake.environments.allowed import allowed_of
from tiltyard_intake.environments.package_folder import ClassPackages, allowed_packages, packages_in
from tiltyard_intake.environments.package_requests import PackageRequest
from tiltyard_intake.recipes.program_recipes import recipes
from tiltyard_intake.recipes.recognition import recognise
from tiltyard_simulator.guard.programs.program_paths import on_dotnet

RECIPES: Final = list(recipes())
CARGO: Final = '[package]\nname = "bot"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\n'
PRINTS: Final = 'fn main() { println!("{}", names::name()); }\n'
GIT: Final = "https://localhost/names"
FROM_GIT: Final = f'source = "git+{GIT}#0123456789abcdef0123456789abcdef01234567"\n'
CRATES_IO: Final = 'source = "registry+https://github.com/rust-lang/crates.io-index"\n'
GO: Final = 'package main\n\nimport (\n\t"fmt"\n\t"example.com/names"\n)\n\nfunc main() {\n\tfmt.Println(names.Name())\n}\n'
CMAKE: Final = """cmake_minimum_required(VERSION 3.14)
project(bot CXX)
include(FetchContent)
FetchContent_Declare(Names GIT_REPOSITORY https://localhost/names GIT_TAG v1)
FetchContent_MakeAvailable(Names)
add_executable(bot bot.cpp)
target_link_libraries(bot names)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of packages. ``names`` needs ``deep``, and ``other`` nothing."""
    place = tmp_path / "packages"
    add_crate(place, "deep", "1.0.0", 'pub fn word() -> &\'static str { "rust" }\n')
    add_crate(place, "names", "1.2.3", "pub fn name() -> &'static str { deep::word() }\n", '[dependencies]\ndeep = "1"\n')
    add_crate(place, "other", "1.0.0", "")
    add_module(place, "example.com/deep", "v1.0.0", 'package deep\n\nconst Word = "go"\n')
    text = 'package names\n\nimport "example.com/deep"\n\nfunc Name() string {\n\treturn deep.Word\n}\n'
    add_module(place, "example.com/names", "v1.2.3", text, "\nrequire example.com/deep v1.0.0\n")
    add_module(place, "example.com/Other", "v1.0.0", "package other\n")
    add_nupkg(place, "Deep.Words", "1.0.0", {"content/words.txt": "deep"})
    add_nupkg(place, "Names", "1.2.3", {"content/words.txt": "names"}, needs="deep.words")
    library = "add_library(names INTERFACE)\ntarget_include_directories(names INTERFACE ${CMAKE_CURRENT_SOURCE_DIR})\n"
    plant(place / "cmake" / "names" / "names-1", {"CMakeLists.txt": library, "names.hpp": '#define NAME "cmake"\n'})
    plant(place / "cmake" / "other", {"CMakeLists.txt": "", "other.hpp": ""})
    return place


def built_with(tree: Path, packages: ClassPackages) -> Built:
    return build(recognise(tree, RECIPES), tree.parent / "teams", BuildRules(packages=packages), team="anna", game="filler")


def of_class(folder: Path, allow: Sequence[str] = ()) -> ClassPackages:
    return ClassPackages(allowed_of(allow, None, packages=folder), folder.parent / "reports")


def said(folder: Path) -> str:
    (entry,) = Registry.from_paths([folder]).entries
    program = entry.reference.program
    assert program is not None
    run = subprocess.run(on_dotnet(program).command, cwd=program.folder, capture_output=True, check=True, text=True, timeout=60)
    return run.stdout.strip()


def lock_of(source: str, version: str) -> str:
    """A Cargo.lock with ``names`` in a version."""
    deep = f'[[package]]\nname = "deep"\nversion = "1.0.0"\n{CRATES_IO}'
    names = f'[[package]]\nname = "names"\nversion = "{version}"\n{source}dependencies = ["deep"]\n'
    return f'version = 3\n[[package]]\nname = "bot"\nversion = "0.1.0"\ndependencies = ["names"]\n{deep}{names}'


WORKS: Final = {
    "crates": ("cargo", {"Cargo.toml": f'{CARGO}names = "1"\n', "src/main.rs": PRINTS}, "rust", "cargo:names"),
    "a crate from git": (
        "cargo",
        {
            "Cargo.toml": f'{CARGO}names = {{ git = "{GIT}", version = "1" }}\n',
            "src/main.rs": PRINTS,
            "Cargo.lock": lock_of(FROM_GIT, "1.2.3"),
        },
        "rust",
        "cargo:names",
    ),
    "modules": (
        "go",
        {"go.mod": "module bot\n\ngo 1.16\n\nrequire example.com/names v1.2.3\n", "main.go": GO},
        "go",
        "go:example.com/names",
    ),
    "what CMake fetches": (
        "cmake",
        {"CMakeLists.txt": CMAKE, "bot.cpp": "#include <cstdio>\n#include <names.hpp>\nint main() { std::puts(NAME); }\n"},
        "cmake",
        "cmake:names",
    ),
}


@pytest.mark.parametrize("case", list(WORKS))
def test_what_is_allowed_is_built_without_a_network(case: str, folder: Path, tmp_path: Path) -> None:
    tool, files, output, key = WORKS[case]
    need(tool, "gcc")
    tree = plant(tmp_path / "tree", files)
    packages = of_class(folder, [key])
    made = built_with(tree, packages)
    assert (made.error, len(made.ways)) == ("", 1), made.log
    assert made.ways[0] in ("its Cargo.toml", "its go.mod", "its CMakeLists.txt"), made.log
    assert said(tmp_path / "teams") == output
    # Of what it did not need, nothing was to be seen.
    assert not [path for path in (tmp_path / "reports").rglob("*") if "other" in path.name.lower()]
    packages.remove()
    assert not list((tmp_path / "reports").iterdir())


@pytest.mark.parametrize("case", ["crates", "modules", "what CMake fetches"])
def test_what_is_not_allowed_is_named_with_the_next_step(case: str, folder: Path, tmp_path: Path) -> None:
    tool, files, _, key = WORKS[case]
    need(tool, "gcc")
    kind, _, name = key.partition(":")
    made = built_with(plant(tmp_path / "tree", files), of_class(folder, [f"{kind}:other"]))
    assert f"or for {name}: ask the organiser to add --allow {key}" in made.error.replace("Names", "names"), made.log
    assert not made.products


@pytest.mark.parametrize(
    ("allow", "way_out"),
    [
        (["cargo:rand"], "or for rand: ask the organiser to put it into {}/cargo"),
        ([], "or for rand and a_grid: ask the organiser to put it into {}/cargo"),
        (
            ["cargo:names"],
            "or for rand and a_grid: ask the organiser to add --allow cargo:rand --allow cargo:a-grid",
        ),
    ],
)
def test_who_lacks_packages_is_told_who_can_help(allow: list[str], way_out: str, folder: Path) -> None:
    asked = [PackageRequest("cargo", name, "1", "Cargo.toml") for name in ("rand", "a_grid", "names", "grid")]
    failure = "bot needs crates that are not on this machine: rand, a_grid"
    packages = of_class(folder, allow).of_tools(["cargo", "gcc"])
    said = packages.way_out(failure if len(allow) != 1 or "names" in allow[0] else "no `rand` found", asked, is_cmake=False)
    assert said == way_out.format(folder)


def test_a_crate_from_git_needs_the_cargo_lock(folder: Path, tmp_path: Path) -> None:
    need("cargo", "gcc")
    files = {name: text for name, text in WORKS["a crate from git"][1].items() if name != "Cargo.lock"}
    made = built_with(plant(tmp_path / "tree", files), of_class(folder))
    assert made.error == "names comes from git, so cargo needs the Cargo.lock: hand it in too", made.log


LOCKS: Final = {
    "its version is there": (f'{CRATES_IO}checksum = "{checksum_of("names")}"\n', "1.0.0", '"1"'),
    "another version is there": (f'{CRATES_IO}checksum = "{checksum_of("names")}"\n', "1.1.0", '"1"'),
    "from git, with a crate in another version": (FROM_GIT, "1.2.3", f'{{ git = "{GIT}" }}'),
}


@pytest.mark.parametrize("case", list(LOCKS))
def test_a_cargo_lock_counts_where_its_versions_are_there(case: str, folder: Path, tmp_path: Path) -> None:
    need("cargo", "gcc")
    source, version, wanted = LOCKS[case]
    text, needs = "pub fn name() -> &'static str { deep::word() }\n", '[dependencies]\ndeep = "1"\n'
    add_crate(folder, "names", "1.0.0", text, needs, checksum=checksum_of("names"))
    lock = lock_of(source, version).replace('"deep"\nversion = "1.0.0"', f'"deep"\nversion = "1.{int("from git" in case)}.0"')
    tree = plant(tmp_path / "tree", {"Cargo.toml": f"{CARGO}names = {wanted}\n", "src/main.rs": PRINTS, "Cargo.lock": lock})
    made = built_with(tree, of_class(folder))
    assert made.error == "", made.log
    is_same = case == "its version is there"
    assert ("Compiling names v1.0.0" in made.log) is is_same, made.log
    assert any("its Cargo.lock names versions" in note for note in made.notes) is not is_same


def test_a_build_writes_nothing_into_the_folder_and_reads_nothing_else_of_it(folder: Path, tmp_path: Path) -> None:
    need("make", "gcc", "cargo")
    view = tmp_path / "reports" / "packages" / "cargo"
    tree = {
        "Cargo.toml": CARGO,
        "build.rs": f"""fn main() {{
    println!("cargo:warning=view {{}}", std::fs::write("{view}/names-1.2.3/src/lib.rs", "x").is_ok());
    println!("cargo:warning=seen {{}}", std::path::Path::new("{view}/names-1.2.3/src/lib.rs").exists());
    println!("cargo:warning=folder {{}}", std::path::Path::new("{folder}/cargo").exists());
}}
""",
        "src/main.rs": "fn main() {}\n",
    }
    made = built_with(plant(tmp_path / "tree", tree), of_class(folder))
    if "confine" in made.error:
        pytest.skip(made.error)
    assert [word for word in ("view false", "seen true", "folder false") if word not in made.log] == [], made.log


def test_a_build_is_done_again_only_when_its_own_packages_change(folder: Path) -> None:
    def digest(*tools: str, allow: Sequence[str] = ()) -> str:
        return of_class(folder, allow).of_tools(tools).digest()

    before = digest("cargo", "gcc")
    add_nupkg(folder, "Newer", "1.0.0", {})
    assert (digest("cargo", "gcc"), digest("gcc")) == (before, "")
    assert digest("cargo", allow=["cargo:names"]) != before
    add_crate(folder, "newer", "1.0.0", "")
    assert digest("cargo") != before


def test_dotnet_builds_with_a_package_of_the_folder(folder: Path, tmp_path: Path) -> None:
    if find_tool("dotnet-sdk") is None:
        pytest.skip("no .NET SDK: not in PATH, and TILTYARD_DOTNET doesn't name its folder")
    code = 'namespace Names { static class Name { public const string Word = "nuget"; } }\n'
    add_nupkg(folder, "Sources", "2.0.0", {"contentFiles/cs/any/Word.cs": code})
    project = (
        '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType>'
        "<TargetFramework>netcoreapp3.1</TargetFramework></PropertyGroup>"
        '<ItemGroup><PackageReference Include="Sources" Version="2.0.0" /></ItemGroup></Project>'
    )
    program = "class Program { static void Main() { System.Console.WriteLine(Names.Name.Word); } }\n"
    tree = plant(tmp_path / "tree", {"Bot.csproj": project, "Program.cs": program})
    made = built_with(tree, of_class(folder))
    for reason in ("No usable version of libssl", "Couldn't find a valid ICU package"):
        if reason in made.log:
            pytest.skip(f"this .NET SDK builds nothing here: {reason}")
    assert (made.error, made.ways) == ("", ("its project",)), made.log
    assert said(tmp_path / "teams") == "nuget"


@pytest.mark.parametrize(
    ("allow", "seen"),
    [
        (["cargo:Names"], {"cargo:names", "cargo:deep"}),
        (["go:example.com/names"], {"go:example.com/names", "go:example.com/deep"}),
        (["nuget:NAMES"], {"nuget:names", "nuget:deep.words"}),
        (["cmake:names"], {"cmake:names"}),
        (["numpy"], {"cargo:names", "cargo:deep", "cargo:other"}),
    ],
)
def test_what_is_allowed_is_allowed_with_all_that_it_needs(allow: list[str], seen: set[str], folder: Path) -> None:
    kind = min(seen).partition(":")[0]
    found = allowed_packages(packages_in(folder, kind), allowed_of(allow, None, packages=folder).others)
    assert {package.key for package in found} == seen


def test_a_module_with_capitals_has_its_own_name(folder: Path) -> None:
    add_module(folder, "example.com/!masterminds/x", "v1.0.0", "package x\n")
    assert "example.com/Masterminds/x" in {package.name for package in packages_in(folder, "go")}


def test_a_damaged_package_is_named(folder: Path) -> None:
    plant(folder / "nuget", {"Broken.1.0.0.nupkg": "no zip"})
    with pytest.raises(UserError, match=r"Broken\.1\.0\.0\.nupkg: isn't a NuGet package; remove it"):
        packages_in(folder, "nuget")
