-- What Headwater keeps: each view is never staler than its FRESHNESS.

-- The packing desk: orders that wait to be shipped.
CREATE MATERIALIZED VIEW open_orders
  FRESHNESS = INTERVAL '20' SECOND
AS SELECT order_id, customer_id, status, ordered_at
   FROM orders
   WHERE status IN ('placed', 'paid');

-- Everything about a sold item in one row: four tables joined.
CREATE MATERIALIZED VIEW order_lines
  FRESHNESS = INTERVAL '30' SECOND
AS SELECT o.order_id, i.line, c.name AS customer, c.country, p.name AS product, p.category,
          i.quantity, i.quantity * i.unit_price AS amount, o.ordered_at
   FROM orders o
   JOIN customers c ON c.customer_id = o.customer_id
   JOIN order_items i ON i.order_id = o.order_id
   JOIN products p ON p.product_id = i.product_id
   WHERE o.status <> 'cancelled';

-- What each order is worth.
CREATE MATERIALIZED VIEW order_totals
  FRESHNESS = INTERVAL '30' SECOND
AS SELECT o.order_id, o.customer_id, o.status, count(*) AS lines, sum(i.quantity * i.unit_price) AS total
   FROM orders o
   JOIN order_items i ON i.order_id = o.order_id
   GROUP BY o.order_id, o.customer_id, o.status;

-- The sales board.
CREATE MATERIALIZED VIEW revenue_by_category
  FRESHNESS = INTERVAL '30' SECOND
  PENALTY = 0.001
AS SELECT p.category, count(DISTINCT i.order_id) AS orders, sum(i.quantity) AS items,
          sum(i.quantity * i.unit_price) AS revenue
   FROM order_items i
   JOIN products p ON p.product_id = i.product_id
   JOIN orders o ON o.order_id = i.order_id
   WHERE o.status <> 'cancelled'
   GROUP BY p.category;

-- Orders with what has been paid for them, also those without any payment.
CREATE MATERIALIZED VIEW order_payments
  FRESHNESS = INTERVAL '30' SECOND
AS SELECT o.order_id, o.status, p.payment_id, p.amount, p.paid_at
   FROM orders o
   LEFT JOIN payments p ON p.order_id = o.order_id;

-- Reminders: placed, and nothing has been paid.
CREATE MATERIALIZED VIEW unpaid_orders
  FRESHNESS = INTERVAL '45' SECOND
AS SELECT o.order_id, o.customer_id, o.ordered_at
   FROM orders o
   WHERE o.status = 'placed' AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.order_id = o.order_id);

-- A view over a view: countries by what their customers spend.
CREATE MATERIALIZED VIEW spend_by_country
  FRESHNESS = INTERVAL '45' SECOND
AS SELECT c.country, count(*) AS orders, sum(t.total) AS spend, max(t.total) AS largest
   FROM order_totals t
   JOIN customers c ON c.customer_id = t.customer_id
   WHERE t.status <> 'cancelled'
   GROUP BY c.country;

-- Customers worth a letter, kept from the same totals.
CREATE MATERIALIZED VIEW loyal_customers
  FRESHNESS = INTERVAL '45' SECOND
AS SELECT c.customer_id, c.name, count(*) AS orders, sum(t.total) AS spend
   FROM customers c
   JOIN order_totals t ON t.customer_id = c.customer_id
   WHERE t.status IN ('paid', 'shipped')
   GROUP BY c.customer_id, c.name
   HAVING count(*) >= 2;
