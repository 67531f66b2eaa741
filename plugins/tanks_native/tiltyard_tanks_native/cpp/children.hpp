// Forked processes under limits, and what they print.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>

namespace tiltyard {

struct Limits {
    int64_t cpu_ms = 0;       // 0: none
    int64_t wall_ms = 0;      // 0: none
    int64_t file_bytes = 0;   // the longest file that it may write, its output among them; 0: none
    int64_t memory_bytes = 0;  // of addresses; 0: none
};

// How far a process is, seen from outside: a number that changes with every step, and how long the present one may take.
struct Progress {
    std::function<int64_t()> steps;
    std::function<Limits()> of_step;  // its times alone
};

struct End {
    bool late = false;  // a limit on time ran out
    bool stuck = false;  // that of a single step
    bool started = true;
    int signal = 0;
    int code = 0;
    int64_t cpu_us = 0;
};

// A folder to work in. One that isn't there is made, and removed with all that is in it when this ends.
class Folder {
public:
    explicit Folder(std::string path);
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
    bool made_;
};

// Collects what this process and its children print, and makes them quiet towards whoever started this process. Children get none of
// its `own` descriptors.
void prepare_children(std::initializer_list<int> own);

// Runs `body` in a forked process, in `folder`, and waits for it. Whatever it started in its process group ends with it.
End in_child(const std::string& folder, const Limits& limits, const std::function<void()>& body, const Progress& progress = {});

// What was printed since the last call; at most so many bytes, from the beginning.
std::string take_output(size_t most);

}  // namespace tiltyard
