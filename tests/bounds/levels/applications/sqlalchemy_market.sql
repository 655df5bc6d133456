-- dialect: postgres
-- A marketplace of many tenants as SQLAlchemy asks for it: anon_1, selectin loads, any() and has(), soft deletes, JSON, stock.
CREATE TABLE tenant (id SERIAL PRIMARY KEY, slug VARCHAR(40) NOT NULL UNIQUE, plan VARCHAR(10) NOT NULL, CHECK (plan IN ('free', 'team', 'corp')));
CREATE TABLE account (id BIGSERIAL PRIMARY KEY, tenant_id INTEGER NOT NULL REFERENCES tenant (id), email VARCHAR(200) NOT NULL, phone VARCHAR(20), display VARCHAR(80) NOT NULL, settings JSONB NOT NULL, deleted_at TIMESTAMP WITH TIME ZONE, CONSTRAINT uq_account_email UNIQUE (tenant_id, email), CONSTRAINT uq_account_phone UNIQUE NULLS NOT DISTINCT (tenant_id, phone));
CREATE TABLE category (id SERIAL PRIMARY KEY, tenant_id INTEGER NOT NULL REFERENCES tenant (id), parent_id INTEGER REFERENCES category (id), name VARCHAR(60) NOT NULL, depth SMALLINT NOT NULL CHECK (depth >= 0 AND depth < 4), UNIQUE (tenant_id, name));
CREATE TABLE listing (id BIGSERIAL PRIMARY KEY, tenant_id INTEGER NOT NULL REFERENCES tenant (id), seller_id BIGINT NOT NULL REFERENCES account (id), category_id INTEGER REFERENCES category (id), title VARCHAR(200) NOT NULL, price NUMERIC(12, 2) NOT NULL, state VARCHAR(10) NOT NULL CHECK (state IN ('draft', 'live', 'sold')), attributes JSONB, tags TEXT[] NOT NULL, created_at TIMESTAMP WITH TIME ZONE NOT NULL, deleted_at TIMESTAMP WITH TIME ZONE);
CREATE UNIQUE INDEX ix_listing_title_live ON listing (seller_id, lower(title)) WHERE deleted_at IS NULL AND state = 'live';
CREATE TABLE warehouse (id SERIAL PRIMARY KEY, tenant_id INTEGER NOT NULL REFERENCES tenant (id), code VARCHAR(8) NOT NULL, UNIQUE (tenant_id, code));
CREATE TABLE stock (listing_id BIGINT NOT NULL REFERENCES listing (id), warehouse_id INTEGER NOT NULL REFERENCES warehouse (id), on_hand INTEGER NOT NULL CHECK (on_hand >= 0), reserved INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (listing_id, warehouse_id));
CREATE TABLE purchase (id UUID PRIMARY KEY, tenant_id INTEGER NOT NULL REFERENCES tenant (id), buyer_id BIGINT NOT NULL REFERENCES account (id), status VARCHAR(10) NOT NULL, placed_at TIMESTAMP NOT NULL, total NUMERIC(12, 2) NOT NULL);
CREATE TABLE purchase_line (purchase_id UUID NOT NULL REFERENCES purchase (id) ON DELETE CASCADE, line_no SMALLINT NOT NULL CHECK (line_no BETWEEN 1 AND 50), listing_id BIGINT NOT NULL REFERENCES listing (id), quantity INTEGER NOT NULL, price NUMERIC(12, 2) NOT NULL, PRIMARY KEY (purchase_id, line_no));
CREATE TABLE review (id BIGSERIAL PRIMARY KEY, listing_id BIGINT NOT NULL REFERENCES listing (id), author_id BIGINT NOT NULL REFERENCES account (id), stars SMALLINT NOT NULL CHECK (stars BETWEEN 1 AND 5), body TEXT, written_at TIMESTAMP NOT NULL, UNIQUE (listing_id, author_id));

