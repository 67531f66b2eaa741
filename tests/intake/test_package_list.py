"""The list of what a class asks for, and the script that fetches it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Final

import pytest
from tests.intake.making import need, plant
from tests.intake.packages import add_crate, add_module, checksum_of
from tests.intake.wheels import make_wheel

from tiltyard_intake.building.toolchains import find_tool
from tiltyard_intake.environments.allowed import allowed_of
from tiltyard_intake.options import IntakeOptions
from tiltyard_intake.package_list import CRATES_IO, PackageList, list_packages

CARGO: Final = '[package]\nname = "{}"\nversion = "0.1.0"\n[dependencies]\n'
LOCK: Final = f"""version = 4
[[package]]
name = "rand"
version = "0.8.5"
source = "{CRATES_IO}"
checksum = "{checksum_of("rand")}"
dependencies = ["libc"]
[[package]]
name = "theirs"
version = "1.0.0"
source = "git+https://example.com/theirs#0123"
"""
CLASS: Final = {
    "ann/Cargo.toml": CARGO.format("ann") + 'rand = "0.8"\nrayon = { version = "1.5", features = ["web"] }\n',
    "ann/Cargo.lock": LOCK,
    "ann/src/main.rs": "fn main() {}\n",
    "ben/solution/Cargo.toml": CARGO.format("ben") + 'rand = "0.8"\n',
    "ben/solution/src/main.rs": "fn main() {}\n",
    "cid/go.mod": "module cid\n\ngo 1.16\n\nrequire example.com/names v1.2.3\n",
    "cid/main.go": "package main\n",
    "dora/requirements.txt": "frobnicate>=2\npytest\n",
    "dora/bot.py": "import frobnicate\n",
    "dora/Cargo.toml": "[dependencies\n",
    "eve/CMakeLists.txt": "FetchContent_Declare(names GIT_REPOSITORY https://example.invalid/names GIT_TAG v1)\n",
    "eve/main.cpp": "int main() {}\n",
    "fay/Cargo.toml": CARGO.format("fay") + 'names = { git = "https://example.invalid/names" }\n',
    "fay/src/main.rs": "fn main() {}\n",
}


def listed(folder: Path, allow: list[str], packages: Path | None, script_for: Path | None = None) -> PackageList:
    options = IntakeOptions(
        handed_in=plant(folder / "handed-in", CLASS),
        into=folder / "teams",
        reports=folder / "teams.intake",
        game="any",
        allowed=allowed_of(allow, None, packages=packages),
    )
    return list_packages(options, script_for)


def test_each_package_stands_there_with_those_who_ask_for_it_and_whether_they_get_it(tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    add_crate(packages, "rand", "0.8.5", "")
    add_crate(packages, "rayon", "1.10.0", "")
    make_wheel(packages / "python", "frobnicate", "2.5")
    found = listed(tmp_path, ["cargo:rand", "frobnicate"], packages)
    python = next(package for package in found.packages if package.name == "pytest")
    assert python.state.startswith("on this machine: pytest ")
    assert [package.row for package in found.packages if package is not python] == [
        ("cargo", "names", "from git", "not allowed", "fay", "Cargo.toml"),
        ("cargo", "rand", "0.8", "there 0.8.5", "ann, ben", "Cargo.toml"),
        ("cargo", "rayon", "1.5", "not allowed, but there 1.10.0", "ann", "Cargo.toml"),
        ("cmake", "names", "v1", "missing", "eve", "CMakeLists.txt"),
        ("go", "example.com/names", "v1.2.3", "missing", "cid", "go.mod"),
        ("python", "frobnicate", ">=2", "there 2.5", "dora", "requirements.txt"),
    ]
    assert [problem.partition(": Expected")[0] for problem in found.problems] == ["dora: Cargo.toml"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["handed-in", "packages"]


def test_the_script_asks_for_what_the_works_ask_for(tmp_path: Path) -> None:
    folder = tmp_path / "new folder"
    assert listed(tmp_path, ["cargo:rand", "cargo:rayon"], None, folder).script == folder / "fill.sh"
    first, *others = sorted((folder / "wanted" / "cargo").glob("*/Cargo.toml"))
    assert len(others) == 1
    wanted = list(tomllib.loads(first.read_text())["dependencies"].values())
    assert [(each["package"], each["version"], each["features"]) for each in wanted] == [
        ("rand", "0.8", []),
        ("rayon", "1.5", ["web"]),
    ]
    lock = tomllib.loads((first.parent / "Cargo.lock").read_text())
    assert [each["name"] for each in lock["package"]] == ["rand"]
    subprocess.run(["sh", "-n", folder / "fill.sh"], check=True)
    assert listed(tmp_path, ["cargo:rayon"], None, folder).script
    assert len(list((folder / "wanted" / "cargo").glob("*/Cargo.toml"))) == 1


def test_the_script_fetches_all_that_it_can_get_and_names_the_rest(tmp_path: Path) -> None:
    need("go", "cargo")
    if shutil.which("git") is None:
        pytest.skip("no git here")
    folder, source = tmp_path / "packages", tmp_path / "network"
    add_module(source, "example.com/names", "v1.2.3", "package names\n")
    manifest = '[package]\nname = "names"\nversion = "1.2.0"\n'
    plant(source / "names", {"CMakeLists.txt": "project(names)\n", "Cargo.toml": manifest, "src/lib.rs": ""})
    cargo = find_tool("cargo")
    assert cargo is not None
    nothing = f'[source.crates-io]\nreplace-with = "none"\n[source.none]\ndirectory = "{tmp_path}/none"\n'
    plant(tmp_path, {"home/.cargo/config.toml": nothing})
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.com", "-C", str(source / "names")]
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "x"), ("tag", "v1")):
        subprocess.run([*git, *words], check=True)
    script = listed(tmp_path, [], None, folder).script
    assert script is not None
    # What stands for the network.
    environment = {
        "HOME": str(tmp_path / "home"),
        "PATH": f"{Path(cargo.path).parent}:{os.environ['PATH']}",
        "GOPROXY": f"file://{source}/go/cache/download",
        "GONOSUMDB": "*",
        "GONOSUMCHECK": "1",
        "GOFLAGS": "-modcacherw",
        "GOSUMDB": "off",
        "CARGO_NET_GIT_FETCH_WITH_CLI": "true",
        "PIP_NO_INDEX": "1",
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": f"url.{source}/.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://example.invalid/",
        "GIT_CONFIG_KEY_1": "safe.directory",
        "GIT_CONFIG_VALUE_1": "*",
    }
    done = subprocess.run(["sh", script], env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert (folder / "cmake" / "names" / "CMakeLists.txt").is_file(), done.stderr
    assert "left out: frobnicate>=2" in done.stderr
    assert "left out: wanted/cargo/1/Cargo.toml" in done.stderr
    found = {f"{package.kind}:{package.name}": package.state for package in listed(tmp_path, [], folder).packages}
    states = [found[key] for key in ("go:example.com/names", "cmake:names", "cargo:names", "cargo:rand")]
    assert states == ["there v1.2.3", "there", "there 1.2.0", "missing"], done.stderr
