-- dialect: oracle
CREATE TABLE hotels (hotel_id NUMBER(10) PRIMARY KEY, code VARCHAR2(10) NOT NULL, name VARCHAR2(100), city_id NUMBER(10), CONSTRAINT hotels_code_uk UNIQUE (code));
CREATE TABLE rooms (room_id NUMBER(10) NOT NULL, hotel_id NUMBER(10) NOT NULL, room_no VARCHAR2(8) NOT NULL, kind CHAR(1) NOT NULL, CONSTRAINT rooms_pk PRIMARY KEY (room_id), CONSTRAINT rooms_hotel_fk FOREIGN KEY (hotel_id) REFERENCES hotels (hotel_id), CONSTRAINT rooms_kind_ck CHECK (kind IN ('S', 'D', 'T')), CONSTRAINT rooms_uk UNIQUE (hotel_id, room_no));
CREATE TABLE guests (guest_id NUMBER(19) PRIMARY KEY, email VARCHAR2(200), passport VARCHAR2(20), active NUMBER(1) DEFAULT 1 NOT NULL);
ALTER TABLE guests ADD CONSTRAINT guests_email_uk UNIQUE (email) DISABLE;
ALTER TABLE guests ADD CONSTRAINT guests_passport_uk UNIQUE (passport) ENABLE NOVALIDATE;
CREATE TABLE bookings (booking_id NUMBER(19) PRIMARY KEY, room_id NUMBER(10) NOT NULL REFERENCES rooms (room_id), guest_id NUMBER(19) NOT NULL, check_in DATE NOT NULL, check_out DATE NOT NULL, status VARCHAR2(10), ref_no VARCHAR2(20), CONSTRAINT bookings_ref_uk UNIQUE (ref_no) DEFERRABLE INITIALLY DEFERRED, CONSTRAINT bookings_day_uk UNIQUE (room_id, check_in), CONSTRAINT bookings_guest_fk FOREIGN KEY (guest_id) REFERENCES guests (guest_id) RELY DISABLE NOVALIDATE);
CREATE TABLE rates (hotel_id NUMBER(10) NOT NULL, kind CHAR(1) NOT NULL, day DATE NOT NULL, price NUMBER(10,2), CONSTRAINT rates_pk PRIMARY KEY (hotel_id, kind, day), CONSTRAINT rates_kind_ck CHECK (kind IN ('S', 'D', 'T')));
CREATE TABLE loyalty (guest_id NUMBER(19), program VARCHAR2(10), points NUMBER, CONSTRAINT loyalty_uk UNIQUE (guest_id, program));
CREATE UNIQUE INDEX loyalty_fn ON loyalty (CASE WHEN points > 0 THEN guest_id END, CASE WHEN points > 0 THEN program END);
CREATE TABLE org (emp_id NUMBER PRIMARY KEY, mgr_id NUMBER, name VARCHAR2(50));

