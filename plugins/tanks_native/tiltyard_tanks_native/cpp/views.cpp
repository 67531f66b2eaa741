#include "views.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "failures.hpp"

namespace tiltyard {

namespace {

constexpr char outside = '&';
constexpr char own = '%';

// Whether more squares are those of the start with x and y exchanged than as they are shown. It may be the bounds alone that are
// exchanged, with the squares the right way round; who asks such a view with x and y exchanged reads beyond its squares.
bool looks_transposed(const char* shown, const char* start, size_t width, size_t height) {
    size_t as_shown = 0, exchanged = 0;
    size_t shorter = std::min(width, height);
    for (size_t y = 0; y < shorter; ++y) {
        for (size_t x = 0; x < shorter; ++x) {
            char square = shown[y * width + x];
            if (square == outside) continue;
            as_shown += square == start[y * width + x];
            exchanged += square == start[x * width + y];
        }
    }
    return exchanged > as_shown;
}

}  // namespace

char RowsView::getObjectAt(size_t x, size_t y) const {
    if (rows_ == nullptr) {
        throw std::logic_error("this SatelliteView has expired: copy what you need while updateTankWithBattleInfo runs");
    }
    ++asked_;
    if (x >= width_ || y >= height_) {
        ++asked_outside_;
        return outside;
    }
    char square = rows_[y * width_ + x];
    if (square == own) saw_own_ = true;
    return square;
}

void RowsView::open(const char* rows, size_t width, size_t height) {
    rows_ = rows;
    width_ = width;
    height_ = height;
    asked_ = asked_outside_ = 0;
    saw_own_ = false;
}

std::string RowsView::overlooked() const {
    if (rows_ == nullptr || asked_ == 0 || saw_own_) return "";
    const void* found = std::memchr(rows_, own, width_ * height_);
    if (found == nullptr) return "";
    size_t place = static_cast<size_t>(static_cast<const char*>(found) - rows_);
    std::string words = "; it never asked for column " + std::to_string(place % width_) + ", row " + std::to_string(place / width_) +
                        ", where its own tank stood";
    if (asked_outside_ != 0) {
        words += ", but for squares outside of the board of " + std::to_string(width_) + " columns and " + std::to_string(height_) + " rows";
    }
    return words + ": getObjectAt takes the column first, then the row";
}

void RowsView::close() { rows_ = nullptr; }

void read_view(const SatelliteView& view, size_t width, size_t height, char* rows) {
    for (size_t y = 0; y < height; ++y) {
        for (size_t x = 0; x < width; ++x) *rows++ = view.getObjectAt(x, y);
    }
}

State read_state(const SatelliteView* view, const char* start, size_t width, size_t height, char* rows) {
    if (view == nullptr) return {StateKind::Null, ""};
    try {
        read_view(*view, width, height, rows);
        if (width == height || std::memchr(rows, outside, width * height) == nullptr) return {StateKind::Read, ""};
    } catch (...) {
        return {StateKind::Threw, describe_exception().text};
    }
    if (!looks_transposed(rows, start, width, height)) return {StateKind::Read, ""};
    std::vector<char> exchanged(width * height);
    try {
        for (size_t y = 0; y < height; ++y) {
            for (size_t x = 0; x < width; ++x) exchanged[y * width + x] = view->getObjectAt(y, x);
        }
    } catch (...) {
        return {StateKind::Read, ""};
    }
    if (std::find(exchanged.begin(), exchanged.end(), outside) != exchanged.end()) return {StateKind::Read, ""};
    std::copy(exchanged.begin(), exchanged.end(), rows);
    return {StateKind::Transposed, ""};
}

}  // namespace tiltyard
