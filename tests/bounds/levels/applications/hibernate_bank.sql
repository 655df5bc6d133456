-- dialect: postgres
create table customer (id bigint not null primary key, tax_no varchar(20) not null, full_name varchar(200), branch_id integer not null, version integer not null, dtype varchar(31) not null, constraint uk_tax unique (tax_no));
create table account (iban varchar(34) not null primary key, customer_id bigint not null, currency char(3) not null, balance numeric(19, 4) not null, opened date not null, closed date, kind varchar(8) not null check (kind in ('CURRENT', 'SAVING', 'LOAN')), constraint fk_c foreign key (customer_id) references customer (id));
create table ledger_entry (account_iban varchar(34) not null references account (iban), seq bigint not null, booked_at timestamp(6) not null, value_date date not null, amount numeric(19, 4) not null, counter_iban varchar(34), reference varchar(140), batch_id bigint, primary key (account_iban, seq));
create table standing_order (id uuid not null primary key, account_iban varchar(34) not null references account (iban), next_run date not null, amount numeric(19, 4) not null, active boolean not null);
create unique index ux_so on standing_order (account_iban, next_run, amount) include (active);
create table card (pan_hash bytea not null primary key, account_iban varchar(34) not null references account (iban), slot smallint not null check (slot >= 1 and slot <= 4), blocked boolean not null, unique (account_iban, slot));
create table fx_rate (base char(3) not null, quote char(3) not null, day date not null, rate double precision not null, primary key (base, quote, day));
create table outbox (id bigint generated always as identity primary key, aggregate_type varchar(40) not null, aggregate_id varchar(64) not null, payload jsonb not null, sent_at timestamp, partition_no smallint generated always as (abs(hashtext(aggregate_id)) % 16) stored);
create table audit_rev (rev integer not null, entity_id bigint not null, revtype smallint, full_name varchar(200), primary key (entity_id, rev));
create table limits (customer_id bigint not null references customer (id), channel varchar(10), daily numeric(19, 4) not null, unique (customer_id, channel));
create table limits_strict (customer_id bigint not null, channel varchar(10), daily numeric(19, 4) not null, unique nulls not distinct (customer_id, channel));

