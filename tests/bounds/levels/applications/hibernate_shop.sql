-- dialect: mysql
-- A shop as Hibernate writes it for MySQL: generated aliases, LIMIT ?, ?, joins that fetch.
create table customer (id bigint not null auto_increment, version integer not null, email varchar(255) not null, first_name varchar(255), last_name varchar(255), tier enum('BRONZE','SILVER','GOLD') not null, referrer_id bigint, primary key (id), unique key uk_email (email)) engine=InnoDB;
create table address (id bigint not null auto_increment, customer_id bigint not null, kind tinyint not null, street varchar(255), zip varchar(10), primary key (id), unique key uk_kind (customer_id, kind)) engine=InnoDB;
create table category (id bigint not null auto_increment, parent_id bigint, name varchar(80) not null, primary key (id)) engine=InnoDB;
create table product (id bigint not null auto_increment, sku varchar(40) not null, category_id bigint not null, name varchar(255) not null, price decimal(19,2) not null, active bit not null, rating float, primary key (id), unique key uk_sku (sku)) engine=InnoDB;
create table purchase (id bigint not null auto_increment, customer_id bigint not null, status enum('NEW','PAID','SHIPPED','CANCELLED') not null, placed_at datetime(6) not null, total decimal(19,2) not null, coupon_code varchar(20), primary key (id)) engine=InnoDB;
create table purchase_line (purchase_id bigint not null, line_no integer not null, product_id bigint not null, quantity integer not null, price decimal(19,2) not null, primary key (purchase_id, line_no)) engine=InnoDB;
create table coupon (code varchar(20) not null, customer_id bigint, used_at datetime(6), percent integer not null, primary key (code)) engine=InnoDB;
create table review (id bigint not null auto_increment, product_id bigint not null, customer_id bigint not null, stars integer not null, body longtext, posted_at datetime(6) not null, primary key (id), unique key uk_review (product_id, customer_id)) engine=InnoDB;
create table stock (product_id bigint not null, warehouse_id bigint not null, quantity integer not null, primary key (product_id, warehouse_id)) engine=InnoDB;
create table warehouse (id bigint not null, city varchar(80) not null, primary key (id)) engine=InnoDB;
alter table customer add constraint fk_ref foreign key (referrer_id) references customer (id);
alter table address add constraint fk_addr foreign key (customer_id) references customer (id);
alter table product add constraint fk_cat foreign key (category_id) references category (id);
alter table purchase add constraint fk_cust foreign key (customer_id) references customer (id);
alter table purchase_line add constraint fk_pur foreign key (purchase_id) references purchase (id);
alter table purchase_line add constraint fk_prod foreign key (product_id) references product (id);
alter table review add constraint fk_rp foreign key (product_id) references product (id);
alter table review add constraint fk_rc foreign key (customer_id) references customer (id);
alter table stock add constraint fk_sp foreign key (product_id) references product (id);
alter table stock add constraint fk_sw foreign key (warehouse_id) references warehouse (id);

