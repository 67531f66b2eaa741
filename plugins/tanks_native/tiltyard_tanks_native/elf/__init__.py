"""What a compiled file is, without executing any of it.

``image`` reads one ELF file; ``libraries`` finds the files that another needs, as the system's loader would; ``examination`` says
whether a team's file could be loaded here and what it registers; ``demangler`` turns symbols into C++.
"""
