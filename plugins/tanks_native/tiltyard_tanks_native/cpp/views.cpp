#include "views.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "failures.hpp"

namespace tiltyard {

namespace {

constexpr char outside = '&';

}  // namespace

char RowsView::getObjectAt(size_t x, size_t y) const {
    if (rows_ == nullptr) {
        throw std::logic_error("this SatelliteView has expired: copy what you need while updateTankWithBattleInfo runs");
    }
    return x < width_ && y < height_ ? rows_[y * width_ + x] : outside;
}

void RowsView::open(const char* rows, size_t width, size_t height) {
    rows_ = rows;
    width_ = width;
    height_ = height;
}

void RowsView::close() { rows_ = nullptr; }

void read_view(const SatelliteView& view, size_t width, size_t height, char* rows) {
    for (size_t y = 0; y < height; ++y) {
        for (size_t x = 0; x < width; ++x) *rows++ = view.getObjectAt(x, y);
    }
}

State read_state(const SatelliteView* view, size_t width, size_t height, char* rows) {
    if (view == nullptr) return {StateKind::Null, ""};
    try {
        read_view(*view, width, height, rows);
        if (width == height || std::memchr(rows, outside, width * height) == nullptr) return {StateKind::Read, ""};
    } catch (...) {
        return {StateKind::Threw, describe_exception().text};
    }
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
