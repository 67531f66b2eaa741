"""Which recipe fits a team's tree, or why none does, in plain words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import Final

from tiltyard_engine.errors import NotFoundError, UserError, some_of
from tiltyard_engine.recipes import Product, Recipe
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import RECIPE
from tiltyard_engine.registry.sources import almost_plugin
from tiltyard_intake.recipes.patterns import matches, matching
from tiltyard_intake.recipes.product_choice import Candidate, why_not
from tiltyard_intake.trees.source_files import names_in, read_file

LANGUAGES: Final = {
    ".c": "C",
    ".cpp": "C++",
    ".cc": "C++",
    ".cxx": "C++",
    ".cs": "C#",
    ".go": "Go",
    ".ipynb": "notebooks",
    ".java": "Java",
    ".js": "JavaScript",
    ".py": "Python",
    ".rs": "Rust",
}
PREBUILT: Final = {
    ".so": "shared objects",
    ".dll": ".dll files",
    ".exe": ".exe files",
    ".jar": ".jar files",
    ".class": ".class files",
}
HEADS: Final = {b"\x7fELF": "programs", b"#!": "scripts"}
"""What files without a known ending are, by how they begin."""
MOST_TITLES: Final = 4
"""Of recipes that are told one by one to those whom none fits."""
COMPILED: Final = frozenset({".dll", ".exe", ".so"})
HEAD_BYTES: Final = 64
MOST_HEADS: Final = 200
DOCUMENTS: Final = frozenset({".txt", ".md", ".pdf", ".docx", ".h", ".hpp", ".json", ".xml", ".png", ".jpg"})
"""Endings of files that need no look inside."""
PYTHON: Final = "python3"
"""The command of programs in Python."""
NOTHING: Final = "holds no sources and no programs"
_SUBMODULE: Final = re.compile(r"^\s*path\s*=\s*(.*?)/?\s*$", re.MULTILINE)
_NUMBER: Final = re.compile(r"\d{1,9}")
MOST_ROOTS: Final = 4_000
MENTION_BYTES: Final = 1 << 20
"""How far into a file a mention is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognised:
    """What a tree was recognised as."""

    tree: Path
    names: tuple[str, ...]
    """Its files, relative to the tree."""
    recipe: Recipe | None = None
    """None: no recipe fits."""
    root: str = ""
    """The recipe's root, relative to the tree; empty: the tree itself."""
    reason: str = ""
    """Why no recipe fits."""
    others: tuple[str, ...] = ()
    """Names of other recipes that fit too, the more special first."""
    notes: tuple[str, ...] = ()
    """What the team should know: which of several folders is its work."""
    lacks: str = ""
    """What is missing of it, in words; empty if nothing is."""

    @property
    def files(self) -> list[str]:
        """The files below the root, relative to it."""
        return _below(self.root, self.names)


def recipes_of(registry: Registry, game: str) -> list[Recipe]:
    """The recipes for a game, and those for every game, the more special first. Programs do not play every game.

    Raises:
        NotFoundError: there is no such game.
        UserError: a plugin cannot be loaded any more.
    """
    offered = [entry.reference.load_as(Recipe) for entry in registry.all(RECIPE)]
    takes_programs = registry.game(game).programs is not None
    return sorted(
        (
            recipe
            for recipe in offered
            if recipe.game == game or (not recipe.game and (takes_programs or not makes_program(recipe)))
        ),
        key=_rank,
    )


def makes_program(recipe: Recipe) -> bool:
    """Whether what comes out is a program, which not every game's teams can be."""
    return any(part.product.form == "program" for part in recipe.parts)


def is_ready_made(recipe: Recipe) -> bool:
    """Whether a recipe takes a program of .NET as it was handed in."""
    return all(part.product.contents == "assembly" and not any(way.steps for way in part.ways) for part in recipe.parts)


