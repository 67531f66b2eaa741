// Functions that files built with g++ 13 or 14, or against glibc 2.38, call, and that an older system's libraries lack. They are few, and
// all their symbols are known; with them most such files run on an older system. Where the libraries have them, none is made here.
#include <cxxabi.h>
#include <features.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#if !defined(_GLIBCXX_RELEASE) || _GLIBCXX_RELEASE < 13

extern "C" {

// Called by every source file that includes <iostream>. Streams are ready: this side has been using them.
void tn_streams_ready() __asm__("_ZSt21ios_base_library_initv");
void tn_streams_ready() {}

// The part of std::string::replace for a replacement that lies within the string itself: `size` characters at `place` become the
// `new_size` ones at `from`, and the `rest` behind them moves along. There is room.
void tn_replace_within(std::string* string, char* place, size_t size, const char* from, size_t new_size, size_t rest) __asm__(
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE15_M_replace_coldEPcmPKcmm");
void tn_replace_within(std::string*, char* place, size_t size, const char* from, size_t new_size, size_t rest) {
    std::string replacement(from, new_size);
    std::memmove(place + new_size, place + size, rest);
    std::memcpy(place, replacement.data(), new_size);
}

}  // extern "C"

#endif

#if !defined(_GLIBCXX_RELEASE) || _GLIBCXX_RELEASE < 14

// Where an exception reaches a function that throws none.
extern "C" [[noreturn]] void __cxa_call_terminate(void* exception) noexcept {
    if (exception != nullptr) abi::__cxa_begin_catch(exception);
    std::terminate();
}

#endif

#if !__GLIBC_PREREQ(2, 38)

// The same functions as without the prefix, but for binary numbers in an 0b notation.
extern "C" {

long __isoc23_strtol(const char* text, char** end, int base) { return std::strtol(text, end, base); }
unsigned long __isoc23_strtoul(const char* text, char** end, int base) { return std::strtoul(text, end, base); }
long long __isoc23_strtoll(const char* text, char** end, int base) { return std::strtoll(text, end, base); }
unsigned long long __isoc23_strtoull(const char* text, char** end, int base) { return std::strtoull(text, end, base); }

int __isoc23_sscanf(const char* text, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = std::vsscanf(text, format, arguments);
    va_end(arguments);
    return count;
}

}  // extern "C"

#endif
