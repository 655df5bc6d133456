-- dialect: postgres
-- A shop as Active Record writes it: quoted names, $1, counters, scopes, EXISTS checks.
CREATE TABLE "users" ("id" bigserial primary key, "email" character varying NOT NULL, "name" character varying, "created_at" timestamp NOT NULL);
CREATE UNIQUE INDEX "index_users_on_email" ON "users" ("email");
CREATE TABLE "products" ("id" bigserial primary key, "name" character varying NOT NULL, "price_cents" integer NOT NULL, "active" boolean DEFAULT true NOT NULL, "stock" integer NOT NULL, "brand_id" bigint NOT NULL, "created_at" timestamp NOT NULL);
CREATE TABLE "brands" ("id" bigserial primary key, "name" character varying NOT NULL);
CREATE TABLE "carts" ("id" bigserial primary key, "user_id" bigint NOT NULL, "state" character varying NOT NULL, "updated_at" timestamp NOT NULL);
CREATE UNIQUE INDEX "index_open_cart" ON "carts" ("user_id") WHERE "state" = 'open';
CREATE TABLE "line_items" ("id" bigserial primary key, "cart_id" bigint NOT NULL, "product_id" bigint NOT NULL, "quantity" integer NOT NULL, "created_at" timestamp NOT NULL);
CREATE UNIQUE INDEX "index_line_items" ON "line_items" ("cart_id", "product_id");
CREATE TABLE "orders" ("id" bigserial primary key, "user_id" bigint NOT NULL, "status" character varying NOT NULL CHECK ("status" IN ('new', 'paid', 'sent', 'done')), "total_cents" integer NOT NULL, "created_at" timestamp NOT NULL);
CREATE TABLE "reviews" ("id" bigserial primary key, "user_id" bigint NOT NULL, "product_id" bigint NOT NULL, "rating" integer NOT NULL, "body" text, "created_at" timestamp NOT NULL);
CREATE UNIQUE INDEX "index_reviews" ON "reviews" ("user_id", "product_id");
ALTER TABLE "products" ADD CONSTRAINT "fk_1" FOREIGN KEY ("brand_id") REFERENCES "brands" ("id");
ALTER TABLE "carts" ADD CONSTRAINT "fk_2" FOREIGN KEY ("user_id") REFERENCES "users" ("id");
ALTER TABLE "line_items" ADD CONSTRAINT "fk_3" FOREIGN KEY ("cart_id") REFERENCES "carts" ("id");
ALTER TABLE "line_items" ADD CONSTRAINT "fk_4" FOREIGN KEY ("product_id") REFERENCES "products" ("id");
ALTER TABLE "orders" ADD CONSTRAINT "fk_5" FOREIGN KEY ("user_id") REFERENCES "users" ("id");
ALTER TABLE "reviews" ADD CONSTRAINT "fk_6" FOREIGN KEY ("product_id") REFERENCES "products" ("id");
ALTER TABLE "reviews" ADD CONSTRAINT "fk_7" FOREIGN KEY ("user_id") REFERENCES "users" ("id");

