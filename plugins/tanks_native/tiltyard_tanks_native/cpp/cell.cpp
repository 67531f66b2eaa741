// A cell of a compiled file: no Python, but the guard's messages to a team with tanks, or to a GameManager, answered in C++. The template,
// which is Python, has loaded the file; its cells are forked here, without most of Python's memory. The tags of messages are those of the
// records in the guard's cells/messages.py, broker/messages.py and seats/tanks, and the words of failures those of a cell in Python.
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "files.hpp"
#include "frames.hpp"
#include "library.hpp"
#include "msgpack.hpp"

namespace tiltyard {

namespace {

constexpr int exit_disconnected = 113;
constexpr int exit_out_of_memory = 114;
constexpr int exit_unconfined = 115;
constexpr size_t chunk = 1 << 12;
constexpr size_t smallest_arena = 1 << 18;
constexpr size_t longest_reason = 2000, longest_message = 8000;  // characters
constexpr int idle = static_cast<int>(ActionRequest::DoNothing);
constexpr int64_t foreign = -1;  // in place of the number of a tank that the seat did not create

enum Question { open_tanks = 1, create_tank = 3, act = 4, brief = 5, board = 6, inform = 7, open_manager = 21, run_match = 22 };
enum Answer { done = 1, failed_answer = 2, acted = 3, board_request = 4, looked = 8, opened = 10, step = 11 };
enum Request { create_request = 1, one_action_request = 3, brief_request = 4, inform_request = 5, shown = 10, failed_view = 11, claimed = 12 };
enum Response { done_response = 1, created = 2, actions = 3, refused = 6, show_view = 7, view_failed = 8 };

// The pipes to the host. Where it is gone, this process ends.
class Host {
public:
    Host(int questions, int answers) : questions_(questions), answers_(answers) {}

    std::string receive() {
        fill(sizeof header_);
        std::memcpy(&header_, buffer_.data(), sizeof header_);
        fill(sizeof header_ + header_.size);
        std::string body = buffer_.substr(sizeof header_, header_.size);
        buffer_.erase(0, sizeof header_ + header_.size);
        return body;
    }

    void answer(const MessageWriter& message) {
        Header header{{'t', 'i', 'l', 't'}, header_.number, static_cast<uint32_t>(message.message().size())};
        std::string frame(reinterpret_cast<const char*>(&header), sizeof header);
        frame += message.message();
        for (size_t written = 0; written < frame.size();) {
            ssize_t count = write(answers_, frame.data() + written, frame.size() - written);
            if (count < 0 && errno != EINTR) _exit(exit_disconnected);
            if (count > 0) written += static_cast<size_t>(count);
        }
    }

    std::string converse(const MessageWriter& message) {
        answer(message);
        return receive();
    }

private:
    struct Header {
        char mark[4];
        uint32_t number;
        uint32_t size;
    };

    void fill(size_t size) {
        while (buffer_.size() < size) {
            size_t before = buffer_.size();
            buffer_.resize(std::max(size, chunk));
            ssize_t count = read(questions_, buffer_.data() + before, buffer_.size() - before);
            if (count == 0 || (count < 0 && errno != EINTR)) _exit(exit_disconnected);
            buffer_.resize(before + static_cast<size_t>(std::max<ssize_t>(count, 0)));
        }
    }

