"""TPC-W's bookshop as the store answers it: tables, the queries of its interactions, and their parameters.

The interactions are those of the benchmark; best sellers and admin confirm are over the last hour, as in the
paper (section 8.2).  Customer registration reads nothing and is left out.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from headwater.bench.store.tpcw.data import NOW, SUBJECTS, Scale

__all__ = ["INTERACTIONS", "SQL", "parameters"]

SQL = """
CREATE TABLE country (co_id INT PRIMARY KEY, co_name STRING);
CREATE TABLE author (a_id INT PRIMARY KEY, a_fname STRING, a_lname STRING);
CREATE TABLE item (i_id INT PRIMARY KEY, i_title STRING NOT NULL,
  i_a_id INT NOT NULL REFERENCES author (a_id), i_pub_date BIGINT, i_subject STRING,
  i_cost DOUBLE, i_stock INT, i_related1 INT, i_related2 INT, i_related3 INT, i_related4 INT, i_related5 INT);
CREATE TABLE address (addr_id INT PRIMARY KEY, addr_street STRING, addr_city STRING,
  addr_co_id INT NOT NULL REFERENCES country (co_id));
CREATE TABLE customer (c_uname STRING PRIMARY KEY, c_passwd STRING, c_fname STRING, c_lname STRING,
  c_addr_id INT NOT NULL REFERENCES address (addr_id), c_discount DOUBLE);
CREATE TABLE orders (o_id BIGINT PRIMARY KEY, o_c_uname STRING NOT NULL REFERENCES customer (c_uname),
  o_date BIGINT NOT NULL, o_total DOUBLE, o_status STRING, o_bill INT NOT NULL REFERENCES address (addr_id),
  o_ship INT NOT NULL REFERENCES address (addr_id), CARDINALITY LIMIT 99 (o_c_uname));
CREATE TABLE order_line (ol_o_id BIGINT NOT NULL REFERENCES orders (o_id), ol_id INT,
  ol_i_id INT NOT NULL REFERENCES item (i_id), ol_qty INT, PRIMARY KEY (ol_o_id, ol_id),
  CARDINALITY LIMIT 100 (ol_o_id));
CREATE TABLE cc_xact (cx_o_id BIGINT PRIMARY KEY REFERENCES orders (o_id), cx_type STRING, cx_amount DOUBLE);
CREATE TABLE cart (scl_c_uname STRING, scl_i_id INT NOT NULL REFERENCES item (i_id), scl_qty INT,
  PRIMARY KEY (scl_c_uname, scl_i_id), CARDINALITY LIMIT 100 (scl_c_uname));

CREATE QUERY home AS SELECT c_fname, c_lname FROM customer WHERE c_uname = :uname;
CREATE QUERY promotions AS SELECT j.i_id, j.i_title FROM item i, item j
  WHERE j.i_id IN (i.i_related1, i.i_related2, i.i_related3, i.i_related4, i.i_related5) AND i.i_id = :item;
CREATE QUERY new_products AS SELECT i_id, i_title, a_fname, a_lname FROM item JOIN author ON a_id = i_a_id
  WHERE i_subject = :subject ORDER BY i_pub_date DESC, i_title LIMIT 50;
CREATE QUERY best_sellers AS SELECT i_id, i_title, a_fname, a_lname FROM item JOIN author ON a_id = i_a_id
  JOIN order_line ON ol_i_id = i_id JOIN orders ON o_id = ol_o_id
  WHERE i_subject = :subject AND o_date >= :now - 3600000
  GROUP BY i_id, i_title, a_fname, a_lname ORDER BY SUM(ol_qty) DESC LIMIT 50;
CREATE QUERY product_detail AS SELECT * FROM item JOIN author ON a_id = i_a_id WHERE i_id = :item;
CREATE QUERY search_title AS SELECT i_title, i_id, a_fname, a_lname FROM item JOIN author ON a_id = i_a_id
  WHERE TOKEN(i_title) = :word ORDER BY i_title LIMIT 50;
CREATE QUERY search_subject AS SELECT i_title, i_id, a_fname, a_lname FROM item
  JOIN author ON a_id = i_a_id WHERE i_subject = :subject ORDER BY i_title LIMIT 50;
CREATE QUERY cart_lines AS SELECT * FROM cart JOIN item ON i_id = scl_i_id WHERE scl_c_uname = :uname;
CREATE QUERY buyer AS SELECT c.*, a.addr_street, a.addr_city, co_name FROM customer c
  JOIN address a ON a.addr_id = c.c_addr_id JOIN country ON co_id = a.addr_co_id WHERE c.c_uname = :uname;
CREATE QUERY password AS SELECT c_passwd FROM customer WHERE c_uname = :uname;
CREATE QUERY last_order AS SELECT o.o_id, o.o_total, o.o_status, b.addr_city, s.addr_city FROM orders o
  JOIN address b ON b.addr_id = o.o_bill JOIN address s ON s.addr_id = o.o_ship
  WHERE o.o_c_uname = :uname ORDER BY o.o_date DESC LIMIT 1;
CREATE QUERY order_lines AS SELECT ol_i_id, i_title, ol_qty FROM order_line JOIN item ON i_id = ol_i_id
  WHERE ol_o_id = :order_id;
CREATE QUERY admin_confirm AS SELECT l2.ol_i_id FROM order_line l1 JOIN orders o1 ON o1.o_id = l1.ol_o_id
  JOIN orders o2 ON o2.o_c_uname = o1.o_c_uname JOIN order_line l2 ON l2.ol_o_id = o2.o_id
  WHERE l1.ol_i_id = :item AND l2.ol_i_id <> :item AND o1.o_date >= :now - 3600000
  AND o2.o_date >= :now - 3600000 GROUP BY l2.ol_i_id ORDER BY SUM(l2.ol_qty) DESC LIMIT 5;
"""

INTERACTIONS: Mapping[str, tuple[str, ...]] = {
    "Home": ("home", "promotions"),
    "New Products": ("promotions", "new_products"),
    "Best Sellers": ("promotions", "best_sellers"),
    "Product Detail": ("product_detail",),
    "Search Request": ("promotions",),
    "Search Results": ("promotions", "search_title", "search_subject"),
    "Shopping Cart": ("promotions", "cart_lines"),
    "Buy Request": ("buyer", "cart_lines"),
    "Order Inquiry": ("password",),
    "Order Display": ("last_order", "order_lines"),
    "Admin Request": ("product_detail",),
    "Admin Confirm": ("admin_confirm", "product_detail"),
}

_DRAWS: Mapping[str, Callable[[random.Random, Scale], Any]] = {
    "uname": lambda chance, scale: f"user{chance.randrange(scale.customers)}",
    "item": lambda chance, scale: chance.randrange(scale.items),
    "subject": lambda chance, scale: chance.choice(SUBJECTS),
    "word": lambda chance, scale: f"word{chance.randrange(100)}",
    "order_id": lambda chance, scale: chance.randrange(scale.orders),
    "now": lambda chance, scale: NOW,
}


def parameters(names: tuple[str, ...], chance: random.Random, scale: Scale) -> dict[str, Any]:
    return {name: _DRAWS[name](chance, scale) for name in names}
