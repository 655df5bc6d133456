"""Schemas of any dialect: tables, keys, domains, and the statements that no bound depends on."""
