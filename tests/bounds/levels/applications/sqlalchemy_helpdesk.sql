-- dialect: postgres
-- A help desk as SQLAlchemy writes it: %(name)s, aliases with numbers, subqueries as derived tables, CASE, LATERAL.
CREATE TABLE organizations (id SERIAL NOT NULL, name VARCHAR(120) NOT NULL, plan VARCHAR(10) NOT NULL, PRIMARY KEY (id), UNIQUE (name));
CREATE TABLE agents (id SERIAL NOT NULL, org_id INTEGER NOT NULL, email VARCHAR(200) NOT NULL, active BOOLEAN NOT NULL, PRIMARY KEY (id), UNIQUE (org_id, email), FOREIGN KEY(org_id) REFERENCES organizations (id));
CREATE TABLE tickets (id SERIAL NOT NULL, org_id INTEGER NOT NULL, assignee_id INTEGER, subject VARCHAR(200) NOT NULL, state VARCHAR(8) NOT NULL, priority SMALLINT NOT NULL, opened_at TIMESTAMP NOT NULL, closed_at TIMESTAMP, PRIMARY KEY (id), FOREIGN KEY(org_id) REFERENCES organizations (id), FOREIGN KEY(assignee_id) REFERENCES agents (id));
CREATE TABLE messages (id SERIAL NOT NULL, ticket_id INTEGER NOT NULL, author VARCHAR(200) NOT NULL, body TEXT NOT NULL, sent_at TIMESTAMP NOT NULL, internal BOOLEAN NOT NULL, PRIMARY KEY (id), FOREIGN KEY(ticket_id) REFERENCES tickets (id));
CREATE TABLE labels (id SERIAL NOT NULL, org_id INTEGER NOT NULL, name VARCHAR(40) NOT NULL, PRIMARY KEY (id), UNIQUE (org_id, name), FOREIGN KEY(org_id) REFERENCES organizations (id));
CREATE TABLE ticket_labels (ticket_id INTEGER NOT NULL, label_id INTEGER NOT NULL, PRIMARY KEY (ticket_id, label_id), FOREIGN KEY(ticket_id) REFERENCES tickets (id), FOREIGN KEY(label_id) REFERENCES labels (id));

