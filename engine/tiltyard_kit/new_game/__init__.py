"""The files of a new game's package: it is found, passes its tests and can be played as it is."""

from tiltyard_kit.new_game.files import KINDS, GameKind, game_template, package_of

__all__ = ["KINDS", "GameKind", "game_template", "package_of"]
