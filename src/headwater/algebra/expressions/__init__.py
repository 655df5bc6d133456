"""Scalar expressions: frozen trees, their functions and types, and how they are computed."""
