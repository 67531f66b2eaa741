// What went wrong, in words.
#pragma once

#include <string>

namespace tiltyard {

enum class FailureKind : int {
    None = 0,
    Exception = 1,    // thrown by a team's code
    OutOfMemory = 2,  // std::bad_alloc
    Contract = 3,     // a GameManager broke the contract
    Caller = 4,       // the other language has an error of its own waiting
    Loading = 5,      // a file cannot be opened, or did not register what is wanted
    Protocol = 6,     // an answer of the wrong form
};

struct Failure {
    FailureKind kind = FailureKind::None;
    std::string text;
};

// Thrown through a GameManager's frames to end its run. Derived from nothing, so that no `catch (std::exception&)` takes it.
struct Unwound {};

// To be called in a catch block: the exception's type, and what it says if it can say anything.
Failure describe_exception();

std::string demangled(const char* name);

// Hand on what the C and C++ streams hold back: a process of ours leaves without doing so.
void flush_streams();

}  // namespace tiltyard
