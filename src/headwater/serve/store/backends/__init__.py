"""Stores: what holds the parts, each by the protocol of protocol.py."""
