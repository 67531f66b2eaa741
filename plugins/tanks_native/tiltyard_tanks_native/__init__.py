"""Teams and GameManagers of the tank game that come as compiled C++ files.

``files`` makes a plugin of a file; ``elf`` looks into it without running it. ``teams`` and ``managers`` hold it in the process that
runs it, through ``library``; ``repairing`` puts a GameManager's result right. ``host`` plays matches wholly in C++, in a program of
its own. ``building`` compiles the library and the program, from the sources in ``cpp``, when they are first wanted.

docs/reference/native.md tells the interface.
"""
