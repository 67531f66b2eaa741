"""Teams and GameManagers of the tank game that come as compiled C++ files.

``files`` makes a plugin of a file; ``elf`` looks into it without running it. ``teams`` and ``managers`` run it in this process,
through ``library``; ``claim_repair`` corrects a GameManager's result. ``host`` plays matches entirely in C++, in a program of its
own. ``builds`` compiles the library and the program, from the sources in ``cpp``, when they are first needed.

docs/reference/native.md tells the interface.
"""