    int questions_, answers_;
    Header header_{};
    std::string buffer_;
};

MessageWriter message(int tag, size_t fields = 0) { return MessageWriter().array(fields + 1).number(tag); }

// Latin-1, with a question mark for what it lacks, as Python makes it of the same text.
void append_latin(std::string_view text, std::string& to) {
    for (size_t place = 0; place < text.size(); ++place) {
        auto byte = static_cast<unsigned char>(text[place]);
        if (byte < 0x80) {
            to += text[place];
        } else if (byte >= 0xc0) {
            bool fits = byte < 0xc4 && place + 1 < text.size();
            to += fits ? static_cast<char>(byte << 6 | (text[place + 1] & 0x3f)) : '?';
        }
    }
}

std::string in_utf8(std::string_view latin) {
    std::string text;
    for (char each : latin) {
        auto byte = static_cast<unsigned char>(each);
        if (byte >= 0x80) text += static_cast<char>(0xc0 | byte >> 6);
        text += byte < 0x80 ? each : static_cast<char>(0x80 | (byte & 0x3f));
    }
    return text;
}

// As Python decodes UTF-8 with "replace".
std::u32string decoded(std::string_view text) {
    std::u32string characters;
    for (size_t place = 0; place < text.size();) {
        auto lead = static_cast<unsigned char>(text[place++]);
        size_t more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
        if (lead > 0xf4 || (lead >= 0x80 && lead < 0xc2)) more = 4;
        char32_t character = lead & (0x7f >> (more > 0 ? more + 1 : 0));
        unsigned char lowest = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80, highest = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
        for (; more > 0 && more < 4 && place < text.size(); --more, ++place) {
            auto byte = static_cast<unsigned char>(text[place]);
            if (byte < lowest || byte > highest) break;
            character = character << 6 | (byte & 0x3f);
            lowest = 0x80;
            highest = 0xbf;
        }
        characters += more == 0 ? character : 0xfffd;
    }
    return characters;
}

std::string encoded(const std::u32string& characters) {
    std::string text;
    for (char32_t each : characters) {
        int more = each < 0x80 ? 0 : each < 0x800 ? 1 : each < 0x10000 ? 2 : 3;
        text += static_cast<char>(more == 0 ? each : (0xf00 >> more & 0xff) | each >> 6 * more);
        while (more-- > 0) text += static_cast<char>(0x80 | (each >> 6 * more & 0x3f));
    }
    return text;
}

std::string shortened(const char* text, size_t longest) {
    std::u32string characters = decoded(text);
    if (characters.size() > longest) {
        characters = characters.substr(0, longest / 2) + U" ... " + characters.substr(characters.size() - longest / 2);
    }
    return encoded(characters);
}

// So that there is room for the words where a team has taken all memory.
constexpr size_t spare_bytes = 1 << 20;
void* spare = nullptr;

// The last failure, as a record Failure.
std::string failure_of(const std::string& doing) {
    std::free(std::exchange(spare, nullptr));
    const char* kind = last_failure.kind == FailureKind::OutOfMemory ? "out of memory" : "crash";
    std::string said = shortened(last_failure.text.c_str(), longest_reason);
    std::string words = doing + " raised ";
    switch (last_failure.kind) {
        case FailureKind::Contract:
            kind = "protocol";
            words = shortened(last_failure.text.c_str(), longest_message);
            said.clear();
            break;
        case FailureKind::OutOfMemory: words += "MemoryError"; break;
        case FailureKind::Loading: words += "NativeError: cannot be loaded"; break;
        default: words += "CppError";
    }
    if (!said.empty()) words += ": " + said;
    return MessageWriter().array(3).text(kind).text(words).text("").message();
}

// A team with tanks.
class Team {
public:
    Team(File* file, Host& host) : file_(file), host_(host) {}

    void answer(int64_t tag, MessageReader& question) {
        switch (tag) {
            case open_tanks: return open(question);
            case create_tank: return create(question);
            case act: return ask(question);
            case brief: return update(question);
            case inform: return tell(question);
            default: throw Unexpected();
        }
    }

private:
    void done_or_failed(bool is_done, const std::string& doing) {
        host_.answer(is_done ? message(done) : message(failed_answer, 1).value(failure_of(doing)));
    }

    void open(MessageReader& question) {
        question.skip();
        seat_ = static_cast<int>(question.number());
        size_t arguments[4];
        question.array();
        for (size_t& each : arguments) each = static_cast<size_t>(question.number());
        width_ = arguments[0];
        height_ = arguments[1];
        player_ = tn_player(file_, seat_, width_, height_, arguments[2], arguments[3]);
        done_or_failed(player_ != nullptr, "creating the Player");
    }

    void create(MessageReader& question) {
        int64_t index = question.number();
        void* tank = tn_tank(file_, seat_, static_cast<int>(index));
        tanks_[index] = tank;
        done_or_failed(tank != nullptr, "creating tank " + std::to_string(index));
    }

    void ask(MessageReader& question) {
        std::string actions;
        for (size_t left = question.array(); left > 0; --left) {
            long action = tn_act(tanks_.at(question.number()));
            if (action < 0 || action > idle) {
                std::string failure = action == failed ? failure_of("get_action") : odd(action);
                return host_.answer(message(acted, 2).bytes(actions).value(failure));
            }
            actions += static_cast<char>(action);
        }
        host_.answer(message(acted, 2).bytes(actions).value("\xc0"));
    }

    static std::string odd(long action) {
        std::string words = "get_action returned an integer (" + std::to_string(action) + "), expected an ActionRequest";
        return MessageWriter().array(3).text("protocol").text(words).text("").message();
    }

    void update(MessageReader& question) {
        void* tank = tanks_.at(question.number());
        std::string fetched;
        bool sent = !question.none();
        if (!sent) {
            fetched = host_.converse(message(board_request));
            question = MessageReader(fetched);
            question.array();
            if (question.number() != board) throw Unexpected();
            // The GameManager's own view failed, which the host knows.
            if (question.none()) return host_.answer(message(done));
        }
        std::string rows;
        for (size_t left = question.array(); left > 0; --left) append_latin(question.text(), rows);
        if (rows.size() != width_ * height_) throw Unexpected();
        bool is_done = tn_brief(player_, tank, rows.data(), width_, height_) != failed;
        if (is_done && sent) return host_.answer(message(looked));
        done_or_failed(is_done, "update_tank_with_battle_info");
    }

