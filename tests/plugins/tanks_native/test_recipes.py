"""What teams of the course hand in, written anew, becomes compiled files that load and play."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest
from tests.intake.making import built, need, plant
from tests.plugins.tanks_native.compiled import Files

from tiltyard_engine.registry import Registry
from tiltyard_intake.recipes.recognition import recognise
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_tanks_native.recipes import recipes

RECIPES: Final = list(recipes())
INTERFACE: Final = (Path(__file__).parent / "cpp" / "course.hpp").read_text()
REGISTRATION: Final = """#pragma once
#include <memory>
#include "Interface.h"
#define REGISTER_TANK_ALGORITHM(name) TankAlgorithmRegistration register_me_##name( \\
    [](int player, int tank) { return std::make_unique<name>(player, tank); });
#define REGISTER_PLAYER(name) PlayerRegistration register_me_##name( \\
    [](int seat, size_t x, size_t y, size_t steps, size_t shells) { return std::make_unique<name>(seat, x, y, steps, shells); });
"""
TANK_H: Final = """#pragma once
#include "../common/Interface.h"
#include "../UserCommon/Info.h"
namespace Algorithm_123_456 {
class Tank : public TankAlgorithm {
public:
    Tank(int player, int tank);
    ActionRequest getAction() override;
    void updateBattleInfo(BattleInfo& info) override;
private:
    int round_ = 0;
};
}
"""
TANK_CPP: Final = """#include "Tank.h"
#include "Registration.h"
using namespace Algorithm_123_456;
REGISTER_TANK_ALGORITHM(Tank)
Tank::Tank(int, int) {}
ActionRequest Tank::getAction() { return ++round_ % 3 ? ActionRequest::Shoot : UserCommon_123_456::turn(); }
void Tank::updateBattleInfo(BattleInfo&) {}
"""
COACH_CPP: Final = """#include "Registration.h"
#include "../UserCommon/Info.h"
namespace Algorithm_123_456 {
class Coach : public Player {
public:
    Coach(int, size_t, size_t, size_t, size_t) {}
    void updateTankWithBattleInfo(TankAlgorithm& tank, SatelliteView&) override {
        UserCommon_123_456::Info info;
        tank.updateBattleInfo(info);
    }
};
}
using namespace Algorithm_123_456;
REGISTER_PLAYER(Coach)
"""
MANAGER_CPP: Final = """#include "../common/Interface.h"
struct Manager : AbstractGameManager {
    GameResult run(size_t, size_t, const SatelliteView&, std::string, size_t, size_t, Player&, std::string, Player&, std::string,
                   TankAlgorithmFactory, TankAlgorithmFactory) override {
        return GameResult{0, GameResult::MAX_STEPS, {0, 0}, nullptr, 1};
    }
};
GameManagerRegistration manager([](bool) { return std::make_unique<Manager>(); });
"""
TREE: Final = {
    "common/Interface.h": INTERFACE,
    "common/Registration.h": REGISTRATION,
    "UserCommon/Info.h": """#pragma once
