"""CREATE TABLE, CREATE MATERIALIZED VIEW, CREATE QUERY: statements to the model, checked together."""
