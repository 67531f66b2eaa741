"""What all properties look at: a game, and small matches of it, in this process and in others.

It knows no property; those import it. Begin with ``bench``, which plays each match once for all that ask for it.

- ``parts``: a game with all that it takes to play it.
- ``scripts``: algorithms that play what they are told.
- ``inline_match``: one match in this process.
- ``fresh_process``: one in a new Python.
- ``team_files``: algorithms of tests for other processes.
- ``meddling``: teams that answer otherwise in one turn.
- ``other_answers``: which answers that could be.
- ``inputs``: made-up values, by hypothesis.
- ``outcomes``: the result for each property.
"""
