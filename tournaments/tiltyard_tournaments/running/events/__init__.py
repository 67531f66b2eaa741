"""Who hears the events of a run, and how: there is one stream of plain values, and all have the same.

reporting.py  passes each event on once what it tells of is in the store
observers.py  plugins, each in a thread of its own
display.py    the screen: a live one, or a line now and then
event_log.py  a file of JSON lines

It may import ``running``, which imports none of it. Begin with ``reporting.py``.
"""
