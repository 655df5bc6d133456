"""Policies run over traces, and their baselines."""
