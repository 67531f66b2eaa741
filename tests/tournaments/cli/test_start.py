from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main
from tests.conftest import RunCommand
from tests.engine.making import install, write
from tests.tournaments.cli.small_cup import play_small_cup
from typer.testing import CliRunner

from tiltyard_engine.errors import UserError
from tiltyard_engine.hooks import COMMANDS_GROUP
from tiltyard_engine.registry.trust import TRUST_VARIABLE
from tiltyard_tournaments.cli import application as start_options
from tiltyard_tournaments.cli import start
from tiltyard_tournaments.cli.start import LazyGroup, app

LOADED_BY_HELP = """
import sys
sys.argv = ["tiltyard", "--help"]
from tiltyard_tournaments.cli.start import main
try:
    main()
except SystemExit as stop:
    print("status", stop.code)
heavy = {"rich", "tabulate", "yaml", "multiprocessing", "concurrent", "msgspec", "pydantic", "numpy", "sqlite3"}
heavy |= {"tiltyard_engine.lifecycle", "tiltyard_engine.formats", "tiltyard_engine.match_record"}
rooms = ("tiltyard_simulator.", "tiltyard_tanks.", "tiltyard_acorn", "tiltyard_bramble", "tiltyard_coyote", "tiltyard_dragoon")
allowed = {"tiltyard_tanks.commands", "tiltyard_simulator.match", "tiltyard_simulator.match.own_distributions"}
allowed |= {"tiltyard_simulator.guard", "tiltyard_simulator.guard.handover"}
print("loaded", sorted(name for name in sys.modules if name in heavy or (name.startswith(rooms) and name not in allowed)))
"""


def test_help_imports_no_plugin_and_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED_BY_HELP], capture_output=True, text=True, timeout=60, check=True)
    assert "status 0" in done.stdout
    assert done.stdout.splitlines()[-1] == "loaded []"


def test_help_names_all_commands_in_their_order() -> None:
    done = CliRunner().invoke(app, ["--help"])
    assert done.exit_code == 0
    names = listed(done.stdout)
    order = LazyGroup.order
    assert names[: len(order)] == list(order)
    assert order.index("replay") < order.index("intake") < order.index("check") < order.index("plugins") < order.index("doctor")
    assert names[len(order) :] == sorted(names[len(order) :])
    assert {"check-game", "picture"} <= set(names)
    assert {"rerun", "void", "award", "decisions"} <= set(names)
    assert listed(CliRunner().invoke(app, ["new", "--help"]).stdout) == ["team", "tournament", "league", "game"]


def listed(text: str) -> list[str]:
    """The commands that a help lists."""
    return re.findall(r"^  ([\w-]+) ", text.partition("Commands:\n")[2].partition("\n\n")[0], re.MULTILINE)


@pytest.mark.parametrize("name", sorted((*LazyGroup.order, "award", "decisions", "rerun", "void", "check-game", "picture")))
def test_every_command_has_help_with_examples(name: str) -> None:
    words = [name, "team", "--help"] if name == "new" else [name, "--help"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0
    assert "Examples:" in done.stdout


def test_commands_of_own_packages_are_there_whatever_plugins_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILTYARD_ONLY", "")
    monkeypatch.setenv("TILTYARD_BLOCK", "tiltyard,pictures")
    assert "  picture " in CliRunner().invoke(app, ["--help"]).stdout


LOADED_BY_AN_OWN_PACKAGE = """
import sys
from typer.testing import CliRunner
from tiltyard_tournaments.cli.start import app
status = CliRunner().invoke(app, ["check"]).exit_code
print(status, sorted(name for name in sys.modules if name.startswith("tiltyard") and name.endswith(".plugin")))
"""


def test_a_command_of_an_own_package_is_found_without_a_look_at_plugins() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED_BY_AN_OWN_PACKAGE], capture_output=True, text=True, timeout=60, check=True)
    names = ("alike", "checks", "contest", "intake", "kit_commands", "league", "matchups", "pictures", "site", "viewer", "whatif")
    plugins = [f"tiltyard_{name}.plugin" for name in names]
    assert done.stdout == f"2 {plugins}\n"


