"""Recipes: how what people hand in becomes a team that plays. Plain records; the host recognises trees by them and builds.

A recipe looks at a tree of files. It fits if some folder of the tree has what it wants; the shallowest such folder becomes its
root. Each of its parts then makes one kind of product, in one of several ways: what people's own Makefile says, or the recipe's
commands.

Patterns are paths relative to the root, with ``*`` and ``?`` within a folder and ``**/`` for any number of folders. ``a|b`` is
either of two. Upper and lower case are different.

In words of a command, these stand for places in the build's own scratch folder:

    {source}    the root
    {out}       an empty folder for what is made
    {headers}   a folder with copies of the recipe's own files
    {team}      the team's name, as files can be called
    {packages}  where the organiser's packages are, if there are any
    {files:P}   the files below the root that match the pattern P; the word is repeated for each of them
    {folders:P} in the same way, the folders that contain one

A command that is a script of the recipe's own can tell the team something: a line that begins with ``tiltyard: `` is a note in the
team's report, or the reason if the command fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal, TypeAlias

from tiltyard_engine.data_classes import dataclass

BUILD_HELPERS: Final = str(Path(__file__).parent / "build_helpers")
"""For a recipe's ``headers``: ``build_c.py`` makes a program of the C or C++ files of a folder, each compiled alone.
``test_libraries`` is for CMAKE_OPTIONS."""
CMAKE_OPTIONS: Final = (
    *("-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF", "-DFETCHCONTENT_FULLY_DISCONNECTED=ON"),
    *("-DFETCHCONTENT_SOURCE_DIR_GOOGLETEST={headers}/test_libraries", "-DGTest_DIR={headers}/test_libraries"),
)
"""Of ``cmake`` that configures: nothing is downloaded, and tests with GoogleTest are left out. Needs BUILD_HELPERS."""
KEEP_GOING: Final = ("--parallel", "2", "--", "-k")
"""Of ``cmake --build``: what plays is made whatever fails beside it."""

Form: TypeAlias = Literal["file", "program", "folder"]
"""What is put into the folder of teams: one file as it is, a folder with a program and its manifest, or the recipe's whole root."""
Contents: TypeAlias = Literal["", "executable", "library", "assembly", "script"]
"""What a product must be by its first bytes: a Linux program, a Linux shared object, a .NET program, a script; empty: anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One command of a build."""

    tool: str
    """The program, by its name: the host finds it, such as ``g++``."""
    words: tuple[str, ...] = ()
    """Its arguments."""
    folder: str = ""
    """Where it runs, relative to the root."""
    environment: tuple[tuple[str, str], ...] = ()
    """Variables that are set for it; their values may contain places too. ``PATH`` comes before the build's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """What comes out of a build, and what it becomes."""

    form: Form
    patterns: tuple[str, ...]
    """Where it is, below {source} or {out}: the first pattern that something matches counts."""
    contents: Contents = ""
    name: str = ""
    """What its file is called, with {team} and {stem}; empty: as it is."""
    every: bool = False
    """Whether all files that match are products. Otherwise the one with the best name is."""
    avoids: tuple[str, ...] = ()
    """Words in a file's name that make it a worse choice, such as ``test``."""
    prefers: tuple[str, ...] = ()
    """Words in a file's name that make it a better choice."""
    folder: str = ""
    """Where below the folder of teams it goes, for products that are no teams."""
    command: tuple[str, ...] = ("./{product}",)
    """Of a program: the manifest's command. ``{product}`` is the product's file, ``{tool:NAME}`` a runtime of this machine."""
    beside: tuple[str, ...] = ()
    """Files that must stand beside it, with {stem}: ``{stem}.runtimeconfig.json``."""
    also: tuple[str, ...] = ()
    """Patterns of other files, from beside the product, that it needs. A file with such others becomes a folder."""
    protocol: str = ""
    """Of a program: the manifest's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to make a product. A recipe's ways are tried in their order, until one makes it."""

    title: str
    """For people: ``its Makefile``."""
    steps: tuple[Step, ...] = ()
    """Commands, one after the other; none: the product is in the tree already."""
    wants: tuple[str, ...] = ()
    """Patterns; the root must have a file for each."""
    rejects: tuple[str, ...] = ()
    """Patterns; the root must have no file for any."""
    uses: tuple[str, ...] = ()
    """Other tools that its commands start, such as the compiler that a Makefile names."""
    product: Product | None = None
    """What comes out of this way; None: what the part says."""
    is_again: bool = False
    """Whether it is the way before it once more, with more care: if both fail, why this one did is what counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One of the things that a recipe makes."""

    title: str
    """For people: ``the algorithm``."""
    ways: tuple[Way, ...]
    product: Product
    is_required: bool = True
    """Whether nothing plays without it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How one kind of tree becomes what plays."""

    name: str
    title: str
    """For people: ``the course's folders Algorithm/ and GameManager/``."""
    game: str = ""
    """Empty: for every game."""
    wants: tuple[str, ...]
    """Patterns; the root has a file for each."""
    rejects: tuple[str, ...] = ()
    """Patterns; the root has no file for any."""
    mentions: tuple[str, ...] = ()
    """Words, one of which stands in a file that the first of ``wants`` matches; empty: anything may."""
    parts: tuple[Part, ...]
    headers: tuple[str, ...] = ()
    """Files of the plugin's, and folders whose contents, that builds find in {headers}; absolute paths."""
    order: int = 100
    """Where several fit, the lowest number counts: the more special a recipe, the lower."""
    description: str = ""

    def tools(self) -> Iterator[str]:
        """All tools that one of its ways names, some perhaps twice."""
        for part in self.parts:
            for way in part.ways:
                yield from (step.tool for step in way.steps)
                yield from way.uses
