// Views: the ones that teams get, and reading those that a GameManager gives.
#pragma once

#include <string>

#include "interface.hpp"

namespace tiltyard {

// Shows rows one after the other, `width` characters each; '&' outside. It lives as long as its Player, but shows something only while it
// is open: whoever uses it later gets an exception that says so.
class RowsView final : public SatelliteView {
public:
    char getObjectAt(size_t x, size_t y) const override;
    void open(const char* rows, size_t width, size_t height);
    void close();
    // What whoever read the open view did not look at, to be added to what it then complained of; empty if it saw its own tank.
    std::string overlooked() const;

private:
    mutable size_t asked_ = 0;
    mutable size_t asked_outside_ = 0;
    mutable bool saw_own_ = false;
    const char* rows_ = nullptr;
    size_t width_ = 0;
    size_t height_ = 0;
};

enum class StateKind : int { Read = 0, Null = 1, Threw = 2, Transposed = 3 };

struct State {
    StateKind kind = StateKind::Null;
    std::string problem;
};

// Copies all squares, row by row, into `rows`.
void read_view(const SatelliteView& view, size_t width, size_t height, char* rows);

// Reads a result's final state into `rows`. One that shows what is outside of the board in the middle of it is read again with x and y
// exchanged, if what it shows matches the map's start (`start`, row by row) better that way round.
State read_state(const SatelliteView* view, const char* start, size_t width, size_t height, char* rows);

}  // namespace tiltyard