def test_whoever_writes_map_for_maps_is_understood() -> None:
    group = typer.main.get_command(app)
    assert isinstance(group, start.LazyGroup)
    context = typer.Context(group)
    found: dict[str, list[str]] = {}
    for name in group.list_commands(context):
        _, command, _ = group.resolve_command(context, [name])
        for parameter in command.params:
            if {"--map", "--maps"} & set(parameter.opts):
                found[name] = parameter.opts
    assert {"round-robin", "competition", "watch", "picture", "check"} <= set(found)
    assert {name: options for name, options in found.items() if not {"--map", "--maps"} <= set(options)} == {}


def test_an_unknown_command_is_usage(run_command: RunCommand) -> None:
    done = run_command("tiltyard", "nonsense")
    assert (done.returncode, done.stdout) == (2, "")
    assert "No such command 'nonsense'" in done.stderr


@pytest.mark.parametrize("target", ["no_such_module:app", "json:no_such_thing", "json:dumps_", "json:__name__"])
def test_a_plugins_command_that_cannot_be_loaded_is_named(target: str) -> None:
    group = typer.main.get_command(app)
    assert isinstance(group, start.LazyGroup)
    group.targets["theirs"] = target
    with pytest.raises(UserError, match=f"the command theirs cannot be loaded from {target}"):
        group.resolve_command(None, ["theirs"])


def test_plugins_add_to_a_group_and_only_to_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    yields = "yield Command('new poem', 'Write.', 'poems:app')"
    write(tmp_path / "poet.py", f"from tiltyard_engine import Command, hookimpl\n@hookimpl\ndef commands():\n    {yields}\n")
    command = "import typer\napp = typer.Typer()\n@app.command()\ndef poem(line: str):\n    print(line.upper())\n"
    write(tmp_path / "poems.py", command)
    install(tmp_path, "poets", "1.0", {"poet": "poet"}, COMMANDS_GROUP)
    monkeypatch.setenv(TRUST_VARIABLE, "poets")
    assert "  poem        Write.\n" in CliRunner().invoke(app, ["new", "--help"]).stdout
    assert CliRunner().invoke(app, ["new", "poem", "roses"]).stdout == "ROSES\n"
    assert "poem" not in CliRunner().invoke(app, ["--help"]).stdout
    assert CliRunner().invoke(app, ["new poem", "roses"]).exit_code == 2


def test_nobody_takes_the_name_of_an_own_packages_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    yields = "yield Command('doctor', 'Mine.', 'quacks:app')"
    write(tmp_path / "quack.py", f"from tiltyard_engine import Command, hookimpl\n@hookimpl\ndef commands():\n    {yields}\n")
    install(tmp_path, "a-quack", "1.0", {"a-quack": "quack"}, COMMANDS_GROUP)
    monkeypatch.setenv(TRUST_VARIABLE, "a-quack")
    assert "  doctor       Test how well" in CliRunner().invoke(app, ["--help"]).stdout
    assert "tiltyard doctor --report" in CliRunner().invoke(app, ["doctor", "--help"]).stdout


@pytest.mark.parametrize("variable", ["TILTYARD_ONLY", "TILTYARD_BLOCK"])
def test_no_choice_of_plugins_leaves_out_commands_of_tiltyard_itself(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "tanks")
    shown = CliRunner().invoke(app, ["--help"]).stdout
    assert ("check-game" in shown, "  mark " in shown) == (True, variable == "TILTYARD_BLOCK")


@pytest.mark.parametrize("words", [["plugins"], ["--help"]])
def test_a_full_disk_is_one_message(words: list[str]) -> None:
    program = "import sys\nfrom tiltyard_tournaments.cli.start import main\nmain()\n"
    with open("/dev/full", "w") as full:  # noqa: PTH123
        command = [sys.executable, "-c", program, *words]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (2, "error: No space left on device\n")


