// The interface of the course's assignment 3, written anew. Names, order of members, and the global namespace are its binary
// interface: a team's file was compiled against headers that agree with this one in all of them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

enum class ActionRequest {
    MoveForward,
    MoveBackward,
    RotateLeft90,
    RotateRight90,
    RotateLeft45,
    RotateRight45,
    Shoot,
    GetBattleInfo,
    DoNothing
};

// The destructors are defined in interface.cpp, so that this side has tables and type information of its own for files that want them.

class BattleInfo {
public:
    virtual ~BattleInfo();
};

class SatelliteView {
public:
    virtual ~SatelliteView();
    virtual char getObjectAt(size_t x, size_t y) const = 0;
};

class TankAlgorithm {
public:
    virtual ~TankAlgorithm();
    virtual ActionRequest getAction() = 0;
    virtual void updateBattleInfo(BattleInfo& info) = 0;
};

class Player {
public:
    virtual ~Player();
    virtual void updateTankWithBattleInfo(TankAlgorithm& tank, SatelliteView& satellite_view) = 0;
};

using TankAlgorithmFactory = std::function<std::unique_ptr<TankAlgorithm>(int player_index, int tank_index)>;
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
    virtual ~AbstractGameManager();
    virtual GameResult run(size_t map_width, size_t map_height, const SatelliteView& map, std::string map_name, size_t max_steps,
                           size_t num_shells, Player& player1, std::string name1, Player& player2, std::string name2,
                           TankAlgorithmFactory player1_tank_algo_factory, TankAlgorithmFactory player2_tank_algo_factory) = 0;
};

using GameManagerFactory = std::function<std::unique_ptr<AbstractGameManager>(bool verbose)>;

struct PlayerRegistration {
    PlayerRegistration(PlayerFactory factory);
};

struct TankAlgorithmRegistration {
    TankAlgorithmRegistration(TankAlgorithmFactory factory);
};

struct GameManagerRegistration {
    GameManagerRegistration(GameManagerFactory factory);
};
