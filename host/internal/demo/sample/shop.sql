-- The shop's operational database. Money is in cents of the row's currency;
-- timestamps are UTC without a zone.
CREATE TABLE regions (
  id           INTEGER PRIMARY KEY,
  name         TEXT NOT NULL,
  country_code CHAR(2) NOT NULL,
  time_zone    TEXT NOT NULL
);
CREATE TABLE customers (
  id         INTEGER PRIMARY KEY,
  name       TEXT NOT NULL,
  email      TEXT,                              -- NULL: asked to be forgotten
  segment    TEXT,                              -- consumer, business, public; NULL: not classified yet
  region_id  INTEGER REFERENCES regions (id),
  created_at TIMESTAMP NOT NULL
);
CREATE TABLE categories (
  id        INTEGER PRIMARY KEY,
  name      TEXT NOT NULL UNIQUE,
  parent_id INTEGER REFERENCES categories (id)
);
CREATE TABLE products (
  id          INTEGER PRIMARY KEY,
  sku         TEXT NOT NULL UNIQUE,
  name        TEXT NOT NULL,
  category_id INTEGER NOT NULL REFERENCES categories (id),
  active      BOOLEAN NOT NULL
);
-- Prices change: exactly one row is valid on any day (valid_to is exclusive, NULL = still valid).
CREATE TABLE product_prices (
  product_id  INTEGER NOT NULL REFERENCES products (id),
  valid_from  DATE NOT NULL,
  valid_to    DATE,
  price_cents INTEGER NOT NULL,
  PRIMARY KEY (product_id, valid_from)
);
CREATE TABLE tags (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);
CREATE TABLE product_tags (
  product_id INTEGER NOT NULL REFERENCES products (id),
  tag_id     INTEGER NOT NULL REFERENCES tags (id),
  PRIMARY KEY (product_id, tag_id)
) WITHOUT ROWID;
CREATE TABLE orders (
  id             INTEGER PRIMARY KEY,
  customer_id    INTEGER REFERENCES customers (id), -- NULL: bought as a guest
  bill_region_id INTEGER NOT NULL REFERENCES regions (id),
  ship_region_id INTEGER NOT NULL REFERENCES regions (id),
  status         TEXT NOT NULL CHECK (status IN ('pending', 'paid', 'shipped', 'cancelled')),
  currency       CHAR(3) NOT NULL,
  shipping_cents INTEGER NOT NULL,
  ordered_at     TIMESTAMP NOT NULL,
  shipped_at     TIMESTAMP
);
CREATE TABLE order_items (
  order_id         INTEGER NOT NULL REFERENCES orders (id),
  line_no          INTEGER NOT NULL,
  product_id       INTEGER NOT NULL REFERENCES products (id),
  quantity         INTEGER NOT NULL,
  unit_price_cents INTEGER NOT NULL,
  discount_cents   INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (order_id, line_no)
);
CREATE TABLE refunds (
  id           INTEGER PRIMARY KEY,
  order_id     INTEGER NOT NULL,
  line_no      INTEGER NOT NULL,
  amount_cents INTEGER NOT NULL,
  reason       TEXT,
  refunded_at  TIMESTAMP NOT NULL,
  FOREIGN KEY (order_id, line_no) REFERENCES order_items (order_id, line_no)
);
CREATE TABLE exchange_rates (
  day         DATE NOT NULL,
  currency    CHAR(3) NOT NULL,
  rate_to_eur DECIMAL(12,6) NOT NULL,
  PRIMARY KEY (day, currency)
);
CREATE INDEX orders_by_customer ON orders (customer_id);
CREATE INDEX orders_by_day ON orders (ordered_at);
CREATE INDEX items_by_product ON order_items (product_id);
CREATE VIEW order_totals AS
  SELECT o.id AS order_id, o.currency, SUM(i.quantity * i.unit_price_cents - i.discount_cents) AS goods_cents, o.shipping_cents
  FROM orders o JOIN order_items i ON i.order_id = o.id
  GROUP BY o.id;
