#include "children.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <vector>

#include "failures.hpp"

namespace tiltyard {

namespace {

constexpr int unusable_folder = 98;
constexpr timespec for_last_words{0, 100'000'000};
constexpr int64_t shortest_pause = 1000;  // microseconds
constexpr size_t buffer_bytes = 1 << 16;
constexpr size_t signal_stack_bytes = 1 << 16;

int printed = -1;
std::vector<int> own_descriptors;
alignas(16) char signal_stack[signal_stack_bytes];

// A process that crashes has not handed on what its stream holds back; its last words are those most wanted.
void say_last_words(int) {
    ssize_t ignored = write(STDOUT_FILENO, stdout->_IO_write_base, static_cast<size_t>(stdout->_IO_write_ptr - stdout->_IO_write_base));
    static_cast<void>(ignored);
}

// Told to end by its limit, a process does so once it has said the same.
void end_with_last_words(int number) {
    say_last_words(number);
    kill(getpid(), SIGKILL);
}

int64_t microseconds(const timespec& time) { return time.tv_sec * 1000000LL + time.tv_nsec / 1000; }

int64_t now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return microseconds(time);
}

int64_t cpu_time(pid_t child) {
    clockid_t clock;
    timespec time{};
    if (clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
    return microseconds(time);
}

void limit(int resource, int64_t most) {
    if (most <= 0) return;
    rlimit value{static_cast<rlim_t>(most), static_cast<rlim_t>(most)};
    setrlimit(resource, &value);
}

// For what is printed. A sandbox may deny one in memory.
int nameless_file() {
    int file = memfd_create("output", MFD_CLOEXEC);
    if (file >= 0) return file;
    char name[] = "printed-XXXXXX";
    file = mkostemp(name, O_CLOEXEC);
    if (file < 0) _exit(1);
    unlink(name);
    return file;
}

[[noreturn]] void live(const std::string& folder, const Limits& limits, const std::function<void()>& body) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    for (int descriptor : own_descriptors) close(descriptor);
    prctl(PR_SET_DUMPABLE, 1);
    if (chdir(folder.c_str()) != 0) _exit(unusable_folder);
    limit(RLIMIT_FSIZE, limits.file_bytes);
    limit(RLIMIT_AS, limits.memory_bytes);
    body();
    flush_streams();
    _exit(0);
}

// What is left of both limits on time, in microseconds; as long as a process has one thread, that much CPU time takes it at least that long.
int64_t left_of(const Limits& limits, int64_t cpu, int64_t wall) {
    int64_t left = INT64_MAX;
    if (limits.wall_ms > 0) left = std::min(left, limits.wall_ms * 1000 - wall);
    if (limits.cpu_ms > 0) left = std::min(left, limits.cpu_ms * 1000 - cpu);
    return left;
}

// Waits until the child has ended, but does not yet take its end; says whether it had to be killed for its time.
void wait_for(pid_t child, const Limits& limits, const Progress& progress, End& how) {
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGCHLD);
    int64_t started = now(), step = -1, step_started = 0, step_cpu = 0;
    for (;;) {
        siginfo_t end{};
        if (waitid(P_PID, static_cast<id_t>(child), &end, WEXITED | WNOWAIT | WNOHANG) == 0 && end.si_pid == child) return;
        int64_t wall = now() - started, cpu = cpu_time(child);
        int64_t left = left_of(limits, cpu, wall);
        if (progress.steps && left > 0) {
            if (int64_t present = progress.steps(); present != step) {
                step = present;
                step_started = wall;
                step_cpu = cpu;
            }
            int64_t left_of_step = left_of(progress.of_step(), cpu - step_cpu, wall - step_started);
            how.stuck = left_of_step <= 0 && progress.steps() == step;
            left = std::min(left, how.stuck ? 0 : std::max(left_of_step, shortest_pause));
        }
        if (left <= 0) {
            how.late = true;
            kill(child, SIGXCPU);
            sigtimedwait(&wanted, nullptr, &for_last_words);
            kill(child, SIGKILL);
            waitid(P_PID, static_cast<id_t>(child), &end, WEXITED | WNOWAIT);
            return;
        }
        left = std::min<int64_t>(left, 3600 * 1000000LL);
        timespec pause{left / 1000000, (left % 1000000) * 1000};
        sigtimedwait(&wanted, nullptr, &pause);
    }
}

}  // namespace

void prepare_children(std::initializer_list<int> own) {
    own_descriptors = own;
    // A child, which runs the files' code, finds no way into this process by /proc.
    prctl(PR_SET_DUMPABLE, 0);
    printed = nameless_file();
    fcntl(printed, F_SETFL, O_APPEND);
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(nothing, STDIN_FILENO);
    dup2(printed, STDOUT_FILENO);
    dup2(printed, STDERR_FILENO);
    std::setvbuf(stdout, nullptr, _IOFBF, buffer_bytes);
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGCHLD);
    sigprocmask(SIG_BLOCK, &blocked, nullptr);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    stack_t stack{};
    stack.ss_sp = signal_stack;
    stack.ss_size = sizeof signal_stack;
    sigaltstack(&stack, nullptr);
    struct sigaction last_words {};
    last_words.sa_handler = say_last_words;
    last_words.sa_flags = SA_ONSTACK | SA_RESETHAND | SA_NODEFER;
    for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(number, &last_words, nullptr);
    last_words.sa_handler = end_with_last_words;
    sigaction(SIGXCPU, &last_words, nullptr);
}

Folder::Folder(std::string path) : path_(std::move(path)), made_(mkdir(path_.c_str(), 0700) == 0) {}

Folder::~Folder() {
    std::error_code ignored;
    if (made_) std::filesystem::remove_all(path_, ignored);
}

End in_child(const std::string& folder, const Limits& limits, const std::function<void()>& body, const Progress& progress) {
    End end;
    end.started = access(folder.c_str(), W_OK | X_OK) == 0;
    pid_t child = end.started ? fork() : -1;
    if (child < 0) {
        end.started = false;
        return end;
    }
    if (child == 0) live(folder, limits, body);
    setpgid(child, child);
    wait_for(child, limits, progress, end);
    end.cpu_us = cpu_time(child);
    kill(-child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
    if (WIFEXITED(status)) end.code = WEXITSTATUS(status);
    return end;
}

std::string take_output(size_t most) {
    struct stat about {};
    if (fstat(printed, &about) != 0 || about.st_size == 0) return "";
    std::string text(std::min(most, static_cast<size_t>(about.st_size)), '\0');
    ssize_t got = pread(printed, text.data(), text.size(), 0);
    text.resize(got > 0 ? static_cast<size_t>(got) : 0);
    if (ftruncate(printed, 0) != 0) text += "\n(what follows may be what was printed before)";
    return text;
}

}  // namespace tiltyard
