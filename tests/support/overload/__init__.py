"""Oracles and generators of the overload simulators."""
