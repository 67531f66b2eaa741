"""The files of a new game's package: it is found, passes its tests and can be played as it is."""

from tiltyard_tournaments.new_game.files import KINDS, Kind, game_template, package_of

__all__ = ["KINDS", "Kind", "game_template", "package_of"]
