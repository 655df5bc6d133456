-- dialect: mysql
-- Columns of few values that have more, or NULLs; writes with a cut.
create table e (id bigint not null primary key, st enum('a','b') not null, g bigint not null, fl tinyint(1) not null, unique key (g, st));
alter table e modify column st varchar(20) not null;
create table e2 (id bigint not null primary key, st enum('a','b') null, g bigint not null, unique key (g, st));
create table ck (id bigint not null primary key, st varchar(10) not null, g bigint not null, constraint c check (st in ('a','b')) not enforced, unique key (g, st));
-- name: e_by_g
-- expect: unbounded
select * from e where g = ?;
-- name: e2_by_g
-- expect: unbounded
select * from e2 where g = ?;
-- name: ck_by_g
-- expect: unbounded
select * from ck where g = ?;
-- name: replace_into
-- expect: SI-0
replace into e (id, st) values (?, ?);
-- name: force_index
-- expect: SI-1
select * from e force index (g) where g = ? order by id limit 3;
-- name: straight
-- expect: SI-0
select sql_calc_found_rows * from e where id = ? limit 10;
-- name: delete_limit
-- expect: SI-1
delete from e where g = ? order by id limit 10;
-- name: update_limit
-- expect: unbounded
update e set fl = 1 where fl = 0 and g > ?;
