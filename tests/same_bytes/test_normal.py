"""What is left out of products, and what is not."""

from __future__ import annotations

import json
from typing import Any

from tests.same_bytes import normal

TIE = "Tie, reached max steps = 80, player 1 has 1 tanks, player 2 has 1 tanks"


def line(key: str, seconds: float, winner: int, message: str) -> str:
    account = {"cpu_seconds": seconds, "held": "inline", "output": "printed", "peak_bytes": 1, "wall_seconds": seconds}
    fault = {"message": message, "round": 3, "seat": 1, "termination": "crash", "traceback": message}
    match: dict[str, Any] = {
        "kind": "match", "key": key, "teams": ["a", "b"], "map": "m", "seed": 7, "winner": winner, "accounts": [account],
        "faults": [fault], "message": TIE + message, "played_at": key, "seconds": seconds,
    }  # fmt: skip
    return json.dumps(match) + "\n" + json.dumps({"kind": "replay", "key": key, "replay": {"frames": [[1, " "]]}}) + "\n"


def test_another_run_on_another_machine_is_the_same() -> None:
    first = normal.export(line("1234", 0.5, 1, " (player 1: crash: here)"))
    assert first == normal.export(line("5678", 0.7, 1, " (player 1: crash: in other words)"))
    assert TIE in first["export.jsonl"]
    assert "printed" in first["export.jsonl"]
    assert "a - b on m, seed 7" in first["export-replays.jsonl"]


def test_another_result_is_not() -> None:
    assert normal.export(line("1234", 0.5, 1, "")) != normal.export(line("1234", 0.5, 2, ""))


def test_the_order_in_which_matches_ended_is_left_out() -> None:
    one, two = line("1234", 0.5, 1, ""), line("5678", 0.5, 2, "")
    assert normal.export(one + two)["export.jsonl"] == normal.export(two + one)["export.jsonl"]


def test_a_replay_file_keeps_its_bytes_but_for_a_sentence() -> None:
    first = '{"format":"tiltyard replay","message":"wei\\u00df won, 3 : 2","width":1}\n[[[0," "]]]\n'
    assert normal.replay(first) == '{"format":"tiltyard replay","message":"","width":1}\n[[[0," "]]]\n'
    assert normal.replay(first.replace('"width":1', '"width": 1')) != normal.replay(first)


def test_a_table_keeps_kinds_of_faults_and_result_lines() -> None:
    text = f'map,message,faults\nm,"{TIE} (player 1: crash: boom)","player 1: crash: boom; player 2: timeout: 1 s"\n'
    assert normal.table(text) == f'map,message,faults\nm,"{TIE}","player 1: crash, player 2: timeout"\n'
