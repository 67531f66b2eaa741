"""Whether matches come out the same when they are played again, and who is the reason if not.

Begin with ``verification``, whose ``compare`` finds where two runs part; ``difference`` says what differs there. ``stored_matches``
chooses what of a tournament's store can be played again, and compares it with what is stored. ``recovery`` saves what is whole in a
store that is damaged, and ``export_lines`` has a store as lines of JSON. ``file_or_folder`` finds the run that somebody named. The
room may import ``faults``, which says whom to trust, and the tournaments.
"""
