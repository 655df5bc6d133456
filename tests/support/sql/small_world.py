"""Three tables with duplicates, NULLs and partners that are missing, for SELECTs written by hand."""

from __future__ import annotations

from support.sql.random_queries import INT, TEXT, Attribute, World

WORLD = World(
    {
        "t": [Attribute("k", INT), Attribute("a", INT, nullable=False), Attribute("c", TEXT)],
        "u": [Attribute("k", INT), Attribute("b", INT, nullable=False), Attribute("c", TEXT)],
        "w": [Attribute("k", INT, nullable=False), Attribute("e", TEXT)],
    },
    {
        "t": [(1, 1, "x"), (1, 1, "x"), (2, 5, "y"), (None, 7, None), (3, 0, "x"), (4, 2, None)],
        "u": [(1, 10, "x"), (2, 20, "q"), (2, 21, "y"), (None, 30, None), (9, 40, "x")],
        "w": [(1, "p"), (3, "r"), (3, None), (9, "s")],
    },
)
