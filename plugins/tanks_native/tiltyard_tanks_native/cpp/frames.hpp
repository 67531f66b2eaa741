// Messages on a pipe: a length in four bytes, then so many bytes. Numbers are 64 bits, little-endian; texts and bytes are a number and so
// many bytes. native.md lists the messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tiltyard {

// False where the other side is gone.
bool read_frame(int descriptor, std::string& frame);
bool write_frame(int descriptor, const std::string& frame);

class FrameReader {
public:
    explicit FrameReader(std::string_view frame) : rest_(frame) {}
    int64_t number();
    std::string text();

private:
    std::string_view take(size_t size);
    std::string_view rest_;
};

class FrameWriter {
public:
    FrameWriter& number(int64_t value);
    FrameWriter& text(std::string_view value);
    const std::string& frame() const { return frame_; }

private:
    std::string frame_;
};

}  // namespace tiltyard
