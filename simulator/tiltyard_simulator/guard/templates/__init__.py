"""Templates: processes that have loaded a team's code once, and from which the zygote forks a cell for each match.

A template is confined like the cells that come from it, and runs the team's code, so nothing that it does is trusted:

- ``forking``: the system call by which it forks. ``template_main``: what runs in it. ``snapshot``: what its cells inherit.
- ``template``: the zygote's view of one, which decides each fork. ``family``: the templates of one team, and whether its code is
  fit for them. ``keeper``: all families of a zygote, and their bounds.

What is said here of the zygote is done by its clerk, which knows the teams: the zygote itself only forks.
docs/decisions/0022-templates.md says what each rule is for.
"""
