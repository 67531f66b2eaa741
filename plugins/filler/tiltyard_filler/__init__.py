"""Filler for tiltyard: two robots place random pieces on one board until neither can.

``plugin`` is what the entry point names. ``positions`` is what a robot is shown, ``rules`` and ``pieces`` are the game, ``manager``
the referee, ``anfield`` the subject's protocol; ``standalone`` makes a program of a Python algorithm.
"""
