"""Answers from what is kept: the rows of a view, the state of a project. No Spark is started."""
