"""Rows of data files found by key: side files beside them, mapped into memory."""
