"""Penguins for tiltyard: players slide penguins over ice floes that melt behind them; most fish wins.

``plugin`` is what the entry point names. ``rules`` is the game, ``board_files`` the files of the course's game master,
``positions`` what an algorithm is shown. ``referee`` is the GameManager, ``adapter`` asks programs through board files, and
``differences`` finds the move in what they wrote. ``programs`` has this project's own program, and the course's loop.
"""
