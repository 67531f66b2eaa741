// What a team's file wants of its host: the interface's own tables, and the constructors by which it registers.
#include "interface.hpp"

#include <dlfcn.h>

#include <map>
#include <utility>

#include "files.hpp"
#include "newer_files.hpp"

BattleInfo::~BattleInfo() = default;
SatelliteView::~SatelliteView() = default;
TankAlgorithm::~TankAlgorithm() = default;
Player::~Player() = default;
AbstractGameManager::~AbstractGameManager() = default;

namespace {

tiltyard::File* being_opened = nullptr;

}  // namespace

// A file that registers twice is taken at its last word. A late registration, by a file that is open already, has nobody to go to.

PlayerRegistration::PlayerRegistration(PlayerFactory factory) {
    if (being_opened != nullptr) being_opened->player = std::move(factory);
}

TankAlgorithmRegistration::TankAlgorithmRegistration(TankAlgorithmFactory factory) {
    if (being_opened != nullptr) being_opened->tank = std::move(factory);
}

GameManagerRegistration::GameManagerRegistration(GameManagerFactory factory) {
    if (being_opened != nullptr) being_opened->manager = std::move(factory);
}

namespace tiltyard {

File* open_file(const std::string& path, std::string& problem) {
    // Two names of one file are one handle, whose constructors ran once.
    static std::map<std::string, File*> by_path;
    static std::map<void*, File*> by_handle;
    auto known = by_path.find(path);
    if (known != by_path.end()) return known->second;
    auto file = std::make_unique<File>();
    being_opened = file.get();
    // At once, not when first called: a symbol that is missing shall be told before a match depends on it.
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        const char* words = dlerror();
        problem = words == nullptr ? "unknown reason" : words;
        // So says the loader, before anything of the file has run.
        if (problem.find("version `") != std::string::npos && allow_newer_files()) {
            handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
            const char* still = handle == nullptr ? dlerror() : nullptr;
            if (still != nullptr) problem = still;
        }
    }
    being_opened = nullptr;
    if (handle == nullptr) return nullptr;
    problem.clear();
    auto twin = by_handle.find(handle);
    File* kept = twin != by_handle.end() ? twin->second : file.release();
    kept->handle = handle;
    by_handle[handle] = kept;
    by_path[path] = kept;
    return kept;
}

}  // namespace tiltyard
