"""GameManagers of one group, which claim the same result, but write different output files."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from tiltyard_checks.runs.difference import first_unequal
from tiltyard_engine.texts.sanitize import LONGEST_LINE, one_line
from tiltyard_matchups.comparison import Group, by_text, in_a_sentence
from tiltyard_matchups.first_difference import Explainer


def log_remarks(groups: Sequence[Group], explainer: Explainer) -> list[str]:
    """For each group a line for those whose output file is not that of the group's speaker, with the first lines that differ.

    Every character counts, as it does for a script that compares files. A manager that writes no file is passed over.
    """
    lines: list[str] = []
    for number, group in enumerate(groups, start=1):
        if group.failed or len(group.managers) < 2:
            continue
        model = explainer.log(group.speaker)
        logs = {each.label: explainer.log(each) for each in group.managers if each != group.speaker}
        differing = [(name, _first_lines(model, log)) for name, log in logs.items() if model and log and log != model]
        for words, names in by_text(differing):
            whose = f"the output file{'s' if len(names) > 1 else ''} of {in_a_sentence(names)}"
            lines.append(
                f"group {number}: {whose} differ{'' if len(names) > 1 else 's'} from that of {group.speaker.label} {words}"
            )
    return lines


def _first_lines(model: str, log: str) -> str:
    """Where two different logs part; line N of an output file is round N."""
    pairs = list(zip_longest(model.splitlines(), log.splitlines()))
    number = first_unequal(pairs)
    if number is None:
        return "in its line ends"
    left, right = pairs[number - 1]
    return f"from round {number} on, for example: {_excerpt(right)} instead of {_excerpt(left)}"


def _excerpt(line: str | None) -> str:
    return "no line" if line is None else f"'{one_line(line, LONGEST_LINE)}'"
