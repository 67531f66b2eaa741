#include "msgpack.hpp"

namespace tiltyard {

std::string_view MessageReader::take(size_t size) {
    if (size > rest_.size()) throw Unexpected();
    std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
}

uint64_t MessageReader::big_endian(size_t size) {
    uint64_t value = 0;
    for (char byte : take(size)) value = value << 8 | static_cast<unsigned char>(byte);
    return value;
}

size_t MessageReader::array() {
    auto mark = static_cast<unsigned char>(take(1)[0]);
    if ((mark & 0xf0) == 0x90) return mark & 0x0f;
    if (mark != 0xdc && mark != 0xdd) throw Unexpected();
    return big_endian(mark == 0xdc ? 2 : 4);
}

int64_t MessageReader::number() {
    auto mark = static_cast<unsigned char>(take(1)[0]);
    if (mark < 0x80 || mark >= 0xe0) return static_cast<signed char>(mark);
    switch (mark) {
        case 0xcc: return static_cast<int64_t>(big_endian(1));
        case 0xcd: return static_cast<int64_t>(big_endian(2));
        case 0xce: return static_cast<int64_t>(big_endian(4));
        case 0xd0: return static_cast<int8_t>(big_endian(1));
        case 0xd1: return static_cast<int16_t>(big_endian(2));
        case 0xd2: return static_cast<int32_t>(big_endian(4));
        case 0xd3: return static_cast<int64_t>(big_endian(8));
        // One of 64 bits without a sign may be too large.
        default: throw Unexpected();
    }
}

bool MessageReader::flag() {
    char mark = take(1)[0];
    if (mark != '\xc2' && mark != '\xc3') throw Unexpected();
    return mark == '\xc3';
}

std::string_view MessageReader::text() {
    auto mark = static_cast<unsigned char>(take(1)[0]);
    if ((mark & 0xe0) == 0xa0) return take(mark & 0x1f);
    switch (mark) {
        case 0xc4:
        case 0xd9: return take(big_endian(1));
        case 0xc5:
        case 0xda: return take(big_endian(2));
        case 0xc6:
        case 0xdb: return take(big_endian(4));
        default: throw Unexpected();
    }
}

bool MessageReader::none() {
    if (rest_.empty() || rest_[0] != '\xc0') return false;
    take(1);
    return true;
}

std::string_view MessageReader::skip() {
    std::string_view whole = rest_;
    // Values that are still to be passed over.
    for (uint64_t left = 1; left > 0; --left) {
        if (rest_.empty()) throw Unexpected();
        auto mark = static_cast<unsigned char>(rest_[0]);
        if ((mark & 0xf0) == 0x90 || mark == 0xdc || mark == 0xdd) {
            left += array();
        } else if ((mark & 0xf0) == 0x80 || mark == 0xde || mark == 0xdf) {
            take(1);
            left += 2 * (mark < 0x90 ? mark & 0x0f : big_endian(mark == 0xde ? 2 : 4));
        } else if (mark == 0xc0 || mark == 0xc2 || mark == 0xc3) {
            take(1);
        } else if (mark == 0xca || mark == 0xcb || mark == 0xcf) {
            take(mark == 0xca ? 5 : 9);
        } else if ((mark & 0xe0) == 0xa0 || (mark >= 0xc4 && mark <= 0xc6) || (mark >= 0xd9 && mark <= 0xdb)) {
            text();
        } else {
            number();
        }
    }
    return whole.substr(0, whole.size() - rest_.size());
}

void MessageWriter::head(unsigned char mark, uint64_t value, size_t size) {
    message_ += static_cast<char>(mark);
    for (size_t place = size; place > 0; --place) message_ += static_cast<char>(value >> 8 * (place - 1));
}

MessageWriter& MessageWriter::array(size_t size) {
    if (size < 16) {
        head(static_cast<unsigned char>(0x90 | size), 0, 0);
    } else if (size <= UINT16_MAX) {
        head(0xdc, size, 2);
    } else {
        head(0xdd, size, 4);
    }
    return *this;
}

MessageWriter& MessageWriter::number(int64_t value) {
    auto bits = static_cast<uint64_t>(value);
    if (value >= -32 && value < 128) {
        head(static_cast<unsigned char>(value), 0, 0);
    } else if (value > 0) {
        size_t size = value <= UINT8_MAX ? 1 : value <= UINT16_MAX ? 2 : value <= UINT32_MAX ? 4 : 8;
        head(size == 1 ? 0xcc : size == 2 ? 0xcd : size == 4 ? 0xce : 0xcf, bits, size);
    } else {
        size_t size = value >= INT8_MIN ? 1 : value >= INT16_MIN ? 2 : value >= INT32_MIN ? 4 : 8;
        head(size == 1 ? 0xd0 : size == 2 ? 0xd1 : size == 4 ? 0xd2 : 0xd3, bits, size);
    }
    return *this;
}

MessageWriter& MessageWriter::text(std::string_view value) {
    size_t size = value.size();
    if (size < 32) {
        head(static_cast<unsigned char>(0xa0 | size), 0, 0);
    } else {
        size_t bytes = size <= UINT8_MAX ? 1 : size <= UINT16_MAX ? 2 : 4;
        head(bytes == 1 ? 0xd9 : bytes == 2 ? 0xda : 0xdb, size, bytes);
    }
    message_ += value;
    return *this;
}

MessageWriter& MessageWriter::bytes(std::string_view value) {
    size_t size = value.size(), bytes = size <= UINT8_MAX ? 1 : size <= UINT16_MAX ? 2 : 4;
    head(bytes == 1 ? 0xc4 : bytes == 2 ? 0xc5 : 0xc6, size, bytes);
    message_ += value;
    return *this;
}

MessageWriter& MessageWriter::value(std::string_view encoded) {
    message_ += encoded;
    return *this;
}

}  // namespace tiltyard