-- name: find_user
-- expect: SI-0
SELECT "users".* FROM "users" WHERE "users"."id" = $1 LIMIT $2;
-- name: find_by_email
-- expect: SI-1
SELECT "users".* FROM "users" WHERE "users"."email" = $1 LIMIT $2;
-- name: email_taken
-- expect: SI-1
SELECT 1 AS one FROM "users" WHERE "users"."email" = $1 LIMIT $2;
-- name: first_user
-- expect: SI-0
SELECT "users".* FROM "users" ORDER BY "users"."id" ASC LIMIT $1;
-- name: last_users
-- expect: SI-0
SELECT "users".* FROM "users" ORDER BY "users"."id" DESC LIMIT 10;
-- name: find_each
-- expect: SI-0
SELECT "users".* FROM "users" WHERE "users"."id" > $1 ORDER BY "users"."id" ASC LIMIT 1000;
-- name: all_users
-- expect: unbounded
SELECT "users".* FROM "users";
-- name: open_cart
-- expect: SI-1
SELECT "carts".* FROM "carts" WHERE "carts"."user_id" = $1 AND "carts"."state" = 'open';
-- name: open_cart_limited
-- expect: SI-1
SELECT "carts".* FROM "carts" WHERE "carts"."user_id" = $1 AND "carts"."state" = $2 LIMIT 1;
-- name: items_of_cart
-- expect: unbounded
SELECT "line_items".* FROM "line_items" WHERE "line_items"."cart_id" = $1;
-- name: item_in_cart
-- expect: SI-1
SELECT "line_items".* FROM "line_items" WHERE "line_items"."cart_id" = $1 AND "line_items"."product_id" = $2;
-- name: cart_total
-- expect: unbounded
SELECT SUM("line_items"."quantity" * "products"."price_cents") FROM "line_items" INNER JOIN "products" ON "products"."id" = "line_items"."product_id" WHERE "line_items"."cart_id" = $1;
-- name: cart_size
-- expect: SI-2
SELECT SUM("line_items"."quantity") FROM "line_items" WHERE "line_items"."cart_id" = $1;
-- name: active_products
-- expect: SI-1
SELECT "products".* FROM "products" WHERE "products"."active" = TRUE ORDER BY "products"."created_at" DESC LIMIT $1 OFFSET $2;
-- name: products_by_brand_price
-- expect: SI-1
SELECT "products".* FROM "products" WHERE "products"."brand_id" = $1 AND "products"."price_cents" BETWEEN $2 AND $3 ORDER BY "products"."price_cents" ASC LIMIT 24;
-- name: products_price_newest
-- expect: unbounded
SELECT "products".* FROM "products" WHERE "products"."price_cents" BETWEEN $1 AND $2 ORDER BY "products"."created_at" DESC LIMIT 24;
-- name: products_in_stock_by_price
-- expect: SI-1
SELECT "products".* FROM "products" WHERE "products"."stock" > 0 AND "products"."active" = TRUE ORDER BY "products"."price_cents" ASC LIMIT 24;
-- name: search_products
-- expect: unbounded
SELECT "products".* FROM "products" WHERE (name ILIKE $1) ORDER BY "products"."name" ASC LIMIT 24;
-- name: product_rating
-- expect: SI-2
SELECT AVG("reviews"."rating") FROM "reviews" WHERE "reviews"."product_id" = $1;
-- name: product_reviews
-- expect: SI-1
SELECT "reviews".*, "users"."name" FROM "reviews" INNER JOIN "users" ON "users"."id" = "reviews"."user_id" WHERE "reviews"."product_id" = $1 ORDER BY "reviews"."created_at" DESC LIMIT 10;
-- name: other_reviews
-- expect: SI-1
SELECT "reviews".* FROM "reviews" WHERE "reviews"."product_id" = $1 AND "reviews"."user_id" != $2 ORDER BY "reviews"."created_at" DESC LIMIT 10;
-- name: my_review
-- expect: SI-1
SELECT "reviews".* FROM "reviews" WHERE "reviews"."user_id" = $1 AND "reviews"."product_id" = $2 LIMIT 1;
-- name: rating_histogram
-- expect: unbounded
SELECT COUNT(*) AS count_all, "reviews"."rating" AS reviews_rating FROM "reviews" WHERE "reviews"."product_id" = $1 GROUP BY "reviews"."rating";
-- name: best_rated
-- expect: SI-2
SELECT "reviews"."product_id", COUNT(*) AS n FROM "reviews" WHERE "reviews"."rating" = 5 GROUP BY "reviews"."product_id" ORDER BY n DESC LIMIT 10;
-- name: orders_of_user
-- expect: SI-1
SELECT "orders".* FROM "orders" WHERE "orders"."user_id" = $1 ORDER BY "orders"."created_at" DESC LIMIT 20;
-- name: orders_by_status
-- expect: SI-2
SELECT COUNT(*) AS count_all, "orders"."status" AS orders_status FROM "orders" WHERE "orders"."user_id" = $1 GROUP BY "orders"."status";
-- name: revenue_of_user
-- expect: SI-2
SELECT SUM("orders"."total_cents") FROM "orders" WHERE "orders"."user_id" = $1 AND "orders"."status" = 'done';
-- name: customers_of_product
-- expect: unbounded
SELECT DISTINCT "users".* FROM "users" INNER JOIN "reviews" ON "reviews"."user_id" = "users"."id" WHERE "reviews"."product_id" = $1;
-- name: products_by_ids
-- expect: SI-0
SELECT "products".* FROM "products" WHERE "products"."id" IN ($1, $2, $3, $4);
-- name: touch_cart
-- expect: SI-0
UPDATE "carts" SET "updated_at" = $1 WHERE "carts"."id" = $2;
-- name: destroy_cart_items
-- expect: unbounded
DELETE FROM "line_items" WHERE "line_items"."cart_id" = $1;
-- name: next_job
-- expect: SI-1
SELECT "orders".* FROM "orders" WHERE "orders"."status" = 'new' ORDER BY "orders"."id" ASC LIMIT 1;