-- name: ticket
-- expect: SI-0
SELECT tickets.id AS tickets_id, tickets.subject AS tickets_subject FROM tickets WHERE tickets.id = %(pk_1)s;
-- name: ticket_with_org
-- expect: SI-0
SELECT tickets.id, tickets.subject, organizations_1.id AS id_1, organizations_1.name FROM tickets LEFT OUTER JOIN organizations AS organizations_1 ON organizations_1.id = tickets.org_id WHERE tickets.id = %(pk_1)s;
-- name: organization_by_name
-- expect: SI-1
SELECT organizations.id, organizations.name FROM organizations WHERE organizations.name = %(name_1)s;
-- name: agent_login
-- expect: SI-1
SELECT agents.id FROM agents WHERE agents.org_id = %(org_id_1)s AND agents.email = %(email_1)s;
-- name: agents_of_org
-- expect: unbounded
SELECT agents.id, agents.email FROM agents WHERE agents.org_id = %(org_id_1)s ORDER BY agents.email;
-- name: agents_of_org_page
-- expect: SI-1
SELECT agents.id, agents.email FROM agents WHERE agents.org_id = %(org_id_1)s AND agents.email > %(after)s ORDER BY agents.email LIMIT %(param_1)s;
-- name: queue
-- expect: SI-1
SELECT tickets.id, tickets.subject FROM tickets WHERE tickets.org_id = %(org_id_1)s AND tickets.state = %(state_1)s ORDER BY tickets.priority DESC, tickets.opened_at LIMIT %(param_1)s;
-- name: my_queue
-- expect: SI-1
SELECT tickets.id FROM tickets WHERE tickets.assignee_id = %(assignee_id_1)s AND tickets.state IN ('open', 'waiting') ORDER BY tickets.opened_at LIMIT 50;
-- name: unassigned
-- expect: SI-1
SELECT tickets.id FROM tickets WHERE tickets.org_id = %(org_id_1)s AND tickets.assignee_id IS NULL ORDER BY tickets.opened_at LIMIT 50;
-- name: keyset_page
-- expect: SI-1
SELECT tickets.id FROM tickets WHERE tickets.org_id = %(org_id_1)s AND (tickets.opened_at, tickets.id) < (%(at)s, %(id)s) ORDER BY tickets.opened_at DESC, tickets.id DESC LIMIT 20;
-- name: open_since
-- expect: SI-1
SELECT tickets.id FROM tickets WHERE tickets.org_id = %(org_id_1)s AND tickets.opened_at >= %(since)s ORDER BY tickets.opened_at LIMIT 100;
-- name: open_since_by_priority
-- expect: unbounded
SELECT tickets.id FROM tickets WHERE tickets.org_id = %(org_id_1)s AND tickets.opened_at >= %(since)s ORDER BY tickets.priority DESC LIMIT 100;
-- name: messages_of_ticket
-- expect: SI-1
SELECT messages.id, messages.body FROM messages WHERE messages.ticket_id = %(ticket_id_1)s AND messages.internal IS false ORDER BY messages.sent_at LIMIT 100;
-- name: messages_of_ticket_all
-- expect: unbounded
SELECT messages.id, messages.body FROM messages WHERE messages.ticket_id = %(ticket_id_1)s ORDER BY messages.sent_at;
-- name: last_message
-- expect: SI-1
SELECT messages.id, messages.body FROM messages WHERE messages.ticket_id = %(ticket_id_1)s ORDER BY messages.sent_at DESC LIMIT 1;
-- name: queue_with_last_message
-- expect: SI-1
SELECT tickets.id, (SELECT messages.body FROM messages WHERE messages.ticket_id = tickets.id ORDER BY messages.sent_at DESC LIMIT 1) AS last_body FROM tickets WHERE tickets.org_id = %(org_id_1)s ORDER BY tickets.opened_at DESC LIMIT 20;
-- name: queue_with_message_count
-- expect: SI-2
SELECT tickets.id, (SELECT count(*) AS count_1 FROM messages WHERE messages.ticket_id = tickets.id) AS n FROM tickets WHERE tickets.org_id = %(org_id_1)s ORDER BY tickets.opened_at DESC LIMIT 20;
-- name: queue_with_message_count_derived
-- expect: SI-2
SELECT tickets.id, anon_1.n FROM tickets LEFT OUTER JOIN (SELECT messages.ticket_id AS ticket_id, count(*) AS n FROM messages GROUP BY messages.ticket_id) AS anon_1 ON tickets.id = anon_1.ticket_id WHERE tickets.org_id = %(org_id_1)s ORDER BY tickets.opened_at DESC LIMIT 20;
-- name: queue_with_message_count_grouped
-- expect: SI-2
SELECT tickets.id, count(messages.id) AS n FROM tickets LEFT OUTER JOIN messages ON messages.ticket_id = tickets.id WHERE tickets.org_id = %(org_id_1)s GROUP BY tickets.id ORDER BY tickets.opened_at DESC LIMIT 20;
-- name: queue_lateral
-- expect: SI-1
SELECT tickets.id, last.body FROM tickets LEFT OUTER JOIN LATERAL (SELECT messages.body AS body FROM messages WHERE messages.ticket_id = tickets.id ORDER BY messages.sent_at DESC LIMIT 1) AS last ON true WHERE tickets.org_id = %(org_id_1)s ORDER BY tickets.opened_at DESC LIMIT 20;
-- name: state_counts
-- expect: unbounded
SELECT tickets.state, count(tickets.id) AS count_1 FROM tickets WHERE tickets.org_id = %(org_id_1)s GROUP BY tickets.state;
-- name: open_count
-- expect: SI-2
SELECT count(tickets.id) AS count_1 FROM tickets WHERE tickets.org_id = %(org_id_1)s AND tickets.state = 'open';
-- name: open_count_case
-- expect: SI-2
SELECT sum(CASE WHEN (tickets.state = 'open') THEN 1 ELSE 0 END) AS open, count(*) AS total FROM tickets WHERE tickets.org_id = %(org_id_1)s;
-- name: late_count
-- expect: unbounded
SELECT count(*) FILTER (WHERE tickets.opened_at < %(deadline)s) AS late FROM tickets WHERE tickets.org_id = %(org_id_1)s;
-- name: busiest_agents
-- expect: SI-2
SELECT tickets.assignee_id, count(*) AS n FROM tickets WHERE tickets.org_id = %(org_id_1)s GROUP BY tickets.assignee_id ORDER BY n DESC LIMIT 10;
-- name: average_hours
-- expect: SI-2
SELECT avg(EXTRACT(epoch FROM tickets.closed_at - tickets.opened_at)) AS avg_1 FROM tickets WHERE tickets.org_id = %(org_id_1)s;
-- name: median_hours
-- expect: unbounded
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY tickets.priority) AS p FROM tickets WHERE tickets.org_id = %(org_id_1)s;
-- name: labels_of_ticket
-- expect: unbounded
SELECT labels.id, labels.name FROM labels, ticket_labels WHERE %(param_1)s = ticket_labels.ticket_id AND labels.id = ticket_labels.label_id;
-- name: tickets_with_label
-- expect: SI-1
SELECT ticket_labels.ticket_id FROM ticket_labels JOIN labels ON labels.id = ticket_labels.label_id WHERE labels.org_id = %(org_id_1)s AND labels.name = %(name_1)s LIMIT 20;
-- name: tickets_with_two_labels
-- expect: unbounded
SELECT a.ticket_id FROM ticket_labels AS a JOIN ticket_labels AS b ON a.ticket_id = b.ticket_id WHERE a.label_id = %(l1)s AND b.label_id = %(l2)s LIMIT 20;
-- name: has_label
-- expect: SI-0
SELECT EXISTS (SELECT * FROM ticket_labels WHERE ticket_labels.ticket_id = %(t)s AND ticket_labels.label_id = %(l)s) AS anon_1;
-- name: search_subject
-- expect: unbounded
SELECT tickets.id FROM tickets WHERE tickets.org_id = %(org_id_1)s AND lower(tickets.subject) LIKE lower(%(subject_1)s) LIMIT 20;
-- name: subject_prefix
-- expect: SI-1
SELECT tickets.id FROM tickets WHERE tickets.org_id = %(org_id_1)s AND tickets.subject LIKE %(subject_1)s || '%%' LIMIT 20;
-- name: newest_per_agent
-- expect: unbounded
SELECT anon_1.id FROM (SELECT tickets.id AS id, row_number() OVER (PARTITION BY tickets.assignee_id ORDER BY tickets.opened_at DESC) AS rn FROM tickets) AS anon_1 WHERE anon_1.rn <= 3;
-- name: newest_of_agent_ranked
-- expect: SI-1
SELECT anon_1.id FROM (SELECT tickets.id AS id, tickets.assignee_id AS assignee_id, row_number() OVER (PARTITION BY tickets.assignee_id ORDER BY tickets.opened_at DESC) AS rn FROM tickets) AS anon_1 WHERE anon_1.rn <= 3 AND anon_1.assignee_id = %(a)s;
