#pragma once
#include <memory>
#include "../interface.hpp"

#define REGISTER_GAME_MANAGER(class_name)                                     \
    static GameManagerRegistration register_##class_name([](bool verbose) { \
        return std::make_unique<class_name>(verbose);       \
    })
