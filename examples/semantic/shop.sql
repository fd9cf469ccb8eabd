-- The shop that docs/semantic.md asks: small enough to check every number by hand.
CREATE TABLE regions (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
INSERT INTO regions VALUES (1, 'north'), (2, 'south');

CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, segment TEXT, region_id INTEGER REFERENCES regions (id));
INSERT INTO customers VALUES
  (1, 'Ann', 'retail', 1), (2, 'Bob', NULL, 2), (3, 'Cem', 'trade', NULL), (4, 'Dee', 'retail', 2),
  (5, 'Eve', 'public', 1); -- Cem and Eve never ordered

CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL);
INSERT INTO products VALUES (1, 'Tea', 'food'), (2, 'Cup', 'kitchen'), (3, 'Pot', 'kitchen');

CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, ship_region_id INTEGER, status TEXT NOT NULL, amount INTEGER NOT NULL, created_at TIMESTAMP NOT NULL);
INSERT INTO orders VALUES
  (1, 1, 1, 'paid', 100, '2025-01-30 09:00:00'),
  (2, 1, 2, 'paid', 50, '2025-01-31 23:30:00'), -- in Berlin it is February
  (3, 2, 2, 'paid', 30, '2025-02-01 08:00:00'),
  (4, 4, 1, 'refunded', 20, '2025-02-27 12:00:00'),
  (5, 77, 1, 'paid', 7, '2025-04-05 10:00:00'), -- of a customer that is not there
  (6, NULL, 2, 'pending', 3, '2025-04-05 11:00:00'); -- of a guest

CREATE TABLE order_items (order_id INTEGER, line INTEGER, product_id INTEGER, quantity INTEGER NOT NULL, PRIMARY KEY (order_id, line));
INSERT INTO order_items VALUES (1, 1, 1, 2), (1, 2, 2, 5), (1, 3, 3, 1), (2, 1, 1, 1), (3, 1, 2, 4), (4, 1, 1, 2), (5, 1, 3, 1);

CREATE TABLE returns (id INTEGER PRIMARY KEY, order_id INTEGER, amount INTEGER NOT NULL);
INSERT INTO returns VALUES (1, 4, 20), (2, 1, 10), (3, 1, 5); -- two of order 1

CREATE TABLE stock (day DATE, product_id INTEGER, on_hand INTEGER NOT NULL, PRIMARY KEY (day, product_id));
INSERT INTO stock VALUES ('2025-01-30', 1, 5), ('2025-01-31', 1, 4), ('2025-01-31', 2, 9), ('2025-02-28', 1, 7), ('2025-02-28', 2, 1);

-- The fiscal calendar: years of 52 weeks that begin at the end of January, quarters of months of four, four and five weeks.
CREATE TABLE fiscal_days (day DATE PRIMARY KEY, year INTEGER NOT NULL, quarter TEXT NOT NULL, month INTEGER NOT NULL, week INTEGER NOT NULL);
INSERT INTO fiscal_days
  WITH RECURSIVE days (day, week) AS (SELECT '2024-01-29', 0 UNION ALL SELECT date(day, '+1 day'), (julianday(day) + 1 - julianday('2024-01-29')) / 7 FROM days WHERE day < '2026-01-25'),
  parts (day, year, quarter, month, week) AS (SELECT day, 2024 + CAST(week AS INTEGER) / 52, CAST(week AS INTEGER) % 52 / 13, min(CAST(week AS INTEGER) % 13 / 4, 2), CAST(week AS INTEGER) % 52 FROM days)
  SELECT day, year, year || '-Q' || (quarter + 1), year * 100 + quarter * 3 + month + 1, year * 100 + week + 1 FROM parts;
