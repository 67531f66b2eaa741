"""The files of a team for a game that states its rules: it is found, passes its tests and plays as it is."""

from tiltyard_kit.new_team.files import rules_team_template

__all__ = ["rules_team_template"]
