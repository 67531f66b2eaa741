"""Building what a team handed in, in a cell, by the recipe that fits it.

Begin with ``build``: which way each part is made, and what comes out.

- ``build_cell``: the cell in which the steps run. ``expansion``: a recipe's commands with the places of one build in them.
- ``toolchains``, ``machine_lacks``: the compilers of this machine, and what it lacks.
- ``second_tries``: builds that fail on this machine's compilers alone. ``first_error``: the error to read first.
- ``products``: what is put into the folder of teams. ``build_cache``: builds of earlier intakes.

It imports ``environments``, ``recipes`` and ``trees``.
"""
