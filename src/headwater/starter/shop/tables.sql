-- What comes from outside: five tables, fed by `headwater ingest` (the default provider, api).
-- Point one at a database with USING postgres OPTIONS (...), or at a folder with USING files.

CREATE TABLE customers (
  customer_id BIGINT PRIMARY KEY,
  name        STRING NOT NULL,
  country     STRING NOT NULL,
  joined_at   TIMESTAMP
) EXPECT ROWS 1000 RATE 1 PER SECOND;

CREATE TABLE products (
  product_id BIGINT PRIMARY KEY,
  name       STRING NOT NULL,
  category   STRING NOT NULL,
  price      DECIMAL(10, 2) NOT NULL
) EXPECT ROWS 200 RATE 0.1 PER SECOND;

CREATE TABLE orders (
  order_id    BIGINT PRIMARY KEY,
  customer_id BIGINT NOT NULL REFERENCES customers (customer_id),
  status      STRING NOT NULL,                      -- placed, paid, shipped, cancelled
  ordered_at  TIMESTAMP NOT NULL TEMPORAL,
  CARDINALITY LIMIT 10000 (customer_id)
) EXPECT ROWS 10000 RATE 20 PER SECOND;

CREATE TABLE order_items (
  order_id   BIGINT REFERENCES orders (order_id),
  line       INT,
  product_id BIGINT NOT NULL REFERENCES products (product_id),
  quantity   INT NOT NULL,
  unit_price DECIMAL(10, 2) NOT NULL,               -- as sold; the product's price may change later
  PRIMARY KEY (order_id, line),
  CARDINALITY LIMIT 50 (order_id)
) EXPECT ROWS 30000 RATE 60 PER SECOND;

CREATE TABLE payments (
  payment_id BIGINT PRIMARY KEY,
  order_id   BIGINT NOT NULL REFERENCES orders (order_id),
  amount     DECIMAL(12, 2) NOT NULL,
  paid_at    TIMESTAMP NOT NULL TEMPORAL,
  CARDINALITY LIMIT 10 (order_id)
) EXPECT ROWS 8000 RATE 15 PER SECOND;
