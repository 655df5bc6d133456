-- dialect: postgres
-- A clinic as Django's ORM asks for it: soft deletes, nullable uniques, generic relations, choices, windows.
CREATE TABLE clinic_doctor (id bigserial PRIMARY KEY, name varchar(80) NOT NULL, ward_id bigint NULL, license varchar(20) NULL UNIQUE, on_call boolean NULL, UNIQUE (ward_id, on_call));
CREATE TABLE clinic_patient (id bigserial PRIMARY KEY, mrn varchar(20) NOT NULL, email varchar(254) NULL UNIQUE, doctor_id bigint NULL REFERENCES clinic_doctor(id), backup_id bigint NULL REFERENCES clinic_doctor(id), birth_date date NULL, deleted_at timestamptz NULL);
CREATE UNIQUE INDEX patient_mrn_live ON clinic_patient (mrn) WHERE deleted_at IS NULL;
CREATE TABLE clinic_room (id int PRIMARY KEY, label varchar(10) NOT NULL, active boolean NOT NULL);
CREATE TABLE clinic_slot (doctor_id bigint NOT NULL REFERENCES clinic_doctor(id), starts_at timestamptz NOT NULL, room_id int NULL REFERENCES clinic_room(id), patient_id bigint NULL REFERENCES clinic_patient(id), state varchar(8) NULL CHECK (state IN ('free', 'booked', 'done')), fee numeric(8,2) NOT NULL, PRIMARY KEY (doctor_id, starts_at), UNIQUE (room_id, starts_at));
CREATE TABLE clinic_plan (id bigserial PRIMARY KEY, patient_id bigint NOT NULL REFERENCES clinic_patient(id), state varchar(8) NULL CHECK (state IN ('draft', 'active', 'over')), kind varchar(8) NOT NULL CHECK (kind IN ('acute', 'chronic')), weight double precision NOT NULL UNIQUE, UNIQUE (patient_id, state), UNIQUE (patient_id, kind));
CREATE TABLE django_attachment (id bigserial PRIMARY KEY, content_type varchar(30) NOT NULL, object_id bigint NOT NULL, name varchar(80) NOT NULL, size int NOT NULL, UNIQUE (content_type, object_id, name));

