"""Recipes: how what people hand in becomes teams.

Begin with ``recognition``, which finds the recipe that fits a team's tree.

- ``program_recipes``, ``python_recipes``: the recipes that every game can use. Their helpers, which run in builds, are scripts
  without dependencies in the folders beside them.
- ``patterns``: how recipes name files.
- ``product_choice``: which file is the product that a recipe names.

It imports ``trees``.
"""
