"""The keys under ``league`` of a league's file: their types, defaults and meanings."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tiltyard_intake.command.deadlines import Deadline
from tiltyard_intake.command.settings_file import AllowedPackages, PackagesFolder, WheelsFolder
from tiltyard_tournaments.tournament_file.model import Keys, Line

MEGABYTE = 1_000_000


class LeagueKeys(Keys):
    """What a league needs beside what a tournament has."""

    deadline: Annotated[
        Deadline,
        Field(
            description="After this, nothing can be handed in, except within `grace`. Such as '2026-12-18 23:59', in the server's"
            " time zone, or '2026-10-25 02:30+01:00'. Default: no deadline."
        ),
    ] = None
    grace: Annotated[
        float,
        Field(
            ge=0,
            le=366 * 24,
            description="For how many hours after the deadline teams can still hand in. Such versions are marked as late.",
        ),
    ] = 0.0
    address: Annotated[
        Line | None,
        Field(
            description="The address of the league, such as https://league.example.edu/2026. Invite links begin with"
            " it. Needed behind a web server. Default: where the league was last served."
        ),
    ] = None
    uploads_a_day: Annotated[
        int, Field(alias="uploads-a-day", ge=1, le=1000, description="How often a team can hand in within 24 hours.")
    ] = 20
    largest_upload: Annotated[
        int,
        Field(
            alias="largest-upload",
            ge=1000,
            le=1000 * MEGABYTE,
            description="The largest upload in bytes, an archive or a single file.",
        ),
    ] = 5 * MEGABYTE
    allow: AllowedPackages = Field(default_factory=list)
    wheels: WheelsFolder = None
    packages: PackagesFolder = None
    requests_a_day: Annotated[
        int, Field(alias="requests-a-day", ge=0, le=1000, description="How many unrated games a team can ask for within 24 hours.")
    ] = 10
    pin: Annotated[
        Line | None,
        Field(description="The staff's team whose rating is 0. Default: the first one under teams."),
    ] = None
    pseudonyms: Annotated[bool, Field(description="Whether teams see each other under made-up names. Staff see both names.")] = True
    replays_kept: Annotated[
        int,
        Field(
            alias="replays-kept",
            ge=1,
            description="How many of each version's last games keep their replays. Games with faults always keep theirs, and so"
            " does the last win of each version that plays against each of the others.",
        ),
    ] = 50
    least_free: Annotated[
        int,
        Field(
            alias="least-free",
            ge=0,
            description="Bytes that must be free on the disk. Below that, teams can't hand in, and nothing is checked or"
            " played. Below twice as much, the staff are warned.",
        ),
    ] = 500 * MEGABYTE
    check_lanes: Annotated[
        int | None,
        Field(
            alias="check-lanes",
            ge=1,
            le=1000,
            description="How many versions are checked at once. A check takes the place of a game unless a core is free. Default:"
            " the number of cores less one, at least 1.",
        ),
    ] = None
    join_limit: Annotated[
        int,
        Field(alias="join-limit", ge=1, description="How many invite links one address can try within a minute."),
    ] = 10
    play: Annotated[
        bool,
        Field(
            description="Whether members of teams can play against the teams by hand, and try other answers in replays. These games"
            " count for nothing, and are played in a process of the lowest priority."
        ),
    ] = False
