from __future__ import annotations

import importlib
import json
import random
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.site.packed_replays import files_in

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.replay import Frame, Replay
from tiltyard_engine.results import Fault, Termination
from tiltyard_site.publication import Logo, SiteData, publish


def shown_replays(folder: Path) -> set[str]:
    """The keys of the games whose replays are in the scripts that their pages load."""
    shown: set[str] = set()
    for chunk in (folder / "data").glob("matches-*.js"):
        games = json.loads(chunk.read_text(encoding="ascii").partition(",")[2].rpartition(")")[0])
        for game in games.values():
            if game["replay"]:
                script = (folder / "replays" / f"{game['replay']}.js").read_text(encoding="ascii")
                shown |= {game["file"]} & files_in(script).keys()
    return shown


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_same_input_gives_the_same_bytes_in_any_order(cup: SiteData, site: Path, tmp_path: Path) -> None:
    shuffled = list(cup.matches)
    random.Random(1).shuffle(shuffled)
    publish(replace(cup, matches=shuffled), tmp_path)
    assert contents(tmp_path) == contents(site)


def test_a_second_publication_writes_nothing_and_asks_only_for_the_first_page(cup: SiteData, tmp_path: Path) -> None:
    first = publish(cup, tmp_path)
    asked: list[str] = []

    def replay(key: str) -> Replay | None:
        asked.append(key)
        return cup.replay(key)

    second = publish(replace(cup, replay=replay), tmp_path)
    assert (second.written, second.unchanged, second.removed) == (0, first.written, 0)
    # The first page draws the last board of one game.
    assert len(asked) == 1
    # One game fewer: the others of its file are packed again.
    publish(replace(cup, matches=cup.matches[:-1]), tmp_path)
    assert shown_replays(tmp_path) == {match.key for match in cup.matches[:-1]}


def test_replays_lie_together_and_large_ones_alone(cup: SiteData, tmp_path: Path) -> None:
    """A site of 3,160 games had 3,280 files, seven times as large as the store."""
    chance = random.Random(1)
    squares = tuple(chance.choice("abcdefgh ") for _ in range(100_000))
    large = Replay(game="tanks", width=1000, height=100, squares=squares)
    matches = [replace(cup.matches[0], place=place, key=f"k{place:03}") for place in range(70)]

    def replay(key: str) -> Replay | None:
        return large if key in ("k003", "k040") else None if key == "k050" else cup.replay(cup.matches[0].key)

    data = replace(cup, matches=matches, replay=replay)
    publish(data, tmp_path)
    scripts = sorted(path.name for path in (tmp_path / "replays").iterdir())
    assert scripts == ["games-0.js", "games-1.js", "games-2.js", "k003.js", "k040.js"]
    assert shown_replays(tmp_path) == {match.key for match in matches} - {"k050"}
    whole = contents(tmp_path)
    asked: list[str] = []

    def noted(key: str) -> Replay | None:
        asked.append(key)
        return replay(key)

    again = publish(replace(data, replay=noted), tmp_path)
    assert (again.written, again.removed, contents(tmp_path)) == (0, 0, whole)
    # One of the second file had none, and may have one now; and the first page draws the last board of one game.
    second_file = {f"k{place:03}" for place in range(31, 63)}
    assert second_file <= set(asked)
    assert len(set(asked) - second_file) <= 1
    publish(replace(data, matches=matches[:35]), tmp_path)
    assert not (tmp_path / "replays/k040.js").exists()


def test_a_damaged_replay_costs_only_itself(cup: SiteData, tmp_path: Path) -> None:
    bad = Replay(game="tanks", width=2, height=2, squares=(" ",) * 4, frames=[Frame(((4, "#"),))])
    broken = cup.matches[0].key
    published = publish(replace(cup, replay=lambda key: bad if key == broken else cup.replay(key)), tmp_path)
    assert len(published.problems) == 1
    assert "round 1 changes square 4 of 4" in published.problems[0]
    assert shown_replays(tmp_path) == {match.key for match in cup.matches} - {broken}


def test_what_is_hidden_is_not_in_any_file(cup: SiteData, tmp_path: Path) -> None:
    secret = Fault(1, Termination.CRASH, "secret reason", 3)
    fault = replace(cup.matches[0], place=99, key="x", faults=(secret,), message="secret message")
    assert "secret message" in fault.message
    data = replace(cup, matches=[*cup.matches, fault], outputs=lambda key: ("secret output", ""))
    publish(replace(data, hide={"replays", "faults", "output"}), tmp_path / "hidden")
    assert not [path for path, text in contents(tmp_path / "hidden").items() if b"secret" in text]
    assert not (tmp_path / "hidden/replays").exists()
    publish(replace(data, hide=frozenset()), tmp_path / "open")
    shown = contents(tmp_path / "open")
    assert b"secret output" in shown["outputs/x.js"]
    assert b"secret output" in shown[f"team-{fault.teams[0]}.html"]


def test_errors_of_the_organiser_are_told(cup: SiteData, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="scheme 'javascript'"):
        publish(replace(cup, links=[("x", " java\nscript:alert(1)")]), tmp_path)
    with pytest.raises(UserError, match=r"logo\.html: isn't an image"):
        publish(replace(cup, logo=Logo("logo.html", b"")), tmp_path)
    stranger = Outcome(teams=("acorn", "nobody"), map="m", winner=0, ranks=(1, 1))
    with pytest.raises(UserError, match="'nobody' plays matches but is not among the teams"):
        publish(replace(cup, matches=[stranger]), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_before_the_first_match_there_is_a_site_already(cup: SiteData, tmp_path: Path) -> None:
    data = SiteData(title="Soon", teams=["a", "b"], matches=[], standings=replace(cup.standings, rows=()), planned=12)
    publish(data, tmp_path)
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "<strong>not begun</strong>" in text
    assert "<span>0 of 12 games</span>" in text


def test_a_bye_is_no_game(cup: SiteData, tmp_path: Path) -> None:
    bye = Outcome(teams=("acorn",), map="", winner=1, ranks=(1,), place=50)
    publish(replace(cup, matches=[*cup.matches, bye], planned=13), tmp_path)
    assert b"[51," not in (tmp_path / "data/games.js").read_bytes()
    assert "<small> of" not in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_the_logo_is_shown(cup: SiteData, tmp_path: Path) -> None:
    publish(replace(cup, logo=Logo("Club.SVG", b"<svg/>")), tmp_path)
    assert (tmp_path / "data/logo.svg").read_bytes() == b"<svg/>"
    assert 'src="data/logo.svg"' in (tmp_path / "team-acorn.html").read_text(encoding="utf-8")


def test_the_name_of_before_leads_to_the_same_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "tiltyard_tournaments.site", raising=False)
    with pytest.warns(DeprecationWarning, match="is now tiltyard_site.publication: import that"):
        before = importlib.import_module("tiltyard_tournaments.site")
    assert (before.publish, before.SiteData) == (publish, SiteData)
