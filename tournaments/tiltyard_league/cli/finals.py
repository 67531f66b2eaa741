"""``tiltyard league finals``: an ordinary tournament of the versions that play now."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any, Final

import typer
import yaml

from tiltyard_engine.errors import UserError, file_errors
from tiltyard_engine.registry import Selection
from tiltyard_engine.registry.environments import ENVIRONMENTS
from tiltyard_engine.registry.sources import Origin
from tiltyard_league.database.database import Database
from tiltyard_league.database.private import make_private
from tiltyard_league.database.versions import active_versions, entry_of
from tiltyard_league.league_file.loading import LEAGUE_FILE, read_settings
from tiltyard_league.rating.standing import read_standing
from tiltyard_league.submissions.checker import TEAMS, folder_of, remove_version
from tiltyard_league.submissions.environments import share_environment
from tiltyard_league.submissions.upload import NEW
from tiltyard_simulator.output.reports import say
from tiltyard_simulator.output.result_files import write_over
from tiltyard_tournaments.tournament_file.contest import STAGES, contest
from tiltyard_tournaments.tournament_file.document import Document, read_document
from tiltyard_tournaments.tournament_file.model import TournamentKeys
from tiltyard_tournaments.tournament_file.problems import Problem, TournamentFileError
from tiltyard_tournaments.tournament_file.resolution import load_document

FINALS: Final = "finals.yaml"
FINALISTS: Final = "finalists"
"""The folder with the teams of the finals."""
COMMAND: Final = "from tiltyard_tournaments.cli.start import main; main()"
Folder = Annotated[Path, typer.Argument(help="The league's folder.", metavar="FOLDER")]


def add_to(app: Any) -> None:
    """Register the command of this module."""
    app.command()(finals)


def finals(
    folder: Folder,
    format: Annotated[  # noqa: A002
        str | None, typer.Option("--format", help="Who plays whom, as in a tournament file. Default: round-robin.")
    ] = None,
    stages: Annotated[
        Path | None,
        typer.Option(
            "--stages",
            help="A file with 'stages', such as groups and a knockout. Its other keys are those of a tournament file.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, help="The seed of the matches. Default: one more than the league's, so that games differ."),
    ] = None,
    run: Annotated[bool, typer.Option("--run/--no-run", help="Play and publish them at once.")] = True,
) -> None:
    """Copy the versions that play now, write an ordinary tournament file for them, run it and publish its site.

    Teams are seeded in the order of the standings. Apart from that, ratings of the league don't count. If the command was stopped,
    run it again to continue with the same versions. The staff's teams play too. To choose who plays, use --no-run, delete lines of
    finals.yaml, and run the command again. To start over, delete finals.yaml and the folder finals.

    \b
    Examples:
      tiltyard league finals course/
      tiltyard league finals course/ --format "{name: swiss, rounds: 7}" --no-run
      tiltyard league finals course/ --stages groups-and-finals.yaml
    """
    file = folder / FINALS
    if stages is not None and format is not None:
        raise UserError("--stages and --format can't be used together: the file gives the format of each stage")
    own = None if stages is None else read_stages(stages)
    if file.is_file():
        _check_same(file, None if format is None else _read_format(format), seed, own)
        say(f"{file} already exists, so the versions that it lists will play")
    else:
        write_finals(folder, format or "round-robin", seed, own)
    print(file, flush=True)
    if run:
        # The tournament's own commands, as anybody would type them.
        for words in (["run"], ["publish"]):
            process = subprocess.run([sys.executable, "-P", "-c", COMMAND, *words, str(file)], check=False)
            if process.returncode:
                raise typer.Exit(process.returncode)


def _read_format(text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise UserError(f"--format {text}: not YAML: {error}") from error


def read_stages(file: Path) -> Document:
    """A file with stages for teams that are not in it.

    Raises:
        UserError: it cannot be read, or has no stages, or teams.
    """
    document = read_document(file, "a file with stages")
    problems = [*document.problems]
    if STAGES not in document.data:
        problems.append(Problem(1, STAGES, f"expected the key '{STAGES}', with a list of them"))
    for key, why in (("teams", "the teams are the versions that play now"), ("output", "the results are in the folder finals")):
        if key in document.data:
            problems.append(Problem(document.line_of((key,)), key, f"{why}; leave this key out"))
    if problems:
        raise TournamentFileError(document.name, problems)
    contest().stages_of_document(document, file)
    return document


def _check_stages(document: Document, file: Path) -> None:
    """What is wrong with any stage, as a run says it before it plays; where names are of files, they lie beside the league's."""
    for stage in contest().stages_of_document(document, file):
        load_document(document, (file,), Selection.from_environment(), stage=stage.name, is_preview=True)


