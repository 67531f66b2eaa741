"""The filter's bytes, run by a small interpreter, for both architectures and for kernels that this machine does not have."""

from __future__ import annotations

import errno
import os
import platform
import re
import struct
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tiltyard_simulator.guard.confinement.kernel.seccomp import FilterPolicy, _assembled
from tiltyard_simulator.guard.confinement.kernel.system_calls import ARCHITECTURES, LAST_KNOWN_CALL, PATHS, Architecture

ME = 4321
ALLOW, KILL, DENY, UNKNOWN = 0x7FFF0000, 0x80000000, 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS
ASK = 0x7FC00000
PRETEND = 0x50000
"""The call returns 0, and was not done."""
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
EVERYDAY = {
    "x86_64": {"read": 0, "write": 1, "mmap": 9, "lseek": 8, "getrandom": 318},
    "aarch64": {"read": 63, "write": 64, "mmap": 222},
}


@pytest.fixture(params=list(ARCHITECTURES.values()), ids=lambda architecture: architecture.name)
def architecture(request: pytest.FixtureRequest) -> Architecture:
    found = request.param
    assert isinstance(found, Architecture)
    return found


def policy(
    python: bool = True, single: bool = True, protected: bool = False, version: int = 7, template: bool = False
) -> FilterPolicy:
    return FilterPolicy(python, single, protected, version, template=template)


def verdict(rules: FilterPolicy, architecture: Architecture, call: str | int, arguments: Sequence[int] = (), audit: int = 0) -> int:
    number = architecture.calls[call] if isinstance(call, str) else call
    values = [value & (2**64 - 1) for value in (*arguments, *[0] * 6)][:6]
    data = struct.pack("=IIQ6Q", number, audit or architecture.audit, 0, *values)
    steps = list(struct.iter_unpack("=HBBI", _assembled(rules, architecture, ME)))
    place, word = 0, 0
    while True:
        code, then, otherwise, value = steps[place]
        place += 1
        if code == 0x20:
            (word,) = struct.unpack_from("=I", data, value)
        elif code == 0x06:
            return int(value)
        elif code == 0x05:
            place += value
        elif code == 0x54:
            word &= value
        else:
            true = {0x15: word == value, 0x25: word > value, 0x45: word & value != 0}[code]
            place += then if true else otherwise


def test_numbers_are_the_headers(architecture: Architecture) -> None:
    header = HEADERS[architecture.name]
    if not header.exists():
        pytest.skip(f"{header} is not installed")
    found = {
        match[1]: int(match[2])
        for match in re.finditer(r"#define __NR(?:3264)?_(\w+)\s+(\d+)\b", header.read_text(encoding="utf-8"))
    }
    known = {name: number for name, number in architecture.calls.items() if name in found}
    assert len(known) > 100
    assert known == {name: found[name] for name in known}


def test_python_is_held(architecture: Architecture) -> None:
    rules = policy()
    for name in ("ptrace", "execve", "clone", "socket", "mount", "unshare", "bpf", "io_uring_setup", "keyctl", "fchmod", "setsid"):
        assert verdict(rules, architecture, name) == DENY, name
    for number in EVERYDAY[architecture.name].values():
        assert verdict(rules, architecture, number) == ALLOW
    for number in (LAST_KNOWN_CALL + 1, 0x40000000, 0xFFFFFFFF):
        assert verdict(rules, architecture, number) == UNKNOWN
    assert verdict(rules, architecture, "clone3") == UNKNOWN
    assert verdict(rules, architecture, 1, audit=0x40000003) == KILL


def test_every_listed_call_meets_its_own_rule(architecture: Architecture) -> None:
    rules = policy()
    allowed = {name for name in architecture.calls if verdict(rules, architecture, name) == ALLOW}
    # These depend on arguments, on Landlock alone, or are denied in templates alone.
    on_arguments = {
        "ioctl",
        "fcntl",
        "flock",
        "fadvise64",
        "madvise",
        "prctl",
        "prlimit64",
        "setrlimit",
        "kill",
        "mmap",
        "msync",
        "setsockopt",
        "clock_gettime",
        "clock_getres",
        "clock_nanosleep",
        "getpgid",
        "getsid",
        "getpriority",
        "ioprio_get",
        "get_robust_list",
        "sched_getscheduler",
        "sched_getparam",
        "sched_getaffinity",
        "sched_getattr",
        "sched_rr_get_interval",
    }
    assert allowed <= {*on_arguments, *PATHS, "truncate", "mknod", "mknodat"}


