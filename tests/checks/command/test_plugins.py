from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tiltyard_checks.command.plugins import app
from tiltyard_engine.errors import NotFoundError, UserError

RUNNER = CliRunner()


def test_lists_what_is_installed() -> None:
    done = RUNNER.invoke(app, [])
    assert done.exit_code == 0
    assert all(name in done.stdout for name in ("acorn", "reference", "narrow-pass", "tiltyard-tanks"))


def test_a_failed_plugin_is_a_row_and_status_1(programs: Path) -> None:
    done = RUNNER.invoke(app, [str(programs / "broken"), "--json"])
    assert done.exit_code == 1
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert set(rows) == {"syntax_error", "no_hooks", "raises"}
    assert rows["raises"]["reason"].startswith("cannot be imported: RuntimeError: broken on purpose")
    assert "Traceback" in rows["raises"]["detail"]


def test_tracebacks_on_request(programs: Path) -> None:
    words = [str(programs / "broken" / "raises.py")]
    assert "Traceback" not in RUNNER.invoke(app, words).stdout
    assert "Traceback" in RUNNER.invoke(app, [*words, "--traceback"]).stdout


def test_blocked_plugins_are_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    done = RUNNER.invoke(app, ["--block", "tiltyard-acorn", "--format", "csv"])
    assert done.exit_code == 0
    assert any(line.startswith("acorn,plugin,") and ",blocked," in line for line in done.stdout.splitlines())
    only = RUNNER.invoke(app, ["--only", "tanks", "--json"]).stdout
    assert {row["status"] for row in json.loads(only) if row["distribution"] == "tiltyard-acorn"} == {"blocked"}


def test_mistakes_are_named(tmp_path: Path) -> None:
    for words, error in (([str(tmp_path / "missing")], UserError), (["--format", "grid2"], NotFoundError)):
        assert isinstance(RUNNER.invoke(app, words).exception, error)
