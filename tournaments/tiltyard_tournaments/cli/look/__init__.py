"""Commands that show: schedules, progress, tables, matches, plugins and explanations. They change nothing."""
