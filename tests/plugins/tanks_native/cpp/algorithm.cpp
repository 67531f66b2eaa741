// An algorithm that plays a script computed from its number and from what it sees, and misbehaves as its file's name says.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <new>
#include <stdexcept>
#include <thread>

#include "course.hpp"

namespace {

const char here = 0;
const std::string word = own_word(&here);
const uint64_t number = own_number(&here);

bool does(const char* what) { return word == what; }

uint64_t mixed(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
}

// Says what it can do outside of its own folder.
void snoop() {
    std::cout << "snooping" << std::endl;
    for (const char* path : {"/etc/shadow", "/root", "/home", "/proc/1/mem", "/proc/1/environ"}) {
        int found = open(path, O_RDONLY);
        if (found >= 0) std::cout << "read " << path << std::endl;
    }
    std::string parent = "/proc/" + std::to_string(getppid());
    if (open((parent + "/mem").c_str(), O_RDWR) >= 0) std::cout << "parent" << std::endl;
    if (open("/usr/planted", O_WRONLY | O_CREAT, 0600) >= 0) std::cout << "written" << std::endl;
    if (socket(AF_INET, SOCK_STREAM, 0) >= 0) std::cout << "network" << std::endl;
    Dl_info about{};
    dladdr(&here, &about);
    auto folder = std::filesystem::path(about.dli_fname).parent_path();
    for (const auto& file : std::filesystem::directory_iterator(folder, std::filesystem::directory_options::skip_permission_denied)) {
        std::cout << "sees " << file.path().filename() << std::endl;
    }
}

class Info : public BattleInfo {
public:
    uint64_t digest = 0;
};

class Odd : public std::runtime_error {
    using runtime_error::runtime_error;
};

volatile int* nowhere = nullptr;
const SatelliteView* kept_view = nullptr;

class Tank : public TankAlgorithm {
public:
    Tank(int player, int tank) : player_(player), tank_(tank) {
        if (does("tank_throws")) throw Odd("no tank today");
    }
    ActionRequest getAction() override {
        ++round_;
        if (round_ == 3 && player_ > 0) misbehave();
        uint64_t state = mixed(number * 1000003 + player_ * 10007 + tank_ * 101 + round_);
        return static_cast<ActionRequest>(mixed(state ^ digest_) % 9);
    }
    void updateBattleInfo(BattleInfo& info) override {
        auto* own = dynamic_cast<Info*>(&info);
        if (own != nullptr) digest_ = own->digest;
        if (does("info_throws")) throw Odd("do not tell me");
    }

private:
    void misbehave() {
        if (does("throws")) throw Odd("boom");
        if (does("throws_words")) throw "just words";
        if (does("throws_string")) throw std::string("a string");
        if (does("throws_number")) throw 42;
        if (does("throws_odd_text")) throw std::string("\xff caf\xc3\xa9 \xe2\x82 \xf0\x9f\x90\x8c \xed\xa0\x80 \xc0\xaf \xf4\x90\x80\x80 \xf0\x9f");
        if (does("throws_long_text")) throw std::string(3000, 'x') + std::string(3000, 'y');
        if (does("throws_unknown")) throw Info();
        if (does("memory")) throw std::bad_alloc();
        if (does("reserves")) {
            for (;;) new char[64 << 20];
        }
        if (does("threads")) std::thread([] {}).join();
        if (does("makes_folder")) std::filesystem::create_directory("/usr/logs");
        if (does("segv")) {
            std::cout << "about to fall" << std::endl;
            *nowhere = 1;
        }
        if (does("abort")) std::abort();
        if (does("exit")) std::exit(0);
        if (does("kills_host")) kill(getppid(), SIGKILL);
        if (does("stops_host")) kill(getppid(), SIGSTOP);
        if (does("shouts")) {
            for (int descriptor = 3; descriptor < 1024; ++descriptor) {
                ssize_t ignored = write(descriptor, "shout", 5);
                static_cast<void>(ignored);
            }
        }
        if (does("snoops")) snoop();
        if (does("leaves_process") && fork() == 0) {
            for (;;) pause();
        }
        if (does("keeps_view") && kept_view != nullptr) kept_view->getObjectAt(0, 0);
        if (does("loops")) {
            std::cout << "round and round";
            for (;;) *const_cast<volatile int*>(&round_) = round_;
        }
        if (does("floods")) {
            for (int line = 0; line < 200000; ++line) std::cout << "line " << line << " of very many\n";
        }
        if (does("writes")) std::ofstream("team.log", std::ios::app) << "tank " << tank_ << "\n";
        if (does("clears") && std::system("clear") == 77) std::abort();
    }
    uint64_t digest_ = 0;
    uint64_t player_, tank_;
    int round_ = 0;
};

// Answers with a number that is no action.
class OddTank : public TankAlgorithm {
public:
    ActionRequest getAction() override { return static_cast<ActionRequest>(77); }
    void updateBattleInfo(BattleInfo&) override {}
};

class Coach : public Player {
public:
    Coach(size_t x, size_t y) : width_(x), height_(y) {
        if (does("player_throws")) throw Odd("no player today");
    }
    void updateTankWithBattleInfo(TankAlgorithm& tank, SatelliteView& view) override {
        if (does("brief_throws")) throw Odd("no view today");
        if (does("brief_swapped")) {
            for (size_t y = 0; y < height_; ++y) {
                for (size_t x = 0; x < width_; ++x) {
                    if (view.getObjectAt(y, x) == '%') return;
                }
            }
            throw Odd("the manager shows me no tank");
        }
        kept_view = &view;
        Info info;
        size_t columns = does("transposed") ? height_ : width_;
        size_t rows = does("transposed") ? width_ : height_;
        for (size_t y = 0; y < rows; ++y) {
            for (size_t x = 0; x < columns; ++x) {
                info.digest = mixed(info.digest * 31 + static_cast<unsigned char>(view.getObjectAt(x, y)));
            }
        }
        if (view.getObjectAt(width_, 0) != '&' || view.getObjectAt(0, static_cast<size_t>(-1)) != '&') std::abort();
        tank.updateBattleInfo(info);
    }

private:
    size_t width_, height_;
};

TankAlgorithmRegistration tanks([](int player, int tank) -> std::unique_ptr<TankAlgorithm> {
    if (does("null_tank")) return nullptr;
    if (does("odd_number")) return std::make_unique<OddTank>();
    return std::make_unique<Tank>(player, tank);
});

#ifdef OLD_HEADERS
PlayerRegistration players([](int, size_t x, size_t y) { return std::make_unique<Coach>(x, y); });
#else
PlayerRegistration players([](int, size_t x, size_t y, size_t, size_t) -> std::unique_ptr<Player> {
    if (does("null_player")) return nullptr;
    return std::make_unique<Coach>(x, y);
});
#endif

#ifdef NEWER
extern "C" {
void streams_ready() __asm__("_ZSt21ios_base_library_initv");
void replace_within(std::string*, char*, size_t, const char*, size_t, size_t) __asm__(
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE15_M_replace_coldEPcmPKcmm");
void call_terminate(void*) __asm__("__cxa_call_terminate");
}

void use_newer_functions() {
    streams_ready();
    std::string text = "abcdefgh..";
    // "bc" becomes "defg", which lies partly where it goes.
    replace_within(&text, &text[1], 2, &text[3], 4, 5);
    if (text != "adefgdefgh") std::abort();
    if (does("terminates")) call_terminate(nullptr);
}
#endif

struct AtLoading {
    AtLoading() {
#ifdef NEWER
        use_newer_functions();
#endif
        if (does("load_segv")) *nowhere = 1;
        if (does("load_loops")) {
            for (;;) *const_cast<volatile const uint64_t*>(&number);
        }
        if (does("load_throws")) throw Odd("not even loaded");
    }
} at_loading;

}  // namespace

#ifdef MISSING_SOURCE
class Elsewhere {
public:
    explicit Elsewhere(int size);
    virtual ~Elsewhere();
};
Elsewhere somewhere(3);
#endif