-- name: find_customer
-- expect: SI-0
select c1_0.id, c1_0.full_name, c1_0.version from customer c1_0 where c1_0.id = ?;
-- name: find_customer_of_type
-- expect: SI-0
select c1_0.id from customer c1_0 where c1_0.dtype in ('Person', 'Company') and c1_0.id = ?;
-- name: by_tax
-- expect: SI-1
select c1_0.id from customer c1_0 where c1_0.tax_no = ? and c1_0.dtype = 'Person';
-- name: by_tax_number_literal
-- expect: unbounded
select c1_0.id from customer c1_0 where cast(c1_0.tax_no as bigint) = ?;
-- name: accounts_of
-- expect: unbounded
select a1_0.iban from account a1_0 where a1_0.customer_id = ?;
-- name: accounts_of_fetch
-- expect: SI-1
select a1_0.iban, c1_0.full_name from account a1_0 join customer c1_0 on c1_0.id = a1_0.customer_id where a1_0.customer_id = ? order by a1_0.opened offset ? rows fetch first ? rows only;
-- name: accounts_fetch_ties
-- expect: unbounded
select a1_0.iban from account a1_0 where a1_0.customer_id = ? order by a1_0.opened fetch first 5 rows with ties;
-- name: statement_page
-- expect: SI-0
select e1_0.seq, e1_0.amount from ledger_entry e1_0 where e1_0.account_iban = ? and e1_0.seq < ? order by e1_0.seq desc fetch first 50 rows only;
-- name: statement_range
-- expect: unbounded
select e1_0.seq, e1_0.amount from ledger_entry e1_0 where e1_0.account_iban = ? and e1_0.seq between ? and ?;
-- name: statement_fixed_range
-- expect: SI-0
select e1_0.seq, e1_0.amount from ledger_entry e1_0 where e1_0.account_iban = ? and e1_0.seq between cast(? as bigint) and cast(? as bigint) + 0 and e1_0.seq in (1, 2, 3);
-- name: statement_by_day
-- expect: SI-1
select e1_0.seq from ledger_entry e1_0 where e1_0.account_iban = ? and e1_0.value_date = ? order by e1_0.seq limit 100;
-- name: statement_running
-- expect: unbounded
select e1_0.seq, sum(e1_0.amount) over (partition by e1_0.account_iban order by e1_0.seq) from ledger_entry e1_0 where e1_0.account_iban = ? order by e1_0.seq desc limit 10;
-- name: statement_numbered_page
-- expect: SI-0
select q.seq, q.amount from (select e.seq, e.amount, row_number() over (order by e.seq desc) rn from ledger_entry e where e.account_iban = ?) q where q.rn between 11 and 20;
-- name: statement_numbered_param
-- expect: unbounded
select q.seq from (select e.seq, row_number() over (order by e.amount + cast(? as numeric)) rn from ledger_entry e where e.account_iban = ?) q where q.rn <= 10 and q.seq % 2 = 0;
-- name: balance_sum
-- expect: SI-2
select sum(e1_0.amount) from ledger_entry e1_0 where e1_0.account_iban = ?;
-- name: balance_as_of
-- expect: unbounded
select sum(e1_0.amount) from ledger_entry e1_0 where e1_0.account_iban = ? and e1_0.booked_at <= ?;
-- name: balance_on_day
-- expect: SI-2
select coalesce(sum(e1_0.amount), 0) from ledger_entry e1_0 where e1_0.account_iban = ? and e1_0.value_date = ?;
-- name: balance_scaled
-- expect: SI-2
select sum(e1_0.amount) * ? from ledger_entry e1_0 where e1_0.account_iban = ?;
-- name: balance_inner_scaled
-- expect: unbounded
select sum(round(e1_0.amount * ?, 2)) from ledger_entry e1_0 where e1_0.account_iban = ?;
-- name: balance_of_customer
-- expect: unbounded
select sum(e1_0.amount) from ledger_entry e1_0 join account a1_0 on a1_0.iban = e1_0.account_iban where a1_0.customer_id = ?;
-- name: total_by_kind
-- expect: SI-2
select a1_0.kind, sum(a1_0.balance), count(*) from account a1_0 where a1_0.customer_id = ? group by a1_0.kind;
-- name: total_by_currency
-- expect: unbounded
select a1_0.currency, sum(a1_0.balance) from account a1_0 where a1_0.customer_id = ? group by a1_0.currency;
-- name: median_balance
-- expect: unbounded
select percentile_cont(0.5) within group (order by a1_0.balance) from account a1_0 where a1_0.customer_id = ?;
-- name: biggest_balance
-- expect: SI-1
select max(a1_0.balance), min(a1_0.balance) from account a1_0 where a1_0.customer_id = ?;
-- name: latest_entry
-- expect: SI-0
select e1_0.* from ledger_entry e1_0 where e1_0.account_iban = ? and e1_0.seq = (select max(e2_0.seq) from ledger_entry e2_0 where e2_0.account_iban = e1_0.account_iban);
-- name: latest_entry_booked
-- expect: unbounded
select e1_0.* from ledger_entry e1_0 where e1_0.account_iban = ? and e1_0.booked_at = (select max(e2_0.booked_at) from ledger_entry e2_0 where e2_0.account_iban = e1_0.account_iban);
-- name: both_sides
-- expect: unbounded
select e1_0.seq from ledger_entry e1_0 join ledger_entry e2_0 on e2_0.batch_id = e1_0.batch_id and e2_0.account_iban = e1_0.counter_iban where e1_0.account_iban = ? and e1_0.seq = ?;
-- name: cards
-- expect: SI-1
select c1_0.slot, c1_0.blocked from card c1_0 where c1_0.account_iban = ?;
-- name: cards_of_customer
-- expect: unbounded
select c1_0.slot from card c1_0 join account a1_0 on a1_0.iban = c1_0.account_iban where a1_0.customer_id = ?;
-- name: card_by_hash
-- expect: SI-0
select c1_0.blocked, a1_0.balance from card c1_0 join account a1_0 on a1_0.iban = c1_0.account_iban where c1_0.pan_hash = ?;
-- name: standing_exact
-- expect: SI-1
select s1_0.id from standing_order s1_0 where s1_0.account_iban = ? and s1_0.next_run = ? and s1_0.amount = ?;
-- name: standing_include_is_no_key
-- expect: unbounded
select s1_0.id from standing_order s1_0 where s1_0.account_iban = ? and s1_0.active = true;
-- name: standing_due
-- expect: unbounded
select s1_0.id from standing_order s1_0 where s1_0.active and s1_0.next_run <= current_date;
-- name: standing_due_batch
-- expect: SI-1
select s1_0.id from standing_order s1_0 where s1_0.active and s1_0.next_run <= current_date order by s1_0.next_run limit 500;
-- name: rate_on
-- expect: SI-0
select r1_0.rate from fx_rate r1_0 where r1_0.base = ? and r1_0.quote = ? and r1_0.day <= ? order by r1_0.day desc fetch first 1 rows only;
-- name: convert
-- expect: SI-0
select a1_0.balance * (select r1_0.rate from fx_rate r1_0 where r1_0.base = a1_0.currency and r1_0.quote = 'EUR' and r1_0.day = ?) from account a1_0 where a1_0.iban = ?;
-- name: convert_latest
-- expect: SI-0
select a1_0.balance * (select r1_0.rate from fx_rate r1_0 where r1_0.base = a1_0.currency and r1_0.quote = 'EUR' order by r1_0.day desc limit 1) from account a1_0 where a1_0.iban = ?;
-- name: outbox_next
-- expect: SI-1
select o1_0.id, o1_0.payload from outbox o1_0 where o1_0.sent_at is null order by o1_0.id limit 100;
-- name: outbox_skip_locked
-- expect: unbounded
select o1_0.id, o1_0.payload from outbox o1_0 where o1_0.sent_at is null order by o1_0.id limit 100 for update skip locked;
-- name: outbox_by_payload
-- expect: unbounded
select o1_0.id from outbox o1_0 where o1_0.payload ->> 'order' = ?;
-- name: revisions
-- expect: SI-0
select a1_0.* from audit_rev a1_0 where a1_0.entity_id = ? order by a1_0.rev desc limit 10;
-- name: revision_at
-- expect: SI-0
select a1_0.* from audit_rev a1_0 where a1_0.entity_id = ? and a1_0.rev = (select max(a2_0.rev) from audit_rev a2_0 where a2_0.entity_id = ? and a2_0.rev <= ?);
-- name: limit_of
-- expect: SI-1
select l1_0.daily from limits l1_0 where l1_0.customer_id = ? and l1_0.channel = ?;
-- name: limit_default
-- expect: unbounded
select l1_0.daily from limits l1_0 where l1_0.customer_id = ? and l1_0.channel is null;
-- name: limit_null_safe
-- expect: unbounded
select l1_0.daily from limits l1_0 where l1_0.customer_id = ? and l1_0.channel is not distinct from ?;
-- name: close_account
-- expect: SI-0
update account set closed = ?, balance = ? where iban = ? and closed is null;
-- name: optimistic
-- expect: SI-0
update customer set full_name = ?, version = ? where id = ? and version = ?;
-- name: bulk_close
-- expect: unbounded
update account a1_0 set closed = ? where a1_0.customer_id in (select c1_0.id from customer c1_0 where c1_0.branch_id = ?);
-- name: exists_negative
-- expect: SI-1
select exists (select 1 from account a1_0 where a1_0.customer_id = ? and a1_0.balance < 0);
-- name: exists_param_expression
-- expect: unbounded
select exists (select 1 from account a1_0 where a1_0.customer_id = ? and a1_0.balance * ? < 0);
