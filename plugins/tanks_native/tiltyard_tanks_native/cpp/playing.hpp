// One match wholly in C++, played in a process of its own that writes into memory which it shares with the host, so that the host knows how
// far it came and in whose code it was, whatever becomes of it.
#pragma once

#include <cstdint>
#include <string>

#include "failures.hpp"
#include "files.hpp"
#include "views.hpp"

namespace tiltyard {

constexpr int players = 2;

// What is being done, and for whom: seat 0 is the GameManager. The numbers are also Python's, in host_protocol.py.
enum class Doing : int {
    Running = 0,
    CreatingPlayer = 1,
    CreatingTank = 2,
    Acting = 3,
    Briefing = 4,
    Informing = 5,
    ReadingState = 6,
};

struct Words {
    char text[4096];
    void set(const std::string& words);
};

struct SeatFault {
    int set;
    int kind;  // a FailureKind, or one of the two below
    int doing;
    int tank;
    int round;
    Words words;
};

// How a process ended, beside the kinds of failures.
constexpr int kind_ended = 20;
constexpr int kind_timeout = 21;

// How far a match came.
enum class Stage : int { Playing = 0, Failed = 1, Claimed = 2, Read = 3 };

struct Shared {
    int seat;
    int doing;
    int tank;
    int64_t calls[players + 1];
    int64_t steps;  // changes whenever another one's code goes on
    int rounds[players + 1];
    int stage;
    int failure_kind;
    Words failure;
    SeatFault faults[players + 1];
    int winner;
    int reason;
    uint64_t played;
    uint64_t remaining_count;
    uint64_t remaining[16];
    int state;
    Words state_problem;
    char board[1];  // and on from there: as many as the map has squares

    static size_t bytes(size_t squares) { return sizeof(Shared) + squares; }
};

// In which call into its code a seat is not called any more, because it was seen not to return: with the fault that is then its.
struct Stop {
    bool set = false;
    int64_t call = 0;
    int kind = 0;
    std::string words;
};

struct Job {
    File* files[players + 1];        // the GameManager's first; null for one that cannot be loaded
    std::string problems[players + 1];  // why it cannot
    std::string map_name, names[players + 1], rows;
    size_t width, height, max_steps, num_shells;
    bool verbose;
    Stop stops[players + 1];
};

// Plays in this process, which must not go on afterwards.
void play(const Job& job, Shared& shared);

}  // namespace tiltyard
