"""Writing to standard output so that a full disk is noticed while it can be said."""

from __future__ import annotations

import os
import sys

from tiltyard_engine.errors import UserError


def write_out(text: str) -> None:
    """Write ``text`` as UTF-8 with bare line feeds, at once.

    Raises:
        UserError: there is no room for it.
        BrokenPipeError: whoever reads has seen enough.
    """
    sys.stdout.flush()
    try:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        # Python would try once more at exit, and complain.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
        raise UserError(f"standard output cannot be written: {error.strerror}") from None
