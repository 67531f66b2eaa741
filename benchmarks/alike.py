"""How often ``tiltyard alike`` finds copies, and how often it names teams that are none.

    nice -n 19 .venv/bin/python benchmarks/alike.py [--teams 60] [--games N] [--copies 10] [--workers 1] [--only filler]

Teams are drawn by chance, of connect four and of Filler: the rules, orders and numbers that the sample teams have, and others.
Games of some of them are what all are asked. In a class of independent teams, each pair that is named is a false alarm: at most
one in 1,000 pairs may be. Then copies come into the class, of another team each:

- renamed: all names in the source are others, and comments are gone.
- reordered: besides, methods stand in another order, and comparisons are turned round.
- translated: the same in C, as a program (Filler only).
- changed: of the numbers that the team has, one is less by a tenth. Such a copy may answer otherwise, and no figure is asked of
  it.

The third part draws classes of 10, 20 and 30 teams out of all again and again, without copies.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from shutil import which
from tempfile import TemporaryDirectory
from typing import Any, Final, Literal

from measuring import run

from tiltyard_alike.comparison import compare
from tiltyard_alike.question_list import AskedMatch, AskingLimits, ask_all, questions
from tiltyard_engine.registry import Reference, Trust
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_simulator.match.key import with_key
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

SOURCES: Final = Path(__file__).resolve().parent / "alike_teams"
CONNECT_FOUR: Final = Path(__file__).resolve().parent.parent / "docs" / "examples" / "games" / "connect_four.py"
CLASSES: Final = 40
"""Classes that are drawn of each size in the third part."""
SIZES: Final = (10, 20, 30)
TURNED: Final = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.Eq, ast.NotEq: ast.NotEq}
Name = Literal["connect-four", "filler"]

Draw = Mapping[str, Any]
"""The values of a team, by the names in its source."""


def draw_four(chance: Random) -> Draw:
    """A team of connect four."""
    numbers = {"two": (0, 10), "three": (2, 50), "centre": (0, 6), "fear": (0.4, 2), "height": (-3, 3), "reply": (0.2, 1.5)}
    return {
        "RULE": chance.choices(["heights", "lines", "replies"], [1, 4, 2])[0],
        "ORDER": chance.choice(["left", "right", "centre"]),
        "NUMBERS": {name: round(chance.uniform(*ends), 2) for name, ends in numbers.items()},
        "BLOCKS": chance.random() < 0.8,
    }


def draw_filler(chance: Random) -> Draw:
    """A robot of Filler."""
    names = ("near", "total", "centre", "wall", "down", "right", "home")
    numbers = {name: chance.choice([0, chance.randint(-20, 20)]) for name in names}
    # As those of the samples, it goes for the enemy.
    numbers |= {name: chance.choice([0, chance.randint(1, 40)]) for name in ("near", "total")}
    return {"ORDER": chance.choice(["rows", "columns", "back"]), "NUMBERS": numbers}


def rule_of(values: Draw) -> Draw:
    """The values with numbers whose sum is 1, without their signs."""
    whole = sum(map(abs, values["NUMBERS"].values())) or 1
    return {**values, "NUMBERS": {name: round(value / whole, 9) for name, value in values["NUMBERS"].items()}}


@dataclass(frozen=True)
class GameOfTeams:
    """A game, and how teams of it are drawn."""

    name: str
    board: str
    draw: Callable[[Random], Draw]
    games: int
    """So many are asked: some 500 positions."""
    is_translated: bool = False

    @property
    def file(self) -> str:
        """The source that all its teams are made of."""
        return "filler" if self.is_translated else "four"


GAMES: Final = (
    GameOfTeams("connect-four", "standard", draw_four, 30),
    GameOfTeams("filler", "map00", draw_filler, 4, is_translated=True),
)


def source_of(game: GameOfTeams, name: str, values: Draw) -> str:
    """The source of a team."""
    text = (SOURCES / f"{game.file}.py").read_text(encoding="utf-8")
    for key, value in {"NAME": name, **values}.items():
        text = re.sub(rf"^{key} = .*$", f"{key} = {value!r}", text, flags=re.MULTILINE)
    return text


def renamed(text: str) -> str:
    """The same program with other names, and without what explains it."""
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    own = {node.name for node in nodes if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    own |= {node.arg for node in nodes if isinstance(node, ast.arg)} | {"home", "lines"}
    own |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    # Others call these by their names.
    names = {name: f"v{at}" for at, name in enumerate(sorted(own - {"self", "choose", "algorithms", "__init__"}))}
    for node in nodes:
        match node:
            case ast.Module(body=body) | ast.ClassDef(body=body) | ast.FunctionDef(body=body):
                if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
                    node.body = body[1:] or [ast.Pass()]
        match node:
            case ast.ClassDef() | ast.FunctionDef():
                node.name = names.get(node.name, node.name)
            case ast.Name():
                node.id = names.get(node.id, node.id)
            case ast.arg():
                node.arg, node.annotation = names.get(node.arg, node.arg), None
            case ast.Attribute(value=ast.Name(id="self")):
                node.attr = names.get(node.attr, node.attr)
    return ast.unparse(ast.fix_missing_locations(tree))


def reordered(text: str, chance: Random) -> str:
    """As renamed, with methods in another order and comparisons turned round."""
    tree = ast.parse(renamed(text))
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            chance.shuffle(node.body)
        elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in TURNED:
            node.left, node.ops, node.comparators = node.comparators[0], [TURNED[type(node.ops[0])]()], [node.left]
    return ast.unparse(ast.fix_missing_locations(tree))


def translated(values: Draw, target: Path) -> None:
    """The robot of Filler in C, built as a program."""
    orders = ("rows", "columns", "back")
    flags = [f"-D{name.upper()}=({value})" for name, value in values["NUMBERS"].items()]
    compiler = which("cc")
    if compiler is None:
        raise SystemExit("there is no C compiler; --only connect-four needs none")
    order = f"-DORDER={orders.index(values['ORDER'])}"
    subprocess.run([compiler, "-O1", order, *flags, "-o", str(target), str(SOURCES / "filler.c")], check=True)


def changed(values: Draw, chance: Random) -> Draw:
    """With one number that is less by a tenth, at least by one in whole numbers."""
    numbers = dict(values["NUMBERS"])
    name = chance.choice([name for name, value in numbers.items() if value])
    value = numbers[name]
    numbers[name] = (
        round(value * 0.9, 2) if isinstance(value, float) else value - max(1, abs(value) // 10) * (1 if value > 0 else -1)
    )
    return {**values, "NUMBERS": numbers}


@dataclass
class TeamPool:
    """All teams of a game: by what they are called, and of a copy whose and which kind it is."""

    independent: dict[str, Reference]
    copies: dict[str, tuple[str, str, Reference]]


def make_pool(game: GameOfTeams, folder: Path, finder: Finder, *, teams: int, copies: int, seed: int) -> TeamPool:
    """Draw the teams, write them into a folder and look them up."""
    chance = Random(f"{game.name} {seed}")
    values: dict[str, Draw] = {}
    while len(values) < teams:
        drawn = game.draw(chance)
        # What is only greater or less as a whole is the same program.
        if all(rule_of(drawn) != rule_of(other) for other in values.values()):
            values[f"t{len(values):02}"] = drawn

    def team(name: str, text: str) -> Reference:
        path = folder / f"{name}.py"
        path.write_text(text, encoding="utf-8")
        return finder.plugin(str(path), ALGORITHM, game.name)

    def copy(kind: str, whose: str, name: str) -> Reference:
        own = values[whose]
        if kind == "translated":
            translated(own, folder / name)
            return finder.plugin(str(folder / name), ALGORITHM, game.name)
        if kind == "changed":
            return team(name, source_of(game, name, changed(own, chance)))
        text = source_of(game, name, own)
        return team(name, renamed(text) if kind == "renamed" else reordered(text, chance))

    pool = TeamPool({name: team(name, source_of(game, name, draw)) for name, draw in values.items()}, {})
    for kind in ("renamed", "reordered", "changed", *(["translated"] if game.is_translated else [])):
        for whose in chance.sample(sorted(values), min(copies, teams)):
            name = f"{kind}-{whose}"
            pool.copies[name] = kind, whose, copy(kind, whose, name)
    return pool


def asked_class(
    game: GameOfTeams, pool: TeamPool, folder: Path, policy: IsolationPolicy, *, games: int, workers: int
) -> tuple[list[AskedMatch], float]:
    """The matches that all teams were asked, and the CPU seconds that it took."""
    chance, finder = Random(games), Finder(open_registry(policy))
    specs = []
    for number in range(games):
        one, other = chance.sample(sorted(pool.independent), 2)
        spec = finder.match([f"{folder}/{one}.py", f"{folder}/{other}.py"], game.board, None, game.name)
        spec = policy.apply(replace(spec, input=replace(spec.input, seed=number)))
        specs.append(with_key(spec))
    teams = pool.independent | {name: reference for name, (_, _, reference) in pool.copies.items()}
    spent = [0.0]
    asked = ask_all(
        questions(specs, teams, policy, folder / "answers"),
        specs[0].input.game,
        AskingLimits(),
        workers,
        lambda result, seconds: spent.append(seconds),
    )
    return asked, spent[-1]


def figures(game: GameOfTeams, asked: Sequence[AskedMatch], pool: TeamPool, seed: int) -> list[tuple[str, str]]:
    """What is printed of a game."""
    names = sorted(pool.independent)
    alone = compare(asked, names)
    rows = [
        ("telling positions of a pair, in the middle", f"{alone.telling:.0f} of {alone.positions:,}"),
        ("pairs of independent teams", f"{len(alone.pairs):,}"),
        ("named although they are none", f"{len(alone.hints)}"),
        ("least expected pair of these", f"{min((pair.expected for pair in alone.pairs), default=0):.2g}"),
    ]
    kinds = dict.fromkeys(kind for kind, *_ in pool.copies.values())
    for kind in kinds:
        copies = {name: whose for name, (each, whose, _) in pool.copies.items() if each == kind}
        comparison = compare(asked, [*names, *copies])
        named = {frozenset((pair.one, pair.other)) for pair in comparison.hints}
        real = {frozenset(pair) for pair in copies.items()}
        rows += [(f"{kind}: found", f"{len(named & real)} of {len(real)}"), (f"{kind}: named besides", f"{len(named - real)}")]
    chance = Random(seed)
    for size in SIZES:
        if size > len(names):
            continue
        pairs = false = classes = 0
        for _ in range(CLASSES):
            drawn = compare(asked, chance.sample(names, size))
            pairs += len(drawn.pairs)
            false += len(drawn.hints)
            classes += bool(drawn.hints)
        rows.append((f"classes of {size} without copies", f"{false} of {pairs:,} pairs named, in {classes} of {CLASSES} classes"))
    return rows


def main(
    *, teams: int = 60, games: int = 0, copies: int = 10, workers: int = 1, seed: int = 1, only: tuple[Name, ...] = ()
) -> None:
    """Draw the teams, ask them, and print what was found."""
    for game in GAMES:
        if only and game.name not in only:
            continue
        with TemporaryDirectory() as temporary:
            folder = Path(temporary)
            policy = IsolationPolicy(None, trust=Trust.from_environment([temporary, str(CONNECT_FOUR)]))
            pool = make_pool(game, folder, Finder(open_registry(policy)), teams=teams, copies=copies, seed=seed)
            number = games or game.games
            asked, seconds = asked_class(game, pool, folder, policy, games=number, workers=workers)
        print(f"\n{game.name}: {teams} teams, {number} games asked in {seconds:.0f} CPU seconds\n")
        print(render(("what", "figure"), figures(game, asked, pool, seed)), flush=True)


if __name__ == "__main__":
    run(__doc__, main=main)
