"""What a run prints, and how it writes files that are never half written.

It may import ``match`` alone: everything here takes plain values, and knows nothing of how they came about.

- ``tables``: tables as text, CSV and JSON. Begin here. ``render_lines`` gives a long one line by line.
- ``reports``: the text below the tables of a run. ``measured_figures``: messages that differ in a measured figure alone.
- ``result_files``: writes a file with a new name, or over that of an earlier run.
- ``folder_lock``: one process at a time works in a folder.
"""
