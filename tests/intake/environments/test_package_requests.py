"""What works ask for, by their projects' files."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from tests.intake.making import plant

from tiltyard_intake.environments.package_requests import requested_packages
from tiltyard_intake.trees.source_files import names_in

CARGO: Final = """[package]
name = "bot"
[dependencies]
rand = "0.8"
Serde = { version = "1", features = ["derive", "x y"], default-features = false }
short = { package = "a-long-name", version = "2" }
mine = { path = "../mine" }
theirs = { git = "https://example.com/theirs", rev = "abc", branch = "-x" }
shared = { workspace = true, features = ["more"] }
"no such name" = "1"
[build-dependencies]
cc = "1"
[target.'cfg(unix)'.dependencies]
libc = "0.2"
[dev-dependencies]
criterion = "0.5"
"""
GO: Final = """module bot

go 1.20 // the language
require example.com/one v1.0.0
require (
	// a comment
	example.com/two/v2 v2.0.0 // indirect
	example.com/mine v0.0.0
)
replace example.com/mine => ./mine
"""
PROJECT: Final = """<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup>
<ItemGroup><PackageReference Include="One" Version="1.0" />
<PackageReference Version="[2,3)" Include="Two"><PrivateAssets>all</PrivateAssets></PackageReference>
<PackageReference Include="Three"><Version>3</Version></PackageReference>
<PackageReference Include="Central" />
<!-- <PackageReference Include="Old" Version="1" /> -->
</ItemGroup></Project>
"""
CMAKE: Final = """include(FetchContent)
FetchContent_Declare(
    googletest # of tests
    GIT_REPOSITORY "https://github.com/google/googletest.git"
    GIT_TAG v1.14.0
)
fetchcontent_declare(json URL https://example.com/json.tar.xz)
# FetchContent_Declare(old GIT_REPOSITORY https://example.com/old)
FetchContent_Declare(hostile GIT_REPOSITORY "ext::sh -c touch% x" GIT_TAG --upload-pack=x)
"""
CASES: Final = {
    "cargo": (
        {
            "solution/Cargo.toml": CARGO,
            "Cargo.toml": '[workspace.dependencies]\nshared = { version = "7" }\n',
            "solution/vendor/rand/Cargo.toml": '[dependencies]\ninner = "1"\n',
        },
        {
            ("cargo", "rand", "0.8"),
            ("cargo", "Serde", "1"),
            ("cargo", "a-long-name", "2"),
            ("cargo", "theirs", "from git"),
            ("cargo", "shared", "7"),
            ("cargo", "cc", "1"),
            ("cargo", "libc", "0.2"),
        },
    ),
    "go": ({"go.mod": GO}, {("go", "example.com/one", "v1.0.0"), ("go", "example.com/two/v2", "v2.0.0")}),
    "nuget": (
        {
            "Bot/Bot.csproj": PROJECT,
            "Directory.Packages.props": '<Project><PackageVersion Include="Central" Version="9" /></Project>',
            "Old/packages.config": '<packages><package id="Four" version="4.0" targetFramework="net48" /></packages>',
        },
        {
            ("nuget", "One", "1.0"),
            ("nuget", "Two", "[2,3)"),
            ("nuget", "Three", "3"),
            ("nuget", "Central", "9"),
            ("nuget", "Four", "4.0"),
        },
    ),
    "cmake": (
        {"tests/CMakeLists.txt": CMAKE},
        {("cmake", "googletest", "v1.14.0"), ("cmake", "json", "json.tar.xz"), ("cmake", "hostile", "--upload-pack=x")},
    ),
    "python": (
        {"a/requirements.txt": "numpy>=2 # fast\n", "b/pyproject.toml": '[project]\ndependencies = ["scipy"]\n'},
        {("python", "numpy", ">=2"), ("python", "scipy", "")},
    ),
}


@pytest.mark.parametrize("case", list(CASES))
def test_all_that_a_build_takes_is_read(case: str, tmp_path: Path) -> None:
    files, expected = CASES[case]
    asked, problems = requested_packages(plant(tmp_path, files), names_in(tmp_path))
    assert ({(each.kind, each.name, each.version) for each in asked}, problems) == (expected, [])


def test_only_plain_words_go_on_to_commands(tmp_path: Path) -> None:
    plant(tmp_path, {"Cargo.toml": CARGO, "CMakeLists.txt": CMAKE})
    more = {each.name: each.more for each in requested_packages(tmp_path, names_in(tmp_path))[0]}
    assert more["hostile"] == {}
    assert more["googletest"] == {"git": "https://github.com/google/googletest.git", "tag": "v1.14.0"}
    assert more["json"] == {"url": "https://example.com/json.tar.xz"}
    assert more["Serde"] == {"features": ["derive"], "default-features": False}
    assert more["theirs"] == {"features": [], "default-features": True, "git": "https://example.com/theirs", "rev": "abc"}


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("Cargo.toml", "[dependencies\n", "x/Cargo.toml: Expected"),
        ("Cargo.toml", "a = " + "[" * 5000, "x/Cargo.toml: lists or tables nested too deeply"),
        ("go.mod", "x" * 300_000, "x/go.mod: has more than 256 KiB"),
        ("requirements.txt", "-r other.txt\n", "x/requirements.txt: "),
    ],
)
def test_a_file_that_cannot_be_read_is_named(name: str, text: str, problem: str, tmp_path: Path) -> None:
    plant(tmp_path, {f"x/{name}": text, "go.mod": "require example.com/one v1.0.0\n"})
    asked, problems = requested_packages(tmp_path, names_in(tmp_path))
    assert [each.name for each in asked] == ["example.com/one"]
    assert len(problems) == 1
    assert problems[0].startswith(problem)


@pytest.mark.parametrize("text", ["[dependencies]\nx = 1\n[target]\na = 2\n", "dependencies = 3\n", '[[dependencies]]\nx = "1"\n'])
def test_a_manifest_of_another_form_asks_for_nothing(text: str, tmp_path: Path) -> None:
    plant(tmp_path, {"Cargo.toml": text})
    assert requested_packages(tmp_path, names_in(tmp_path)) == ([], [])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csproj", "<!--"),
        ("a.csproj", "<package " + "a" * 200_000 + ">"),
        ("CMakeLists.txt", "FetchContent_Declare(a" + " " * 200_000),
        ("go.mod", "\n" * 200_000),
    ],
)
def test_no_file_takes_the_reader_s_time(name: str, text: str, tmp_path: Path) -> None:
    # What takes a time that grows with the square takes minutes here, and ends by the tests' own limit.
    plant(tmp_path, {name: (text * (250_000 // len(text)))})
    assert requested_packages(tmp_path, names_in(tmp_path)) == ([], [])
