"""How strong teams are, and how sure that is: ratings with intervals, and a sequential test for two teams.

``davidson`` rates from games of two, ``plackett_luce`` from games of more; ``rate`` takes what fits. ``sprt`` tests two teams,
``shares`` has intervals for few games. All count first and look at counts alone, so the order of games cannot matter.
They need numpy, which takes a moment to load: import this package where it is used.
"""