-- name: hotel
-- expect: SI-0
SELECT * FROM hotels WHERE hotel_id = :id;
-- name: hotel_code
-- expect: SI-1
SELECT * FROM hotels WHERE code = :code;
-- name: hotel_code_upper
-- expect: unbounded
SELECT * FROM hotels WHERE UPPER(code) = UPPER(:code);
-- name: hotel_code_number
-- expect: unbounded
SELECT * FROM hotels WHERE code = 17;
-- name: guest_email_disabled
-- expect: unbounded
SELECT * FROM guests WHERE email = :e;
-- name: guest_passport_novalidate
-- expect: unbounded
SELECT * FROM guests WHERE passport = :p;
-- name: booking_ref_deferred
-- expect: unbounded
SELECT * FROM bookings WHERE ref_no = :r;
-- name: rownum_first
-- expect: SI-1
SELECT * FROM bookings WHERE guest_id = :g AND ROWNUM <= 10;
-- name: rownum_before_order
-- expect: unbounded
SELECT * FROM (SELECT * FROM bookings ORDER BY check_in) WHERE status = :s AND ROWNUM > 0;
-- name: rownum_gt
-- expect: unbounded
SELECT * FROM bookings WHERE ROWNUM > 5;
-- name: rownum_page
-- expect: SI-1
SELECT * FROM (SELECT b.*, ROWNUM rn FROM (SELECT * FROM bookings WHERE guest_id = :g ORDER BY booking_id DESC) b WHERE ROWNUM <= 20) WHERE rn > 10;
-- name: rownum_param
-- expect: SI-1
SELECT * FROM (SELECT * FROM bookings WHERE guest_id = :g ORDER BY booking_id DESC) WHERE ROWNUM <= :n;
-- name: rownum_or
-- expect: unbounded
SELECT * FROM bookings WHERE guest_id = :g OR ROWNUM <= 10;
-- name: fetch_first
-- expect: SI-1
SELECT * FROM bookings WHERE guest_id = :g ORDER BY check_in DESC FETCH FIRST 10 ROWS ONLY;
-- name: fetch_ties
-- expect: unbounded
SELECT * FROM bookings WHERE guest_id = :g ORDER BY check_in DESC FETCH FIRST 10 ROWS WITH TIES;
-- name: fetch_percent
-- expect: unbounded
SELECT * FROM bookings ORDER BY booking_id FETCH FIRST 1 PERCENT ROWS ONLY;
-- name: offset_fetch
-- expect: SI-1
SELECT * FROM bookings WHERE guest_id = :g ORDER BY check_in DESC OFFSET 20 ROWS FETCH NEXT 10 ROWS ONLY;
-- name: offset_only
-- expect: unbounded
SELECT * FROM bookings WHERE guest_id = :g ORDER BY check_in DESC OFFSET 20 ROWS;
-- name: room_join
-- expect: SI-0
SELECT r.room_no, h.name FROM rooms r, hotels h WHERE r.hotel_id = h.hotel_id AND r.room_id = :r;
-- name: outer_plus
-- expect: SI-0
SELECT r.room_no, h.name FROM rooms r, hotels h WHERE r.hotel_id = h.hotel_id(+) AND r.room_id = :r;
-- name: outer_plus_wrong_side
-- expect: unbounded
SELECT r.room_no, h.name FROM rooms r, hotels h WHERE r.hotel_id(+) = h.hotel_id AND r.room_id(+) = :r;
-- name: rooms_of_hotel
-- expect: unbounded
SELECT * FROM rooms WHERE hotel_id = :h;
-- name: rates_day
-- expect: SI-0
SELECT * FROM rates WHERE hotel_id = :h AND day = :d;
-- name: rates_range
-- expect: unbounded
SELECT * FROM rates WHERE hotel_id = :h AND kind = 'D' AND day BETWEEN :a AND :b;
-- name: rates_week
-- expect: unbounded
SELECT * FROM rates WHERE hotel_id = :h AND kind = 'D' AND day >= :a AND day < :a + 7;
-- name: loyalty_all
-- expect: unbounded
SELECT * FROM loyalty WHERE guest_id = :g AND program IS NULL;
-- name: loyalty_one
-- expect: SI-1
SELECT * FROM loyalty WHERE guest_id = :g AND program = :p;
-- name: loyalty_fn_one
-- expect: SI-1
SELECT * FROM loyalty WHERE CASE WHEN points > 0 THEN guest_id END = :g AND CASE WHEN points > 0 THEN program END = :p;
-- name: connect_by
-- expect: unbounded
SELECT emp_id FROM org START WITH emp_id = :e CONNECT BY PRIOR emp_id = mgr_id;
-- name: connect_by_limited
-- expect: unbounded
SELECT LEVEL FROM dual CONNECT BY LEVEL <= :n;
-- name: dual
-- expect: SI-0
SELECT SYSDATE FROM dual;
-- name: analytic_last
-- expect: unbounded
SELECT * FROM (SELECT b.*, ROW_NUMBER() OVER (PARTITION BY guest_id ORDER BY check_in DESC) rn FROM bookings b) WHERE rn = 1;
-- name: analytic_last_of_guest
-- expect: SI-1
SELECT * FROM (SELECT b.*, ROW_NUMBER() OVER (PARTITION BY guest_id ORDER BY check_in DESC) rn FROM bookings b) WHERE rn = 1 AND guest_id = :g;
-- name: analytic_rank_of_guest
-- expect: unbounded
SELECT * FROM (SELECT b.*, RANK() OVER (PARTITION BY guest_id ORDER BY check_in DESC) rn FROM bookings b) WHERE rn = 1 AND guest_id = :g;
-- name: keep_dense_rank
-- expect: unbounded
SELECT MAX(status) KEEP (DENSE_RANK LAST ORDER BY check_in) FROM bookings WHERE guest_id = :g;
-- name: for_update
-- expect: SI-0
SELECT * FROM bookings WHERE booking_id = :b FOR UPDATE NOWAIT;
-- name: for_update_skip
-- expect: unbounded
SELECT * FROM bookings WHERE status = 'NEW' AND ROWNUM <= 5 FOR UPDATE SKIP LOCKED;
-- name: nvl_key
-- expect: unbounded
SELECT * FROM bookings WHERE NVL(booking_id, 0) = :b;
-- name: nvl_param
-- expect: SI-0
SELECT * FROM bookings WHERE booking_id = NVL(:b, 0);
-- name: optional_param
-- expect: unbounded
SELECT * FROM bookings WHERE (:g IS NULL OR guest_id = :g) AND status = 'NEW';
-- name: decode_key
-- expect: unbounded
SELECT * FROM bookings WHERE DECODE(:g, NULL, 1, booking_id) = 1;
-- name: merge_one
-- expect: not analysed
MERGE INTO loyalty l USING (SELECT :g AS guest_id, :p AS program FROM dual) s ON (l.guest_id = s.guest_id AND l.program = s.program) WHEN MATCHED THEN UPDATE SET points = points + 1 WHEN NOT MATCHED THEN INSERT (guest_id, program, points) VALUES (s.guest_id, s.program, 1);
-- name: delete_rownum
-- expect: SI-1
DELETE FROM bookings WHERE status = 'OLD' AND ROWNUM <= 100;
-- name: overlap
-- expect: unbounded
SELECT * FROM bookings WHERE room_id = :r AND check_in < :b AND check_out > :a;
-- name: minus_keys
-- expect: SI-0
SELECT room_id FROM rooms WHERE room_id = :r MINUS SELECT room_id FROM rooms WHERE room_id = :q;
-- name: listagg
-- expect: unbounded
SELECT LISTAGG(room_no, ',') WITHIN GROUP (ORDER BY room_no) FROM rooms WHERE hotel_id = :h;
-- name: empty_string_null
-- expect: unbounded
SELECT * FROM hotels WHERE code <> '';
-- name: date_trunc_key
-- expect: unbounded
SELECT * FROM rates WHERE hotel_id = :h AND kind = 'D' AND TRUNC(day) = :d;
-- name: sample
-- expect: unbounded
SELECT * FROM guests SAMPLE (1) WHERE active = 1;
-- name: active_number1
-- expect: unbounded
SELECT active, COUNT(*) FROM guests WHERE active BETWEEN 0 AND 1 GROUP BY active, guest_id;
