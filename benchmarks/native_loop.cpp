// The plainest simulator that could play the same games, for comparison: opens the files once, then plays one game after the other in this
// process. Its input: the GameManager's path, the number of algorithms, their paths, the number of games, and for each game two indexes of
// algorithms, width, height, max_steps, num_shells and the rows, each on a line with a dot before it.
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

#include "interface.hpp"
#include "files.hpp"
#include "views.hpp"

int main() {
    auto open = [] {
        std::string path, problem;
        std::getline(std::cin >> std::ws, path);
        tiltyard::File* file = tiltyard::open_file(path, problem);
        if (file == nullptr) {
            std::cerr << problem << std::endl;
            _exit(1);
        }
        return file;
    };
    tiltyard::File* manager = open();
    size_t count = 0;
    std::cin >> count;
    std::vector<tiltyard::File*> algorithms;
    while (algorithms.size() < count) algorithms.push_back(open());
    std::cin >> count;
    struct Game {
        size_t first, second, width, height, max_steps, num_shells;
        std::string rows;
    };
    std::vector<Game> games(count);
    for (auto& game : games) {
        std::cin >> game.first >> game.second >> game.width >> game.height >> game.max_steps >> game.num_shells;
        for (size_t y = 0; y < game.height; ++y) {
            std::string row;
            std::getline(std::cin >> std::ws, row);
            game.rows += row.substr(1);
        }
    }
    auto cpu = [] {
        timespec time{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
    };
    double cpu_started = cpu();
    auto started = std::chrono::steady_clock::now();
    size_t rounds = 0;
    for (auto& game : games) {
        tiltyard::RowsView map;
        map.open(game.rows.data(), game.width, game.height);
        auto& one = *algorithms[game.first];
        auto& two = *algorithms[game.second];
        auto player1 = one.player(1, game.width, game.height, game.max_steps, game.num_shells);
        auto player2 = two.player(2, game.width, game.height, game.max_steps, game.num_shells);
        auto referee = manager->manager(false);
        GameResult result = referee->run(game.width, game.height, map, "map", game.max_steps, game.num_shells, *player1, "one", *player2,
                                         "two", one.tank, two.tank);
        rounds += result.rounds;
    }
    std::chrono::duration<double> taken = std::chrono::steady_clock::now() - started;
    std::cerr << "\n" << rounds << " " << taken.count() << " " << cpu() - cpu_started << std::endl;
    _exit(0);
}
