#include "frames.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace tiltyard {

namespace {

bool read_all(int descriptor, char* to, size_t size) {
    while (size > 0) {
        ssize_t got = read(descriptor, to, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        to += got;
        size -= static_cast<size_t>(got);
    }
    return true;
}

bool write_all(int descriptor, const char* from, size_t size) {
    while (size > 0) {
        ssize_t put = write(descriptor, from, size);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        from += put;
        size -= static_cast<size_t>(put);
    }
    return true;
}

}  // namespace

bool read_frame(int descriptor, std::string& frame) {
    uint32_t size = 0;
    if (!read_all(descriptor, reinterpret_cast<char*>(&size), sizeof size)) return false;
    frame.resize(size);
    return read_all(descriptor, frame.data(), size);
}

bool write_frame(int descriptor, const std::string& frame) {
    uint32_t size = static_cast<uint32_t>(frame.size());
    std::string whole(reinterpret_cast<const char*>(&size), sizeof size);
    whole += frame;
    return write_all(descriptor, whole.data(), whole.size());
}

std::string_view FrameReader::take(size_t size) {
    if (size > rest_.size()) throw std::runtime_error("a frame that ends too early");
    std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
}

int64_t FrameReader::number() {
    int64_t value = 0;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
}

std::string FrameReader::text() {
    int64_t size = number();
    return std::string(take(static_cast<size_t>(size)));
}

FrameWriter& FrameWriter::number(int64_t value) {
    frame_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
}

FrameWriter& FrameWriter::text(std::string_view value) {
    number(static_cast<int64_t>(value.size()));
    frame_.append(value);
    return *this;
}

}  // namespace tiltyard
