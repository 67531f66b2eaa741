#pragma once
#include <memory>
#include "../interface.hpp"

#define REGISTER_TANK_ALGORITHM(class_name)                                     \
    static TankAlgorithmRegistration register_##class_name([](int player_index, int tank_index) { \
        return std::make_unique<class_name>(player_index, tank_index);       \
    })
