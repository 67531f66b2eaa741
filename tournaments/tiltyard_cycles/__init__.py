"""What one number a team cannot say: whether the ratings fit, who beats whom in a circle, and tables that allow circles.

pair_counts.py  who met whom with what results; all else starts from these counts
many_fits.py    the ratings' model, fitted to many seasons at once
fit_test.py     the test of fit, by simulation
words.py        what it has shown in a sentence, and each team's hardest opponent
payoffs.py      how often each beats each other one, with intervals, for ``nash.py`` and ``alpha_rank.py``
tables.py       all this as tables

The core never imports this package: it finds ``hook.py`` by the entry point of the group ``tiltyard.tables``. It may import the
engine, the simulator, the tournaments and ``tiltyard_fairness``, whose table it offers; nothing imports it. It needs only numpy.
Begin with ``fit_test.py``.
"""
