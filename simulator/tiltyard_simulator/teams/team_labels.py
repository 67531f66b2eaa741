"""What teams and GameManagers are called in tables, where several of them may declare the same name.

They declare their names themselves, so a name does not say who somebody is. What does is where a team lies: the name of its file
or folder, which the organiser gave or accepted; or, for what is installed, the registered name, which is unique. A declared name is
a label. It is shown where nobody else has a claim to it, else behind the file's name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_engine.registry.sources import MANIFEST, Origin, Source, is_plugin_file
from tiltyard_engine.texts.names import alike, looks_like, normal
from tiltyard_simulator.match.code_digest import files_of_command

KINDS: Final = {ALGORITHM: "team", MANAGER: "GameManager"}
"""What people call each kind."""


def with_unique_labels(
    teams: Sequence[Reference], people: Mapping[Reference, str] | None = None
) -> tuple[list[Reference], list[str]]:
    """The teams, or GameManagers, under labels that differ; and a line about each that is not shown under the name it declares.

    Names that only look alike stay as they are, and there is a line about each pair of them.

    A label that the organiser gave (``Reference.shown``) stays, and so does a registered name, even if that makes two equal.

    Args:
        teams: in any order.
        people: whose teams some are, as an intake has found out. That is shown whatever they declare.
    """
    teams, of_known = _with_known(teams, people or {})
    places = _places([team.source for team in teams])
    names = [normal(team.name) for team in teams]
    identities = [normal(places.get(team.source, team.name)) for team in teams]
    own_labels = {normal(team.shown) for team in teams if team.shown}
    owners: dict[str, set[int]] = {}
    for number, team in enumerate(teams):
        for name in {identities[number], names[number]} if not team.shown else {identities[number]}:
            owners.setdefault(name, set()).add(number)
    counts = Counter(own_labels)
    labelled = list(teams)
    notes = of_known
    # Whoever is installed has a registered name, whatever stands before it in the list.
    for number in sorted(range(len(teams)), key=lambda number: teams[number].source.origin is not Origin.INSTALLED):
        team = teams[number]
        is_own = identities[number] == names[number] or owners.get(names[number]) == {number}
        if team.shown or team.source.origin is Origin.INSTALLED or (is_own and names[number] not in counts):
            counts[normal(team.label)] += 1
            continue
        label, copies = f"{identities[number]}: {names[number]}", 1
        while label in counts:
            copies += 1
            label = f"{identities[number]} ({copies}): {names[number]}"
        counts[label] += 1
        labelled[number] = replace(team, shown=label)
        notes.append(
            f"{team.source}: the name '{team.name}' is also another {KINDS[team.kind]}'s, so this one is shown as '{label}'"
        )
    return labelled, [*notes, *(looks_like(*pair) for pair in alike(team.label for team in labelled))]


def _with_known(teams: Sequence[Reference], people: Mapping[Reference, str]) -> tuple[list[Reference], list[str]]:
    """The teams, those whose people are known under their label; with the folder's name if another is called so too."""
    fixed = {normal(team.label) for team in teams if team.shown or team.source.origin is Origin.INSTALLED}
    plain_labels = Counter(normal(people[team]) for team in teams if team in people and not team.shown)
    labelled: list[Reference] = []
    notes: list[str] = []
    labels = fixed | {label for label, count in plain_labels.items() if count == 1}
    for team in teams:
        plain = normal(people.get(team, ""))
        if not plain or team.shown:
            labelled.append(team)
            continue
        label = plain
        if label in fixed or plain_labels[label] > 1:
            folder, copies = path_of(team.source).parent.name, 1
            label = f"{plain} ({folder})"
            while label in labels:
                copies += 1
                label = f"{plain} ({folder}, {copies})"
            labels.add(label)
            what = f"'{plain}' is also another {KINDS[team.kind]}'s name"
            notes.append(f"{team.source}: {what}, so this one is shown as '{label}'")
        labelled.append(replace(team, shown=label))
    return labelled, notes


def _places(sources: Sequence[Source]) -> dict[Source, str]:
    """What the file or folder of each source that is not installed is called, in as few words as tell them apart."""
    paths = {source: path_of(source) for source in dict.fromkeys(sources) if source.origin is not Origin.INSTALLED}
    counts = Counter((at, words) for path in set(paths.values()) for at, words in enumerate(_ways_to_say(path)))
    return {
        source: next((words for at, words in enumerate(_ways_to_say(path)) if counts[at, words] == 1), str(path))
        for source, path in paths.items()
    }


def _ways_to_say(path: Path) -> tuple[str, ...]:
    """From short to long."""
    return (path.stem if is_plugin_file(path) else path.name, path.name, str(Path(*path.parts[-2:])), str(path))


def path_of(source: Source) -> Path:
    """The file or folder that was handed in."""
    if source.origin is Origin.GIVEN:
        return Path(source.name)
    if source.origin is Origin.PROGRAM and not source.folder:
        # The words of a command line.
        return files_of_command(source.value)[-1] if files_of_command(source.value) else Path(source.name)
    path = Path(source.folder or source.value)
    if source.origin is Origin.PROJECT and path.name == "src":
        return path.parent
    return path.parent if path.name == MANIFEST else path
