"""A shop of two tables, with rows and two views over them."""

from __future__ import annotations

SHOP = """
CREATE TABLE customers (cid BIGINT PRIMARY KEY, city STRING);
CREATE TABLE orders (oid BIGINT PRIMARY KEY, cid BIGINT, amount BIGINT);
"""
CITIES = [{"cid": 1, "city": "Bern"}, {"cid": 2, "city": "Rome"}, {"cid": 3, "city": "Bern"}]
ORDERS = [
    {"oid": 1, "cid": 1, "amount": 5},
    {"oid": 2, "cid": 2, "amount": 7},
    {"oid": 3, "cid": 3, "amount": 1},
]


def view(name: str, sql: str, policy: str = "INCREMENTAL") -> str:
    return (
        f"CREATE MATERIALIZED VIEW {name} FRESHNESS = INTERVAL '9' SECOND REFRESH POLICY {policy} AS {sql};\n"
    )


JOINED = view("joined", "SELECT o.oid, c.city, o.amount FROM orders o JOIN customers c ON o.cid = c.cid")
BY_CITY = view(
    "by_city",
    "SELECT c.city, count(*) AS n, sum(o.amount) AS total FROM orders o JOIN customers c ON o.cid = c.cid"
    " GROUP BY c.city",
)
