"""Rows of TPC-H's eight tables, drawn with its sizes and domains; its own generator is not needed.

A scale of 1 has 1.5 million orders with one to seven items each.  Comments are a few words, among them those
that the queries look for; what the queries compare (dates, brands, containers, segments, phones) is spread as
the benchmark spreads it, without its skew between part and supplier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa

__all__ = ["Sizes", "fixed_tables", "orders_and_items"]

Numbers = np.ndarray[Any, Any]
_NATIONS = (
    "ALGERIA", "ARGENTINA", "BRAZIL", "CANADA", "EGYPT", "ETHIOPIA", "FRANCE", "GERMANY", "INDIA",
    "INDONESIA", "IRAN", "IRAQ", "JAPAN", "JORDAN", "KENYA", "MOROCCO", "MOZAMBIQUE", "PERU", "CHINA",
    "ROMANIA", "SAUDI ARABIA", "VIETNAM", "RUSSIA", "UNITED KINGDOM", "UNITED STATES",
)  # fmt: skip
_REGION_OF = (0, 1, 1, 1, 4, 0, 3, 3, 2, 2, 4, 4, 2, 4, 0, 0, 0, 1, 2, 3, 4, 2, 3, 3, 1)
_REGIONS = ("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST")
_COLOURS = (
    "almond",
    "azure",
    "forest",
    "green",
    "ivory",
    "lemon",
    "navy",
    "olive",
    "plum",
    "red",
    "snow",
    "tan",
)
_KINDS = [
    f"{size} {finish} {metal}"
    for size in ("STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO")
    for finish in ("ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED")
    for metal in ("TIN", "NICKEL", "BRASS", "STEEL", "COPPER")
]
_CONTAINERS = [
    f"{size} {form}"
    for size in ("SM", "LG", "MED", "JUMBO", "WRAP")
    for form in ("CASE", "BOX", "BAG", "JAR", "PKG", "PACK", "CAN", "DRUM")
]
_SEGMENTS = ("AUTOMOBILE", "BUILDING", "FURNITURE", "MACHINERY", "HOUSEHOLD")
_PRIORITIES = ("1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW")
_MODES = ("REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB")
_INSTRUCTIONS = ("DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN")
_COMMENTS = (
    "carefully final", "special packages, pending requests", "quick deposits", "Customer has Complaints",
    "even pinto",
)  # fmt: skip
_EPOCH = date(1970, 1, 1)
_FIRST_DAY = (date(1992, 1, 1) - _EPOCH).days
_LAST_DAY = (date(1998, 8, 2) - _EPOCH).days


@dataclass(frozen=True, slots=True)
class Sizes:
    scale: float

    def of(self, whole: int) -> int:
        return max(10, round(whole * self.scale))

    @property
    def parts(self) -> int:
        return self.of(200_000)

    @property
    def suppliers(self) -> int:
        return self.of(10_000)

    @property
    def customers(self) -> int:
        return self.of(150_000)

    @property
    def orders(self) -> int:
        return self.of(1_500_000)


def fixed_tables(sizes: Sizes, chance: np.random.Generator) -> dict[str, pa.Table]:
    """The tables that no refresh function changes."""
    return {
        "region": pa.table({"r_regionkey": _keys(np.arange(5)), "r_name": _REGIONS}),
        "nation": pa.table(
            {
                "n_nationkey": _keys(np.arange(25)),
                "n_name": _NATIONS,
                "n_regionkey": _keys(np.array(_REGION_OF)),
            }
        ),
        "part": _part(sizes, chance),
        "supplier": _supplier(sizes, chance),
        "partsupp": _partsupp(sizes, chance),
        "customer": _customer(sizes, chance),
    }  # fmt: skip


def _part(sizes: Sizes, chance: np.random.Generator) -> pa.Table:
    count = sizes.parts
    brands = [f"Brand#{maker}{brand}" for maker in range(1, 6) for brand in range(1, 6)]
    names = [f"{first} {second}" for first in _COLOURS for second in _COLOURS]
    return pa.table({
        "p_partkey": _keys(np.arange(1, count + 1)),
        "p_name": _drawn(names, count, chance),
        "p_mfgr": _drawn([f"Manufacturer#{number}" for number in range(1, 6)], count, chance),
        "p_brand": _drawn(brands, count, chance),
        "p_type": _drawn(_KINDS, count, chance),
        "p_size": _keys(chance.integers(1, 51, count)),
        "p_container": _drawn(_CONTAINERS, count, chance),
        "p_retailprice": _money(chance.integers(90_000, 200_000, count)),
    })  # fmt: skip


def _supplier(sizes: Sizes, chance: np.random.Generator) -> pa.Table:
    columns = _parties("s", "supp", "Supplier#", sizes.suppliers, chance)
    return pa.table(columns | {"s_comment": _drawn(_COMMENTS, sizes.suppliers, chance)})


def _partsupp(sizes: Sizes, chance: np.random.Generator) -> pa.Table:
    """Four suppliers for each part."""
    parts = np.repeat(np.arange(1, sizes.parts + 1), 4)
    step = max(1, sizes.suppliers // 4)
    suppliers = (parts + np.tile(np.arange(4), sizes.parts) * step) % sizes.suppliers + 1
    return pa.table({
        "ps_partkey": _keys(parts), "ps_suppkey": _keys(suppliers),
        "ps_availqty": _keys(chance.integers(1, 10_000, len(parts))),
        "ps_supplycost": _money(chance.integers(100, 100_000, len(parts))),
    })  # fmt: skip


def _customer(sizes: Sizes, chance: np.random.Generator) -> pa.Table:
    columns = _parties("c", "cust", "Customer#", sizes.customers, chance)
    return pa.table(columns | {
        "c_mktsegment": _drawn(_SEGMENTS, sizes.customers, chance),
        "c_comment": _drawn(_COMMENTS, sizes.customers, chance),
    })  # fmt: skip


def _parties(
    prefix: str, key: str, title: str, count: int, chance: np.random.Generator
) -> dict[str, pa.Array]:
    """What suppliers and customers have in common."""
    keys, nations = np.arange(1, count + 1), chance.integers(0, 25, count)
    return {
        f"{prefix}_{key}key": _keys(keys), f"{prefix}_name": _numbered(title, keys),
        f"{prefix}_address": _numbered("street ", keys),
        f"{prefix}_nationkey": _keys(nations), f"{prefix}_phone": _phones(nations, chance),
        f"{prefix}_acctbal": _money(chance.integers(-99_999, 999_999, count)),
    }  # fmt: skip


def orders_and_items(
    sizes: Sizes, first: int, count: int, chance: np.random.Generator
) -> tuple[pa.Table, pa.Table]:
    """Orders with keys from `first` on, and their items; a third of the customers never order."""
    keys = np.arange(first, first + count)
    days = chance.integers(_FIRST_DAY, _LAST_DAY, count)
    customers = chance.integers(0, max(1, sizes.customers // 3), count) * 3 + 1
    orders = pa.table({
        "o_orderkey": _keys(keys), "o_custkey": _keys(customers),
        "o_orderstatus": _drawn(("F", "O", "P"), count, chance),
        "o_totalprice": _money(chance.integers(100_000, 50_000_000, count)),
        "o_orderdate": _dates(days), "o_orderpriority": _drawn(_PRIORITIES, count, chance),
        "o_shippriority": _keys(np.zeros(count)), "o_comment": _drawn(_COMMENTS, count, chance),
    })  # fmt: skip
    lines = chance.integers(1, 8, count)
    return orders, _items(sizes, np.repeat(keys, lines), np.repeat(days, lines), lines, chance)


def _items(
    sizes: Sizes, orders: Numbers, ordered: Numbers, lines: Numbers, chance: np.random.Generator
) -> pa.Table:
    count = len(orders)
    parts = chance.integers(1, sizes.parts + 1, count)
    step = max(1, sizes.suppliers // 4)
    shipped = ordered + chance.integers(1, 122, count)
    quantities = chance.integers(1, 51, count)
    return pa.table({
        "l_orderkey": _keys(orders),
        "l_linenumber": _keys(np.concatenate([np.arange(1, number + 1) for number in lines])),
        "l_partkey": _keys(parts),
        "l_suppkey": _keys((parts + chance.integers(0, 4, count) * step) % sizes.suppliers + 1),
        "l_quantity": _money(quantities * 100),
        "l_extendedprice": _money(quantities * chance.integers(90_000, 200_000, count)),
        "l_discount": _money(chance.integers(0, 11, count), 4),
        "l_tax": _money(chance.integers(0, 9, count), 4),
        "l_returnflag": _drawn(("R", "A", "N", "N"), count, chance),
        "l_linestatus": _drawn(("O", "F"), count, chance),
        "l_shipdate": _dates(shipped), "l_commitdate": _dates(ordered + chance.integers(30, 91, count)),
        "l_receiptdate": _dates(shipped + chance.integers(1, 31, count)),
        "l_shipinstruct": _drawn(_INSTRUCTIONS, count, chance), "l_shipmode": _drawn(_MODES, count, chance),
    })  # fmt: skip


def _keys(values: Numbers) -> pa.Array:
    return pa.array(values.astype("int32"))


def _drawn(values: Sequence[str], count: int, chance: np.random.Generator) -> pa.Array:
    places = pa.array(chance.integers(0, len(values), count).astype("int32"))
    return pa.DictionaryArray.from_arrays(places, pa.array(values)).cast(pa.string())


def _numbered(prefix: str, keys: Numbers) -> pa.Array:
    return pa.array(np.char.add(prefix, keys.astype("U10")))


def _phones(nations: Numbers, chance: np.random.Generator) -> pa.Array:
    numbers = chance.integers(1_000_000, 9_999_999, len(nations)).astype("U7")
    return pa.array(np.char.add(np.char.add((nations + 10).astype("U2"), "-"), numbers))


def _dates(days: Numbers) -> pa.Array:
    return pa.array(days.astype("int32")).cast(pa.date32())


def _money(cents: Numbers, digits: int = 10) -> pa.Array:
    """Whole cents as decimals: 128 bits each, without a Python object for every one."""
    wide = np.empty((len(cents), 2), "int64")
    wide[:, 0], wide[:, 1] = cents, cents >> 63
    return pa.Array.from_buffers(pa.decimal128(digits, 2), len(cents), [None, pa.py_buffer(wide)])
