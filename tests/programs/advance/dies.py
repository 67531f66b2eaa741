"""Kills itself when it is to move."""

import os
import signal
import sys

if sys.argv[1] != "name":
    os.kill(os.getpid(), signal.SIGKILL)
