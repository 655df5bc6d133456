"""One push: decide, group, run, commit, publish, record."""
