-- dialect: snowflake
CREATE TABLE orders (id NUMBER PRIMARY KEY, customer NUMBER NOT NULL, v VARIANT, at TIMESTAMP_NTZ);
CREATE TABLE customers (id NUMBER UNIQUE ENFORCED, name STRING);

-- name: by_pk
-- expect: unbounded
SELECT * FROM orders WHERE id = ?;
-- name: by_pk_limit
-- expect: SI-1
SELECT * FROM orders WHERE id = ? LIMIT 1;
-- name: qualify
-- expect: SI-1
SELECT * FROM orders WHERE customer = ? QUALIFY ROW_NUMBER() OVER (PARTITION BY customer ORDER BY at DESC) = 1;
-- name: flatten
-- expect: unbounded
SELECT f.value FROM orders, LATERAL FLATTEN(input => v:items) f WHERE id = ? LIMIT 10;
-- name: variant
-- expect: unbounded
SELECT * FROM orders WHERE v:a.b::string = ?;
-- name: top
-- expect: SI-1
SELECT TOP 5 * FROM orders WHERE customer = ? ORDER BY at;
-- name: join_customer
-- expect: unbounded
SELECT o.id, c.name FROM (SELECT * FROM orders WHERE customer = ? ORDER BY at LIMIT 10) o JOIN customers c ON c.id = o.customer;