-- name: patient_get
-- expect: SI-0
SELECT "clinic_patient"."id", "clinic_patient"."mrn" FROM "clinic_patient" WHERE "clinic_patient"."id" = %s LIMIT 21;
-- name: patient_live_by_mrn
-- expect: SI-1
SELECT * FROM clinic_patient WHERE (deleted_at IS NULL AND mrn = %s);
-- name: patient_live_by_mrn_negated
-- expect: SI-1
SELECT * FROM clinic_patient WHERE (mrn = %s AND NOT (deleted_at IS NOT NULL));
-- name: patient_any_by_mrn
-- expect: unbounded
SELECT * FROM clinic_patient WHERE mrn = %s;
-- name: patient_deleted_later
-- expect: unbounded
SELECT * FROM clinic_patient WHERE mrn = %s AND (deleted_at IS NULL OR deleted_at > now());
-- name: patient_by_filled_deletion
-- expect: unbounded
SELECT * FROM clinic_patient WHERE mrn = %s AND COALESCE(deleted_at, '1970-01-01') = '1970-01-01';
-- name: patient_without_email
-- expect: unbounded
SELECT * FROM clinic_patient WHERE email IS NULL;
-- name: patient_email_or_none
-- expect: unbounded
SELECT * FROM clinic_patient WHERE (email = %s) IS NOT FALSE;
-- name: patient_email_not_distinct
-- expect: unbounded
SELECT * FROM clinic_patient WHERE email IS NOT DISTINCT FROM %s;
-- name: patient_email_filled
-- expect: unbounded
SELECT * FROM clinic_patient WHERE COALESCE(email, '') = %s;
-- name: patient_email_nullif
-- expect: unbounded
SELECT * FROM clinic_patient WHERE NULLIF(email, %s) IS NULL;
-- name: patient_email_iexact
-- expect: unbounded
SELECT * FROM clinic_patient WHERE UPPER(email::text) = UPPER(%s);
-- name: patient_email_or_id
-- expect: SI-1
SELECT * FROM clinic_patient WHERE email = %s OR id = %s;
-- name: patient_email_or_mrn
-- expect: unbounded
SELECT * FROM clinic_patient WHERE email = %s OR mrn = %s;
-- name: patient_optional_filter
-- expect: unbounded
SELECT * FROM clinic_patient WHERE (%(email)s IS NULL OR email = %(email)s);
-- name: patient_optional_coalesce
-- expect: unbounded
SELECT * FROM clinic_patient WHERE email = COALESCE(%(email)s, email);
-- name: patient_case_filter
-- expect: unbounded
SELECT * FROM clinic_patient WHERE CASE WHEN %(all)s THEN TRUE ELSE id = %(id)s END;
-- name: patient_in_three
-- expect: SI-0
SELECT * FROM clinic_patient WHERE id IN (%s, %s, %s);
-- name: patient_in_any
-- expect: unbounded
SELECT * FROM clinic_patient WHERE id = ANY(%s);
-- name: patient_keyset
-- expect: SI-0
SELECT * FROM clinic_patient WHERE id > %s ORDER BY id ASC LIMIT 50;
-- name: patient_window_of_ids
-- expect: SI-0
SELECT * FROM clinic_patient WHERE id BETWEEN %(from)s AND %(from)s + 10;
-- name: patient_width_by_parameter
-- expect: unbounded
SELECT * FROM clinic_patient WHERE id BETWEEN %(from)s AND %(from)s + %(width)s;
-- name: adults_by_id
-- expect: unbounded
SELECT * FROM clinic_patient WHERE birth_date < now() - interval '18 years' ORDER BY id LIMIT 10;
-- name: adults_by_birth
-- expect: SI-1
SELECT * FROM clinic_patient WHERE birth_date < %s ORDER BY birth_date LIMIT 10;
-- name: born_in_year
-- expect: SI-1
SELECT * FROM clinic_patient WHERE EXTRACT(year FROM birth_date) = %s ORDER BY id LIMIT 10;
-- name: age_now
-- expect: unbounded
SELECT * FROM clinic_patient WHERE EXTRACT(year FROM age(now(), birth_date)) = %s ORDER BY id LIMIT 10;
-- name: slot_get
-- expect: SI-0
SELECT * FROM clinic_slot WHERE doctor_id = %s AND starts_at = %s;
-- name: slot_next
-- expect: SI-0
SELECT * FROM clinic_slot WHERE doctor_id = %s AND starts_at >= %s ORDER BY starts_at LIMIT 20;
-- name: slot_of_a_day
-- expect: unbounded
SELECT * FROM clinic_slot WHERE doctor_id = %(d)s AND starts_at BETWEEN %(day)s AND %(day)s + interval '1 day';
-- name: slot_in_room
-- expect: SI-1
SELECT * FROM clinic_slot WHERE room_id = %s AND starts_at = %s;
-- name: slot_without_room
-- expect: unbounded
SELECT * FROM clinic_slot WHERE room_id IS NULL AND starts_at = %s;
-- name: slot_keyset_row
-- expect: SI-0
SELECT * FROM clinic_slot WHERE (doctor_id, starts_at) > (%s, %s) ORDER BY doctor_id, starts_at LIMIT 20;
-- name: slot_with_room_inner
-- expect: SI-1
SELECT s.*, r.label FROM clinic_slot s INNER JOIN clinic_room r ON s.room_id = r.id WHERE s.doctor_id = %s ORDER BY s.starts_at LIMIT 10;
-- name: slot_with_room_left
-- expect: SI-0
SELECT s.*, r.label FROM clinic_slot s LEFT OUTER JOIN clinic_room r ON s.room_id = r.id WHERE s.doctor_id = %s ORDER BY s.starts_at LIMIT 10;
-- name: slot_with_active_room
-- expect: unbounded
SELECT s.*, r.label FROM clinic_slot s LEFT OUTER JOIN clinic_room r ON s.room_id = r.id WHERE s.doctor_id = %s AND r.active ORDER BY s.starts_at LIMIT 10;
-- name: slot_conflicts
-- expect: SI-1
SELECT b.doctor_id FROM clinic_slot a JOIN clinic_slot b ON a.room_id = b.room_id AND a.starts_at = b.starts_at AND a.doctor_id <> b.doctor_id WHERE a.doctor_id = %s AND a.starts_at = %s;
-- name: plan_of_patient_by_kind
-- expect: SI-1
SELECT * FROM clinic_plan WHERE patient_id = %s;
-- name: doctor_of_ward
-- expect: unbounded
SELECT * FROM clinic_doctor WHERE ward_id = %s;
-- name: doctor_of_ward_known
-- expect: SI-1
SELECT * FROM clinic_doctor WHERE ward_id = %s AND on_call IS NOT NULL;
-- name: plan_weight_window
-- expect: unbounded
SELECT * FROM clinic_plan WHERE weight BETWEEN %(w)s AND %(w)s + 10;
-- name: generic_relation
-- expect: SI-1
SELECT a.* FROM django_attachment a WHERE a.content_type = 'patient' AND a.object_id = %s ORDER BY a.id LIMIT 10;
-- name: generic_relation_all
-- expect: unbounded
SELECT a.* FROM django_attachment a WHERE a.content_type = 'patient' AND a.object_id = %s;
-- name: generic_relation_named
-- expect: SI-1
SELECT p.id, a.size FROM clinic_patient p LEFT JOIN django_attachment a ON a.content_type = (CASE WHEN p.deleted_at IS NULL THEN 'patient' ELSE 'gone' END) AND a.object_id = p.id AND a.name = %s WHERE p.id = %s;
-- name: generic_total
-- expect: SI-2
SELECT COALESCE(SUM(a.size), 0) FROM django_attachment a WHERE a.content_type = %s AND a.object_id = %s;
-- name: patient_having_attachment
-- expect: SI-1
SELECT p.* FROM clinic_patient p WHERE p.id = %s AND EXISTS (SELECT 1 AS a FROM django_attachment U0 WHERE U0.object_id = p.id AND U0.content_type = 'patient' LIMIT 1);
-- name: patients_having_slots
-- expect: unbounded
SELECT p.* FROM clinic_patient p WHERE EXISTS (SELECT 1 AS a FROM clinic_slot U0 WHERE U0.patient_id = p.id AND U0.state = 'booked' LIMIT 1) ORDER BY p.id LIMIT 10;
-- name: patient_slot_count
-- expect: SI-2
SELECT p.id, (SELECT COUNT(*) FROM clinic_slot U0 WHERE U0.patient_id = p.id) AS slots FROM clinic_patient p WHERE p.id = %s;
-- name: patient_last_slot
-- expect: SI-1
SELECT p.id, (SELECT MAX(U0.starts_at) FROM clinic_slot U0 WHERE U0.patient_id = p.id) AS last FROM clinic_patient p WHERE p.id = %s;
-- name: patient_doctors_seen
-- expect: unbounded
SELECT COUNT(DISTINCT doctor_id) FROM clinic_slot WHERE patient_id = %s;
-- name: patient_distinct_doctors
-- expect: SI-1
SELECT DISTINCT doctor_id FROM clinic_slot WHERE patient_id = %s ORDER BY doctor_id LIMIT 5;
-- name: first_slots_of_doctor
-- expect: SI-0
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY doctor_id ORDER BY starts_at) AS rn FROM clinic_slot) U WHERE U.doctor_id = %s AND U.rn <= 3;
-- name: first_slots_in_room
-- expect: unbounded
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY doctor_id ORDER BY starts_at) AS rn FROM clinic_slot) U WHERE U.room_id = %s AND U.rn <= 3;
-- name: ranked_slots_with_ties
-- expect: unbounded
SELECT * FROM (SELECT *, RANK() OVER (PARTITION BY doctor_id ORDER BY fee) AS r FROM clinic_slot) U WHERE U.doctor_id = %s AND U.r <= 3;
-- name: page_with_total
-- expect: unbounded
SELECT *, COUNT(*) OVER () AS total FROM clinic_slot WHERE doctor_id = %s ORDER BY starts_at LIMIT 10;
-- name: running_fee_newest
-- expect: unbounded
SELECT starts_at, SUM(fee) OVER (ORDER BY starts_at) AS so_far FROM clinic_slot WHERE doctor_id = %s ORDER BY starts_at DESC LIMIT 10;
-- name: busiest_doctors_of_patient
-- expect: SI-2
SELECT doctor_id, COUNT(*) AS n FROM clinic_slot WHERE patient_id = %s GROUP BY doctor_id ORDER BY n DESC, doctor_id LIMIT 5;
-- name: doctors_often_seen
-- expect: SI-2
SELECT doctor_id, COUNT(*) AS n FROM clinic_slot WHERE patient_id = %s GROUP BY doctor_id HAVING COUNT(*) > 3 ORDER BY doctor_id LIMIT 5;
-- name: by_doctor_or_backup
-- expect: SI-1
SELECT p.* FROM clinic_patient p WHERE COALESCE(p.doctor_id, p.backup_id) = %s ORDER BY p.id LIMIT 10;
-- name: doctor_of_patient_filled
-- expect: SI-0
SELECT d.name FROM clinic_patient p JOIN clinic_doctor d ON d.id = COALESCE(p.doctor_id, p.backup_id) WHERE p.id = %s;
-- name: doctors_of_either
-- expect: SI-0
SELECT d.name FROM clinic_patient p JOIN clinic_doctor d ON d.id = p.doctor_id OR d.id = p.backup_id WHERE p.id = %s;
-- name: slot_patients_newest
-- expect: SI-0
SELECT * FROM clinic_patient WHERE id IN (SELECT U0.patient_id FROM clinic_slot U0 WHERE U0.doctor_id = %s ORDER BY U0.starts_at DESC LIMIT 5);
-- name: newest_then_filtered
-- expect: SI-0
WITH newest AS (SELECT * FROM clinic_patient ORDER BY id DESC LIMIT 100) SELECT * FROM newest WHERE mrn = %s;
-- name: live_then_mrn
-- expect: SI-1
WITH live AS (SELECT * FROM clinic_patient WHERE deleted_at IS NULL) SELECT * FROM live WHERE mrn = %s;
-- name: union_of_two
-- expect: SI-1
SELECT id FROM clinic_patient WHERE email = %s UNION SELECT patient_id FROM clinic_slot WHERE room_id = %s AND starts_at = %s;
-- name: union_cut_outside
-- expect: SI-1
(SELECT starts_at FROM clinic_slot WHERE doctor_id = %s) UNION ALL (SELECT starts_at FROM clinic_slot WHERE patient_id = %s) ORDER BY starts_at LIMIT 10;
-- name: except_with_limit
-- expect: unbounded
SELECT patient_id FROM clinic_slot WHERE doctor_id = %s EXCEPT SELECT id FROM clinic_patient WHERE deleted_at IS NOT NULL LIMIT 5;
-- name: last_patient
-- expect: SI-0
SELECT * FROM clinic_patient WHERE id = (SELECT MAX(id) FROM clinic_patient);
-- name: live_first
-- expect: SI-1
SELECT * FROM clinic_patient WHERE doctor_id = %s ORDER BY (deleted_at IS NULL) DESC, id LIMIT 10;
-- name: slots_by_doctor_name
-- expect: unbounded
SELECT s.*, d.name FROM clinic_slot s JOIN clinic_doctor d ON d.id = s.doctor_id WHERE s.patient_id = %s ORDER BY d.name LIMIT 10;
-- name: newest_slot_of_each_patient
-- expect: unbounded
SELECT DISTINCT ON (s.patient_id) s.* FROM clinic_slot s WHERE s.doctor_id = %s ORDER BY s.patient_id, s.starts_at DESC;