@pytest.mark.parametrize("words", [["plugins"], ["--help"], ["doctor"]])
def test_a_reader_that_goes_away_is_no_traceback(words: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    program = "from tiltyard_tournaments.cli.start import main\nmain()\n"
    command = [sys.executable, "-c", program, *words]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    os.close(writing)
    assert done.returncode == 141
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["run", "--help"], 0, "Usage: python -m tiltyard run [OPTIONS] {FILE}"),
        (["tanks", "check", "--help"], 0, "Usage: python -m tiltyard tanks check "),
        (["run", "missing.yaml"], 2, "error: missing.yaml: cannot be read: No such file or directory"),
    ],
)
def test_the_command_is_a_module_too_and_imports_nothing_of_the_folder_that_it_is_started_in(
    tmp_path: Path, words: list[str], status: int, told: str
) -> None:
    for name in ("typer", "json", "yaml", "tiltyard_tournaments"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a stranger was imported')")
    command = [sys.executable, "-m", "tiltyard", *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, (done.stdout + done.stderr).splitlines()[0][: len(told)]) == (status, told)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["rnu"], "No such command 'rnu'. Did you mean 'run'?"),
        (
            ["withdraw", "acorn"],
            "No such command 'withdraw'. It is a key of tournament files: 'withdraw: {TEAM: now}'.",
        ),
        (["tank"], "No such command 'tank'. Did you mean 'tanks'?"),
        (["league", "backupp"], "No such command 'backupp'. Did you mean 'backup'?"),
        # It was taken for 'start', 'serve' and others.
        (["stare"], "No such command 'stare'.\n"),
        (["run", "--wrokers", "3"], "No such option: --wrokers (Possible options: --workers)"),
        (["run", "--colours"], "No such option: --colours\n"),
        (["run", "cup.yaml", "--output", "x"], "No such option: --output. It is a key of tournament files: 'output:'\n"),
        (["round-robin", "--win-points", "x"], "No such option: --win-points\n"),
    ],
)
def test_only_commands_and_options_that_are_alike_are_offered(words: list[str], told: str) -> None:
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2
    assert told in done.stderr


LOADED_BY_PLUGINS = """
import sys
sys.argv = ["tiltyard", "plugins"]
from tiltyard_tournaments.cli.start import main
try:
    main()
except SystemExit as stop:
    print("status", stop.code)
heavy = {"rich", "yaml", "jinja2", "sqlite3", "numpy", "pydantic", "multiprocessing", "concurrent.futures"}
rooms = ("tiltyard_simulator.guard", "tiltyard_simulator.replays", "tiltyard_checks.", "tiltyard_viewer.")
allowed = {"tiltyard_checks.plugin", "tiltyard_checks.command", "tiltyard_checks.command.plugins", "tiltyard_viewer.plugin"}
allowed |= {"tiltyard_simulator.guard", "tiltyard_simulator.guard.handover"}
print("loaded", sorted(name for name in sys.modules if name in heavy or (name.startswith(rooms) and name not in allowed)))
"""


def test_the_list_of_plugins_imports_nothing_that_only_matches_need() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED_BY_PLUGINS], capture_output=True, text=True, timeout=60, check=True)
    assert "status 0" in done.stdout
    assert done.stdout.splitlines()[-1] == "loaded []"


LOADED_BY_A_FINISHED_CUP = """
import sys
from tiltyard_tournaments.cli.start import main
try:
    main()
except SystemExit as stop:
    print("status", stop.code)
heavy = {"rich", "yaml", "jinja2", "numpy", "pydantic", "multiprocessing", "concurrent.futures", "ctypes"}
rooms = ("tiltyard_simulator.guard.", "tiltyard_simulator.play.", "tiltyard_cycles", "tiltyard_contest.", "tiltyard_advance")
light = ("executor", "failure_watch", "local_matches")
allowed = {"tiltyard_simulator.guard.handover", *(f"tiltyard_simulator.play.{name}" for name in light)}
print("loaded", sorted(name for name in sys.modules if name in heavy or (name.startswith(rooms) and name not in allowed)))
"""


