"""Advance for tiltyard: a game a little like chess, of a university course, with walls, conversions and a catapult.

``plugin`` is what the entry point names. ``rules`` is the game, ``levels`` and ``search`` choose moves, ``board_files`` are the
files of nine lines that programs read and write, ``positions`` what an algorithm is shown, ``manager`` the referee, ``adapter``
asks programs through files; ``programs.advance`` is this project's own one.
"""
