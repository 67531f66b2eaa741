"""The name that ``tiltyard_kit.testing`` had before. Games that use it still work, and their tests name the new one.

PYTEST_DONT_REWRITE: see there.
"""

import warnings

from tiltyard_kit.testing import *  # noqa: F403

warnings.warn("tiltyard_engine.testing is now tiltyard_kit.testing: import that", DeprecationWarning, stacklevel=2)
