"""The commands of the site: ``serve``. ``tiltyard_tournaments.cli.start`` names them, and imports them when they are used."""
