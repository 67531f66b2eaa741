#include "failures.hpp"

#include <cxxabi.h>
#include <stdio_ext.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <typeinfo>

namespace tiltyard {

std::string demangled(const char* name) {
    int status = 0;
    char* words = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    std::string text = status == 0 && words != nullptr ? words : name;
    std::free(words);
    return text;
}

Failure describe_exception() {
    const std::type_info* type = abi::__cxa_current_exception_type();
    std::string text = type == nullptr ? "a foreign exception" : demangled(type->name());
    std::string said;
    FailureKind kind = FailureKind::Exception;
    try {
        throw;
    } catch (const std::bad_alloc& error) {
        kind = FailureKind::OutOfMemory;
        said = error.what();
    } catch (const std::exception& error) {
        const char* what = error.what();
        said = what == nullptr ? "" : what;
    } catch (const std::string& words) {
        text = "std::string";
        said = words;
    } catch (const char* words) {
        said = words == nullptr ? "" : words;
    } catch (int number) {
        said = std::to_string(number);
    } catch (...) {
    }
    if (!said.empty() && said != text) text += ": " + said;
    return {kind, text};
}

void flush_streams() {
    // Only `std::cout` after sync_with_stdio(false) has a buffer of its own.
    std::cout.flush();
    if (__fpending(stdout) > 0) std::fflush(stdout);
}

}  // namespace tiltyard