-- name: load_customer
-- expect: SI-0
select c1_0.id, c1_0.email, c1_0.first_name, c1_0.last_name, c1_0.version from customer c1_0 where c1_0.id=?;
-- name: load_customer_with_referrer
-- expect: SI-0
select c1_0.id, c1_0.email, r1_0.id, r1_0.email from customer c1_0 left join customer r1_0 on r1_0.id=c1_0.referrer_id where c1_0.id=?;
-- name: customer_by_email
-- expect: SI-1
select c1_0.id, c1_0.email from customer c1_0 where c1_0.email=?;
-- name: customer_by_email_lower
-- expect: unbounded
select c1_0.id, c1_0.email from customer c1_0 where lower(c1_0.email)=?;
-- name: referred_customers
-- expect: unbounded
select r1_0.id, r1_0.email from customer r1_0 where r1_0.referrer_id=?;
-- name: addresses_of_customer
-- expect: SI-1
select a1_0.customer_id, a1_0.id, a1_0.kind, a1_0.street from address a1_0 where a1_0.customer_id=?;
-- name: product_by_sku
-- expect: SI-1
select p1_0.id, p1_0.name, p1_0.price from product p1_0 where p1_0.sku=?;
-- name: products_by_skus
-- expect: SI-1
select p1_0.id, p1_0.name, p1_0.price from product p1_0 where p1_0.sku in (?,?,?,?,?);
-- name: products_of_category_page
-- expect: SI-1
select p1_0.id, p1_0.name, p1_0.price from product p1_0 where p1_0.category_id=? and p1_0.active=1 order by p1_0.name limit ?, ?;
-- name: products_of_category_by_two_orders
-- expect: SI-1
select p1_0.id, p1_0.name from product p1_0 where p1_0.category_id=? order by p1_0.price desc, p1_0.name asc limit 24;
-- name: products_price_range
-- expect: SI-1
select p1_0.id, p1_0.name from product p1_0 where p1_0.category_id=? and p1_0.price between ? and ? order by p1_0.price limit 24;
-- name: products_price_range_other_order
-- expect: unbounded
select p1_0.id, p1_0.name from product p1_0 where p1_0.category_id=? and p1_0.price between ? and ? order by p1_0.name limit 24;
-- name: products_optional_filter
-- expect: unbounded
select p1_0.id from product p1_0 where (? is null or p1_0.category_id=?) and (? is null or p1_0.price<=?) order by p1_0.id limit 20;
-- name: products_name_starts
-- expect: SI-1
select p1_0.id, p1_0.name from product p1_0 where p1_0.name like concat(?, '%') order by p1_0.name limit 10;
-- name: products_name_contains
-- expect: unbounded
select p1_0.id, p1_0.name from product p1_0 where p1_0.name like concat('%', ?, '%') order by p1_0.name limit 10;
-- name: products_case_order
-- expect: SI-1
select p1_0.id from product p1_0 where p1_0.category_id=? order by case when p1_0.rating is null then 1 else 0 end, p1_0.rating desc limit 10;
-- name: products_case_param_order
-- expect: unbounded
select p1_0.id from product p1_0 where p1_0.category_id=? order by case when p1_0.sku=? then 0 else 1 end, p1_0.name limit 10;
-- name: count_products_of_category
-- expect: SI-2
select count(p1_0.id) from product p1_0 where p1_0.category_id=?;
-- name: count_active_products_of_category
-- expect: SI-2
select count(*) from product p1_0 where p1_0.category_id=? and p1_0.active=1;
-- name: count_cheap_products
-- expect: unbounded
select count(*) from product p1_0 where p1_0.category_id=? and p1_0.price < ?;
-- name: cart
-- expect: unbounded
select l1_0.purchase_id, l1_0.line_no, p1_0.name from purchase_line l1_0 join product p1_0 on p1_0.id=l1_0.product_id where l1_0.purchase_id=?;
-- name: cart_first_lines
-- expect: SI-0
select l1_0.purchase_id, l1_0.line_no, p1_0.name from purchase_line l1_0 join product p1_0 on p1_0.id=l1_0.product_id where l1_0.purchase_id=? order by l1_0.line_no limit 100;
-- name: orders_of_customer
-- expect: SI-1
select p1_0.id, p1_0.placed_at, p1_0.status from purchase p1_0 where p1_0.customer_id=? order by p1_0.placed_at desc limit 10;
-- name: orders_of_customer_fetching_lines
-- expect: unbounded
select p1_0.id, l1_0.line_no, l1_0.quantity from purchase p1_0 left join purchase_line l1_0 on p1_0.id=l1_0.purchase_id where p1_0.customer_id=? order by p1_0.placed_at desc;
-- name: orders_not_cancelled
-- expect: SI-1
select p1_0.id from purchase p1_0 where p1_0.customer_id=? and p1_0.status<>'CANCELLED' order by p1_0.placed_at desc limit 10;
-- name: orders_by_status_any
-- expect: SI-1
select p1_0.id from purchase p1_0 where p1_0.customer_id=? and p1_0.status in (?,?) order by p1_0.placed_at desc limit 10;
-- name: revenue_of_customer
-- expect: SI-2
select sum(p1_0.total) from purchase p1_0 where p1_0.customer_id=? and p1_0.status='PAID';
-- name: revenue_between
-- expect: unbounded
select sum(p1_0.total) from purchase p1_0 where p1_0.placed_at>=? and p1_0.placed_at<?;
-- name: average_stars
-- expect: SI-2
select avg(r1_0.stars) from review r1_0 where r1_0.product_id=?;
-- name: stars_histogram
-- expect: unbounded
select r1_0.stars, count(*) from review r1_0 where r1_0.product_id=? group by r1_0.stars;
-- name: reviews_page_with_names
-- expect: SI-1
select r1_0.id, r1_0.body, c1_0.first_name from review r1_0 join customer c1_0 on c1_0.id=r1_0.customer_id where r1_0.product_id=? order by r1_0.posted_at desc limit 20;
-- name: reviews_of_gold
-- expect: unbounded
select r1_0.id, r1_0.body from review r1_0 join customer c1_0 on c1_0.id=r1_0.customer_id where r1_0.product_id=? and c1_0.tier='GOLD' order by r1_0.posted_at desc limit 20;
-- name: has_reviewed
-- expect: SI-1
select 1 from review r1_0 where r1_0.product_id=? and r1_0.customer_id=? limit 1;
-- name: products_without_review
-- expect: unbounded
select p1_0.id from product p1_0 where p1_0.category_id=? and not exists (select 1 from review r1_0 where r1_0.product_id=p1_0.id) order by p1_0.id limit 20;
-- name: products_with_review
-- expect: unbounded
select p1_0.id from product p1_0 where p1_0.category_id=? and exists (select 1 from review r1_0 where r1_0.product_id=p1_0.id) order by p1_0.id limit 20;
-- name: stock_of_product_total
-- expect: SI-2
select coalesce(sum(s1_0.quantity),0) from stock s1_0 where s1_0.product_id=?;
-- name: stock_of_product_rows
-- expect: unbounded
select s1_0.warehouse_id, s1_0.quantity, w1_0.city from stock s1_0 join warehouse w1_0 on w1_0.id=s1_0.warehouse_id where s1_0.product_id=?;
-- name: stock_one
-- expect: SI-0
select s1_0.quantity from stock s1_0 where s1_0.product_id=? and s1_0.warehouse_id=? for update;
-- name: coupon_unused
-- expect: SI-0
select c1_0.code from coupon c1_0 where c1_0.code=? and c1_0.used_at is null and (c1_0.customer_id is null or c1_0.customer_id=?);
-- name: purchases_with_coupon
-- expect: unbounded
select p1_0.id from purchase p1_0 join coupon c1_0 on c1_0.code=p1_0.coupon_code where c1_0.code=?;
-- name: best_sellers
-- expect: unbounded
select l1_0.product_id, sum(l1_0.quantity) q from purchase_line l1_0 group by l1_0.product_id having sum(l1_0.quantity)>? order by q desc;
-- name: best_sellers_top
-- expect: SI-2
select l1_0.product_id, sum(l1_0.quantity) q from purchase_line l1_0 group by l1_0.product_id order by q desc limit 10;
-- name: optimistic_update
-- expect: SI-0
update customer set email=?, version=? where id=? and version=?;
-- name: bulk_update
-- expect: unbounded
update product set active=0 where category_id=?;
-- name: subcategories_products
-- expect: unbounded
select p1_0.id from product p1_0 where p1_0.category_id in (select c1_0.id from category c1_0 where c1_0.parent_id=?) order by p1_0.name limit 10;
-- name: distinct_customers_of_product
-- expect: unbounded
select distinct c1_0.id, c1_0.email from customer c1_0 join purchase p1_0 on p1_0.customer_id=c1_0.id join purchase_line l1_0 on l1_0.purchase_id=p1_0.id where l1_0.product_id=? limit 20;
-- name: string_key_as_number
-- expect: unbounded
select p1_0.id from product p1_0 where p1_0.sku=12345;
-- name: cast_key
-- expect: unbounded
select p1_0.id from product p1_0 where cast(p1_0.sku as unsigned)=?;
-- name: limit_zero_rows
-- expect: SI-0
select p1_0.id from product p1_0 order by p1_0.id limit 0;
-- name: first_any
-- expect: SI-0
select p1_0.id, p1_0.name from product p1_0 limit 5;
