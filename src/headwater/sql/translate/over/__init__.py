"""Window functions, QUALIFY, and ORDER BY with LIMIT."""
