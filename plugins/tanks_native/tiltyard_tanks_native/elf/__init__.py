"""What a compiled file is, without executing any of it.

``image`` reads one ELF file; ``libraries`` finds the files that another needs, as the system's loader would; ``examining`` says
whether a team's file could be loaded here and what it registers; ``demangling`` turns symbols into C++.
"""
