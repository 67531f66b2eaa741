"""Results below a notebook's cell. The core asks for them by a hook, and never imports them: see ``tiltyard_site.core_pages``.

It may import ``pages`` and the core. Begin with ``cells.py``.
"""