def test_what_runtimes_do_at_their_start_seems_done(architecture: Architecture) -> None:
    for rules in (policy(), policy(python=False, single=False)):
        for thread in (0, ME, ME + 1):
            assert verdict(rules, architecture, "sched_setaffinity", [thread, 128]) == PRETEND
            assert verdict(rules, architecture, "sched_setscheduler", [thread, 0]) == PRETEND
            for other in (1, 2, 3, 5, 6, 7, 0x40000000):
                assert verdict(rules, architecture, "sched_setscheduler", [thread, other]) == DENY


def test_arguments(architecture: Architecture) -> None:
    rules = policy()
    for pid, expected in ((ME, ALLOW), (0, ALLOW), (-ME, ALLOW), (ME + 1, DENY), (-1, DENY), (1, DENY)):
        assert verdict(rules, architecture, "kill", [pid & 0xFFFFFFFF, 15]) == expected
        # The kernel looks at the lower half alone, and so must the filter.
        assert verdict(rules, architecture, "kill", [pid & 0xFFFFFFFF | 7 << 32, 15]) == expected
    assert verdict(rules, architecture, "tgkill", [ME, ME, 6]) == ALLOW
    assert verdict(rules, architecture, "tgkill", [1, 1, 6]) == DENY
    assert verdict(rules, architecture, "prlimit64", [0, 7]) == ALLOW
    assert verdict(rules, architecture, "prlimit64", [ME + 1, 7]) == DENY
    assert verdict(rules, architecture, "ioctl", [0, 0x5412]) == DENY
    assert verdict(rules, architecture, "ioctl", [0, 0x5413]) == ALLOW
    close_and_no_wait = 0o2000000 | 0o4000
    for kind, expected in ((1, ALLOW), (5, ALLOW), (2, DENY), (3, DENY), (4, DENY), (0, DENY)):
        assert verdict(rules, architecture, "socketpair", [1, kind]) == expected
        assert verdict(rules, architecture, "socketpair", [1, kind | close_and_no_wait]) == expected
        assert verdict(rules, architecture, "socketpair", [2, kind]) == DENY


def test_the_zygote_is_asked_what_a_template_and_its_cells_do_to_themselves(architecture: Architecture) -> None:
    plain, rules = policy(), policy(template=True)
    for name in ("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"):
        signal_at = 2 if "tg" in name else 1
        for pid in (ME, 0, -ME & 0xFFFFFFFF, ME + 1):
            harmless, deadly = [pid, pid, pid], [pid, pid, pid]
            harmless[signal_at], deadly[signal_at] = 15, 9
            assert verdict(rules, architecture, name, harmless) == ASK
            assert verdict(rules, architecture, name, deadly) == DENY
    assert verdict(rules, architecture, "clone", [0x8000]) == ASK
    assert verdict(rules, architecture, "prctl", [1, 9]) == ASK
    assert verdict(rules, architecture, "prctl", [62]) == DENY
    assert verdict(rules, architecture, "prctl", [15]) == ALLOW
    assert verdict(rules, architecture, "prlimit64", [0, 7]) == ALLOW
    assert verdict(rules, architecture, "prlimit64", [0, 0, 1]) == DENY
    assert verdict(rules, architecture, "prlimit64", [ME, 7]) == ASK
    for flags, expected in ((1, ASK), (3, ASK), (0x21, ASK), (2, ALLOW), (0x22, ALLOW)):
        assert verdict(rules, architecture, "mmap", [0, 4096, 3, flags]) == expected
        assert verdict(plain, architecture, "mmap", [0, 4096, 3, flags]) == ALLOW
    for name, place in (("open", 1), ("openat", 2)):
        if name in architecture.calls:
            before = [0] * place
            assert verdict(rules, architecture, name, [*before, 0o20200002]) == DENY
            assert verdict(rules, architecture, name, [*before, 0o2]) == verdict(plain, architecture, name, [*before, 0o2])
    # All else is as in any cell.
    special = {"clone", "prctl", "prlimit64", "mmap", "kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"}
    for name in architecture.calls.keys() - special:
        assert verdict(rules, architecture, name) == verdict(plain, architecture, name), name


