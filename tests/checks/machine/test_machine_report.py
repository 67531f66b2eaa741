"""The block for reports of defects: what was found here, and nothing of who uses it."""

from __future__ import annotations

import getpass
import platform
from importlib import metadata
from pathlib import Path

import pytest
from tests.engine.making import install

from tiltyard_checks.machine import machine_report
from tiltyard_simulator.guard.policy import Confinement, Level, Probe


def test_versions_sandbox_and_languages_without_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "team-thunder", "1.5", {"thunder": "thunder_team"})
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("HOME", "/var/people/ann")
    monkeypatch.setattr(getpass, "getuser", lambda: "ann")
    runtimes = [["Python starts", "yes", "/usr/bin/python3"], ["Java starts", "NO", "/var/people/ann/jdk/bin/java: no memory"]]
    monkeypatch.setattr(machine_report, "runtime_rows", lambda: runtimes)
    probes = (
        Probe("A: bubblewrap starts", False, "/home/bob/bin/bwrap: refused"),
        Probe("B: Landlock answers", True, "version 7"),
        Probe("B: own files can be read", False, "/scratch/ann/x: denied, /opt/annex: denied"),
    )
    variables = {"TILTYARD_TOKEN": "s3cret", "TILTYARD_CONFINEMENT": "B", "TILTYARD_TRUST": "/srv/x", "OTHER": "s3cret"}
    text = machine_report.machine_report(Confinement(Level.B, probes, ()), variables)
    rows = [[part.strip() for part in line.split(":", 1)] for line in text.splitlines()]
    told = dict(rows)
    assert told["tiltyard"] == metadata.version("tiltyard")
    assert told["Python"].startswith(f"{platform.python_version()}, ")
    assert "team-thunder 1.5" in told["other plugins"]
    assert "tiltyard-tanks " in told["own plugins"]
    assert told["sandbox"] == "level B"
    assert [row[1] for row in rows if row[0] == "does not work"] == [
        "A: bubblewrap starts: /home/USER/bin/bwrap: refused",
        "B: own files can be read: /scratch/USER/x: denied, /opt/annex: denied",
    ]
    assert told["languages"] == "Python"
    assert told["does not start"] == "Java: ~/jdk/bin/java: no memory"
    assert told["variables"] == "TILTYARD_CONFINEMENT=B, TILTYARD_TOKEN is set, TILTYARD_TRUST is set"
    assert "s3cret" not in text
    assert "B: Landlock answers" not in text
