// A GameManager built against the first draft of the course's headers: it registers alike, but run() takes fewer parameters.
#include <functional>
#include <memory>

class Player;
class SatelliteView;
class TankAlgorithm;
using TankAlgorithmFactory = std::function<std::unique_ptr<TankAlgorithm>(int player_index, int tank_index)>;
struct GameResult {
    int winner;
};
class AbstractGameManager {
public:
    virtual ~AbstractGameManager() {}
    virtual GameResult run(size_t map_width, size_t map_height, SatelliteView& map, size_t max_steps, size_t num_shells,
                           Player& player1, Player& player2, TankAlgorithmFactory factory1, TankAlgorithmFactory factory2) = 0;
};
struct GameManagerRegistration {
    GameManagerRegistration(std::function<std::unique_ptr<AbstractGameManager>(bool verbose)>);
};

class DraftManager : public AbstractGameManager {
public:
    GameResult run(size_t, size_t, SatelliteView&, size_t, size_t, Player&, Player&, TankAlgorithmFactory, TankAlgorithmFactory) override;
};
GameResult DraftManager::run(size_t, size_t, SatelliteView&, size_t, size_t, Player&, Player&, TankAlgorithmFactory, TankAlgorithmFactory) {
    return {1};
}

GameManagerRegistration managers([](bool) { return std::make_unique<DraftManager>(); });
