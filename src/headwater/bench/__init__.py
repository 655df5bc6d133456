"""Experiments and the workloads they run on."""