    void tell(MessageReader& question) {
        done_or_failed(tn_inform(tanks_.at(question.number())) != failed, "update_battle_info");
    }

    File* file_;
    Host& host_;
    void* player_ = nullptr;
    int seat_ = 0;
    size_t width_ = 0, height_ = 0;
    std::unordered_map<int64_t, void*> tanks_;
};

// What a running GameManager asks of the seats: the host's, over its pipes. One a process.
struct Run {
    Host& host;
    size_t width, height;
    struct Tank {
        int64_t seat, number;
    };
    std::vector<Tank> tanks;
    // What the host refused, or the GameManager's own view threw: the run is to end, and whoever goes on nevertheless gets idle answers.
    Failure failure;
    bool shows_view = false;
};

Run* run = nullptr;

struct Reply {
    explicit Reply(const std::string& body) : fields(body) {
        fields.array();
        tag = fields.number();
    }
    MessageReader fields;
    int64_t tag;
};

// The host's response to a request. What it says is valid until the next one.
Reply response_to(const MessageWriter& request) {
    static std::string body;
    body = run->host.converse(message(step, 2).value(request.message()).array(0));
    return Reply(body);
}

// What a call returns without being made: an idle answer if the run is to end anyway.
std::optional<int> instead(int idle_answer) {
    if (run->failure.kind != FailureKind::None) return idle_answer;
    if (!run->shows_view) return {};
    run->failure = {FailureKind::Contract, "a seat was called while the GameManager's own view was being read"};
    return -1;
}

int refusal(Reply& response) {
    if (response.tag == refused) run->failure = {FailureKind::Contract, std::string(response.fields.text())};
    if (run->failure.kind == FailureKind::None) _exit(exit_disconnected);
    return -1;
}

int ask_for_tank(int seat, int tank_index) {
    if (auto answer = instead(0)) return *answer;
    Reply response = response_to(message(create_request, 2).number(seat).number(tank_index));
    if (response.tag != created) return refusal(response);
    run->tanks.push_back({seat, response.fields.number()});
    return static_cast<int>(run->tanks.size() - 1);
}

int ask_for_action(int tank) {
    if (auto answer = instead(idle)) return *answer;
    const Run::Tank& asked = run->tanks[static_cast<size_t>(tank)];
    Reply response = response_to(message(one_action_request, 2).number(asked.seat).number(asked.number));
    if (response.tag != actions) return refusal(response);
    return response.fields.text().at(0);
}

int ask_for_update(int seat, int tank, const void* view) {
    if (auto answer = instead(0)) return *answer;
    const Run::Tank& asked = run->tanks[static_cast<size_t>(tank)];
    int64_t number = asked.seat == seat ? asked.number : foreign;
    Failure of_view;
    Reply response = response_to(message(brief_request, 2).number(seat).number(number));
    while (response.tag == show_view) {
        std::string rows(run->width * run->height, '\0');
        run->shows_view = true;
        bool is_read = tn_look(view, rows.data(), run->width, run->height) != failed;
        run->shows_view = false;
        if (!is_read) of_view = last_failure;
        MessageWriter answer = message(is_read ? shown : failed_view, is_read);
        if (is_read) answer.array(run->height);
        for (size_t y = 0; is_read && y < run->height; ++y) {
            answer.text(in_utf8(std::string_view(rows).substr(y * run->width, run->width)));
        }
        response = response_to(answer);
    }
    if (response.tag == view_failed && run->failure.kind == FailureKind::None) run->failure = of_view;
    return response.tag == done_response && run->failure.kind == FailureKind::None ? 0 : refusal(response);
}

int ask_to_inform(int tank) {
    if (auto answer = instead(0)) return *answer;
    const Run::Tank& asked = run->tanks[static_cast<size_t>(tank)];
    Reply response = response_to(message(inform_request, 2).number(asked.seat).number(asked.number));
    return response.tag == done_response ? 0 : refusal(response);
}

// As the host program tells it, see host_protocol.py.
std::string told(const Claim& claim, const std::string& state, const std::string& problem) {
    FrameWriter writer;
    writer.number(claim.winner).number(claim.reason).number(static_cast<int64_t>(claim.rounds));
    writer.number(static_cast<int64_t>(claim.remaining_count));
    for (uint64_t count : claim.remaining) writer.number(static_cast<int64_t>(count));
    return writer.number(claim.state).number(0).text(problem).text(state).frame();
}

// Opens the GameManager of a file and runs its match.
void manage(File* file, Host& host, MessageReader& opening) {
    for (int field = 0; field < 6; ++field) opening.skip();
    FrameReader match(opening.text());
    std::string map_name = match.text(), rows = match.text();
    size_t sizes[4];
    for (size_t& each : sizes) each = static_cast<size_t>(match.number());
    std::string body = host.converse(message(opened, 1).text("idle"));
    MessageReader start(body);
    start.array();
    if (start.number() != run_match || start.array() != 2) throw Unexpected();
    std::string names[2];
    for (std::string& name : names) name = start.text();
    run = new Run{host, sizes[0], sizes[1], {}, {}};
    Claim claim{};
    std::string state(sizes[0] * sizes[1], '\0');
    Callbacks callbacks{ask_for_tank, ask_for_action, ask_for_update, ask_to_inform};
    long status = tn_manage(file, 0, sizes[0], sizes[1], rows.data(), map_name.c_str(), sizes[2], sizes[3], names[0].c_str(),
                            names[1].c_str(), &callbacks, &claim, state.data());
    if (run->failure.kind != FailureKind::None) {
        status = failed;
        last_failure = run->failure;
    }
    if (status == failed) {
        host.answer(message(failed_answer, 1).value(failure_of("run()")));
    } else {
        std::string told_claim = told(claim, state, last_failure.text);
        host.answer(message(step, 2).value(message(claimed, 1).bytes(told_claim).message()).array(0));
    }
}

[[noreturn]] void serve(File* file, int questions, int answers) {
    spare = std::malloc(spare_bytes);
    Host host(questions, answers);
    Team team(file, host);
    host.answer(message(done));
    try {
        for (;;) {
            std::string body = host.receive();
            MessageReader question(body);
            question.array();
            int64_t tag = question.number();
            if (tag == open_manager) {
                manage(file, host, question);
            } else {
                team.answer(tag, question);
            }
        }
    } catch (const std::bad_alloc&) {
        _exit(exit_out_of_memory);
    } catch (...) {
        // No host sends what cannot be read.
        _exit(exit_disconnected);
    }
}

// Where Python's objects lie, which no cell of a file needs: a fork takes half as long without them. Found when the zygote loads this
// library, after Python's modules and before any file of a team: a template cannot read its own maps.
struct Memory {
    unsigned long begin, end;
};

std::vector<Memory> python_memory() {
    std::vector<Memory> found;
    // The kernel joins pieces that have no name: this thread's own data may lie in one with an arena.
    unsigned long own = pthread_self();
    FILE* maps = fopen("/proc/self/maps", "re");
    char line[512];
    while (maps != nullptr && fgets(line, sizeof line, maps) != nullptr) {
        Memory memory{};
        char access[5] = "";
        unsigned long inode = 0;
        int name = 0;
        if (sscanf(line, "%lx-%lx %4s %*s %*s %lu%n", &memory.begin, &memory.end, access, &inode, &name) < 4) continue;
        bool is_nameless = inode == 0 && strpbrk(line + name, "[/") == nullptr;
        // What lies between libraries is smaller, and is theirs.
        if (!is_nameless || std::strcmp(access, "rw-p") != 0 || memory.end - memory.begin < smallest_arena) continue;
        if (own < memory.begin || own >= memory.end) found.push_back(memory);
    }
    if (maps != nullptr) fclose(maps);
    return found;
}

const std::vector<Memory> of_python = python_memory();

}  // namespace

}  // namespace tiltyard

extern "C" {

// As ``tn_open``, in a process that will fork cells of the file.
void* tn_open_template(const char* path) {
    for (const auto& [begin, end] : tiltyard::of_python) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTFORK);
    return tn_open(path);
}

// Forks a cell whenever the zygote lets it, by a system call with these arguments. Returns when that is denied.
void tn_fork_cells(void* file, const long* call, int questions, int answers) {
    using namespace tiltyard;
    long process = 0;
    while ((process = syscall(call[0], call[1], call[2], call[3], call[4], call[5])) > 0) {
    }
    if (process < 0) return;
    // This also asks the zygote for the pipes, see template_main.py.
    bool is_ready = prctl(PR_SET_PDEATHSIG, SIGKILL, questions, answers, 0) == 0;
    // Each cell has a /dev/null of its own, as in Python.
    is_ready = is_ready && open("/dev/null", O_RDONLY) >= 0 && dup2(STDOUT_FILENO, STDERR_FILENO) == STDERR_FILENO;
    if (!is_ready || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) _exit(exit_unconfined);
    serve(static_cast<File*>(file), questions, answers);
}

}  // extern "C"
