#include "playing.hpp"

#include <climits>
#include <cstring>
#include <exception>
#include <functional>
#include <utility>

namespace tiltyard {

void Words::set(const std::string& words) {
    size_t size = words.size() < sizeof text - 1 ? words.size() : sizeof text - 1;
    std::memcpy(text, words.data(), size);
    text[size] = '\0';
}

namespace {

// A GameManager's view as a team sees it: copied when it is first looked at, since many Players never look.
class CopiedView final : public SatelliteView {
public:
    using Copy = std::function<void(char* rows)>;

    void open(const Job& job, Copy copy) {
        copy_ = std::move(copy);
        size_t squares = job.width * job.height;
        rows_.resize(squares);
        copied_ = false;
        failure = nullptr;
        shown_.open(rows_.data(), job.width, job.height);
    }

    void close() {
        shown_.close();
        // Whoever looks now gets what an expired view says.
        copied_ = true;
        copy_ = nullptr;
    }

    char getObjectAt(size_t x, size_t y) const override {
        if (!copied_) {
            copied_ = true;
            try {
                copy_(rows_.data());
            } catch (...) {
                failure = std::current_exception();
            }
        }
        if (failure) std::rethrow_exception(failure);
        return shown_.getObjectAt(x, y);
    }

    std::string overlooked() const { return shown_.overlooked(); }

    // What the manager's own view threw: no fault of the team.
    mutable std::exception_ptr failure;

private:
    Copy copy_;
    mutable std::string rows_;
    mutable bool copied_ = true;
    RowsView shown_;
};

// A seat: whose code is called through it, and what it did wrong. From its first fault on it does nothing more.
class Seat {
public:
    Seat(int index, const Job& job, Shared& shared) : index_(index), job_(job), shared_(shared) {}

    int index() const { return index_; }
    const Job& job() const { return job_; }
    CopiedView& view() { return view_; }
    bool failed() const { return shared_.faults[index_].set != 0; }
    Player* player = nullptr;

    void fail(int kind, Doing doing, int tank, const std::string& words) {
        SeatFault& fault = shared_.faults[index_];
        if (fault.set) return;
        fault = {1, kind, static_cast<int>(doing), tank, shared_.rounds[index_], {}};
        fault.words.set(words);
    }

    // Calls into the team's code, unless the seat has failed.
    template <class Body>
    void call(Doing doing, int tank, Body body) {
        if (failed()) return;
        const Stop& stop = job_.stops[index_];
        if (++shared_.calls[index_] == stop.call && stop.set) return fail(stop.kind, doing, tank, stop.words);
        int seat_before = shared_.seat, doing_before = shared_.doing, tank_before = shared_.tank;
        shared_.tank = tank;
        shared_.doing = static_cast<int>(doing);
        shared_.seat = index_;
        ++shared_.steps;
        try {
            body();
        } catch (...) {
            Failure failure = describe_exception();
            if (doing == Doing::Briefing && failure.kind == FailureKind::Exception) failure.text += view_.overlooked();
            fail(static_cast<int>(failure.kind), doing, tank, failure.text);
        }
        shared_.seat = seat_before;
        shared_.doing = doing_before;
        shared_.tank = tank_before;
        ++shared_.steps;
    }

    // Goes on in the GameManager's code for a while, in the middle of a call into the team's.
    template <class Body>
    void call_back(Body body) {
        struct Restored {
            Shared& shared;
            int seat = shared.seat, doing = shared.doing, tank = shared.tank;
            ~Restored() {
                shared.seat = seat;
                shared.doing = doing;
                shared.tank = tank;
                ++shared.steps;
            }
        } restored{shared_};
        shared_.doing = static_cast<int>(Doing::Running);
        shared_.seat = 0;
        ++shared_.steps;
        body();
    }

    // Tanks are asked in the order of their indexes, so a smaller or equal one begins a new round.
    void count_round(int tank) {
        if (tank <= last_asked_) ++shared_.rounds[index_];
        last_asked_ = tank;
    }

private:
    int index_;
    const Job& job_;
    Shared& shared_;
    CopiedView view_;
    int last_asked_ = INT_MAX;
};

class MarkedTank final : public TankAlgorithm {
public:
    MarkedTank(Seat& seat, int index, TankAlgorithm* own) : seat_(seat), index_(index), own_(own) {}

    ActionRequest getAction() override {
        auto action = ActionRequest::DoNothing;
        if (seat_.failed()) return action;
        seat_.count_round(index_);
        seat_.call(Doing::Acting, index_, [&] { action = own_->getAction(); });
        if (seat_.failed()) return ActionRequest::DoNothing;
        int number = static_cast<int>(action);
        if (number < 0 || number > static_cast<int>(ActionRequest::DoNothing)) {
            seat_.fail(static_cast<int>(FailureKind::Protocol), Doing::Acting, index_, std::to_string(number));
            return ActionRequest::DoNothing;
        }
        return action;
    }

    void updateBattleInfo(BattleInfo&) override {
        // What a team may be told by a GameManager itself: nothing of the GameManager's own.
        BattleInfo info;
        seat_.call(Doing::Informing, index_, [&] { own_->updateBattleInfo(info); });
    }

    Seat& seat() { return seat_; }
    int index() const { return index_; }
    TankAlgorithm& own() { return *own_; }

private:
    Seat& seat_;
    int index_;
    TankAlgorithm* own_;
};

class MarkedPlayer final : public Player {
public:
    MarkedPlayer(Seat& seat, Failure& failure) : seat_(seat), failure_(failure) {}