def _check_same(file: Path, chosen_format: Any, seed: int | None, stages: Document | None) -> None:
    """That finals that were written before are those that are asked for now."""
    try:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError):
        # Whoever runs it says what is wrong with it.
        return
    own = {} if stages is None else stages.data
    if isinstance(document, dict) and any(
        document.get(key) != value for key, value in own.items() if key != "seed" or seed is None
    ):
        raise UserError(
            f"{file}: was made with other stages than {stages.name if stages else ''} has now; leave out --stages to go on with it."
            f" To start over, delete this file and the folder {file.with_suffix('')}"
        )
    for name, value in (("format", chosen_format), ("seed", seed)):
        before = document.get(name) if isinstance(document, dict) else None
        if value is not None and value != before:
            raise UserError(
                f"{file}: was made with the {name} {before}; leave out --{name} to go on with it. To start over, delete this file"
                f" and the folder {file.with_suffix('')}"
            )


def write_finals(folder: Path, format_text: str, seed: int | None, stages: Document | None = None) -> None:
    """Write the file beside the league's, so that what that names is found; last, when all that it names is there."""
    settings = read_settings(folder)
    format_value = _read_format(format_text)
    teams: list[dict[str, str]] = []
    with Database(folder) as database, file_errors(folder / FINALISTS, "written"):
        new = Path(tempfile.mkdtemp(prefix=NEW, dir=folder))
        places = {line.version: place for place, line in enumerate(read_standing(folder).lines)}
        for row in sorted(active_versions(database), key=lambda row: places.get(row["id"], len(places))):
            name = row["pseudonym"] if settings.keys.pseudonyms else row["team_name"]
            reference = entry_of(row)
            assert reference is not None
            if reference.source.origin is Origin.INSTALLED:
                teams.append({"team": reference.name, "name": name})
                continue
            source = Path(reference.source.folder or reference.source.value)
            if not row["upload"]:
                # The staff's own code lies where they have put it.
                (new / row["slug"]).mkdir()
                (shutil.copytree if source.is_dir() else shutil.copy2)(source, new / row["slug"] / source.name)
                teams.append({"team": f"{Path(FINALISTS, row['slug'], source.name)}:{reference.name}", "name": name})
                continue
            base = folder_of(folder.resolve(), row["id"]) / TEAMS
            inside = source.relative_to(base) if source.is_relative_to(base) else Path(source.name)
            shutil.copytree(base, new / row["slug"], ignore=shutil.ignore_patterns(ENVIRONMENTS))
            share_environment(folder, new / row["slug"] / inside.parts[0], reference.source.environment)
            teams.append({"team": str(Path(FINALISTS, row["slug"], inside)), "name": name})
        make_private([new])
        remove_version(folder / FINALISTS)
        new.rename(folder / FINALISTS)
    document = yaml.safe_load((folder / LEAGUE_FILE).read_text(encoding="utf-8"))
    other_keys = {
        key: value for key, value in document.items() if key not in ("league", "teams", "output", "format", "seed", "title")
    }
    # With the league's own seed and maps, deterministic teams would play the league's games again.
    own = int(document.get("seed", TournamentKeys.model_fields["seed"].default))
    chosen_seed = own + 1 if seed is None else seed
    whole = {"title": f"{settings.title}: finals", **other_keys, "teams": teams, "format": format_value, "seed": chosen_seed}
    if stages is not None:
        whole = {**{key: value for key, value in whole.items() if key != "format"}, **stages.data}
        whole["seed"] = stages.data.get("seed", chosen_seed) if seed is None else seed
        try:
            _check_stages(Document(stages.name, whole, stages.lines), folder / FINALS)
        except UserError:
            remove_version(folder / FINALISTS)
            raise
    write_over(folder / FINALS, yaml.safe_dump(whole, allow_unicode=True, sort_keys=False))
    with Database(folder) as database, database.writing():
        database.log("command line", "finals", teams=len(teams), format="stages" if stages else format_value, seed=whole["seed"])
