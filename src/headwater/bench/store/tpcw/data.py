"""Rows of TPC-W's tables at a scale, the same every time; nine of ten orders are of the last hour."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["NOW", "SUBJECTS", "Scale", "order_rows", "rows_of"]

SUBJECTS = tuple(f"subject{number}" for number in range(24))
HOUR = 3_600_000  # milliseconds
NOW = 500_000 * HOUR - 1  # the end of an hour
COUNTRIES, CART = 92, 2


@dataclass(frozen=True, slots=True)
class Scale:
    customers: int
    items: int

    @property
    def orders(self) -> int:
        return self.customers * 9 // 10

    @property
    def rows(self) -> int:
        """Of all tables, about."""
        return self.customers * (1 + 2 + CART) + self.orders * 5 + self.items * 5 // 4 + COUNTRIES


Row = dict[str, Any]


def rows_of(table: str, scale: Scale) -> Iterator[Row]:
    return _TABLES[table](scale, random.Random(table))


def _countries(scale: Scale, chance: random.Random) -> Iterator[Row]:
    return ({"co_id": n, "co_name": f"country{n}"} for n in range(COUNTRIES))


def _authors(scale: Scale, chance: random.Random) -> Iterator[Row]:
    for n in range(max(1, scale.items // 4)):
        yield {"a_id": n, "a_fname": f"first{n % 50}", "a_lname": f"last{n}"}


def _items(scale: Scale, chance: random.Random) -> Iterator[Row]:
    for n in range(scale.items):
        words = " ".join(f"word{chance.randrange(100)}" for _ in range(3))
        related = {f"i_related{k}": chance.randrange(scale.items) for k in range(1, 6)}
        yield {
            "i_id": n, "i_title": f"{words} {n}", "i_a_id": n % max(1, scale.items // 4),
            "i_pub_date": NOW - chance.randrange(1000) * HOUR, "i_subject": chance.choice(SUBJECTS),
            "i_cost": chance.randrange(100, 9000) / 100, "i_stock": 50, **related,
        }  # fmt: skip


def _addresses(scale: Scale, chance: random.Random) -> Iterator[Row]:
    for n in range(2 * scale.customers):
        country = chance.randrange(COUNTRIES)
        yield {
            "addr_id": n,
            "addr_street": f"street{n}",
            "addr_city": f"city{n % 500}",
            "addr_co_id": country,
        }


def _customers(scale: Scale, chance: random.Random) -> Iterator[Row]:
    for n in range(scale.customers):
        yield {
            "c_uname": f"user{n}", "c_passwd": f"secret{n}", "c_fname": f"first{n % 99}",
            "c_lname": f"last{n}", "c_addr_id": 2 * n, "c_discount": 0.1,
        }  # fmt: skip


def _orders(scale: Scale, chance: random.Random) -> Iterator[Row]:
    for n in range(scale.orders):
        yield _order(n, chance.randrange(scale.customers), _order_time(chance))


def _order_time(chance: random.Random) -> int:
    ago = chance.randrange(HOUR) if chance.random() < 0.9 else chance.randrange(HOUR, 24 * HOUR)
    return NOW - ago


def _order(number: int, customer: int, at: int) -> Row:
    return {
        "o_id": number, "o_c_uname": f"user{customer}", "o_date": at, "o_total": 42.5, "o_status": "pending",
        "o_bill": 2 * customer, "o_ship": 2 * customer + 1,
    }  # fmt: skip


def _lines(scale: Scale, chance: random.Random) -> Iterator[Row]:
    for number in range(scale.orders):
        yield from _order_lines(number, scale, chance)


def _order_lines(order: int, scale: Scale, chance: random.Random) -> Iterator[Row]:
    titles = chance.sample(range(scale.items), chance.randint(1, 5))
    for place, title in enumerate(titles):
        yield {"ol_o_id": order, "ol_id": place, "ol_i_id": title, "ol_qty": chance.randint(1, 9)}


def _payments(scale: Scale, chance: random.Random) -> Iterator[Row]:
    return ({"cx_o_id": n, "cx_type": "VISA", "cx_amount": 42.5} for n in range(scale.orders))


def _carts(scale: Scale, chance: random.Random) -> Iterator[Row]:
    for n in range(scale.customers):
        for title in chance.sample(range(scale.items), CART):
            yield {"scl_c_uname": f"user{n}", "scl_i_id": title, "scl_qty": chance.randint(1, 4)}


_TABLES: Mapping[str, Callable[[Scale, random.Random], Iterator[Row]]] = {
    "country": _countries, "author": _authors, "item": _items, "address": _addresses, "customer": _customers,
    "orders": _orders, "order_line": _lines, "cc_xact": _payments, "cart": _carts,
}  # fmt: skip


def order_rows(number: int, scale: Scale, chance: random.Random) -> Iterator[tuple[str, Row]]:
    """What Buy Confirm writes: an order of this minute, its lines and its payment."""
    yield "orders", _order(number, chance.randrange(scale.customers), NOW - chance.randrange(60_000))
    for line in _order_lines(number, scale, chance):
        yield "order_line", line
    yield "cc_xact", {"cx_o_id": number, "cx_type": "VISA", "cx_amount": 42.5}
