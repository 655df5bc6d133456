"""Compaction, verification and calibration, off the critical path."""