@pytest.mark.parametrize("version", [1, 7])
def test_a_listener_is_asked_about_what_is_denied_and_about_paths_alone(architecture: Architecture, version: int) -> None:
    plain = policy(python=False, single=False, version=version)
    watched = replace(plain, watched=True)
    truncating = [0, 0, os.O_TRUNC, 0]
    for name in architecture.calls:
        for arguments in ([], [ME + 1, 9], [1, 2], [9, 0x5412, 62, 4], truncating):
            expected = verdict(plain, architecture, name, arguments)
            # The listener lets paths pass. So what is denied of these is not left to it.
            stays = version == 1 and name in ("open", "openat")
            if not stays and expected == (ALLOW if name in PATHS else DENY):
                expected = ASK
            assert verdict(watched, architecture, name, arguments) == expected, (name, arguments)


NEEDED_FCNTLS = {
    "F_DUPFD": 0,
    "F_GETFD": 1,
    "F_SETFD": 2,
    "F_GETFL": 3,
    "F_SETFL": 4,
    "F_DUPFD_CLOEXEC": 1030,
    "F_GETPIPE_SZ": 1032,
}
LOCKS = {"F_SETLK": 6, "F_SETLKW": 7, "F_OFD_SETLK": 37, "F_OFD_SETLKW": 38}
HARMFUL_FCNTLS = {"F_SETOWN": 8, "F_SETSIG": 10, "F_SETOWN_EX": 15, "F_SETLEASE": 1024, "F_NOTIFY": 1026, "F_SETPIPE_SZ": 1031}
HARMFUL_FCNTLS |= {"F_GETLK": 5, "F_OFD_GETLK": 36, "F_SET_RW_HINT": 1036, "F_SET_FILE_RW_HINT": 1038, "not known yet": 1039}


@pytest.mark.parametrize("protected", [True, False])
@pytest.mark.parametrize("python", [True, False])
def test_of_a_files_descriptor_only_what_code_needs(architecture: Architecture, python: bool, protected: bool) -> None:
    rules = policy(python=python, single=False, protected=protected)
    for name, command in NEEDED_FCNTLS.items():
        assert verdict(rules, architecture, "fcntl", [3, command]) == ALLOW, name
    for name, command in (HARMFUL_FCNTLS | LOCKS).items():
        assert verdict(rules, architecture, "fcntl", [3, command]) == DENY, name
        assert verdict(rules, architecture, "fcntl", [3, command | 1 << 32]) == DENY, name


def test_files_that_others_read_too(architecture: Architecture) -> None:
    rules = policy()
    shared, exclusive, unlock, at_once = 1, 2, 8, 4
    for operation in (shared, shared | at_once, unlock, exclusive, exclusive | at_once, 32):
        assert verdict(rules, architecture, "flock", [3, operation]) == DENY
    sequential, dont_need = 2, 4
    assert verdict(rules, architecture, "fadvise64", [3, 0, 0, sequential]) == ALLOW
    assert verdict(rules, architecture, "fadvise64", [3, 0, 0, dont_need]) == DENY
    free, page_out = 8, 21
    assert verdict(rules, architecture, "madvise", [0, 4096, free]) == ALLOW
    assert verdict(rules, architecture, "madvise", [0, 4096, page_out]) == DENY
    for name in ("fsync", "fdatasync", "sync_file_range"):
        assert verdict(rules, architecture, name, [3]) == PRETEND
    for flags, expected in ((1, ALLOW), (2, ALLOW), (4, PRETEND), (6, PRETEND)):
        assert verdict(rules, architecture, "msync", [0, 4096, flags]) == expected
    for name in ("sync", "syncfs", "io_setup", "inotify_init1", "inotify_add_watch", "fanotify_init", "userfaultfd"):
        assert verdict(rules, architecture, name, [3]) == DENY, name


