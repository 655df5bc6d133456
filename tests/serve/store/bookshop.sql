-- A bookshop with readers who follow each other: what its pages ask.

CREATE TABLE authors (author_id BIGINT PRIMARY KEY, name STRING NOT NULL, born DATE);
CREATE TABLE books (
  book_id BIGINT PRIMARY KEY, title STRING NOT NULL, author_id BIGINT NOT NULL REFERENCES authors (author_id),
  subject STRING NOT NULL, published DATE NOT NULL, price DECIMAL(10, 2) NOT NULL, rating DOUBLE, in_print BOOLEAN NOT NULL
);
CREATE TABLE stock (book_id BIGINT PRIMARY KEY REFERENCES books (book_id), copies INT NOT NULL);
CREATE TABLE readers (reader STRING PRIMARY KEY, town STRING, since TIMESTAMP NOT NULL);
CREATE TABLE orders (
  order_id BIGINT PRIMARY KEY, reader STRING NOT NULL REFERENCES readers (reader), placed_at TIMESTAMP NOT NULL TEMPORAL,
  status STRING NOT NULL, total DECIMAL(12, 2)
);
CREATE TABLE order_lines (
  order_id BIGINT REFERENCES orders (order_id), line INT, book_id BIGINT NOT NULL REFERENCES books (book_id), copies INT NOT NULL,
  discount DOUBLE, PRIMARY KEY (order_id, line), CARDINALITY LIMIT 12 (order_id)
);
CREATE TABLE follows (
  reader STRING REFERENCES readers (reader), followed STRING REFERENCES readers (reader), approved BOOLEAN NOT NULL,
  PRIMARY KEY (reader, followed), CARDINALITY LIMIT 30 (reader)
);
CREATE TABLE notes (reader STRING REFERENCES readers (reader), at_ms BIGINT, text STRING, PRIMARY KEY (reader, at_ms));
CREATE TABLE labels (book_id BIGINT REFERENCES books (book_id), label STRING, PRIMARY KEY (book_id, label), CARDINALITY LIMIT 6 (book_id));
CREATE TABLE visits (reader STRING, page STRING, CARDINALITY LIMIT 200 (reader));

CREATE QUERY reader AS SELECT * FROM readers WHERE reader = :reader;
CREATE QUERY book AS
  SELECT b.title, a.name, s.copies, b.price FROM books b JOIN authors a ON a.author_id = b.author_id
  LEFT JOIN stock s ON s.book_id = b.book_id WHERE b.book_id = :book_id;
-- param: ids <= 10
CREATE QUERY some_books AS SELECT book_id, title FROM books WHERE book_id IN (:ids);
CREATE QUERY new_books AS
  SELECT b.book_id, b.title, a.name FROM books b JOIN authors a ON a.author_id = b.author_id
  WHERE b.subject = :subject ORDER BY b.published DESC, b.title LIMIT 10;
CREATE QUERY books_between AS
  SELECT book_id, price FROM books WHERE subject = :subject AND price >= :price AND in_print = TRUE ORDER BY price LIMIT 5;
CREATE QUERY by_word AS SELECT book_id, title FROM books WHERE TOKEN(title) = :word ORDER BY title LIMIT 5;
CREATE QUERY by_prefix AS SELECT book_id, title FROM books WHERE title LIKE :start || '%' ORDER BY title LIMIT 5;
CREATE QUERY last_order AS SELECT order_id, status, total FROM orders WHERE reader = :reader ORDER BY placed_at DESC LIMIT 1;
CREATE QUERY order_page AS
  SELECT l.line, b.title, l.copies, l.copies * b.price AS amount FROM order_lines l JOIN books b ON b.book_id = l.book_id
  WHERE l.order_id = :order_id ORDER BY l.line;
CREATE QUERY order_sum AS
  SELECT count(*) AS lines, sum(l.copies * b.price) AS amount, max(b.price) AS dearest
  FROM order_lines l JOIN books b ON b.book_id = l.book_id WHERE l.order_id = :order_id;