    void updateTankWithBattleInfo(TankAlgorithm& tank, SatelliteView& view) override {
        auto* marked = dynamic_cast<MarkedTank*>(&tank);
        if (marked == nullptr) {
            blame("the GameManager gave player " + std::to_string(seat_.index()) + " a tank of its own, a " +
                  demangled(typeid(tank).name()) + ", in place of one that the factory made");
        }
        if (&marked->seat() != &seat_) {
            blame("the Player of seat " + std::to_string(seat_.index()) + " was given a tank that its seat did not create");
        }
        if (seat_.failed()) return;
        const Job& job = seat_.job();
        CopiedView& shown = seat_.view();
        shown.open(job, [&](char* rows) { seat_.call_back([&] { read_view(view, job.width, job.height, rows); }); });
        seat_.call(Doing::Briefing, marked->index(), [&] {
            try {
                seat_.player->updateTankWithBattleInfo(marked->own(), shown);
            } catch (...) {
                if (!shown.failure) throw;
            }
        });
        shown.close();
        if (shown.failure) std::rethrow_exception(shown.failure);
    }

private:
    [[noreturn]] void blame(const std::string& words) {
        if (failure_.kind == FailureKind::None) failure_ = {FailureKind::Contract, words};
        throw Unwound();
    }

    Seat& seat_;
    Failure& failure_;
};

void create_player(Seat& seat) {
    const Job& job = seat.job();
    File* file = job.files[seat.index()];
    if (file == nullptr || !file->player) {
        std::string words = file == nullptr ? job.problems[seat.index()] : "no PlayerRegistration";
        return seat.fail(static_cast<int>(FailureKind::Loading), Doing::CreatingPlayer, 0, words);
    }
    seat.call(Doing::CreatingPlayer, 0, [&] {
        seat.player = file->player(seat.index(), job.width, job.height, job.max_steps, job.num_shells).release();
    });
    if (seat.player == nullptr) {
        seat.fail(static_cast<int>(FailureKind::Exception), Doing::CreatingPlayer, 0, "the player factory returned a null pointer");
    }
}

TankAlgorithmFactory tanks_of(Seat& seat) {
    return [&seat](int, int tank_index) -> std::unique_ptr<TankAlgorithm> {
        TankAlgorithm* own = nullptr;
        File* file = seat.job().files[seat.index()];
        if (!seat.failed()) {
            if (!file->tank) {
                seat.fail(static_cast<int>(FailureKind::Loading), Doing::CreatingTank, tank_index, "no TankAlgorithmRegistration");
            }
            seat.call(Doing::CreatingTank, tank_index, [&] { own = file->tank(seat.index(), tank_index).release(); });
            if (own == nullptr) {
                seat.fail(static_cast<int>(FailureKind::Exception), Doing::CreatingTank, tank_index,
                          "the tank factory returned a null pointer");
            }
        }
        return std::make_unique<MarkedTank>(seat, tank_index, own);
    };
}

AbstractGameManager* create_manager(const Job& job, Failure& failure) {
    auto& factory = job.files[0]->manager;
    AbstractGameManager* manager = factory ? factory(job.verbose).release() : nullptr;
    if (!factory) {
        failure = {FailureKind::Loading, "no GameManagerRegistration"};
    } else if (manager == nullptr) {
        failure = {FailureKind::Exception, "the GameManager's factory returned a null pointer"};
    }
    return manager;
}

}  // namespace

// Nothing is destroyed here: the process ends, and destructors of others could do anything.
void play(const Job& job, Shared& shared) {
    auto& failure = *new Failure();
    auto seats = new Seat[players]{{1, job, shared}, {2, job, shared}};
    create_player(seats[0]);
    create_player(seats[1]);
    auto own_players = new MarkedPlayer[players]{{seats[0], failure}, {seats[1], failure}};
    auto& map = *new RowsView();
    map.open(job.rows.data(), job.width, job.height);
    GameResult* result = nullptr;
    try {
        AbstractGameManager* manager = create_manager(job, failure);
        if (manager != nullptr) {
            result = new GameResult(manager->run(job.width, job.height, map, job.map_name, job.max_steps, job.num_shells,
                                                 own_players[0], job.names[1], own_players[1], job.names[2], tanks_of(seats[0]),
                                                 tanks_of(seats[1])));
        }
    } catch (const Unwound&) {
    } catch (...) {
        // What ends the run after a breach of the contract is but its consequence.
        if (failure.kind == FailureKind::None) failure = describe_exception();
    }
    if (failure.kind != FailureKind::None) {
        shared.failure_kind = static_cast<int>(failure.kind);
        shared.failure.set(failure.text);
        shared.stage = static_cast<int>(Stage::Failed);
        return;
    }
    shared.winner = result->winner;
    shared.reason = result->reason;
    shared.played = result->rounds;
    shared.remaining_count = result->remaining_tanks.size();
    for (size_t i = 0; i < result->remaining_tanks.size() && i < 16; ++i) shared.remaining[i] = result->remaining_tanks[i];
    shared.doing = static_cast<int>(Doing::ReadingState);
    shared.stage = static_cast<int>(Stage::Claimed);
    State state = read_state(result->gameState.get(), job.rows.data(), job.width, job.height, shared.board);
    shared.state = static_cast<int>(state.kind);
    shared.state_problem.set(state.problem);
    shared.stage = static_cast<int>(Stage::Read);
}

}  // namespace tiltyard