def recognise(tree: Path, recipes: Iterable[Recipe], forced: str = "", game: str = "") -> Recognised:
    """Find the recipe for a tree.

    Args:
        tree: a folder with the sources of one team.
        recipes: those that may fit.
        forced: the name of the one to take, whatever others say.
        game: what the team is to play, for words.

    Raises:
        NotFoundError: there is no recipe of the forced name.
        UserError: the tree cannot be read, or has too many files.
    """
    by_rank = sorted(recipes, key=_rank)
    if forced and forced not in (recipe.name for recipe in by_rank):
        raise NotFoundError(RECIPE, forced, [recipe.name for recipe in by_rank])
    names = tuple(names_in(tree))
    tried = [recipe for recipe in by_rank if forced in ("", recipe.name)]
    below = _by_root(names)
    fitting = [(recipe, root) for recipe in tried for root in [_root_for(recipe, tree, below)] if root is not None]
    if not fitting:
        return Recognised(tree=tree, names=names, reason=_why_none(tree, tried, names, game))
    (recipe, root), *others = fitting
    return Recognised(
        tree=tree,
        names=names,
        recipe=recipe,
        root=root,
        others=tuple(other.name for other, _ in others),
        notes=tuple(_on_other_folders(recipe, root, names)),
        lacks=_empty_submodules(tree, names),
    )


def _rank(recipe: Recipe) -> tuple[int, bool, str]:
    # At the same order, what is for the game comes before what is for every game.
    return recipe.order, not recipe.game, recipe.name


def _below(root: str, names: Iterable[str]) -> list[str]:
    return [name.removeprefix(root + "/") for name in names if name.startswith(root + "/")] if root else list(names)


def _by_root(names: Sequence[str]) -> dict[str, Sequence[str]]:
    """All folders of a tree, the shallowest first, with the names of the files below them."""
    names_below: dict[str, list[str]] = {}
    for name in names:
        place = name.find("/")
        while place >= 0:
            names_below.setdefault(name[:place], []).append(name[place + 1 :])
            place = name.find("/", place + 1)
    ordered = sorted(names_below, key=lambda folder: (folder.count("/"), folder))[: MOST_ROOTS - 1]
    return {"": names, **{folder: names_below[folder] for folder in ordered}}


def _root_for(recipe: Recipe, tree: Path, below: Mapping[str, Sequence[str]]) -> str | None:
    """The shallowest folder that fits. Of folders that are called the same but for a number, such as milestones, the last."""
    fitting = (root for root, files in below.items() if _fits(recipe, tree / root, files))
    first = next(fitting, None)
    if first is None or not _NUMBER.search(first):
        return first
    series = _NUMBER.sub("", first)
    of_series = [first, *(root for root in takewhile(lambda root: root.count("/") == first.count("/"), fitting))]
    return max((root for root in of_series if _NUMBER.sub("", root) == series), key=lambda root: [*map(int, _NUMBER.findall(root))])


def _fits(recipe: Recipe, root: Path, files: Sequence[str]) -> bool:
    return (
        all(any(matches(want, file) for file in files) for want in recipe.wants)
        and not any(matches(unwanted, file) for unwanted in recipe.rejects for file in files)
        and (not recipe.mentions or _mentioned(recipe, root, files))
    )


def _on_other_folders(recipe: Recipe, root: str, names: Sequence[str]) -> Iterator[str]:
    """A note if sources of the recipe's languages lie outside of the folder that it takes."""
    endings = {PurePosixPath(each).suffix for want in recipe.wants for each in want.split("|")} & set(LANGUAGES)
    outside = [name for name in names if not name.startswith(f"{root}/") and PurePosixPath(name).suffix in endings]
    if root and outside:
        yield f"only the folder {root}/ was taken, not {_some(outside)} outside of it; to choose another, hand in only that one"


def _empty_submodules(tree: Path, names: Sequence[str]) -> str:
    """Which submodules of git have no files: a download from a platform leaves their files out."""
    empty: list[str] = []
    for file in (name for name in names if PurePosixPath(name).name == ".gitmodules"):
        above = file.removesuffix(".gitmodules")
        try:
            folders = _SUBMODULE.findall(read_file(tree, file).data.decode("utf-8", "replace"))
        except UserError:
            continue
        empty += [above + folder for folder in folders if not any(name.startswith(f"{above}{folder}/") for name in names)]
    if not empty:
        return ""
    titles = some_of(empty, MOST_TITLES)
    return f"these git submodules have no files, since a download leaves them out: {titles}; hand in their files too"


