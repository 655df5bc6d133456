-- What an application asks, with parameters; each is answered in bounded work.

CREATE QUERY order_detail AS
  SELECT i.line, p.name, i.quantity, i.unit_price
  FROM order_items i JOIN products p ON p.product_id = i.product_id
  WHERE i.order_id = :order_id;

CREATE QUERY recent_orders AS
  SELECT order_id, status, ordered_at
  FROM orders
  WHERE customer_id = :customer_id
  ORDER BY ordered_at DESC
  LIMIT 10;

-- Orders that hold both products: however popular they are, one range of a view that the store keeps.
CREATE QUERY bought_together AS
  SELECT a.order_id
  FROM order_items a JOIN order_items b ON a.order_id = b.order_id
  WHERE a.product_id = :product_id AND b.product_id = :other_id
  ORDER BY a.order_id DESC
  LIMIT 10;

-- name: customer_by_id
SELECT name, country FROM customers WHERE customer_id = :customer_id;
