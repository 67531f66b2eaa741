"""What is in the way of a release."""

from __future__ import annotations


class ReleaseError(Exception):
    """What is in the way of a release, and what to do about it."""