CREATE QUERY newest_orders AS SELECT order_id, reader, placed_at FROM orders ORDER BY placed_at DESC LIMIT 7;
CREATE QUERY stream AS
  SELECT n.reader, n.at_ms, n.text FROM follows f JOIN notes n ON n.reader = f.followed
  WHERE f.reader = :reader AND f.approved = TRUE ORDER BY n.at_ms DESC LIMIT 8;
CREATE QUERY followers AS SELECT f.reader, r.town FROM follows f JOIN readers r ON r.reader = f.reader WHERE f.followed = :followed LIMIT 6;
CREATE QUERY follower_count AS SELECT count(*) AS n FROM follows WHERE followed = :followed;
CREATE QUERY approved_by_town AS
  SELECT r.town, count(*) AS n FROM follows f JOIN readers r ON r.reader = f.reader
  WHERE f.followed = :followed AND f.approved = TRUE GROUP BY r.town ORDER BY n DESC LIMIT 5;
CREATE QUERY two_labels AS
  SELECT a.book_id FROM labels a JOIN labels b ON a.book_id = b.book_id
  WHERE a.label = :first AND b.label = :second LIMIT 20;
CREATE QUERY three_labels AS
  SELECT a.book_id FROM labels a JOIN labels b ON a.book_id = b.book_id JOIN labels c ON c.book_id = a.book_id
  WHERE a.label = :first AND b.label = :second AND c.label = :third LIMIT 20;
CREATE QUERY labelled AS
  SELECT b.book_id, b.title, b.price FROM labels l JOIN books b ON b.book_id = l.book_id
  WHERE l.label = :label ORDER BY b.price LIMIT 6;
CREATE QUERY subject_rating AS SELECT count(*) AS books, avg(rating) AS rating, sum(rating) AS total FROM books WHERE subject = :subject;
CREATE QUERY spread AS SELECT stddev(price) AS spread, avg(price) AS average FROM books WHERE subject = :subject;
CREATE QUERY bought AS
  SELECT sum(l.copies) AS copies, count(*) AS n FROM order_lines l JOIN orders o ON o.order_id = l.order_id
  WHERE l.book_id = :book_id AND o.status = :status;
CREATE QUERY subjects AS SELECT DISTINCT subject FROM books WHERE author_id = :author_id ORDER BY subject LIMIT 9;
CREATE QUERY sold_out AS
  SELECT l.line, l.book_id FROM order_lines l WHERE l.order_id = :order_id
  AND NOT EXISTS (SELECT 1 FROM stock s WHERE s.book_id = l.book_id AND s.copies > 3);
CREATE QUERY pages AS SELECT page, count(*) AS n FROM visits WHERE reader = :reader GROUP BY page;
CREATE QUERY either AS SELECT book_id FROM books WHERE book_id = :book_id OR book_id = :other;
CREATE QUERY towns AS SELECT town FROM readers WHERE reader = :reader UNION SELECT town FROM readers WHERE reader = :other;
CREATE QUERY readers_by_last_note AS
  SELECT reader, MAX(at_ms) AS newest, COUNT(*) AS notes FROM notes GROUP BY reader ORDER BY newest DESC LIMIT 4;
CREATE QUERY newest_order_by_status AS
  SELECT status, MAX(order_id) AS newest FROM orders WHERE reader = :reader GROUP BY status ORDER BY newest DESC LIMIT 3;
CREATE QUERY newest_book_of_each_subject AS
  SELECT n.book_id, n.subject FROM (
    SELECT book_id, subject, ROW_NUMBER() OVER (PARTITION BY subject ORDER BY book_id DESC) AS rn FROM books WHERE author_id = :author_id
  ) n WHERE n.rn <= 2 ORDER BY n.book_id DESC LIMIT 5;
CREATE QUERY orders_of_month AS
  SELECT order_id FROM orders WHERE reader = :reader AND MONTH(placed_at) = CAST(:month AS INT) ORDER BY order_id LIMIT 5;
