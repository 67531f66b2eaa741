"""Commands and files on the pages about leagues that aren't run there, since they need a server of their own."""

from __future__ import annotations

import configparser
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

pytest.importorskip("starlette", reason="the extra 'league' is not installed")

from tiltyard_league.cli import hand_in, league
from tiltyard_league.league_file.model import LeagueKeys
from tiltyard_site.web.server import HEAD_SECONDS

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted(DOCS.glob("how-to/*league*.md"))


def commands(text: str) -> list[list[str]]:
    """The words of all lines in blocks for a shell that start the league's commands, without what a shell does with them."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    lines = [re.sub(r" > \S+$", "", line) for block in blocks for line in block.splitlines()]
    return [shlex.split(line) for line in lines if re.match(r"tiltyard (league|hand-in) ", line)]


def refusal(words: list[str]) -> str:
    """What the command says against these words; empty if it takes them. With --help it reads them all and does nothing."""
    done = CliRunner().invoke(league.app if words[1] == "league" else hand_in.app, [*words[2:], "--help"])
    return "" if done.exit_code == 0 else done.output or str(done.exception)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_are_as_they_are_shown(page: Path) -> None:
    found = commands(page.read_text(encoding="utf-8"))
    assert found
    assert [refusal(words) for words in found] == [""] * len(found)


def test_a_command_that_is_not_there_would_be_seen() -> None:
    assert "--now" in refusal(["tiltyard", "league", "freeze", "course", "--now"])
    assert "melt" in refusal(["tiltyard", "league", "melt", "course"])


def test_the_service_starts_the_league() -> None:
    unit = configparser.ConfigParser(interpolation=None, strict=False)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(DOCS / "examples" / "tiltyard-league.service")
    program, *words = unit["Service"]["ExecStart"].split()
    assert program.endswith("/bin/tiltyard")
    assert refusal(["tiltyard", *words]) == ""


def test_the_backup_of_each_night_is_made() -> None:
    unit = configparser.ConfigParser(interpolation=None, strict=False)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(DOCS / "examples" / "league-backup.service")
    *shell, script = shlex.split(unit["Service"]["ExecStart"])
    assert shell == ["/bin/sh", "-c"]
    program, *words = shlex.split(script.removeprefix("exec ").replace("$(date +%%a)", "Mon"))
    assert program.endswith("/bin/tiltyard")
    assert refusal(["tiltyard", *words]) == ""
    assert not Path(words[-1]).is_relative_to(words[-2])


def test_no_log_of_a_web_server_has_invite_links() -> None:
    nginx = (DOCS / "examples" / "league-nginx.conf").read_text(encoding="utf-8")
    every, joining = re.findall(r"^location (?:/league/|/league/join/) \{\n(.*?)^\}", nginx, re.DOTALL | re.MULTILINE)
    assert "access_log off;" in joining
    assert set(re.findall(r"proxy_(?:pass|set_header) .*", joining)) == set(re.findall(r"proxy_(?:pass|set_header) .*", every))


def test_web_servers_let_everything_through_that_the_league_takes() -> None:
    nginx = (DOCS / "examples" / "league-nginx.conf").read_text(encoding="utf-8")
    size = re.search(r"client_max_body_size (\d+)m;", nginx)
    wait = re.search(r"proxy_read_timeout (\d+)s;", nginx)
    assert size is not None
    assert wait is not None
    assert int(size[1]) * 1_000_000 > LeagueKeys().largest_upload
    assert int(wait[1]) > HEAD_SECONDS
