"""What the Linux kernel offers to confine a process, one mechanism a file, each without any idea of teams and matches.

A file here imports its neighbours and nothing else but ``match.limits``. ``confining`` in the folder above puts them together.

- ``libc``: system calls that Python has no name for. Begin here. ``system_calls``: their numbers.
- ``landlock``: which files. ``seccomp``: which system calls. ``seccomp_notify``: asks this process about one of them.
- ``namespaces``: no network and no other processes. ``proc_mount``: what a program sees of /proc.
- ``rlimits``, ``control_groups``: how much of the machine. ``privileges``: nothing of root's.
- ``process_status``: what the kernel tells about other processes.
"""
