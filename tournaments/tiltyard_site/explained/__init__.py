"""Why teams lost, as pages show it: read from files beside a store, which ``tiltyard_whatif`` writes, and summed up for a team.

It is plain values and sentences, and imports nothing else of the site. Begin with ``explained.py``.
"""
