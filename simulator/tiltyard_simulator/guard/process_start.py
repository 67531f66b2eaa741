"""Starting processes, in a program that may stop one of its threads at any moment."""

from __future__ import annotations

import threading
from typing import Final

STARTING: Final = threading.RLock()
"""Held while a process is started, until whoever ends it knows of it. Who stops another thread by an exception takes it first."""
