// Files of teams: opened once, with what they registered while they were opened. They are never closed: objects of theirs may live on.
#pragma once

#include <string>

#include "interface.hpp"

namespace tiltyard {

struct File {
    void* handle = nullptr;
    TankAlgorithmFactory tank;
    PlayerFactory player;
    GameManagerFactory manager;
};

// Null where it cannot be opened; `problem` then says why.
File* open_file(const std::string& path, std::string& problem);

}  // namespace tiltyard
