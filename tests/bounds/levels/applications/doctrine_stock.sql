-- dialect: mysql
CREATE TABLE warehouse (id INT AUTO_INCREMENT NOT NULL, code VARCHAR(12) NOT NULL, country CHAR(2) NOT NULL, UNIQUE INDEX UNIQ_code (code), PRIMARY KEY(id)) DEFAULT CHARACTER SET utf8mb4 COLLATE `utf8mb4_unicode_ci` ENGINE = InnoDB;
CREATE TABLE product (id INT AUTO_INCREMENT NOT NULL, sku VARCHAR(40) NOT NULL, name VARCHAR(255) NOT NULL, category_id INT DEFAULT NULL, weight DOUBLE PRECISION DEFAULT NULL, discontinued_at DATETIME DEFAULT NULL COMMENT '(DC2Type:datetime_immutable)', lft INT NOT NULL, rgt INT NOT NULL, UNIQUE INDEX UNIQ_sku (sku), PRIMARY KEY(id)) ENGINE = InnoDB;
CREATE TABLE category (id INT AUTO_INCREMENT NOT NULL, parent_id INT DEFAULT NULL, title VARCHAR(64) NOT NULL, lft INT NOT NULL, rgt INT NOT NULL, lvl INT NOT NULL, INDEX IDX_parent (parent_id), PRIMARY KEY(id)) ENGINE = InnoDB;
CREATE TABLE stock_level (warehouse_id INT NOT NULL, product_id INT NOT NULL, on_hand INT NOT NULL, reserved INT NOT NULL, reorder_at INT DEFAULT NULL, available INT AS (on_hand - reserved) STORED, INDEX IDX_w (warehouse_id), PRIMARY KEY(warehouse_id, product_id)) ENGINE = InnoDB;
CREATE TABLE stock_move (id BIGINT AUTO_INCREMENT NOT NULL, warehouse_id INT NOT NULL, product_id INT NOT NULL, delta INT NOT NULL, reason VARCHAR(16) NOT NULL, document_type VARCHAR(32) DEFAULT NULL, document_id INT DEFAULT NULL, moved_at DATETIME NOT NULL, UNIQUE INDEX UNIQ_doc (document_type, document_id, product_id), PRIMARY KEY(id)) ENGINE = InnoDB;
CREATE TABLE purchase_order (id INT AUTO_INCREMENT NOT NULL, supplier_id INT NOT NULL, number VARCHAR(20) NOT NULL, state VARCHAR(12) NOT NULL, ordered_on DATE NOT NULL, UNIQUE INDEX UNIQ_number (supplier_id, number), PRIMARY KEY(id)) ENGINE = InnoDB;
CREATE TABLE purchase_line (purchase_order_id INT NOT NULL, line_no SMALLINT NOT NULL, product_id INT NOT NULL, qty INT NOT NULL, cost NUMERIC(10, 2) NOT NULL, PRIMARY KEY(purchase_order_id, line_no)) ENGINE = InnoDB;
CREATE TABLE supplier (id INT AUTO_INCREMENT NOT NULL, name VARCHAR(120) NOT NULL, discr VARCHAR(10) NOT NULL, PRIMARY KEY(id)) ENGINE = InnoDB;
CREATE TABLE lot (product_id INT NOT NULL, lot_no VARCHAR(24) NOT NULL, expires DATE NOT NULL, qty INT NOT NULL, PRIMARY KEY(product_id, lot_no)) ENGINE = InnoDB;
CREATE TABLE price (product_id INT NOT NULL, tier TINYINT NOT NULL, currency CHAR(3) NOT NULL, amount NUMERIC(10, 2) NOT NULL, PRIMARY KEY(product_id, tier, currency)) ENGINE = InnoDB;
CREATE TABLE sequence_counter (name VARCHAR(40) NOT NULL, value BIGINT NOT NULL, PRIMARY KEY(name)) ENGINE = InnoDB;
ALTER TABLE stock_level ADD CONSTRAINT FK_1 FOREIGN KEY (warehouse_id) REFERENCES warehouse (id);
ALTER TABLE stock_level ADD CONSTRAINT FK_2 FOREIGN KEY (product_id) REFERENCES product (id);
ALTER TABLE stock_move ADD CONSTRAINT FK_3 FOREIGN KEY (warehouse_id, product_id) REFERENCES stock_level (warehouse_id, product_id);
ALTER TABLE purchase_order ADD CONSTRAINT FK_4 FOREIGN KEY (supplier_id) REFERENCES supplier (id);
ALTER TABLE purchase_line ADD CONSTRAINT FK_5 FOREIGN KEY (purchase_order_id) REFERENCES purchase_order (id) ON DELETE CASCADE;
ALTER TABLE purchase_line ADD CONSTRAINT FK_6 FOREIGN KEY (product_id) REFERENCES product (id);
ALTER TABLE product ADD CONSTRAINT FK_7 FOREIGN KEY (category_id) REFERENCES category (id) ON DELETE SET NULL;