def test_locks_seem_done_in_a_build_alone(architecture: Architecture) -> None:
    rules = replace(policy(python=False, single=False), builds=True)
    for command in LOCKS.values():
        assert verdict(rules, architecture, "fcntl", [3, command]) == PRETEND
    for asking in ("F_GETLK", "F_OFD_GETLK"):
        assert verdict(rules, architecture, "fcntl", [3, HARMFUL_FCNTLS[asking]]) == DENY
    for operation in (1, 2, 5, 6, 8):
        assert verdict(rules, architecture, "flock", [3, operation]) == PRETEND


PAIRS_OF_PROCESS = {"getpgid": 0, "getsid": 0, "getpriority": 1, "ioprio_get": 1, "get_robust_list": 0}
PAIRS_OF_THREAD = dict.fromkeys(("sched_getscheduler", "sched_getparam", "sched_getaffinity", "sched_getattr"), 0)


def test_nothing_is_asked_about_other_processes(architecture: Architecture) -> None:
    single, several, alone = policy(), policy(single=False), replace(policy(python=False, single=False), own_processes=True)
    template = policy(template=True)
    for name, place in (PAIRS_OF_PROCESS | PAIRS_OF_THREAD).items():
        mine, others, nobodys = ([0] * place + [number] for number in (ME, ME + 1, 0))
        assert [verdict(single, architecture, name, each) for each in (mine, others, nobodys)] == [ALLOW, DENY, ALLOW]
        expected = DENY if name in PAIRS_OF_PROCESS else ALLOW
        assert [verdict(template, architecture, name, each) for each in (mine, others, nobodys)] == [expected, expected, ALLOW]
        for rules in (several, alone):
            assert verdict(rules, architecture, name, others) == ALLOW
    for name in ("clock_gettime", "clock_getres", "clock_nanosleep"):
        for kind in range(3):
            its_process, its_thread, own = (~(ME + 1) << 3) | kind, (~(ME + 1) << 3) | 4 | kind, (~0 << 3) | kind
            for rules in (single, several, template):
                assert verdict(rules, architecture, name, [its_process]) == DENY
                assert [verdict(rules, architecture, name, [each]) for each in (its_thread, own, kind)] == [ALLOW] * 3
            assert verdict(alone, architecture, name, [its_process]) == ALLOW


def test_only_who_has_threads_or_children_waits_at_pages_that_may_be_shared(architecture: Architecture) -> None:
    wait, wake, private = 0, 1, 128
    for operation in (wait, wake):
        for rules in (policy(), policy(template=True)):
            assert verdict(rules, architecture, "futex", [0, operation]) == DENY
            assert verdict(rules, architecture, "futex", [0, operation | private]) == ALLOW
        assert verdict(policy(single=False), architecture, "futex", [0, operation]) == ALLOW
    for name in ("futex_waitv", "futex_wake", "futex_wait", "futex_requeue"):
        assert verdict(policy(single=False), architecture, name, [0, private]) == UNKNOWN


def test_attributes_that_a_descriptor_for_reading_may_set(architecture: Architecture) -> None:
    flags, flags_of_32_bits, version, xattr, verity = 0x40086602, 0x40046602, 0x40087602, 0x401C5820, 0x40806685
    for request in (flags, flags_of_32_bits, version, xattr, verity):
        assert verdict(policy(), architecture, "ioctl", [3, request]) == DENY, hex(request)
    for request in (0x5401, 0x541B, 0x5421, 0x80086601):
        assert verdict(policy(), architecture, "ioctl", [3, request]) == ALLOW, hex(request)


def test_nobody_takes_the_other_half_of_a_core(architecture: Architecture) -> None:
    assert verdict(policy(), architecture, "prctl", [62, 1]) == DENY
    assert verdict(policy(), architecture, "prctl", [15]) == ALLOW


