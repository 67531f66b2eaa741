"""What this machine can do, for ``tiltyard doctor``.

It imports no other room of this package. How well code can be confined, the simulator's guard finds out itself, before it plays.

- ``confinement_table``: that as a table.
- ``runtimes``: which languages' programs start in the sandbox.
- ``compiled_rules``: which games' rules are compiled.
- ``machine_report``: all that a report of a defect needs, and nothing of who uses the machine.
"""
