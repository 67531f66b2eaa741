"""Made-up sources in the languages that people hand in, which a test can change as somebody would who hides where they are from."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

C = """
int NAME1(int NAME2, int NAME3) {
    int NAME4 = 0;
    for (int NAME5 = NAME2; NAME5 < NAME3; ++NAME5) {
        if (NAME5 % 3 == 0 && NAME4 >> 1 != 7) { NAME4 += NAME5 * 2; } else { NAME4 -= 1; }
    }
    while (NAME4 > 100) NAME4 /= 2;
    return NAME4 == 5 ? NAME2 : NAME1(NAME3 - 1, NAME2);
}
"""
RUST = """
fn NAME1(NAME2: i32, NAME3: &mut Vec<i32>) -> i32 {
    let mut NAME4 = 0;
    for NAME5 in NAME3.iter() {
        if NAME5 % 3 == 0 && NAME2 > 7 { NAME4 += NAME5 * 2; } else { NAME4 -= 1; }
    }
    match NAME4 { 0 => NAME2, 5 => NAME2 + 1, _ => NAME4 << 1 }
}
"""
GO = """
func NAME1(NAME2 int, NAME3 []int) int {
    NAME4 := 0
    for NAME6, NAME5 := range NAME3 {
        if NAME5 % 3 == 0 && NAME6 > 7 { NAME4 += NAME5 * 2 } else { NAME4 -= 1 }
    }
    switch { case NAME4 > 100: return NAME2 << 1 }
    return NAME4
}
"""
CSHARP = """
public class NAME1 {
    private int NAME2 = 3;
    public int NAME3(int NAME4) {
        foreach (var NAME5 in NAME6) {
            if (NAME5 % 3 == 0 && NAME4 > 7) { NAME2 += NAME5 * 2; } else { NAME2 -= 1; }
        }
        return NAME2 > 100 ? NAME4 : NAME2;
    }
}
"""
PYTHON = """
def NAME1(NAME2, NAME3):
    NAME4 = 0
    for NAME5 in NAME3:
        if NAME5 % 3 == 0 and NAME2 > 7:
            NAME4 += NAME5 * 2
        else:
            NAME4 -= 1
    while NAME4 > 100:
        NAME4 //= 2
    return {"a": NAME4, "b": [NAME2 for NAME6 in NAME3 if not NAME6]}
"""
LANGUAGES: Mapping[str, tuple[str, str]] = {
    "bot.c": (C, "/* {} */"),
    "bot.cpp": (C, "// {}\n"),
    "bot.rs": (RUST, "// {}\n"),
    "bot.go": (GO, "// {}\n"),
    "bot.cs": (CSHARP, "/* {} */"),
    "bot.py": (PYTHON, "# {}\n"),
}
"""A file's name, what is in it, and how a comment is written."""


def named(source: str, names: Sequence[str]) -> str:
    """The source with these names."""
    return re.sub(r"NAME(\d)", lambda match: names[int(match[1]) - 1], source)


def function(number: int) -> str:
    """A function in C that no other is like."""
    operators = ("+", "-", "*", "/", "%", "&", "|", "^", "<", ">")
    digits = [number // 10**place % 10 for place in range(4)]
    steps = "\n".join(
        f"    x = x {operators[(digit + place) % 10]} {number * 31 + place} {operators[(digit * 3 + place) % 10]} y[{digit}];"
        for place, digit in enumerate(itertools.chain(digits, reversed(digits)))
    )
    return f"int step_{number}(int x, int *y) {{\n{steps}\n    return x;\n}}\n"


def program(numbers: Sequence[int]) -> str:
    """A program in C of some functions."""
    return "\n".join(map(function, numbers))


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """A work."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder
