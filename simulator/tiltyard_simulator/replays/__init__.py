"""Replays.

- ``encoding``: their bytes. ``files``: files of them, compressed or not.
"""
