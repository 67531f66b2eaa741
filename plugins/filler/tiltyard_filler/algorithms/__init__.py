"""Robots of the project: ``nearest``, ``heat``, ``voronoi`` and ``champion``.

``bitboards`` and the modules beside it are tools for robots; each robot is a module and a program of its own.
"""
