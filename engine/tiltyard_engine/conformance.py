"""The name that ``tiltyard_kit.conformance`` had before. Games that use it still work."""

import warnings

from tiltyard_kit.conformance import *  # noqa: F403

warnings.warn("tiltyard_engine.conformance is now tiltyard_kit.conformance: import that", DeprecationWarning, stacklevel=2)