def _mentioned(recipe: Recipe, root: Path, files: Iterable[str]) -> bool:
    words = [word.encode() for word in recipe.mentions]
    for name in matching(recipe.wants[0], files):
        try:
            data = read_file(root, name).data[:MENTION_BYTES]
        except UserError:
            continue
        if any(word in data for word in words):
            return True
    return False


def runs_on_python(recipe: Recipe) -> bool:
    """Whether what a recipe makes is run by Python: a plugin, or a program that it is the command of."""
    return any(
        part.product.form == "folder"
        or (part.product.form == "file" and part.product.name.endswith(".py"))
        or (part.product.form == "program" and part.product.command[:1] == (PYTHON,))
        for part in recipe.parts
    )


# Why none fits


def _why_none(tree: Path, recipes: Sequence[Recipe], names: Sequence[str], game: str) -> str:
    if not names:
        return "holds no files"
    contents = what_it_holds(names, tree)
    if not recipes:
        return f"{contents}, but there are no recipes for this game"
    if almost := _some_almost_plugins(names) if any(map(runs_on_python, recipes)) else "":
        return f"{contents}; {almost}"
    if foreign := _foreign_program(tree, names) if any(map(makes_program, recipes)) else "":
        return f"{contents}; {foreign}"
    gaps = [_gap(recipe, tree, names) for recipe in recipes]
    # What is for another language is of no use to anybody who made something like a team.
    nearest = min(gaps, key=lambda gap: gap.lacking)
    if len(recipes) == 1 and _is_any_file(recipes[0]):
        return f"{contents}; none of it is {recipes[0].title}"
    if nearest.files:
        return f"{contents}; {_without_mention(nearest, tree, game)}"
    if nearest.lacking < 1 or len(recipes) == 1:
        return f"{contents}; to be read as {nearest.recipe.title}, it needs {nearest.words}"
    if len(recipes) > MOST_TITLES:
        return f"{contents}; expected {_in_short(recipes)}"
    return f"{contents}; expected {'; or '.join(recipe.title for recipe in recipes)}"


def _without_mention(nearest: _Gap, tree: Path, game: str) -> str:
    if not any(_head(tree, name).strip() for name in nearest.files):
        return f"{some_of(nearest.files, MOST_TITLES)} {'is' if len(nearest.files) == 1 else 'are'} empty"
    kind, words = _in_words(nearest.recipe.wants[0]).replace("*", ""), " or ".join(nearest.recipe.mentions)
    mentions = "imports" if kind == ".py" else "mentions"
    return f"no {kind} file {mentions} {words}, so this is not a team{f' for {game}' if game else ''}"


def _in_short(recipes: Sequence[Recipe]) -> str:
    """What many recipes together are for: ``sources in C, Go or Rust, or a program that is built already``."""
    endings = {PurePosixPath(each).suffix for recipe in recipes for want in recipe.wants for each in want.split("|")}
    kinds = {LANGUAGES[ending] for ending in endings if ending in LANGUAGES}
    languages = sorted(kinds - {"notebooks"})
    words = [f"sources in {' or '.join(filter(None, (', '.join(languages[:-1]), *languages[-1:])))}"] if languages else []
    words += ["a notebook"] if "notebooks" in kinds else []
    words += [f"compiled files ({', '.join(sorted(endings & COMPILED))})"] if endings & COMPILED else []
    words += ["a program that is built already, or a script"] if any(map(_is_any_file, recipes)) else []
    return ", or ".join(words) or recipes[0].title


def _some_almost_plugins(names: Iterable[str]) -> str:
    """What of the files people take for Python that runs, and what to do."""
    files = [PurePosixPath(name).name for name in names]
    return some_of([f"{name} {what}" for name in files if (what := almost_plugin(name))], MOST_TITLES)


