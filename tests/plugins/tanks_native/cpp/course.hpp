// As a team has the interface: everything in the headers, destructors too. Written apart from the one in the package, so that a slip
// in either shows.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

enum class ActionRequest {
    MoveForward, MoveBackward, RotateLeft90, RotateRight90, RotateLeft45, RotateRight45, Shoot, GetBattleInfo, DoNothing
};
class BattleInfo {
public:
    virtual ~BattleInfo() {}
};
class SatelliteView {
public:
    virtual ~SatelliteView() {}
    virtual char getObjectAt(size_t x, size_t y) const = 0;
};
class TankAlgorithm {
public:
    virtual ~TankAlgorithm() {}
    virtual ActionRequest getAction() = 0;
    virtual void updateBattleInfo(BattleInfo& info) = 0;
};
using TankAlgorithmFactory = std::function<std::unique_ptr<TankAlgorithm>(int player_index, int tank_index)>;
class Player {
public:
    virtual ~Player() {}
    virtual void updateTankWithBattleInfo(TankAlgorithm& tank, SatelliteView& satellite_view) = 0;
};
using PlayerFactory =
    std::function<std::unique_ptr<Player>(int player_index, size_t x, size_t y, size_t max_steps, size_t num_shells)>;
struct GameResult {
    int winner;
    enum Reason { ALL_TANKS_DEAD, MAX_STEPS, ZERO_SHELLS };
    Reason reason;
    std::vector<size_t> remaining_tanks;
    std::unique_ptr<SatelliteView> gameState;
    size_t rounds;
};
class AbstractGameManager {
public:
    virtual ~AbstractGameManager() {}
    virtual GameResult run(size_t map_width, size_t map_height, const SatelliteView& map, std::string map_name, size_t max_steps,
                           size_t num_shells, Player& player1, std::string name1, Player& player2, std::string name2,
                           TankAlgorithmFactory player1_tank_algo_factory, TankAlgorithmFactory player2_tank_algo_factory) = 0;
};
using GameManagerFactory = std::function<std::unique_ptr<AbstractGameManager>(bool verbose)>;
#ifdef OLD_HEADERS
using OldPlayerFactory = std::function<std::unique_ptr<Player>(int player_index, size_t x, size_t y)>;
struct PlayerRegistration {
    PlayerRegistration(OldPlayerFactory);
};
#else
struct PlayerRegistration {
    PlayerRegistration(PlayerFactory);
};
#endif
struct TankAlgorithmRegistration {
    TankAlgorithmRegistration(TankAlgorithmFactory);
};
struct GameManagerRegistration {
    GameManagerRegistration(GameManagerFactory);
};

#include <dlfcn.h>

#include <cstdlib>

// What this file is to do, and with which number: Algorithm_script_7.so is to do "script" with 7.
inline std::string own_name(const void* something_of_it) {
    Dl_info found;
    if (dladdr(something_of_it, &found) == 0) return "";
    std::string name = found.dli_fname;
    name = name.substr(name.rfind('/') + 1);
    name = name.substr(name.find('_') + 1);
    return name.substr(0, name.find('.'));
}
inline std::string own_word(const void* something_of_it) {
    std::string name = own_name(something_of_it);
    size_t end = name.find_last_of('_');
    if (end != std::string::npos && name.find_first_not_of("0123456789", end + 1) == std::string::npos) name.resize(end);
    return name;
}
inline unsigned own_number(const void* something_of_it) {
    std::string name = own_name(something_of_it);
    size_t end = name.find_last_of('_');
    return end == std::string::npos ? 0 : static_cast<unsigned>(std::atoi(name.c_str() + end + 1));
}
