"""A shop's day as changes: customers join, prices move, orders are placed, paid, shipped or cancelled.

The same seed gives the same changes for the same calls.  Every change fits the starter's tables: keys are new
when they must be, references hold, and what is updated or deleted is there.  References hold at every step of
the order given: an order is deleted one batch after its lines and payment.

    traffic = Traffic(seed=7)
    traffic.opening(at)      rows to begin with, by table
    traffic.batch(at, 100)   about that many changes, by table; tables that others refer to come first
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any

__all__ = ["TABLES", "Changes", "Traffic"]

TABLES = ("customers", "products", "orders", "order_items", "payments")
COUNTRIES = ("Chile", "Finland", "Ghana", "India", "Japan", "Kenya", "Norway", "Peru", "Portugal", "Vietnam")
FIRST = ("Ada", "Bo", "Chidi", "Dalia", "Emre", "Freya", "Goro", "Hana", "Ines", "Joon", "Kofi", "Lena")
LAST = ("Abe", "Berg", "Costa", "Diaz", "Eze", "Frost", "Gupta", "Holm", "Ito", "Jansen", "Kim", "Lund")
GOODS = {
    "tea": ("sencha", "assam", "oolong", "rooibos", "mint"),
    "coffee": ("espresso", "filter", "decaf", "cold brew"),
    "books": ("atlas", "novel", "cookbook", "poems", "almanac"),
    "garden": ("trowel", "seeds", "pot", "gloves"),
    "games": ("chess", "cards", "dice", "puzzle"),
    "music": ("strings", "reeds", "metronome"),
}
RECENT = 400

Record = dict[str, Any]
Changes = dict[str, list[Record]]


@dataclass(slots=True)
class _Order:
    row: Record
    items: list[Record]
    payment: Record | None = None


@dataclass(slots=True)
class Traffic:
    """The shop as it is now, and what happens next."""

    seed: int = 7
    recent: int = RECENT  # orders that still change
    archives: bool = False  # whether older ones are deleted, so that the shop stays as large as it is
    customers: int = 0
    products: dict[int, Record] = field(default_factory=dict)
    orders: dict[int, _Order] = field(default_factory=dict)  # the recent ones
    placed: int = 0
    paid: int = 0
    leaving: list[Record] = field(default_factory=list)  # orders that nothing refers to any more
    _random: Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = Random(self.seed)

    def opening(self, at: datetime, customers: int = 300, orders: int = 600) -> Changes:
        """What the shop has when it opens: plain rows."""
        changes = _empty()
        for category, names in GOODS.items():
            changes["products"] += [self._product(name, category) for name in names]
        changes["customers"] = [self._customer(at - timedelta(days=1)) for _ in range(customers)]
        for number in range(orders):
            self._place(changes, at - timedelta(seconds=orders - number))
        return changes

    def batch(self, at: datetime, size: int) -> Changes:
        """About `size` changes. Most follow from orders: a line or three, a payment, a status."""
        changes = _empty()
        changes["orders"] += map(_deleted, self.leaving)
        self.leaving = []
        while sum(map(len, changes.values())) < size:
            self._happen(changes, at)
        return changes

    def _happen(self, changes: Changes, at: datetime) -> None:
        chance = self._random.random()
        if chance < 0.04:
            changes["customers"].append(self._customer(at))
        elif chance < 0.06:
            changes["products"].append(self._reprice())
        elif chance < 0.50 or not self.orders:
            self._place(changes, at)
        elif chance < 0.75:
            self._pay(changes, at)
        elif chance < 0.92:
            self._ship(changes)
        else:
            self._take_back(changes)

    def _customer(self, at: datetime) -> Record:
        self.customers += 1
        name = f"{self._random.choice(FIRST)} {self._random.choice(LAST)}"
        country = self._random.choice(COUNTRIES)
        return {"customer_id": self.customers, "name": name, "country": country, "joined_at": _instant(at)}

    def _product(self, name: str, category: str) -> Record:
        number = len(self.products) + 1
        price = _money(self._random.randint(250, 6000))
        self.products[number] = {
            "product_id": number, "name": name, "category": category, "price": price,
        }  # fmt: skip
        return self.products[number]

    def _reprice(self) -> Record:
        number = self._random.choice(sorted(self.products))
        row = self.products[number] | {"price": _money(self._random.randint(250, 6000))}
        self.products[number] = row
        return {"op": "update", "row": row}

    def _place(self, changes: Changes, at: datetime) -> None:
        self.placed += 1
        # A few customers order much more often than the others.
        customer = 1 + int(self.customers * self._random.random() ** 2)
        row = {
            "order_id": self.placed, "customer_id": customer, "status": "placed", "ordered_at": _instant(at),
        }  # fmt: skip
        lines = 1 + min(4, int(self._random.expovariate(0.8)))
        items = [self._item(self.placed, line) for line in range(1, lines + 1)]
        self.orders[self.placed] = _Order(row, items)
        changes["orders"].append(row)
        changes["order_items"] += items
        if len(self.orders) > self.recent:
            oldest = self.orders.pop(next(iter(self.orders)))
            if self.archives:
                self._delete(changes, oldest)

    def _item(self, order: int, line: int) -> Record:
        product = self._random.choice(list(self.products.values()))
        return {
            "order_id": order, "line": line, "product_id": product["product_id"],
            "quantity": self._random.randint(1, 4), "unit_price": product["price"],
        }  # fmt: skip

    def _pay(self, changes: Changes, at: datetime) -> None:
        order = self._some("placed")
        if order is None:
            return
        self.paid += 1
        amount = sum(_cents(item["unit_price"]) * item["quantity"] for item in order.items)
        number = order.row["order_id"]
        order.payment = {
            "payment_id": self.paid, "order_id": number, "amount": _money(amount), "paid_at": _instant(at),
        }  # fmt: skip
        changes["payments"].append(order.payment)
        changes["orders"].append(_moved(order, "paid"))

    def _ship(self, changes: Changes) -> None:
        order = self._some("paid")
        if order is not None:
            changes["orders"].append(_moved(order, "shipped"))

    def _take_back(self, changes: Changes) -> None:
        """Some cancelled orders stay, marked; others are deleted with all that belongs to them."""
        order = self._some(self._random.choice(("placed", "paid")))
        if order is None:
            return
        if self._random.random() < 0.5:
            changes["orders"].append(_moved(order, "cancelled"))
            return
        del self.orders[order.row["order_id"]]
        self._delete(changes, order)

    def _delete(self, changes: Changes, order: _Order) -> None:
        """With all that belongs to it; the order itself goes with the next batch, referred to by nothing."""
        self.leaving.append(order.row)
        changes["order_items"] += map(_deleted, order.items)
        changes["payments"] += map(_deleted, [order.payment] if order.payment else [])

    def _some(self, status: str) -> _Order | None:
        candidates = [order for order in self.orders.values() if order.row["status"] == status]
        return self._random.choice(candidates) if candidates else None


def _moved(order: _Order, status: str) -> Record:
    order.row = order.row | {"status": status}
    return {"op": "update", "row": order.row}


def _deleted(row: Record) -> Record:
    return {"op": "delete", "row": row}


def _empty() -> Changes:
    return {table: [] for table in TABLES}


def _instant(at: datetime) -> str:
    return at.isoformat(timespec="microseconds")


def _money(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"


def _cents(money: str) -> int:
    return int(money.replace(".", ""))
