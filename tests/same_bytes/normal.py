"""What is hashed of each product: its data, without what another run, folder, machine or wording changes.

Left out everywhere: times, memory, dates, match keys, how code was held, tracebacks, and sentences for people. Of a match's
message the result line of assignment 3 stays, as output files have it.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tests.same_bytes.replay_values import site_values
from tests.site.packed_replays import replays_in

RESULT_LINE: Final = re.compile(
    r"Player \d+ won with \d+ tanks still alive"
    r"|Tie, (?:both|all) players have zero tanks"
    r"|Tie, reached max steps = \d+(?:, player \d+ has \d+ tanks)+"
    r"|Tie, (?:both|all) players have zero shells for \d+ steps"
)
FAULT: Final = re.compile(r"player \d+: (?:timeout|stall|crash|out of memory|protocol|disconnect|illegal move)")
FIRST_DIFFERENCE: Final = re.compile(r"^(\S+) and (\S+) .*\bround (\d+)", re.MULTILINE)

LEFT_OUT: Final = frozenset(
    {
        "held", "incidents", "key", "label", "played_at", "seconds", "slowest_seconds", "stderr", "traceback",
        "advice", "cpu_seconds", "wall_seconds", "peak_bytes",
    }
)  # fmt: skip
SENTENCES: Final = frozenset({"message"})


def result_line(text: str) -> str:
    """The line of assignment 3 at the beginning of a message, or nothing."""
    found = RESULT_LINE.match(text)
    return found[0] if found else ""


def data(value: Any) -> Any:
    """A JSON value without what is left out, at any depth."""
    if isinstance(value, dict):
        return {
            name: result_line(part) if name in SENTENCES and isinstance(part, str) else _member(name, part)
            for name, part in value.items()
            if name not in LEFT_OUT
        }
    if isinstance(value, list):
        return [data(part) for part in value]
    return value


def _member(name: str, part: Any) -> Any:
    if name == "faults" and isinstance(part, list):
        # The site has a fault as [seat, kind, sentence, round].
        return [[*fault[:2], *fault[3:]] if isinstance(fault, list) else data(fault) for fault in part]
    if name == "output" and isinstance(part, str) and "Traceback" in part:
        return ""
    return data(part)


def as_text(value: Any) -> str:
    """A JSON value as text that can be compared line by line."""
    return json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def json_text(text: str) -> str:
    """The data of a JSON document."""
    return as_text(data(json.loads(text)))


def export(text: str) -> dict[str, str]:
    """The lines of ``tiltyard export --replays``: the matches, and the replays by teams, map and seed in place of keys.

    Both are sorted, as the order of the lines is that in which matches ended.
    """
    lines = [json.loads(line) for line in text.splitlines()]
    names = {line["key"]: _name(line) for line in lines if line["kind"] == "match"}
    matches = [json.dumps(data(line), sort_keys=True) for line in lines if line["kind"] != "replay"]
    shown = [{"match": names[line["key"]], **data(line["replay"])} for line in lines if line["kind"] == "replay"]
    replays = [json.dumps(replay, sort_keys=True) for replay in shown]
    return {"export.jsonl": _lines(sorted(matches)), "export-replays.jsonl": _lines(sorted(replays))}


def _name(match: Mapping[str, Any]) -> str:
    return f"{' - '.join(match['teams'])} on {match['map']}, seed {match['seed']}"


def _lines(lines: list[str]) -> str:
    return "".join(line + "\n" for line in lines)


def replay(text: str) -> str:
    """A replay file, byte for byte but for the message of its first line."""
    first, rest = text.split("\n", 1)
    message = json.loads(first)["message"]
    as_written = [json.dumps(message, ensure_ascii=ascii_only) for ascii_only in (False, True)]
    for written in as_written:
        first = first.replace(f'"message":{written}', f'"message":"{result_line(message)}"')
    return first + "\n" + rest


def table(text: str) -> str:
    """A CSV table; in messages and faults without sentences."""
    rows = list(csv.reader(io.StringIO(text)))
    if not rows:
        return text
    cleaned = [rows[0], *([_cell(name, cell) for name, cell in zip(rows[0], row)] for row in rows[1:])]
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(cleaned)
    return written.getvalue()


def _cell(column: str, cell: str) -> str:
    if column in {"message", "result"}:
        return result_line(cell)
    if column in {"faults", "fault"} and not cell.isdigit():
        return ", ".join(FAULT.findall(cell))
    return cell


def tables(text: str) -> str:
    """Several tables as JSON: a title is a sentence after its first word."""
    found = json.loads(text)
    return as_text({title.split(":")[0].split()[0]: data(rows) for title, rows in found.items()})


def site(folder: Path) -> dict[str, str]:
    """The data and the replays of a site; files that are named by a match's key are named by its number."""
    products: dict[str, str] = {}
    numbers: dict[str, str] = {}
    for file in sorted((folder / "data").glob("*.js")):
        value = _registered(file)
        if file.name.startswith("matches-"):
            for number, match in value.items():
                numbers.setdefault(match["file"], number)
                match["file"] = numbers[match["file"]]
                # Now the name of a script.
                match["replay"] = bool(match["replay"])
                for link in ("before", "after", "exchanged"):
                    match.pop(link, None)
        products[f"site/data/{file.name}"] = as_text(data(value))
    for file in sorted((folder / "outputs").glob("*.js")):
        products[f"site/outputs/{numbers.get(file.stem, 'unknown')}.js"] = _line(_registered(file))
    for file in sorted((folder / "replays").glob("*.js")):
        for name, replay in replays_in(file.read_text(encoding="ascii")).items():
            products[f"site/replays/{numbers.get(name, 'unknown')}.js"] = _line(site_values(replay))
    return products


def _line(value: Any) -> str:
    return json.dumps(data(value), ensure_ascii=False, sort_keys=True) + "\n"


def _registered(file: Path) -> Any:
    """What a file of a site's data hands over: ``Tiltyard.register("name", VALUE);``."""
    text = file.read_text(encoding="utf-8")
    return json.loads(text[text.index(",") + 1 : text.rindex(")")])


def groups(text: str) -> str:
    """A comparative results file: without its first lines, which say where files lay, and failures in words."""
    _, *parts = text.split("\n\n")
    kept = []
    for part in parts:
        lines = part.split("\n")
        if len(lines) > 1:
            lines[1] = result_line(lines[1])
        kept.append("\n".join(lines))
    return "\n\n".join(kept)


def points(text: str) -> str:
    """A competition's results file, without its first two lines."""
    return text.split("\n\n", 1)[-1]


def differences(text: str) -> str:
    """Of what ``tiltyard comparative`` prints: which two first differ in which round, both boards, what each tank did."""
    lines = []
    for line in text.splitlines():
        if found := FIRST_DIFFERENCE.match(line):
            lines.append(" ".join(found.groups()))
        elif "│" in line or "─┐" in line or "─┘" in line or re.match(r"tank \d", line):
            lines.append(line.rstrip())
    return _lines(lines)


def svg(text: str) -> str:
    """A picture without its texts."""
    return re.sub(r"(<(?:text|title|desc)\b[^>]*>)[^<]*", r"\1", text)


def checked(text: str) -> str:
    """The steps of a check and how each ended, but for those that measure time and memory."""
    report: Mapping[str, Any] = json.loads(text)
    steps = [f"{step['step']}: {step['mark']}" for step in report["steps"] if not step["numbers"]]
    return _lines([f"passed: {report['passed']}", *steps])
