"""Which works of a class are alike, and where. It judges nobody: the organiser looks at both places.

Begin with ``class_comparison``, which reads the sources of a class within bounds and compares them.

- ``tokens``: the words of a source, without names and comments. ``fingerprints``: passages of them as numbers.
- ``comparison``: pairs of works that share more than chance would.
- ``likeness``: what is reported about them.

It imports ``trees`` and ``archives``.
"""
