// The library's functions, for Python and for a cell without it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "failures.hpp"

namespace tiltyard {

constexpr long failed = -1L << 40;  // no value of a 32-bit enum

// What a manager asks its caller for. A negative answer means that the caller has an error waiting: the manager's run is to end.
struct Callbacks {
    int (*create_tank)(int seat, int tank_index);
    int (*act)(int tank);
    int (*brief)(int seat, int tank, const void* view);
    int (*inform)(int tank);
};

struct Claim {
    int32_t winner;
    int32_t reason;
    uint64_t rounds;
    uint64_t remaining_count;
    uint64_t remaining[16];
    int32_t state;
};

extern Failure last_failure;

}  // namespace tiltyard

extern "C" {
void* tn_open(const char* path);
void* tn_player(void* file, int index, size_t width, size_t height, size_t max_steps, size_t num_shells);
void* tn_tank(void* file, int index, int tank_index);
long tn_act(void* tank);
long tn_brief(void* player, void* tank, const char* rows, size_t width, size_t height);
long tn_inform(void* tank);
long tn_look(const void* view, char* rows, size_t width, size_t height);
long tn_manage(void* file, int verbose, size_t width, size_t height, const char* rows, const char* map_name, size_t max_steps,
               size_t num_shells, const char* name1, const char* name2, const tiltyard::Callbacks* callbacks, tiltyard::Claim* claim,
               char* state);
}
