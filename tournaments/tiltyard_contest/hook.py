"""What the core finds of this package, by the entry-point group ``tiltyard.contest``; see ``tournament_file.contest``."""

from tiltyard_contest.earlier_teams import teams_of_earlier
from tiltyard_contest.showing import publish_stages, show_final_ranking
from tiltyard_contest.stages import stage_document, stages_of_document
from tiltyard_contest.tie_break_games import tie_break_games

__all__ = ["publish_stages", "show_final_ranking", "stage_document", "stages_of_document", "teams_of_earlier", "tie_break_games"]
