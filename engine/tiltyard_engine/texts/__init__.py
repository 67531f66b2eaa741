"""Texts that people read, and names that they write: the same rules for every room and plugin.

It imports nothing: whatever else there is may use it.

- ``sanitize``: no text of a team's changes a terminal or a page. Begin here. ``public_text``: what may be shown to everyone.
- ``names``: names as files, labels and columns. ``near_names``: "did you mean". ``quantities``: counts and measures in words.
- ``time_left``: how long the rest of some work takes. ``lines``: lines of bytes that arrive in pieces.
"""