#include "../common/Interface.h"
namespace UserCommon_123_456 {
struct Info : BattleInfo { int seen = 0; };
inline ActionRequest turn() { return ActionRequest::RotateLeft45; }
}
""",
    "Algorithm/Tank.h": TANK_H,
    "Algorithm/Tank.cpp": TANK_CPP,
    "Algorithm/Coach.cpp": COACH_CPP,
    "GameManager/Manager.cpp": MANAGER_CPP,
    "Simulator/main.cpp": "int main() { return 0; }\n",
    "students.txt": "Anna 123\nBen 456\n",
}
SMALL: Final = {
    **{name: text for name, text in TREE.items() if name not in ("Algorithm/Coach.cpp", "GameManager/Manager.cpp")},
    "Algorithm/Tank.cpp": TANK_CPP + COACH_CPP,
}
"""An algorithm of one file, and no GameManager: each file takes a compiler most of a second."""
CMAKE: Final = """cmake_minimum_required(VERSION 3.10)
project(%s CXX)
set(CMAKE_CXX_STANDARD 20)
file(GLOB SOURCES *.cpp)
add_library(%s_123_456 SHARED ${SOURCES})
target_include_directories(%s_123_456 PRIVATE ../common ../UserCommon)
set_target_properties(%s_123_456 PROPERTIES PREFIX "")
"""
MAKEFILE: Final = """CXXFLAGS ?= -std=c++20 -fPIC -I../common -Wall
Algorithm_123_456.so: Tank.o
\t$(CXX) -shared -o $@ $^
%.o: %.cpp
\t$(CXX) $(CXXFLAGS) -c -o $@ $<
"""
STALE: Final = {"Algorithm/Tank.o": b"\x7fELF stale", "Algorithm/Algorithm_123_456.so": b"\x7fELF stale"}
"""What another machine has made, which is not to be taken for new."""


def cmake(name: str) -> str:
    return CMAKE % ((name,) * 4)


def check_it_loads(teams: Path, *names: str) -> None:
    registry = Registry.from_paths([teams], own=OWN_DISTRIBUTIONS)
    assert [row.reason for row in registry.failures()] == []
    assert sorted(row.name for row in registry.rows) == sorted(names)


@pytest.mark.parametrize(
    ("extra", "way"),
    [
        (TREE, "the C++ files of Algorithm/"),
        (
            {
                "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(all CXX)\nadd_subdirectory(Algorithm)\n",
                "Algorithm/CMakeLists.txt": "include_directories(../common)\n" + cmake("Algorithm"),
            },
            "Algorithm/CMakeLists.txt",
        ),
        (
            {"Makefile": "all:\n\t$(MAKE) -C Algorithm\n", "Algorithm/sub.mk": "", "Algorithm/GNUmakefile": MAKEFILE, **STALE},
            "Algorithm/Makefile",
        ),
    ],
    ids=["bare", "cmake", "make"],
)
def test_assignment_3_becomes_an_algorithm_and_a_manager(extra: Mapping[str, str | bytes], way: str, tmp_path: Path) -> None:
    need("g++", "make", "cmake")
    files: Mapping[str, str | bytes] = extra if extra is TREE else {**SMALL, **extra}
    made = built(plant(tmp_path / "tree", {f"hw3/{name}": text for name, text in files.items()}), RECIPES)
    assert (made.error, made.recipe) == ("", "tanks-assignment-3")
    assert made.ways[0] == way
    products = {"Algorithm_anna": "teams/Algorithm_anna.so"}
    if files is TREE:
        products["GameManager_anna"] = "teams/game_managers/GameManager_anna.so"
    assert [str(path.relative_to(tmp_path)) for path in made.products] == list(products.values())
    for name, path in products.items():
        check_it_loads((tmp_path / path).parent, name)


def test_an_algorithm_in_headers_alone_is_built(tmp_path: Path) -> None:
    need("g++")
    body = (
        TANK_CPP.replace('#include "Tank.h"\n', "")
        .replace("Tank::Tank(", "inline Tank::Tank(")
        .replace("ActionRequest Tank", "inline ActionRequest Tank")
    )
    files = {name: text for name, text in TREE.items() if not name.startswith(("Algorithm/", "GameManager/"))}
    headers = {"Algorithm/Tank.h": TANK_H + body.replace("void Tank", "inline void Tank"), "Algorithm/Coach.hpp": COACH_CPP}
    made = built(plant(tmp_path / "tree", {**files, **headers}), RECIPES)
    assert (made.error, made.ways) == ("", ("the headers of Algorithm/",)), made.log
    assert made.notes == ("the GameManager was not made: found nothing to make the GameManager from",)
    check_it_loads(tmp_path / "teams", "Algorithm_anna")


def test_a_broken_makefile_is_told_and_the_files_are_built_all_the_same(tmp_path: Path) -> None:
    need("g++", "make")
    tree = plant(tmp_path / "tree", {**SMALL, "Algorithm/Makefile": MAKEFILE.replace("Tank.o\n", "Gone.o Tank.o\n")})
    made = built(tree, RECIPES)
    assert made.error == ""
    assert made.ways[0] == "the C++ files of Algorithm/"
    expected = "Algorithm/Makefile failed (No rule to make target 'Gone.o', needed by 'Algorithm_123_456.so'.)"
    assert expected in made.notes[0]


def test_an_error_names_file_and_line_as_the_student_has_them(tmp_path: Path) -> None:
    need("g++")
    tree = plant(tmp_path / "tree", {**SMALL, "Algorithm/Tank.cpp": TANK_CPP.replace("++round_ %", "++rounds_ %")})
    made = built(tree, RECIPES)
    assert made.error == "Algorithm/Tank.cpp:6: 'rounds_' was not declared in this scope; did you mean 'round_'?"
    assert made.products == ()
    assert "g++ exited with code 1" in made.log
    assert not (tmp_path / "teams").exists()


PLAIN: Final = """#include "TankAlgorithmRegistration.h"
#include "../common/PlayerRegistration.h"
#include "common/BattleInfo.h"
class Coach : public Player {
public:
    Coach(int, size_t, size_t, size_t, size_t) {}
    void updateTankWithBattleInfo(TankAlgorithm& tank, SatelliteView&) override { BattleInfo info; tank.updateBattleInfo(info); }
};
class Tank : public TankAlgorithm {
public:
    Tank(int, int) {}
    ActionRequest getAction() override { return ActionRequest::DoNothing; }
    void updateBattleInfo(BattleInfo&) override {}
};
REGISTER_PLAYER(Coach);
REGISTER_TANK_ALGORITHM(Tank);
"""


def test_plain_files_get_the_course_s_headers(tmp_path: Path) -> None:
    need("g++")
    made = built(plant(tmp_path / "tree", {"my algorithm.cpp": PLAIN}), RECIPES, team="Team Rocket")
    assert (made.error, made.recipe, made.ways) == ("", "tanks-cpp", ("its C++ files",))
    assert [path.name for path in made.products] == ["Algorithm_Team_Rocket.so"]
    check_it_loads(tmp_path / "teams", "Algorithm_Team_Rocket")


def test_compiled_files_are_taken_as_they_are(files: Files, tmp_path: Path) -> None:
    tree = plant(tmp_path / "tree", {"readme.txt": "ours"})
    shutil.copy(files.compiled("algorithm"), tree / "Algorithm_1_2.so")
    shutil.copy(files.compiled("manager"), tree / "GameManager_1_2.so")
    made = built(tree, RECIPES)
    assert (made.error, made.recipe, made.log) == ("", "tanks-prebuilt", "")
    check_it_loads(tmp_path / "teams", "Algorithm_anna")


def test_files_for_macos_are_refused_with_the_reason(tmp_path: Path) -> None:
    tree = plant(tmp_path / "tree", {"Algorithm_1.so": b"\xcf\xfa\xed\xfe" + bytes(60)})
    made = built(tree, RECIPES)
    assert made.products == ()
    # Nobody has to hand in a GameManager, so it isn't missed.
    assert made.error == (
        "the algorithm was not made: Algorithm_1.so was built for macOS; this machine needs one for Linux, or the sources"
    )


def test_another_language_is_told(tmp_path: Path) -> None:
    found = recognise(plant(tmp_path / "tree", {"Bot.cs": "class Bot {}", "Util.cs": ""}), RECIPES)
    assert found.recipe is None
    assert found.reason.startswith(
        "holds C# sources (Bot.cs and 1 more); expected assignment 3's folders Algorithm/ and GameManager/"
    )
