"""System call numbers, by name, for the architectures that the filter is written for.

Source: arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h of Linux; a test compares them with the
headers of the machine that it runs on. ``-`` stands for a call that the architecture does not have.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

LAST_KNOWN_CALL: Final = 462
"""mseal, Linux 6.10. From 424 on, all architectures share their numbers. What is newer than the filter gets ENOSYS."""

_TABLE: Final = """
    name x86_64 aarch64
    ptrace 101 117
    process_vm_readv 310 270
    process_vm_writev 311 271
    kcmp 312 272
    process_madvise 440 440
    process_mrelease 448 448
    pidfd_open 434 434
    pidfd_getfd 438 438
    pidfd_send_signal 424 424
    migrate_pages 256 238
    move_pages 279 239
    perf_event_open 298 241
    mount 165 40
    umount2 166 39
    pivot_root 155 41
    chroot 161 51
    move_mount 429 429
    open_tree 428 428
    fsopen 430 430
    fsconfig 431 431
    fsmount 432 432
    fspick 433 433
    mount_setattr 442 442
    unshare 272 97
    setns 308 268
    reboot 169 142
    init_module 175 105
    finit_module 313 273
    delete_module 176 106
    kexec_load 246 104
    kexec_file_load 320 294
    swapon 167 224
    swapoff 168 225
    acct 163 89
    syslog 103 116
    quotactl 179 60
    quotactl_fd 443 443
    settimeofday 164 170
    clock_settime 227 112
    clock_adjtime 305 266
    adjtimex 159 171
    sethostname 170 161
    setdomainname 171 162
    iopl 172 -
    ioperm 173 -
    vhangup 153 58
    name_to_handle_at 303 264
    open_by_handle_at 304 265
    bpf 321 280
    keyctl 250 219
    add_key 248 217
    request_key 249 218
    userfaultfd 323 282
    io_uring_setup 425 425
    io_uring_enter 426 426
    io_uring_register 427 427
    personality 135 92
    modify_ldt 154 -
    lookup_dcookie 212 18
    nfsservctl 180 42
    uselib 134 -
    _sysctl 156 -
    sysfs 139 -
    ustat 136 -
    fanotify_init 300 262
    fanotify_mark 301 263
    inotify_init 253 -
    inotify_init1 294 26
    inotify_add_watch 254 27
    memfd_secret 447 447
    memfd_create 319 279
    timer_create 222 107
    setrlimit 160 164
    sched_setscheduler 144 119
    sched_setparam 142 118
    sched_setattr 314 274
    sched_setaffinity 203 122
    setpriority 141 140
    ioprio_set 251 30
    shmget 29 194
    shmat 30 196
    shmctl 31 195
    semget 64 190
    semop 65 193
    semctl 66 191
    semtimedop 220 192
    msgget 68 186
    msgsnd 69 189
    msgrcv 70 188
    msgctl 71 187
    mq_open 240 180
    mq_unlink 241 181
    setsid 112 157
    setpgid 109 154
    chmod 90 -
    fchmod 91 52
    fchmodat 268 53
    fchmodat2 452 452
    chown 92 -
    fchown 93 55
    lchown 94 -
    fchownat 260 54
    utime 132 -
    utimes 235 -
    utimensat 280 88
    futimesat 261 -
    setxattr 188 5
    lsetxattr 189 6
    fsetxattr 190 7
    removexattr 197 14
    lremovexattr 198 15
    fremovexattr 199 16
    execve 59 221
    execveat 322 281
    fork 57 -
    vfork 58 -
    clone 56 220
    clone3 435 435
    socket 41 198
    socketpair 53 199
    connect 42 203
    bind 49 200
    listen 50 201
    accept 43 202
    accept4 288 242
    kill 62 129
    tkill 200 130
    tgkill 234 131
    rt_sigqueueinfo 129 138
    rt_tgsigqueueinfo 297 240
    ioctl 16 29
    fcntl 72 25
    prctl 157 167
    prlimit64 302 261
    truncate 76 45
    open 2 -
    openat 257 56
    openat2 437 437
    mknod 133 -
    mknodat 259 33
"""


@dataclass(frozen=True, eq=False)
class Architecture:
    """How the kernel names an architecture to a filter, and its calls."""

    name: str
    audit: int
    """AUDIT_ARCH_* of linux/audit.h: a filter must look at it, as a process may enter the kernel in several ways."""
    calls: Mapping[str, int]


def _calls(column: int) -> dict[str, int]:
    rows = [line.split() for line in _TABLE.split("\n") if line.strip()][1:]
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}


ARCHITECTURES: Final = {
    "x86_64": Architecture("x86_64", 0xC000003E, _calls(1)),
    "aarch64": Architecture("aarch64", 0xC00000B7, _calls(2)),
}


@cache
def this_architecture() -> Architecture | None:
    """This process's own; None where no filter can be written."""
    wide = sys.maxsize > 1 << 32
    return ARCHITECTURES.get(platform.machine()) if wide else None
