"""Generators and an evaluator of plans."""
