"""Files for a team, or for staff: fault kits, and what was handed in, as it came."""

from __future__ import annotations

import io
import tempfile
import zipfile
from pathlib import Path
from typing import Final

from starlette.responses import FileResponse, Response

from tiltyard_checks.faults.fault_kits import write_fault_kit
from tiltyard_league.database.database import Row
from tiltyard_league.submissions.upload import UPLOADS, ending_of
from tiltyard_league.web.http.access import Page
from tiltyard_league.web.http.context import Context, missing
from tiltyard_league.web.pages.games import game_of, hidden_paths, labels, own_seats, stored
from tiltyard_league.web.pages.tables import game_views


def kit(context: Context) -> Response:
    """A fault kit, to find out why the own team failed: only with its own output and conversation."""
    game = game_of(context)
    match = stored(context.app, game)
    seats = own_seats(context, game)
    if not any(fault.seat in seats for fault in match.record.outcome.faults):
        raise missing("kit")
    name = f"game-{game.place}"
    buffer = io.BytesIO()
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / name
        names = labels(game_views(context, [game])[0])
        write_fault_kit(folder, match.spec, match.record, seats=seats, names=names, hide=hidden_paths(context, match.spec.input))
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(folder.iterdir()):
                archive.write(file, f"{name}/{file.name}")
    headers = {"Content-Disposition": f'attachment; filename="{name}.zip"'}
    return Response(buffer.getvalue(), media_type="application/zip", headers=headers)


def kit_for_staff(context: Context) -> Response:
    """The fault kit of a game for all who failed in it."""
    return kit(context)


def handed_in(context: Context) -> Response:
    """What the team handed in as a version, byte for byte."""
    return _upload(context, context.own_version())


def handed_in_for_staff(context: Context) -> Response:
    """What any team handed in as a version, byte for byte."""
    return _upload(context, context.database.row("SELECT * FROM versions WHERE id = ?", str(context.request.path_params["id"])))


def _upload(context: Context, version: Row | None) -> Response:
    """The bytes as they lie on the disk, unopened; browsers are told to save them and never to show them."""
    if version is None or not version["upload"]:
        raise missing("file")
    path = context.app.folder / UPLOADS / version["upload"]
    if not path.is_file():
        raise missing("file")
    # Of the name that it came under, nothing but a harmless ending.
    name = f"{context.teams[version['team']]['slug']}-v{version['number']}{ending_of(version['name'])}"
    return FileResponse(path, media_type="application/octet-stream", filename=name, content_disposition_type="attachment")


PAGES: Final = (
    Page("/games/{place}/kit.zip", "team", kit),
    Page("/me/versions/{number}/file", "team", handed_in),
    Page("/staff/games/{place}/kit.zip", "staff", kit_for_staff),
    Page("/staff/versions/{id}/file", "staff", handed_in_for_staff),
)
