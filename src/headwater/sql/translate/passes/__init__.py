"""Passes over the plan of a view: conditions down, needless columns out, cross joins refused."""
