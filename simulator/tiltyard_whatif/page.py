"""A page about one match: its explanation, a strip of its turns, and the recorded match beside the one with a better answer."""

from __future__ import annotations

from base64 import b64encode

from tiltyard_engine.records import Game
from tiltyard_engine.texts.public_text import public_text
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_site.notebook.alone import game_page
from tiltyard_site.pages.match_scripts import Listed, explained_value, match_details
from tiltyard_site.pages.replay_scripts import compressed_replay
from tiltyard_whatif.explained_files import explained_of
from tiltyard_whatif.explaining import Explanation
from tiltyard_whatif.playing import Course


def page(explanation: Explanation, hide: frozenset[str] = frozenset()) -> str:
    """The page, which needs nothing beside it.

    Args:
        explanation: what is known of the match.
        hide: what the tournament doesn't publish.

    Raises:
        UserError: a replay can't be shown.
    """
    game = explanation.game.spec.input.game.load_as(Game)
    number = explanation.game.spec.place.number + 1
    details = match_details(Listed(number, explanation.recorded.outcome), {}, hide)
    why = explained_value(explained_of(explanation), [_compressed(course) for course in explanation.continuations])
    if "faults" in hide:
        # A message of a moment repeats what the faults say; its sentence is what was asked for.
        why["moments"] = [{**each, "message": "" if each["faults"] else each["message"], "faults": []} for each in why["moments"]]
    replay = explanation.recorded.replay
    replay.message = public_text(replay.message)
    title = f"Why did {one_line(explanation.team)} lose?"
    return game_page(title, number, details, replay=replay, theme=game.display.theme, why=why)


def _compressed(course: Course) -> str:
    course.replay.message = public_text(course.replay.message)
    return b64encode(compressed_replay(course.replay)).decode()
