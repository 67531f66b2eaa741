"""The tournament files that are shipped."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest
from tests.conftest import RunCommand

from tiltyard_engine.registry import Registry
from tiltyard_tournaments.running.schedule import Schedule
from tiltyard_tournaments.tournament_file.document import read_document
from tiltyard_tournaments.tournament_file.resolution import resolve

EXAMPLES = Path(str(resources.files("tiltyard_tournaments"))) / "examples"
SHIPPED = ("knockout.yaml", "spring-cup.yaml", "swiss.yaml")


def test_these_are_all() -> None:
    assert tuple(sorted(path.name for path in EXAMPLES.glob("*.yaml"))) == SHIPPED


@pytest.mark.parametrize("name", SHIPPED)
def test_it_can_be_played(registry: Registry, name: str) -> None:
    found = resolve(read_document(EXAMPLES / name), EXAMPLES / name, lambda isolation_policy: registry)
    assert found.left_out == []
    assert found.tournament.format_name == {"spring-cup.yaml": "round-robin"}.get(name, name.removesuffix(".yaml"))
    assert {"acorn", "bramble", "coyote", "dragoon"} <= set(found.tournament.names)
    batch = Schedule(tournament=found.tournament).next_batch()
    assert len(batch) >= 4
    first_line = (EXAMPLES / name).read_text(encoding="utf-8").splitlines()[0]
    assert (EXAMPLES / first_line.partition("$schema=")[2]).is_file()


def test_the_spring_cup_is_on_all_maps(registry: Registry) -> None:
    path = EXAMPLES / "spring-cup.yaml"
    tournament = resolve(read_document(path), path, lambda isolation_policy: registry).tournament
    assert tournament.format.expected_games() == (12 * len(tournament.maps),) * 2
    assert len(tournament.maps) >= 10


def test_one_is_played(run_command: RunCommand, tmp_path: Path) -> None:
    text = (EXAMPLES / "knockout.yaml").read_text(encoding="utf-8")
    (tmp_path / "knockout.yaml").write_text(text.replace("[back-yard, narrow-pass, two-fortresses]", "back-yard"))
    done = run_command("tiltyard", "run", "knockout.yaml")
    assert done.returncode == 0, done.stderr
    places = {line.split()[1]: line.split()[0] for line in done.stdout.splitlines()[4:8]}
    assert set(places) == {"acorn", "bramble", "coyote", "dragoon"}
    assert sorted(places.values()) == ["1", "2", "3", "4"]
