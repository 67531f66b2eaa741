"""What the scripts beside it share: their command line, times and what is said of them, and what /proc says of processes."""

from __future__ import annotations

import argparse
import atexit
import ctypes
import inspect
import os
import pickle
import resource
import statistics
import sys
import time
import traceback
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Literal, TypeVar, get_args, get_origin

T = TypeVar("T")

PR_SET_CHILD_SUBREAPER: Final = 36


def run(page: str | None, **parts: Callable[..., object]) -> None:
    """The command line of a script: the first word names one of its parts, or it is the first of them.

    Parameters of a part are its arguments, and those by keyword alone its options. Each has a default. With one part alone there is
    no word for it.

    Args:
        page: what ``--help`` shows: the script's docstring.
        **parts: what can be measured.
    """
    parser = argparse.ArgumentParser(description=page, formatter_class=argparse.RawDescriptionHelpFormatter)
    words, usual = sys.argv[1:], next(iter(parts))
    places = parser.add_subparsers(required=True) if len(parts) > 1 else None
    if places and not (words and words[0] in {*parts, "-h", "--help"}):
        words = [usual, *words]
    for name, part in parts.items():
        own = places.add_parser(name, help=inspect.getdoc(part)) if places else parser
        own.set_defaults(part=part)
        for parameter in inspect.signature(part, eval_str=True).parameters.values():
            _add_argument(own, parameter)
    options = vars(parser.parse_args(words))
    part = options.pop("part")
    part(**{name: tuple(value) if isinstance(value, list) else value for name, value in options.items()})


def _add_argument(parser: argparse.ArgumentParser, parameter: inspect.Parameter) -> None:
    is_option = parameter.kind is parameter.KEYWORD_ONLY
    name = f"--{parameter.name.replace('_', '-')}" if is_option else parameter.name
    if parameter.default is False:
        parser.add_argument(name, action="store_true")
        return
    kind, several = parameter.annotation, get_origin(parameter.annotation) is tuple
    kind = get_args(kind)[0] if several else kind
    choices = get_args(kind) if get_origin(kind) is Literal else None
    words: dict[str, Any] = {"default": parameter.default, "type": str if choices else kind, "choices": choices}
    if several:
        words |= {"nargs": "+", "action": "extend", "default": list(parameter.default)} if is_option else {"nargs": "*"}
    elif not is_option:
        words["nargs"] = "?"
    parser.add_argument(name, help=f"default: {parameter.default}" if parameter.default else None, **words)


def wall_seconds(work: Callable[[], object]) -> float:
    """How long a piece of work takes on the clock."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def with_cpu_seconds(work: Callable[[], T]) -> tuple[T, float]:
    """What a piece of work returns, and the CPU time of all processes that it starts, those of killed parents too.

    It runs in a process of its own, which orphans are handed to and which waits for all of them: the kernel adds up only
    what somebody has waited for, and a cell's zygote, a grandchild of ours, is killed before it has.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with suppress(BaseException), os.fdopen(writing, "wb") as file:
            try:
                ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
                # Temporary folders of the parent are not ours to remove.
                for finalizer in list(vars(weakref.finalize)["_registry"]):
                    finalizer.atexit = False
                pickle.dump(work(), file)
                # Some processes that wait for more work are ended only when this one ends.
                atexit._run_exitfuncs()
                with suppress(ChildProcessError):
                    while os.wait():
                        pass
            except BaseException:
                traceback.print_exc()
                os._exit(1)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        result = file.read()
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        raise SystemExit("the measured process failed")
    return pickle.loads(result), usage.ru_utime + usage.ru_stime  # noqa: S301 -- our own child wrote it


def most_megabytes() -> float:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def told_times(times: Sequence[float], unit: str = "ms") -> str:
    """Such as ``median 1.20 ms, p99 3.40 ms, most 5.60 ms``."""
    ordered = sorted(times) or [0.0]
    median, late, most = ordered[len(ordered) // 2], ordered[len(ordered) * 99 // 100], ordered[-1]
    return f"median {median:.2f} {unit}, p99 {late:.2f} {unit}, most {most:.2f} {unit}"


def medians_and_ratio(pairs: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    """Of measurements taken in turns: the median of the first and of the second, and the median of first / second."""
    first, second = (statistics.median(values) for values in zip(*pairs))
    return first, second, statistics.median(one / other for one, other in pairs)


def children_of(number: int) -> list[int]:
    """The processes that one has started, the oldest first of each of its threads; none of a process that has ended."""
    children: list[int] = []
    for task in Path("/proc", str(number), "task").glob("*/children"):
        with suppress(OSError):
            children += map(int, task.read_text().split())
    return children


def descendants(number: int) -> list[int]:
    """The processes below one, all the way down; each comes after its parent."""
    below = children_of(number)
    for each in below:
        below += children_of(each)
    return below


def words_of(number: int) -> str:
    """The command line of a process and what ``top`` calls it; empty if it is gone."""
    with suppress(OSError):
        words = Path("/proc", str(number), "cmdline").read_bytes() + Path("/proc", str(number), "comm").read_bytes()
        return words.replace(b"\0", b" ").decode("utf-8", "replace").strip()
    return ""


def left_running(name: str) -> list[str]:
    """Command lines that name something, such as a league's folder that nobody should use any more."""
    numbers = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit() and int(path.name) != os.getpid()]
    return [words for words in map(words_of, numbers) if name in words]


def megabytes_of(number: int) -> float:
    """The memory of a process; 0 if it is gone."""
    with suppress(OSError):
        return int(Path("/proc", str(number), "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    return 0.0


def descriptors_of(number: int) -> int:
    """How many files a process has open; 0 if it is gone."""
    with suppress(OSError):
        return len(list(Path("/proc", str(number), "fd").iterdir()))
    return 0