SIGNALS = ((("kill", "tkill", "rt_sigqueueinfo"), [ME, 9]), (("tgkill", "rt_tgsigqueueinfo"), [ME, ME, 9]))
CPU, FILES = 0, 7


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("version", [5, 7])
def test_no_way_to_die_as_if_killed_from_outside(architecture: Architecture, single: bool, version: int) -> None:
    rules = policy(single=single, version=version)
    for names, arguments in SIGNALS:
        for name in names:
            assert verdict(rules, architecture, name, arguments) == DENY
            assert verdict(rules, architecture, name, [*arguments[:-1], 15]) == ALLOW
    for pid in (0, -1, -ME):
        assert verdict(rules, architecture, "kill", [pid, 9]) == DENY
    assert verdict(policy(single=single, version=version), architecture, "timer_create") == DENY
    assert verdict(rules, architecture, "clone", [9]) == DENY
    assert verdict(rules, architecture, "setrlimit", [CPU, 1 << 40]) == DENY
    assert verdict(rules, architecture, "setrlimit", [FILES, 1 << 40]) == ALLOW
    for pid in (0, ME):
        assert verdict(rules, architecture, "prlimit64", [pid, CPU, 0, 1]) == ALLOW
        assert verdict(rules, architecture, "prlimit64", [pid, FILES, 1, 0]) == ALLOW
        for new in (1, 1 << 40):
            assert verdict(rules, architecture, "prlimit64", [pid, CPU, new, 0]) == DENY


def test_nobody_stops_the_launcher_of_its_own_program(architecture: Architecture) -> None:
    rules = policy(python=False, single=False)
    for pid in (0, -1, ME, -ME):
        for name in ("kill", "rt_sigqueueinfo"):
            assert verdict(rules, architecture, name, [pid, 19]) == DENY
            assert verdict(rules, architecture, name, [pid, 20]) == ALLOW
    for name, arguments in (("tkill", [ME, 19]), ("tgkill", [ME, ME, 19]), ("rt_tgsigqueueinfo", [ME, ME, 19])):
        assert verdict(rules, architecture, name, arguments) == DENY
    assert verdict(rules, architecture, "kill", [ME + 1, 19]) == ALLOW


def test_what_a_cell_has_forked_it_may_kill(architecture: Architecture) -> None:
    for name in ("kill", "rt_sigqueueinfo"):
        assert verdict(policy(single=False), architecture, name, [ME + 1, 9]) == ALLOW


def test_memory_that_no_limit_counts(architecture: Architecture) -> None:
    for python in (True, False):
        for size in (7, 32):
            assert verdict(policy(python=python), architecture, "setsockopt", [3, 1, size]) == DENY
        assert verdict(policy(python=python), architecture, "setsockopt", [3, 1, 9]) == ALLOW
        assert verdict(policy(python=python), architecture, "memfd_create") == DENY


def test_whoever_sees_its_own_processes_alone_may_signal_them_all(architecture: Architecture) -> None:
    for version in (5, 7):
        rules = replace(policy(python=False, single=False, version=version), own_processes=True)
        for pid in (0, -1, ME, ME + 1):
            assert verdict(rules, architecture, "kill", [pid, 9]) == ALLOW
        assert verdict(rules, architecture, "tgkill", [ME + 1, ME + 1, 6]) == ALLOW


def test_programs_with_several_processes(architecture: Architecture) -> None:
    rules = policy(python=False, single=False)
    assert verdict(rules, architecture, "execve") == ALLOW
    assert verdict(rules, architecture, "clone", [17]) == ALLOW
    assert verdict(rules, architecture, "clone", [17 | 0x10000000]) == DENY
    assert verdict(rules, architecture, "kill", [ME + 1]) == ALLOW
    assert verdict(policy(single=False, version=5), architecture, "kill", [ME + 1]) == DENY


def test_what_old_landlock_lets_pass_the_filter_holds(architecture: Architecture) -> None:
    old = policy(version=2)
    assert verdict(old, architecture, "truncate") == DENY
    assert verdict(policy(), architecture, "truncate") == ALLOW
    for flags, expected in ((os.O_TRUNC, DENY), (os.O_TRUNC | os.O_WRONLY, ALLOW), (os.O_TRUNC | os.O_RDWR, ALLOW), (0, ALLOW)):
        assert verdict(old, architecture, "openat", [0, 0, flags]) == expected


def test_protected_files(architecture: Architecture) -> None:
    assert verdict(policy(protected=True), architecture, "fchmodat") == ALLOW


def test_this_machine_is_known() -> None:
    if platform.machine() not in ARCHITECTURES:
        pytest.skip(f"no filter is written for {platform.machine()}")
    assert ARCHITECTURES[platform.machine()].calls["ptrace"] > 0
