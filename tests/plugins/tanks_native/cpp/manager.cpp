// A GameManager of simple rules of its own, which misbehaves as its file's name says. Rules: tanks act one by one in birth order and see
// the board as it is then; a shot kills the first tank, or breaks the first wall, on a straight way of at most 6 squares; whoever drives
// into a tank or onto a mine is gone, with the other.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "course.hpp"

namespace {

const char here = 0;
const std::string word = own_word(&here);

bool does(const char* what) { return word == what; }

class Odd : public std::runtime_error {
    using runtime_error::runtime_error;
};

volatile int* nowhere = nullptr;
size_t runs = 0;
constexpr size_t reach = 6;
const int dx[8] = {0, 1, 1, 1, 0, -1, -1, -1};
const int dy[8] = {-1, -1, 0, 1, 1, 1, 0, -1};

struct TankOnBoard {
    size_t x, y;
    int player, heading;
    size_t shells;
    bool alive;
    std::unique_ptr<TankAlgorithm> brain;
};

class Board : public SatelliteView {
public:
    Board(size_t width, size_t height, std::vector<char> squares) : width_(width), height_(height), squares_(std::move(squares)) {}
    char getObjectAt(size_t x, size_t y) const override {
        if (does("view_throws") && x == 2) throw Odd("this view is broken");
        return x < width_ && y < height_ ? squares_[y * width_ + x] : '&';
    }
    char& at(size_t x, size_t y) { return squares_[y * width_ + x]; }

protected:
    size_t width_, height_;
    std::vector<char> squares_;
};

class FinalBoard : public Board {
public:
    using Board::Board;
    char getObjectAt(size_t x, size_t y) const override {
        if (does("state_throws")) throw Odd("this state is broken");
        if (does("state_segv")) *nowhere = 1;
        if (does("state_transposed")) return y < width_ && x < height_ ? squares_[x * width_ + y] : '&';
        if (does("state_bounds_exchanged")) return x < height_ && y < width_ ? squares_.at(y * width_ + x) : '&';
        if (does("state_odd") && x == 0 && y == 0) return '\n';
        return Board::getObjectAt(x, y);
    }
};

class Wrapped : public TankAlgorithm {
public:
    explicit Wrapped(TankAlgorithm& inner) : inner_(inner) {}
    ActionRequest getAction() override { return inner_.getAction(); }
    void updateBattleInfo(BattleInfo& info) override { inner_.updateBattleInfo(info); }

private:
    TankAlgorithm& inner_;
};

class Manager : public AbstractGameManager {
public:
    explicit Manager(bool verbose) : verbose_(verbose) {
        if (does("create_throws")) throw Odd("no GameManager today");
    }
    GameResult run(size_t width, size_t height, const SatelliteView& map, std::string map_name, size_t max_steps, size_t num_shells,
                   Player& player1, std::string name1, Player& player2, std::string name2, TankAlgorithmFactory factory1,
                   TankAlgorithmFactory factory2) override {
        ++runs;
        std::vector<char> squares;
        std::vector<TankOnBoard> tanks;
        int count[3] = {0, 0, 0};
        for (size_t y = 0; y < height; ++y) {
            for (size_t x = 0; x < width; ++x) {
                char square = map.getObjectAt(x, y);
                squares.push_back(square);
                if (square == '1' || square == '2') {
                    int player = square - '0';
                    auto brain = (player == 1 ? factory1 : factory2)(player, count[player]++);
                    tanks.push_back({x, y, player, player == 1 ? 6 : 2, num_shells, true, std::move(brain)});
                }
            }
        }
        Board board(width, height, squares);
        std::ofstream log;
        if (verbose_) log.open("log_" + map_name + "_" + name1 + "_" + name2 + ".txt");
        size_t left[3] = {0, static_cast<size_t>(count[1]), static_cast<size_t>(count[2])};
        size_t rounds = 0, dry = 0;
        GameResult result{};
        result.reason = GameResult::MAX_STEPS;
        auto kill = [&](TankOnBoard& tank) {
            tank.alive = false;
            --left[tank.player];
            board.at(tank.x, tank.y) = ' ';
        };
        auto tank_at = [&](size_t x, size_t y) -> TankOnBoard* {
            for (auto& tank : tanks) {
                if (tank.alive && tank.x == x && tank.y == y) return &tank;
            }
            return nullptr;
        };
        while (rounds < max_steps + does("a_round_more") && left[1] > 0 && left[2] > 0) {
            ++rounds;
            if (rounds == 4) misbehave();
            for (auto& tank : tanks) {
                if (!tank.alive) continue;
                ActionRequest action = tank.brain->getAction();
                log << static_cast<int>(action) << ' ';
                size_t ahead_x = (tank.x + width + dx[tank.heading]) % width, ahead_y = (tank.y + height + dy[tank.heading]) % height;
                switch (action) {
                    case ActionRequest::RotateLeft45: tank.heading = (tank.heading + 7) % 8; break;
                    case ActionRequest::RotateLeft90: tank.heading = (tank.heading + 6) % 8; break;
                    case ActionRequest::RotateRight45: tank.heading = (tank.heading + 1) % 8; break;
                    case ActionRequest::RotateRight90: tank.heading = (tank.heading + 2) % 8; break;
                    case ActionRequest::MoveForward: {
                        char found = board.at(ahead_x, ahead_y);
                        if (found == '#') break;
                        TankOnBoard* other = tank_at(ahead_x, ahead_y);
                        if (other != nullptr) kill(*other);
                        kill(tank);
                        if (found == '@') board.at(ahead_x, ahead_y) = ' ';
                        if (other == nullptr && found != '@') {
                            tank.alive = true;
                            ++left[tank.player];
                            tank.x = ahead_x;
                            tank.y = ahead_y;
                            board.at(ahead_x, ahead_y) = static_cast<char>('0' + tank.player);
                        }
                        break;
                    }
                    case ActionRequest::Shoot: {
                        if (tank.shells == 0) break;
                        --tank.shells;
                        for (size_t far = 0; far < reach; ++far) {
                            TankOnBoard* other = tank_at(ahead_x, ahead_y);
                            if (other != nullptr) {
                                kill(*other);
                                break;
                            }
                            if (board.at(ahead_x, ahead_y) == '#') {
                                board.at(ahead_x, ahead_y) = ' ';
                                break;
                            }
                            ahead_x = (ahead_x + width + dx[tank.heading]) % width;
                            ahead_y = (ahead_y + height + dy[tank.heading]) % height;
                        }
                        break;
                    }
                    case ActionRequest::GetBattleInfo: answer(tank, board, tank.player == 1 ? player1 : player2); break;
                    default: break;
                }
            }
            log << '\n';
            bool shells = false;
            for (auto& tank : tanks) shells = shells || (tank.alive && tank.shells > 0);
            if (!shells && ++dry > 40) {
                result.reason = GameResult::ZERO_SHELLS;
                break;
            }
        }
        if (left[1] == 0 || left[2] == 0) {
            result.reason = GameResult::ALL_TANKS_DEAD;
            result.winner = left[1] > 0 ? 1 : left[2] > 0 ? 2 : 0;
        }
        result.remaining_tanks = {left[1], left[2]};
        result.rounds = rounds;
        squares.clear();
        for (size_t y = 0; y < height; ++y) {
            for (size_t x = 0; x < width; ++x) squares.push_back(board.at(x, y));
        }
        result.gameState = std::make_unique<FinalBoard>(width, height, squares);
        spoil(result);
        return result;
    }

private:
    void answer(TankOnBoard& tank, Board& board, Player& player) {
        char own = board.at(tank.x, tank.y);
        board.at(tank.x, tank.y) = '%';
        if (does("own_info")) {
            BattleInfo info;
            tank.brain->updateBattleInfo(info);
        } else if (does("wraps")) {
            Wrapped wrapped(*tank.brain);
            player.updateTankWithBattleInfo(wrapped, board);
        } else if (does("wraps_and_swallows")) {
            try {
                Wrapped wrapped(*tank.brain);
                player.updateTankWithBattleInfo(wrapped, board);
            } catch (...) {
            }
        } else if (does("swallows")) {
            try {
                player.updateTankWithBattleInfo(*tank.brain, board);
            } catch (const std::exception&) {
            }
        } else {
            player.updateTankWithBattleInfo(*tank.brain, board);
        }
        board.at(tank.x, tank.y) = own;
    }
    void misbehave() {
        if (does("throws")) throw Odd("boom");
        if (does("segv")) *nowhere = 1;
        if (does("abort")) std::abort();
        if (does("exit")) std::exit(3);
        if (does("loops")) {
            for (;;) *const_cast<volatile size_t*>(&runs) = runs;
        }
        if (does("floods")) {
            for (int line = 0; line < 200000; ++line) std::cout << "line " << line << " of very many\n";
        }
        if (does("clears") && std::system("clear") == 77) std::abort();
        if (does("writes")) std::ofstream("manager.log") << "round 4\n";
    }
    void spoil(GameResult& result) {
        if (does("null_state")) result.gameState = nullptr;
        if (does("short_remaining")) result.remaining_tanks = {1};
        if (does("long_remaining")) result.remaining_tanks.assign(100000, 3);
        if (does("zero_remaining")) result.remaining_tanks = {0, 0};
        if (does("no_winner")) result.winner = -858993460;
        if (does("forgets_winner")) result.winner = 0;
        if (does("zero_based")) --result.rounds;
        if (does("absurd_rounds")) result.rounds = static_cast<size_t>(-1);
        if (does("odd_reason")) result.reason = static_cast<GameResult::Reason>(9);
        if (does("remembers")) result.rounds = runs;
    }
    bool verbose_;
};

GameManagerRegistration managers([](bool verbose) -> std::unique_ptr<AbstractGameManager> {
    if (does("null_manager")) return nullptr;
    return std::make_unique<Manager>(verbose);
});

}  // namespace
