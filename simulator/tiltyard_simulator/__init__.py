"""Playing matches: one, guarded; many, in parallel; and the course's two simulator modes.

``specs`` are the values that say what to play and what came out. ``playing`` plays one match, ``judging``
lets faults overrule claims, ``running`` plays many on all cores. ``choosing`` turns what people write on a
command line into plugins and maps. ``comparative``, ``explaining`` and ``competition`` are the modes of
assignment 3, ``seed_command`` its command line. ``tables``, ``progress`` and ``viewer`` are what people see.
"""
