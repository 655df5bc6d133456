"""From times to pushes: look at the views, decide, start pushes, take note of what became of them.

executor      step: collect, look, decide, start; owns the state of the views
look          how far everything is, in one look
times         how far stages and sources are, each log asked once
view_state    what is remembered of a view
runner        what the executor needs of whoever does the pushes
spark_runner  who does them in a run: push, commit, publish, record; threads and locks
"""
