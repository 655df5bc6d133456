"""Headwater's SQL: text to trees (parsing), statements to the model (ddl), SELECT to algebra (translate)."""
