// The messages of a cell, as the guard writes them with msgspec: arrays whose first item is the message's tag.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tiltyard {

// Thrown for whatever is not expected at its place.
struct Unexpected {};

class MessageReader {
public:
    explicit MessageReader(std::string_view message) : rest_(message) {}
    size_t array();
    int64_t number();
    bool flag();
    // Text or bytes.
    std::string_view text();
    // Whether nothing stands here; then it is passed over.
    bool none();
    // Passes over any value, and returns its bytes.
    std::string_view skip();

private:
    std::string_view take(size_t size);
    uint64_t big_endian(size_t size);
    std::string_view rest_;
};

class MessageWriter {
public:
    MessageWriter& array(size_t size);
    MessageWriter& number(int64_t value);
    MessageWriter& text(std::string_view value);
    MessageWriter& bytes(std::string_view value);
    // What is a value already.
    MessageWriter& value(std::string_view encoded);
    const std::string& message() const { return message_; }

private:
    void head(unsigned char mark, uint64_t value, size_t size);
    std::string message_;
};

}  // namespace tiltyard