-- name: get_account
-- expect: SI-0
SELECT account.id AS account_id, account.email AS account_email FROM account WHERE account.id = %(pk_1)s;
-- name: account_by_email
-- expect: SI-1
SELECT account.id, account.display FROM account WHERE account.tenant_id = %(tenant_id_1)s AND account.email = %(email_1)s AND account.deleted_at IS NULL LIMIT %(param_1)s;
-- name: account_by_email_any_tenant
-- expect: unbounded
SELECT account.id FROM account WHERE account.email = %(email_1)s;
-- name: accounts_without_phone
-- expect: SI-1
SELECT account.id FROM account WHERE account.tenant_id = %(tenant_id_1)s AND account.phone IS NULL;
-- name: accounts_by_theme
-- expect: SI-1
SELECT account.id FROM account WHERE account.tenant_id = %(tenant_id_1)s AND (account.settings ->> 'theme') = %(param_1)s ORDER BY account.id LIMIT 20;
-- name: accounts_by_setting
-- expect: unbounded
SELECT account.id FROM account WHERE account.tenant_id = %(tenant_id_1)s AND (account.settings ->> %(settings_1)s) = %(param_1)s ORDER BY account.id LIMIT 20;
-- name: accounts_containing
-- expect: unbounded
SELECT account.id FROM account WHERE account.settings @> %(settings_1)s LIMIT 20;
-- name: accounts_selectin
-- expect: SI-0
SELECT account.id AS account_id, account.display AS account_display FROM account WHERE account.id IN (%(pk_1_1)s, %(pk_1_2)s, %(pk_1_3)s);
-- name: listings_selectin
-- expect: unbounded
SELECT listing.seller_id AS listing_seller_id, listing.id AS listing_id FROM listing WHERE listing.seller_id IN (%(pk_1_1)s, %(pk_1_2)s);
-- name: live_listing_by_title
-- expect: SI-1
SELECT listing.id FROM listing WHERE listing.seller_id = %(seller_id_1)s AND lower(listing.title) = %(lower_1)s AND listing.state = 'live' AND listing.deleted_at IS NULL;
-- name: live_listing_by_title_state_param
-- expect: unbounded
SELECT listing.id FROM listing WHERE listing.seller_id = %(seller_id_1)s AND lower(listing.title) = %(lower_1)s AND listing.state = %(state_1)s AND listing.deleted_at IS NULL;
-- name: live_listing_by_exact_title
-- expect: SI-1
SELECT listing.id FROM listing WHERE listing.seller_id = %(seller_id_1)s AND listing.title = %(title_1)s AND listing.state = 'live' AND listing.deleted_at IS NULL;
-- name: newest_of_category
-- expect: SI-1
SELECT listing.id, listing.title FROM listing WHERE listing.tenant_id = %(t)s AND listing.category_id = %(c)s AND listing.deleted_at IS NULL AND listing.state = %(state_1)s ORDER BY listing.created_at DESC, listing.id DESC LIMIT %(param_1)s OFFSET %(param_2)s;
-- name: keyset_expanded
-- expect: SI-1
SELECT listing.id FROM listing WHERE listing.tenant_id = %(t)s AND (listing.created_at < %(at)s OR listing.created_at = %(at)s AND listing.id < %(id)s) ORDER BY listing.created_at DESC, listing.id DESC LIMIT 20;
-- name: keyset_negated
-- expect: unbounded
SELECT listing.id FROM listing WHERE listing.tenant_id = %(t)s AND listing.created_at <= %(at)s AND NOT (listing.created_at = %(at)s AND listing.id >= %(id)s) ORDER BY listing.created_at DESC, listing.id DESC LIMIT 20;
-- name: price_between
-- expect: unbounded
SELECT listing.id FROM listing WHERE listing.tenant_id = %(t)s AND listing.price BETWEEN %(low)s AND %(high)s ORDER BY listing.created_at DESC LIMIT 20;
-- name: price_between_by_price
-- expect: SI-1
SELECT listing.id FROM listing WHERE listing.tenant_id = %(t)s AND listing.price BETWEEN %(low)s AND %(high)s ORDER BY listing.price LIMIT 20;
-- name: cheapest_with_seller
-- expect: SI-1
SELECT listing.id, account_1.display FROM listing JOIN account AS account_1 ON account_1.id = listing.seller_id WHERE listing.tenant_id = %(t)s AND listing.state = 'live' ORDER BY listing.price ASC LIMIT 20;
-- name: cheapest_of_living_sellers
-- expect: unbounded
SELECT listing.id FROM listing JOIN account AS account_1 ON account_1.id = listing.seller_id WHERE listing.tenant_id = %(t)s AND account_1.deleted_at IS NULL ORDER BY listing.price ASC LIMIT 20;
-- name: joined_load_under_limit
-- expect: unbounded
SELECT anon_1.listing_id, stock_1.on_hand FROM (SELECT listing.id AS listing_id FROM listing WHERE listing.seller_id = %(s)s ORDER BY listing.id LIMIT 10) AS anon_1 LEFT OUTER JOIN stock AS stock_1 ON anon_1.listing_id = stock_1.listing_id ORDER BY anon_1.listing_id;
-- name: joined_load_lines
-- expect: SI-1
SELECT anon_1.purchase_id, purchase_line_1.line_no, purchase_line_1.quantity FROM (SELECT purchase.id AS purchase_id, purchase.placed_at AS placed_at FROM purchase WHERE purchase.buyer_id = %(b)s ORDER BY purchase.placed_at DESC LIMIT 10) AS anon_1 LEFT OUTER JOIN purchase_line AS purchase_line_1 ON anon_1.purchase_id = purchase_line_1.purchase_id ORDER BY anon_1.placed_at DESC, purchase_line_1.line_no;
-- name: lines_of_purchase
-- expect: SI-0
SELECT purchase_line.line_no, listing_1.title FROM purchase_line JOIN listing AS listing_1 ON listing_1.id = purchase_line.listing_id WHERE purchase_line.purchase_id = %(p)s ORDER BY purchase_line.line_no;
-- name: spent_by_buyer
-- expect: SI-2
SELECT coalesce(sum(purchase.total), 0) AS coalesce_1, count(*) AS count_1 FROM purchase WHERE purchase.buyer_id = %(b)s AND purchase.status = %(s)s;
-- name: spent_by_buyer_since
-- expect: unbounded
SELECT sum(purchase.total) AS sum_1 FROM purchase WHERE purchase.buyer_id = %(b)s AND purchase.placed_at >= %(since)s;
-- name: units_bought
-- expect: SI-2
SELECT sum(purchase_line.quantity) AS sum_1 FROM purchase JOIN purchase_line ON purchase_line.purchase_id = purchase.id WHERE purchase.buyer_id = %(b)s;
-- name: value_of_stock
-- expect: unbounded
SELECT sum(stock.on_hand * listing.price) AS sum_1 FROM stock JOIN listing ON listing.id = stock.listing_id WHERE listing.seller_id = %(s)s;
-- name: stock_total
-- expect: SI-2
SELECT coalesce(sum(stock.on_hand - stock.reserved), 0) AS available FROM stock WHERE stock.listing_id = %(l)s;
-- name: low_stock
-- expect: SI-1
SELECT stock.listing_id FROM stock WHERE stock.warehouse_id = %(w)s AND stock.on_hand - stock.reserved < 5 ORDER BY stock.listing_id LIMIT 50;
-- name: low_stock_threshold
-- expect: SI-1
SELECT stock.listing_id FROM stock WHERE stock.warehouse_id = %(w)s AND stock.on_hand - stock.reserved < %(least)s ORDER BY stock.on_hand - stock.reserved LIMIT 50;
-- name: low_stock_threshold_by_listing
-- expect: unbounded
SELECT stock.listing_id FROM stock WHERE stock.warehouse_id = %(w)s AND stock.on_hand - stock.reserved < %(least)s ORDER BY stock.listing_id LIMIT 50;
-- name: low_stock_relative
-- expect: unbounded
SELECT stock.listing_id FROM stock WHERE stock.warehouse_id = %(w)s AND stock.on_hand * %(factor)s < stock.reserved ORDER BY stock.listing_id LIMIT 50;
-- name: stock_in_named_warehouse
-- expect: SI-1
SELECT stock.on_hand FROM stock JOIN warehouse ON warehouse.id = stock.warehouse_id WHERE warehouse.tenant_id = %(t)s AND warehouse.code = %(c)s AND stock.listing_id = %(l)s;
-- name: stars_of_listing
-- expect: SI-2
SELECT review.stars, count(*) AS n FROM review WHERE review.listing_id = %(l)s GROUP BY review.stars ORDER BY review.stars;
-- name: average_stars
-- expect: SI-2
SELECT avg(review.stars) AS avg_1, count(review.body) AS with_text FROM review WHERE review.listing_id = %(l)s;
-- name: best_rated_of_seller
-- expect: unbounded
SELECT listing.id, avg(review.stars) AS a FROM listing JOIN review ON review.listing_id = listing.id WHERE listing.seller_id = %(s)s GROUP BY listing.id ORDER BY a DESC LIMIT 5;
-- name: best_rated
-- expect: SI-2
SELECT review.listing_id, avg(review.stars) AS a FROM review GROUP BY review.listing_id ORDER BY a DESC, review.listing_id LIMIT 5;
-- name: best_rated_with_enough
-- expect: unbounded
SELECT review.listing_id, avg(review.stars) AS a FROM review GROUP BY review.listing_id HAVING count(*) >= %(n)s ORDER BY a DESC LIMIT 5;
-- name: any_review
-- expect: SI-1
SELECT EXISTS (SELECT 1 FROM review WHERE review.listing_id = %(l)s AND review.stars >= 4) AS anon_1;
-- name: listings_any_review
-- expect: unbounded
SELECT listing.id FROM listing WHERE listing.seller_id = %(s)s AND (EXISTS (SELECT 1 FROM review WHERE listing.id = review.listing_id AND review.stars = 5)) ORDER BY listing.id LIMIT 10;
-- name: reviews_has_author
-- expect: SI-1
SELECT review.id FROM review WHERE review.listing_id = %(l)s AND (EXISTS (SELECT 1 FROM account WHERE account.id = review.author_id)) ORDER BY review.written_at DESC LIMIT 10;
-- name: count_wrapped
-- expect: SI-2
SELECT count(*) AS count_1 FROM (SELECT listing.id AS listing_id, listing.title AS listing_title FROM listing WHERE listing.tenant_id = %(t)s AND listing.deleted_at IS NULL) AS anon_1;
-- name: count_capped
-- expect: SI-1
SELECT count(*) AS count_1 FROM (SELECT listing.id AS listing_id FROM listing WHERE listing.tenant_id = %(t)s LIMIT 100) AS anon_1;
-- name: count_distinct_sellers
-- expect: unbounded
SELECT count(DISTINCT listing.seller_id) AS count_1 FROM listing WHERE listing.tenant_id = %(t)s;
-- name: tagged
-- expect: unbounded
SELECT listing.id FROM listing WHERE %(tag)s = ANY (listing.tags) ORDER BY listing.id LIMIT 20;
-- name: tree_of_categories
-- expect: unbounded
WITH RECURSIVE tree AS (SELECT category.id FROM category WHERE category.id = %(root)s UNION ALL SELECT c.id FROM category AS c JOIN tree ON c.parent_id = tree.id) SELECT id FROM tree LIMIT 100;
-- name: parents
-- expect: SI-0
SELECT a.name, b.name, c.name FROM category AS a LEFT OUTER JOIN category AS b ON b.id = a.parent_id LEFT OUTER JOIN category AS c ON c.id = b.parent_id WHERE a.id = %(id_1)s;
-- name: siblings
-- expect: SI-1
SELECT b.id FROM category AS a JOIN category AS b ON b.parent_id = a.parent_id WHERE a.id = %(id_1)s AND b.id != %(id_1)s ORDER BY b.name LIMIT 10;
-- name: queue_pop
-- expect: unbounded
SELECT purchase.id FROM purchase WHERE purchase.status = 'new' ORDER BY purchase.placed_at LIMIT 1 FOR UPDATE SKIP LOCKED;
-- name: queue_peek
-- expect: SI-1
SELECT purchase.id FROM purchase WHERE purchase.status = 'new' ORDER BY purchase.placed_at LIMIT 1 FOR UPDATE;
-- name: search_title
-- expect: unbounded
SELECT listing.id FROM listing WHERE listing.tenant_id = %(t)s AND (listing.title ILIKE '%%' || %(title_1)s || '%%') LIMIT 10;
-- name: optional_category
-- expect: SI-1
SELECT listing.id FROM listing WHERE listing.tenant_id = %(t)s AND (%(c)s IS NULL OR listing.category_id = %(c)s) ORDER BY listing.created_at DESC LIMIT 10;
-- name: never_true
-- expect: SI-0
SELECT listing.id FROM listing WHERE listing.id IN (NULL) AND (1 != 1);
