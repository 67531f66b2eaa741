// The library that Python loads: a flat interface to a team's file (players, tanks, a GameManager). native.md describes it.
//
// A function that fails returns null or a negative number; tn_error_kind and tn_error_text then say how and why, until the next call.
#include <cstdint>
#include <cstdio>
#include <utility>

#include "failures.hpp"
#include "files.hpp"
#include "interface.hpp"
#include "library.hpp"
#include "views.hpp"

using namespace tiltyard;

namespace tiltyard {

Failure last_failure;

}  // namespace tiltyard

namespace {

void fail(FailureKind kind, std::string text) { last_failure = {kind, std::move(text)}; }

struct HeldPlayer {
    std::unique_ptr<Player> player;
    RowsView view;
    std::vector<char> rows;
};

struct Running {
    Callbacks calls;
    // What a proxy found wrong; the caller's own errors are not told here.
    Failure failure;

    int checked(int answer) const {
        if (answer < 0) throw Unwound();
        return answer;
    }
};

class ProxyTank final : public TankAlgorithm {
public:
    ProxyTank(Running& running, int number) : running_(running), number_(number) {}
    ActionRequest getAction() override { return static_cast<ActionRequest>(running_.checked(running_.calls.act(number_))); }
    void updateBattleInfo(BattleInfo&) override { running_.checked(running_.calls.inform(number_)); }
    int number() const { return number_; }

private:
    Running& running_;
    int number_;
};

class ProxyPlayer final : public Player {
public:
    ProxyPlayer(Running& running, int seat) : running_(running), seat_(seat) {}
    void updateTankWithBattleInfo(TankAlgorithm& tank, SatelliteView& view) override {
        auto* proxy = dynamic_cast<ProxyTank*>(&tank);
        if (proxy == nullptr) {
            running_.failure = {FailureKind::Contract,
                                "the GameManager gave player " + std::to_string(seat_) + " a tank of its own, a " +
                                    demangled(typeid(tank).name()) + ", in place of one that the factory made"};
            throw Unwound();
        }
        running_.checked(running_.calls.brief(seat_, proxy->number(), static_cast<SatelliteView*>(&view)));
    }

private:
    Running& running_;
    int seat_;
};

TankAlgorithmFactory proxies_for(Running& running, int seat) {
    return [&running, seat](int, int tank_index) -> std::unique_ptr<TankAlgorithm> {
        return std::make_unique<ProxyTank>(running, running.checked(running.calls.create_tank(seat, tank_index)));
    };
}

// Runs `body`; what it throws becomes the last failure and `failed`.
template <class Body>
long guarded(Body body) {
    long answer = failed;
    last_failure.kind = FailureKind::None;
    try {
        answer = body();
    } catch (...) {
        last_failure = describe_exception();
    }
    flush_streams();
    return answer;
}

}  // namespace