def test_of_a_tournament_that_is_over_only_the_tables_are_made(tmp_path: Path) -> None:
    file = play_small_cup(tmp_path)
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}

    def shown(*words: str) -> list[str]:
        command = [sys.executable, "-c", LOADED_BY_A_FINISHED_CUP, words[0], str(file), *words[1:]]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, env=environment)
        return done.stdout.splitlines()

    *first, loaded = shown("run")
    assert first[-1] == "status 0"
    assert "numpy" in loaded
    for words in (["run"], ["run", "--workers", "2"], ["standings"]):
        *table, loaded = shown(*words)
        assert loaded == "loaded []"
        assert table[-1] == "status 0"
        assert words == ["standings"] or table == first


def test_own_commands_defaults_and_texts_are_what_typer_would_make_of_them() -> None:
    group = typer.main.get_command(app)
    assert isinstance(group, start.LazyGroup)
    context = typer.Context(group)
    looked_at = quick = 0
    for name in (*LazyGroup.order, "check-game"):
        _, command, _ = group.resolve_command(context, [name])
        for parameter in getattr(command, "params", []):
            if not hasattr(parameter, "get_runtime_param"):
                pytest.skip("this typer has no conversion of its own")
            kind = parameter.type_descriptor.annotation
            if kind in (str, list[str]):
                typed = "text" if kind is str else ("one", "two")
                made = parameter.get_runtime_param().coerce(typed, param=parameter, ctx=context)
                assert made == ("text" if kind is str else ["one", "two"])
            if kind in (int, Path):
                settings = parameter.type_descriptor.parameter_info
                for typed in ("1", "007", ".", "no-such-file", "-3", "1e3", "9" * 30):
                    simple = start_options._simple_value(settings, kind, typed)
                    if simple is not None:
                        assert simple == parameter.get_runtime_param().coerce(typed, param=parameter, ctx=context)
                quick += start_options._simple_value(settings, kind, "5" if kind is int else ".") is not None
            default = parameter.get_default(context)
            if default is not None and not parameter.required:
                made = parameter.get_runtime_param().coerce(default, param=parameter, ctx=context)
                assert (type(made), made) == (type(default), default), f"{name} {parameter.name}"
                looked_at += 1
    assert looked_at > 50
    assert quick > 40


@pytest.mark.parametrize("words", [["comparative"], ["watch"], ["check"]])
def test_what_must_be_given_is_asked_for(run_command: RunCommand, words: list[str]) -> None:
    done = run_command("tiltyard", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Missing argument" in done.stderr


def test_an_argument_that_is_no_text_is_one_message() -> None:
    command: list[str | bytes] = [str(Path(sys.executable).with_name("tiltyard")), "round-robin", b"\xff", "acorn"]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_what_is_typed_in_is_still_converted_and_checked(run_command: RunCommand) -> None:
    done = run_command("tiltyard", "round-robin", "acorn", "bramble", "--workers", "many")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--workers" in done.stderr


LOADED_BY_A_ROUND_ROBIN = """
import sys
from tiltyard_tournaments.cli.start import main
try:
    main()
except SystemExit as stop:
    print("status", stop.code)
names = ("cell_pool", "zygote", "confinement", "managers", "programs", "native")
rooms = tuple(f"tiltyard_simulator.guard.{name}" for name in names)
print("loaded", sorted(name for name in sys.modules if name.startswith(rooms)))
"""


def test_matches_in_this_process_load_nothing_of_cells(tmp_path: Path) -> None:
    command = [sys.executable, "-c", LOADED_BY_A_ROUND_ROBIN, "round-robin", "acorn", "bramble", "--maps", "back-yard"]
    command += ["--workers", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, cwd=tmp_path)
    assert "status 0" in done.stdout
    assert done.stdout.splitlines()[-1] == "loaded []"
