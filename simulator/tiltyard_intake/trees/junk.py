"""What people hand in without meaning to: files of the operating system and of editors, downloaded packages, products of builds."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tiltyard_engine.registry.environments import ENVIRONMENTS
from tiltyard_intake.archives.archive_kinds import open_plain
from tiltyard_intake.trees.source_files import ELF, WINDOWS
from tiltyard_simulator.output.folder_lock import LOCK_NAME
from tiltyard_simulator.teams import TEAMS_RECORD

NEVER_FOLDERS: Final = frozenset(
    {
        "__MACOSX",
        ".Spotlight-V100",
        ".Trashes",
        ".fseventsd",
        "$RECYCLE.BIN",
        "System Volume Information",
        ".git",
        ".svn",
        ".hg",
        "node_modules",
        "__pycache__",
        ".venv",
        # Only the organiser's tool writes one, beside the teams.
        ENVIRONMENTS,
        ".tox",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".ipynb_checkpoints",
        ".idea",
        ".vs",
        ".vscode",
        ".gradle",
    }
)
"""Folders that are never part of a program: they are not even written."""
NEVER_FILES: Final = frozenset({".DS_Store", "Thumbs.db", "ehthumbs.db", "desktop.ini", "Desktop.ini", "Icon\r", "Icon_"})
NEVER_PREFIXES: Final = ("._", "~$")
"""Of macOS's second halves of files, and of Office's locks."""
_CODE: Final = """
    .c .cc .cpp .cxx .c++ .m .mm .cs .fs .vb .py .pyx .ipynb .java .kt .scala .groovy .clj .rs .go .js .mjs .cjs .ts .tsx .jsx .rb
    .pl .php .lua .jl .r .hs .ml .ex .exs .erl .swift .d .zig .nim .pas .f90 .lisp .scm .rkt
"""
SOURCES: Final = frozenset(_CODE.split())
"""Endings of source files: where there are some elsewhere, products of builds are left out. Headers come with libraries too."""
PARTS_OF_PROGRAMS: Final = SOURCES | {".h", ".hh", ".hpp", ".so", ".dll", ".exe", ".jar"}
"""Endings of files of which a team means one version, where data may well be numbered."""
ENDINGS_TO_LOWER: Final = frozenset({".py", ".ipynb", ".java", ".go", ".rs", ".cs", ".js", ".cpp", ".cc", ".cxx"})
"""Endings that compilers know in small letters alone, as recipes do. A ``.C`` is C++ to some, and headers are named by sources."""
PROJECTS: Final = frozenset({"Makefile", "makefile", "GNUmakefile", "CMakeLists.txt", "Cargo.toml", "go.mod"})
PROJECT_ENDINGS: Final = frozenset({".csproj", ".sln", ".cbp"})
DOCUMENTS: Final = frozenset({".pdf", ".doc", ".docx", ".odt", ".rtf", ".pages", ".ppt", ".pptx", ".md", ".png", ".jpg", ".jpeg"})
_PROJECTS: Final = frozenset({".csproj", ".fsproj", ".vbproj", ".sln", ".slnx", ".vcxproj"})
_OF_VISUAL_STUDIO: Final = frozenset({"bin", "obj", "debug", "release", "x64", "x86", "testresults"})


OUTPUTS: Final = {TEAMS_RECORD: "a folder of teams that an intake made", LOCK_NAME: "what an intake or a tournament wrote"}
"""What tiltyard's own folders are known by, and what they are."""
_DEEPEST_OUTPUT: Final = 3
"""Folders around an output that hold nothing else."""


def output_of_tiltyard(path: Path, outputs: frozenset[Path], depth: int = 0) -> str:
    """What a file or folder is that tiltyard wrote or reads itself, so that nobody handed it in; empty if it is anything else.

    Args:
        path: the file or folder.
        outputs: the resolved paths of what this command writes and reads.
        depth: how many folders around it were looked through already.
    """
    if path.resolve() in outputs:
        return "what this command writes or reads"
    if not path.is_dir():
        return ""
    if mark := next((mark for mark in OUTPUTS if (path / mark).is_file()), ""):
        return OUTPUTS[mark]
    children = list(path.iterdir()) if depth < _DEEPEST_OUTPUT else []
    inside = [output_of_tiltyard(child, outputs, depth + 1) for child in children]
    return inside[0] if inside and all(inside) else ""


def is_never_wanted(parts: tuple[str, ...]) -> bool:
    """Whether a path has a name that is never part of a program."""
    return not NEVER_FOLDERS.isdisjoint(parts) or (
        bool(parts) and (parts[-1] in NEVER_FILES or any(part.startswith(NEVER_PREFIXES) for part in parts))
    )


def kind_of_junk(name: str) -> str:
    """One word for all that is left out for the same reason: ``._main.cpp`` is one of ``._*``."""
    return next((f"{prefix}*" for prefix in NEVER_PREFIXES if name.startswith(prefix)), name)


def is_environment(folder: Path) -> bool:
    """Whether a folder is a virtual environment of Python, whatever its name."""
    return (folder / "pyvenv.cfg").is_file()


def is_product(folder: Path, beside: list[str]) -> bool:
    """Whether a folder holds what a build made.

    Args:
        folder: the folder, which is named as such folders are.
        beside: the names of the files that lie beside it.
    """
    name = folder.name.lower()
    if name == "build" or name.startswith("cmake-build-"):
        return True
    if name in _OF_VISUAL_STUDIO:
        return any(Path(file).suffix.lower() in _PROJECTS for file in beside)
    return name == "target" and any(file.lower() in ("cargo.toml", "pom.xml") for file in beside)


def is_part_of_program(path: Path) -> bool:
    """Whether a file is a program or a part of one: by its name, or by how it begins if that has no ending."""
    if path.name in PROJECTS or path.suffix.lower() in PARTS_OF_PROGRAMS | PROJECT_ENDINGS | {".class"}:
        return True
    if path.suffix:
        return False
    try:
        with open_plain(path) as file:
            return file.read(len(ELF)).startswith((ELF, WINDOWS, b"#!"))
    except OSError:
        return False


def is_source(path: Path) -> bool:
    """Whether a file is source code by its ending."""
    return path.suffix.lower() in SOURCES


def is_document(path: Path) -> bool:
    """Whether a file is for people: a report, a picture, a readme."""
    return path.suffix.lower() in DOCUMENTS or path.name.lower().startswith("readme")
