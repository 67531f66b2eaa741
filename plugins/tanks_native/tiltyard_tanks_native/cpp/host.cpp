// The host program: told on its standard input to load files and to play matches wholly in C++, it answers on its standard output.
// Files are loaded once; each match is played in a forked process, so that nothing is carried over and a crash costs one match.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>

#include "children.hpp"
#include "frames.hpp"
#include "playing.hpp"

using namespace tiltyard;

namespace {

constexpr int lowest_own_descriptor = 200;

std::string how_it_ended(const End& end) {
    if (end.late) return end.stuck ? "call" : "";
    if (end.signal != 0) return "signal " + std::to_string(end.signal);
    return "code " + std::to_string(end.code);
}

std::string home;  // where this program was started

std::string place_of(const std::string& folder) { return (std::filesystem::path(home) / folder).string(); }

int kind_of(const End& end) { return end.late ? kind_timeout : kind_ended; }

// In a process of its own first: what it does on being loaded may crash, or never end.
FrameWriter load(FrameReader request) {
    std::string path = request.text();
    Folder work(place_of(request.text()));
    const std::string& folder = work.path();
    Limits limits;
    limits.cpu_ms = request.number();
    limits.wall_ms = request.number();
    std::string problem;
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) return FrameWriter().number(kind_ended).text("no pipe").text("");
    End end = in_child(folder, limits, [&] {
        open_file(path, problem);
        ssize_t ignored = write(report[1], problem.data(), std::min<size_t>(problem.size(), 4096));
        static_cast<void>(ignored);
    });
    close(report[1]);
    char words[4096];
    ssize_t size = read(report[0], words, sizeof words);
    close(report[0]);
    if (!end.started) return FrameWriter().number(-1).text("").text("");
    if (end.late || end.signal != 0 || end.code != 0) {
        std::string output = take_output(4096);
        return FrameWriter().number(kind_of(end)).text(how_it_ended(end)).text(output);
    }
    if (size > 0) return FrameWriter().number(static_cast<int>(FailureKind::Loading)).text(std::string(words, size)).text("");
    if (chdir(folder.c_str()) != 0) return FrameWriter().number(kind_ended).text("its folder is gone").text("");
    open_file(path, problem);
    static_cast<void>(chdir("/") == 0);
    take_output(0);
    if (!problem.empty()) return FrameWriter().number(static_cast<int>(FailureKind::Loading)).text(problem).text("");
    return FrameWriter().number(0).text("").text("");
}

class Memory {
public:
    // Zeroed up to the board, with room for that.
    Shared& fresh(size_t squares) {
        size_t wanted = Shared::bytes(squares);
        if (wanted > size_) {
            if (shared_ != nullptr) munmap(shared_, size_);
            size_ = std::max<size_t>(wanted, 1 << 16);
            void* place = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
            if (place == MAP_FAILED) _exit(1);
            shared_ = static_cast<Shared*>(place);
        }
        std::memset(static_cast<void*>(shared_), 0, sizeof(Shared));
        return *shared_;
    }

private:
    Shared* shared_ = nullptr;
    size_t size_ = 0;
};

Job read_job(FrameReader& request) {
    Job job;
    for (int seat = 0; seat <= players; ++seat) {
        std::string path = request.text();
        job.problems[seat] = request.text();
        job.files[seat] = job.problems[seat].empty() ? open_file(path, job.problems[seat]) : nullptr;
    }
    job.map_name = request.text();
    job.names[1] = request.text();
    job.names[2] = request.text();
    job.rows = request.text();
    job.width = static_cast<size_t>(request.number());
    job.height = static_cast<size_t>(request.number());
    job.max_steps = static_cast<size_t>(request.number());
    job.num_shells = static_cast<size_t>(request.number());
    job.verbose = request.number() != 0;
    return job;
}

FrameWriter answer(const Job& job, const Shared& shared, const End& end, const std::string& output, int64_t cpu_us) {
    FrameWriter writer;
    auto stage = static_cast<Stage>(shared.stage);
    bool ended_early = stage == Stage::Playing;
    int kind = !end.started ? -1 : ended_early ? kind_of(end) : shared.failure_kind;
    writer.number(kind).text(ended_early ? how_it_ended(end) : std::string(shared.failure.text)).number(shared.doing);
    writer.number(stage == Stage::Claimed || stage == Stage::Read);
    writer.number(shared.winner).number(shared.reason).number(static_cast<int64_t>(shared.played));
    writer.number(static_cast<int64_t>(shared.remaining_count));
    for (uint64_t count : shared.remaining) writer.number(static_cast<int64_t>(count));
    bool lost = stage == Stage::Claimed;
    writer.number(shared.state).number(lost).text(lost ? (end.late ? "timeout" : how_it_ended(end)) : shared.state_problem.text);
    writer.text(std::string_view(shared.board, stage == Stage::Read ? job.width * job.height : 0));
    for (int seat = 1; seat <= players; ++seat) {
        const SeatFault& fault = shared.faults[seat];
        writer.number(fault.set ? fault.kind : 0).number(fault.doing).number(fault.tank).number(fault.round).text(fault.words.text);
    }
    return writer.text(output).number(cpu_us);
}

// Where a team's code ended the process, or did not return, the match is played again without that call: from there on the seat does
// nothing, as one in a process of its own would.
FrameWriter play_match(FrameReader request, Memory& memory) {
    Job job = read_job(request);
    Folder work(place_of(request.text()));
    const std::string& folder = work.path();
    Limits limits;
    limits.cpu_ms = request.number();
    limits.wall_ms = request.number();
    limits.file_bytes = request.number();
    limits.memory_bytes = request.number();
    auto most_output = static_cast<size_t>(request.number());
    Limits steps[players + 1];
    for (Limits& each : steps) {
        each.cpu_ms = request.number();
        each.wall_ms = request.number();
    }
    int64_t cpu_us = 0;
    std::string output;
    for (;;) {
        Shared& shared = memory.fresh(job.width * job.height);
        volatile const Shared& seen = shared;
        Progress progress{[&]() -> int64_t { return seen.steps; },
                          [&] {
                              int seat = seen.seat;
                              return steps[std::clamp(seat, 0, players)];
                          }};
        End end = in_child(folder, limits, [&] { play(job, shared); }, progress);
        cpu_us += end.cpu_us;
        output += take_output(most_output - std::min(most_output, output.size()));
        bool unfinished = static_cast<Stage>(shared.stage) == Stage::Playing && end.started;
        Stop& stop = job.stops[std::clamp(shared.seat, 0, players)];
        if (unfinished && shared.seat > 0 && shared.seat <= players && !stop.set) {
            stop = {true, shared.calls[shared.seat], kind_of(end), how_it_ended(end)};
            continue;
        }
        return answer(job, shared, end, output, cpu_us);
    }
}

}  // namespace

int main() {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The files' code prints to 1, reads from 0, and finds no other descriptors by chance.
    int requests = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, lowest_own_descriptor);
    int answers = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, lowest_own_descriptor);
    std::error_code ignored;
    home = std::filesystem::current_path(ignored).string();
    if (requests < 0 || answers < 0) return 1;
    prepare_children({requests, answers});
    if (chdir("/") != 0) return 1;
    Memory memory;
    std::string frame;
    while (read_frame(requests, frame)) {
        FrameReader request(frame);
        int64_t asked = request.number();
        FrameWriter reply = asked == 'L' ? load(request) : play_match(request, memory);
        if (!write_frame(answers, reply.frame())) break;
    }
    _exit(0);
}