-- name: product
-- expect: SI-0
SELECT t0.id AS id_1, t0.sku AS sku_2 FROM product t0 WHERE t0.id = ?;
-- name: product_sku
-- expect: SI-1
SELECT p0_.id AS id_0 FROM product p0_ WHERE p0_.sku = ? LIMIT 1;
-- name: product_skus
-- expect: SI-1
SELECT p0_.id AS id_0, p0_.sku AS sku_1 FROM product p0_ WHERE p0_.sku IN (?, ?, ?, ?, ?);
-- name: product_sku_trim
-- expect: unbounded
SELECT p0_.id AS id_0 FROM product p0_ WHERE TRIM(p0_.sku) = ?;
-- name: products_of_category
-- expect: SI-1
SELECT DISTINCT p0_.id AS id_0, p0_.name AS name_1 FROM product p0_ WHERE p0_.category_id = ? ORDER BY p0_.name ASC LIMIT 30;
-- name: products_of_tree
-- expect: unbounded
SELECT p.id FROM product p JOIN category c ON c.id = p.category_id JOIN category root ON c.lft BETWEEN root.lft AND root.rgt WHERE root.id = ? LIMIT 30;
-- name: nested_set_path
-- expect: unbounded
SELECT parent.title FROM category node, category parent WHERE node.lft BETWEEN parent.lft AND parent.rgt AND node.id = ? ORDER BY parent.lft;
-- name: nested_set_leaf_first
-- expect: SI-1
SELECT c.id FROM category c WHERE c.rgt = c.lft + 1 ORDER BY c.lft LIMIT 10;
-- name: category_children
-- expect: unbounded
SELECT t0.id FROM category t0 WHERE t0.parent_id = ?;
-- name: category_with_parent
-- expect: SI-0
SELECT c.title, p.title, g.title FROM category c LEFT JOIN category p ON p.id = c.parent_id LEFT JOIN category g ON g.id = p.parent_id WHERE c.id = ?;
-- name: stock_here
-- expect: SI-0
SELECT s0_.on_hand - s0_.reserved FROM stock_level s0_ WHERE s0_.warehouse_id = ? AND s0_.product_id = ?;
-- name: stock_everywhere
-- expect: SI-2
SELECT SUM(s0_.available) FROM stock_level s0_ WHERE s0_.product_id = ?;
-- name: stock_in_country
-- expect: unbounded
SELECT SUM(s.available) FROM stock_level s INNER JOIN warehouse w ON w.id = s.warehouse_id WHERE s.product_id = ? AND w.country = ?;
-- name: stock_best_warehouse
-- expect: SI-1
SELECT s.warehouse_id, w.code FROM stock_level s INNER JOIN warehouse w ON w.id = s.warehouse_id WHERE s.product_id = ? AND s.available > 0 ORDER BY s.available DESC LIMIT 1;
-- name: stock_enough
-- expect: SI-1
SELECT s.warehouse_id FROM stock_level s WHERE s.product_id = ? AND s.available >= ? ORDER BY s.available LIMIT 3;
-- name: stock_below_reorder
-- expect: SI-1
SELECT s.product_id FROM stock_level s WHERE s.warehouse_id = ? AND s.available < s.reorder_at ORDER BY s.product_id LIMIT 100;
-- name: stock_below_reorder_param
-- expect: unbounded
SELECT s.product_id FROM stock_level s WHERE s.warehouse_id = ? AND s.available < s.reorder_at * ? ORDER BY s.product_id LIMIT 100;
-- name: stock_below_reorder_all
-- expect: unbounded
SELECT s.product_id FROM stock_level s WHERE s.warehouse_id = ? AND s.available < s.reorder_at;
-- name: stock_alive_products
-- expect: unbounded
SELECT s.product_id FROM stock_level s JOIN product p ON p.id = s.product_id WHERE s.warehouse_id = ? AND p.discontinued_at IS NULL ORDER BY s.product_id LIMIT 50;
-- name: moves
-- expect: SI-1
SELECT m.delta, m.reason FROM stock_move m WHERE m.warehouse_id = ? AND m.product_id = ? ORDER BY m.moved_at DESC, m.id DESC LIMIT 25;
-- name: moves_sum_reason
-- expect: SI-2
SELECT SUM(m.delta) FROM stock_move m WHERE m.warehouse_id = ? AND m.product_id = ? AND m.reason = ?;
-- name: moves_sum_reasons
-- expect: SI-2
SELECT SUM(m.delta) FROM stock_move m WHERE m.warehouse_id = ? AND m.product_id = ? AND m.reason IN ('sale', 'return');
-- name: moves_sum_not_reason
-- expect: unbounded
SELECT SUM(m.delta) FROM stock_move m WHERE m.warehouse_id = ? AND m.product_id = ? AND m.reason <> ?;
-- name: moves_sum_not_constant
-- expect: SI-2
SELECT SUM(m.delta) FROM stock_move m WHERE m.warehouse_id = ? AND m.product_id = ? AND m.reason <> 'audit';
-- name: moves_sum_month
-- expect: SI-2
SELECT SUM(m.delta) FROM stock_move m WHERE m.product_id = ? AND YEAR(m.moved_at) = ? AND MONTH(m.moved_at) = ?;
-- name: moves_of_document
-- expect: SI-1
SELECT m.id FROM stock_move m WHERE m.document_type = ? AND m.document_id = ? AND m.product_id = ?;
-- name: moves_of_document_all
-- expect: unbounded
SELECT m.id FROM stock_move m WHERE m.document_type = 'invoice' AND m.document_id = ?;
-- name: moves_without_document
-- expect: unbounded
SELECT m.id FROM stock_move m WHERE m.document_type IS NULL AND m.document_id IS NULL AND m.product_id = ?;
-- name: moves_order_by_alias
-- expect: unbounded
SELECT m.id, m.delta * ? AS scaled FROM stock_move m WHERE m.product_id = ? ORDER BY scaled LIMIT 5;
-- name: moves_order_by_position
-- expect: SI-1
SELECT m.id, m.delta FROM stock_move m WHERE m.product_id = ? ORDER BY 2 DESC, 1 LIMIT 5;
-- name: orders_of_supplier
-- expect: SI-1
SELECT o.id FROM purchase_order o WHERE o.supplier_id = ? AND o.state = 'open' ORDER BY o.ordered_on LIMIT 20;
-- name: order_by_number
-- expect: SI-1
SELECT o.id, l.line_no FROM purchase_order o LEFT JOIN purchase_line l ON l.purchase_order_id = o.id AND l.line_no = 1 WHERE o.supplier_id = ? AND o.number = ?;
-- name: order_with_lines
-- expect: unbounded
SELECT o.id, l.qty FROM purchase_order o LEFT JOIN purchase_line l ON l.purchase_order_id = o.id WHERE o.id = ?;
-- name: order_total
-- expect: SI-2
SELECT SUM(l.qty * l.cost) FROM purchase_line l WHERE l.purchase_order_id = ?;
-- name: order_totals_page
-- expect: SI-2
SELECT o.id, SUM(l.qty * l.cost) AS total FROM purchase_order o LEFT JOIN purchase_line l ON l.purchase_order_id = o.id WHERE o.supplier_id = ? GROUP BY o.id ORDER BY o.id DESC LIMIT 10;
-- name: order_totals_inner
-- expect: unbounded
SELECT o.id, SUM(l.qty) AS total FROM purchase_order o JOIN purchase_line l ON l.purchase_order_id = o.id WHERE o.supplier_id = ? GROUP BY o.id ORDER BY total DESC LIMIT 10;
-- name: product_bought_from
-- expect: unbounded
SELECT DISTINCT o.supplier_id FROM purchase_line l JOIN purchase_order o ON o.id = l.purchase_order_id WHERE l.product_id = ?;
-- name: product_last_cost
-- expect: unbounded
SELECT l.cost FROM purchase_line l JOIN purchase_order o ON o.id = l.purchase_order_id WHERE l.product_id = ? ORDER BY o.ordered_on DESC LIMIT 1;
-- name: lots_fifo
-- expect: SI-1
SELECT lot_no, qty FROM lot WHERE product_id = ? AND qty > 0 AND expires >= CURDATE() ORDER BY expires LIMIT 10;
-- name: lots_expired
-- expect: unbounded
SELECT product_id, lot_no FROM lot WHERE expires < CURDATE();
-- name: lots_expiry_margin
-- expect: unbounded
SELECT product_id, lot_no FROM lot WHERE DATEDIFF(expires, CURDATE()) < 30 LIMIT 100;
-- name: prices
-- expect: unbounded
SELECT tier, currency, amount FROM price WHERE product_id = ?;
-- name: prices_in_currency
-- expect: SI-0
SELECT tier, amount FROM price WHERE product_id = ? AND currency = 'EUR';
-- name: prices_cheapest
-- expect: SI-0
SELECT MIN(amount) FROM price WHERE product_id = ? AND currency = ?;
-- name: counter_next
-- expect: SI-0
UPDATE sequence_counter SET value = LAST_INSERT_ID(value + 1) WHERE name = ?;
-- name: reserve
-- expect: SI-0
UPDATE stock_level SET reserved = reserved + ? WHERE warehouse_id = ? AND product_id = ? AND on_hand - reserved >= ?;
-- name: delete_order
-- expect: unbounded
DELETE FROM purchase_order WHERE id = ?;
-- name: delete_line
-- expect: SI-0
DELETE FROM purchase_line WHERE purchase_order_id = ? AND line_no = ?;
-- name: delete_category
-- expect: unbounded
DELETE FROM category WHERE id = ?;