def _is_any_file(recipe: Recipe) -> bool:
    """Whether a recipe is for files of any name, which their first bytes tell."""
    return any(not mention.isprintable() or mention.startswith("#!") for mention in recipe.mentions)


def _foreign_program(tree: Path, names: Sequence[str]) -> str:
    """Why a program that was handed in without sources does not run here; empty if there is none."""
    if any(PurePosixPath(name).suffix.lower() in LANGUAGES for name in names):
        return ""
    candidates = (Candidate(name, name, _head(tree, name)) for name in names[:MOST_HEADS])
    return why_not(Product(form="program", patterns=("**/*",), contents="executable"), candidates)


def _head(tree: Path, name: str) -> bytes:
    try:
        return read_file(tree, name).data[:HEAD_BYTES]
    except UserError:
        return b""


def what_it_holds(names: Iterable[str], tree: Path) -> str:
    """What languages a tree's files are written in: ``holds C# sources (Bot.cs and 2 more)``."""
    by_kind: dict[str, list[str]] = {}
    others: Counter[str] = Counter()
    for name in names:
        suffix = PurePosixPath(name).suffix.lower()
        if suffix in LANGUAGES:
            kind = LANGUAGES[suffix]
            by_kind.setdefault(kind if kind == "notebooks" else f"{kind} sources", []).append(name)
        elif suffix in PREBUILT:
            by_kind.setdefault(PREBUILT[suffix], []).append(name)
        elif kind := _kind_by_head(tree, name) if suffix not in DOCUMENTS and sum(others.values()) < MOST_HEADS else "":
            by_kind.setdefault(kind, []).append(name)
        else:
            others[suffix or "without an ending"] += 1
    if not by_kind:
        counts = ", ".join(f"{count} {suffix}" for suffix, count in others.most_common(3))
        return f"{NOTHING}, only {counts}"
    return "holds " + " and ".join(f"{kind} ({_some(examples)})" for kind, examples in by_kind.items())


def _kind_by_head(tree: Path, name: str) -> str:
    head = _head(tree, name)
    return next((kind for mark, kind in HEADS.items() if head.startswith(mark)), "")


def _some(names: Sequence[str]) -> str:
    first = min(names, key=lambda name: (name.count("/"), name))
    return first if len(names) == 1 else f"{first} and {len(names) - 1} more"


@dataclass(frozen=True, slots=True)
class _Gap:
    """What keeps a recipe from fitting, found where it comes nearest."""

    recipe: Recipe
    lacking: float
    """The share of what it wants that is not there."""
    words: str
    files: Sequence[str] = ()
    """If only their contents keep it from fitting: the files that it would read."""


def _gap(recipe: Recipe, tree: Path, names: Sequence[str]) -> _Gap:
    nearest: tuple[float, bool, str, Sequence[str]] | None = None
    if _is_any_file(recipe):
        # It comes near to everything, and to say so helps nobody.
        return _Gap(recipe, 1.0, _in_words(recipe.wants[0]))
    for root, files in _by_root(names).items():
        no_mention: Sequence[str] = ()
        lacking = [want for want in recipe.wants if not any(matches(want, file) for file in files)]
        unwanted = [match for pattern in recipe.rejects for match in matching(pattern, files)[:1]]
        if lacking:
            problem = " and ".join(dict.fromkeys(_in_words(want) for want in lacking))
        elif unwanted:
            problem = f"a folder without {unwanted[0]}"
        else:
            problem = f"{_in_words(recipe.wants[0])} that mentions {' or '.join(recipe.mentions)}"
            no_mention = [f"{root}/{name}" if root else name for name in matching(recipe.wants[0], files)]
        match = len(lacking) / len(recipe.wants), bool(unwanted), problem, no_mention
        if nearest is None or match[:2] < nearest[:2]:
            nearest = match
    lacking_share, _, words, no_mention = nearest or (1.0, False, _in_words(recipe.wants[0]), ())
    return _Gap(recipe, lacking_share, words, no_mention)


def _in_words(pattern: str) -> str:
    return " or ".join(each.replace("**/", "") for each in pattern.split("|"))