extern "C" {

int tn_error_kind() { return static_cast<int>(last_failure.kind); }

const char* tn_error_text() { return last_failure.text.c_str(); }

// Opens a file, or finds it open.
void* tn_open(const char* path) {
    // Line by line: whoever is killed has then said what came before.
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    std::string problem;
    File* file = open_file(path, problem);
    if (file == nullptr) fail(FailureKind::Loading, problem);
    flush_streams();
    return file;
}

// The Player of a seat, to be kept to the process's end.
void* tn_player(void* file, int index, size_t width, size_t height, size_t max_steps, size_t num_shells) {
    auto held = std::make_unique<HeldPlayer>();
    long done = guarded([&]() -> long {
        auto& factory = static_cast<File*>(file)->player;
        if (!factory) return fail(FailureKind::Loading, "no PlayerRegistration"), failed;
        held->player = factory(index, width, height, max_steps, num_shells);
        if (held->player) return 0;
        return fail(FailureKind::Protocol, "the player factory returned a null pointer"), failed;
    });
    return done == 0 ? held.release() : nullptr;
}

// A tank of a seat, to be kept likewise.
void* tn_tank(void* file, int index, int tank_index) {
    std::unique_ptr<TankAlgorithm> tank;
    guarded([&]() -> long {
        auto& factory = static_cast<File*>(file)->tank;
        if (!factory) return fail(FailureKind::Loading, "no TankAlgorithmRegistration"), failed;
        tank = factory(index, tank_index);
        if (!tank) fail(FailureKind::Protocol, "the tank factory returned a null pointer");
        return 0;
    });
    return tank.release();
}

// The number of the action, whatever it is.
long tn_act(void* tank) {
    return guarded([&]() -> long { return static_cast<int>(static_cast<TankAlgorithm*>(tank)->getAction()); });
}

// Lets the Player update one of its tanks. `rows`: width x height characters, copied.
long tn_brief(void* player, void* tank, const char* rows, size_t width, size_t height) {
    auto* held = static_cast<HeldPlayer*>(player);
    held->rows.assign(rows, rows + width * height);
    held->view.open(held->rows.data(), width, height);
    long done = guarded([&]() -> long {
        held->player->updateTankWithBattleInfo(*static_cast<TankAlgorithm*>(tank), held->view);
        return 0;
    });
    if (done == failed && last_failure.kind == FailureKind::Exception) last_failure.text += held->view.overlooked();
    held->view.close();
    return done;
}

// A BattleInfo of no team's, as a GameManager that speaks to a tank itself gives it.
long tn_inform(void* tank) {
    return guarded([&]() -> long {
        BattleInfo info;
        static_cast<TankAlgorithm*>(tank)->updateBattleInfo(info);
        return 0;
    });
}

// Copies the view that `brief` was called with; only before it returns.
long tn_look(const void* view, char* rows, size_t width, size_t height) {
    return guarded([&]() -> long {
        read_view(*static_cast<const SatelliteView*>(view), width, height, rows);
        return 0;
    });
}

// Lets the file's GameManager play a match. `rows` is the map, `state` room for the final board. The manager, what it was given and what
// it returned are kept to the process's end: destructors of others could do anything.
long tn_manage(void* file, int verbose, size_t width, size_t height, const char* rows, const char* map_name, size_t max_steps,
               size_t num_shells, const char* name1, const char* name2, const Callbacks* callbacks, Claim* claim, char* state) {
    auto* running = new Running{*callbacks, {}};
    long done = guarded([&]() -> long {
        auto& factory = static_cast<File*>(file)->manager;
        if (!factory) return fail(FailureKind::Loading, "no GameManagerRegistration"), failed;
        AbstractGameManager* manager = factory(verbose != 0).release();
        if (manager == nullptr) return fail(FailureKind::Protocol, "the GameManager's factory returned a null pointer"), failed;
        auto* map = new RowsView();
        map->open((new std::string(rows, width * height))->data(), width, height);
        auto* players = new ProxyPlayer[2]{{*running, 1}, {*running, 2}};
        try {
            auto* result = new GameResult(manager->run(width, height, *map, map_name, max_steps, num_shells, players[0], name1,
                                                       players[1], name2, proxies_for(*running, 1), proxies_for(*running, 2)));
            claim->winner = result->winner;
            claim->reason = result->reason;
            claim->rounds = result->rounds;
            claim->remaining_count = result->remaining_tanks.size();
            for (size_t i = 0; i < result->remaining_tanks.size() && i < 16; ++i) claim->remaining[i] = result->remaining_tanks[i];
            State read = read_state(result->gameState.get(), rows, width, height, state);
            claim->state = static_cast<int>(read.kind);
            last_failure.text = read.problem;
        } catch (const Unwound&) {
            if (running->failure.kind == FailureKind::None) running->failure.kind = FailureKind::Caller;
        }
        if (running->failure.kind != FailureKind::None) last_failure = running->failure;
        return running->failure.kind == FailureKind::None ? 0 : failed;
    });
    return done;
}

}  // extern "C"
