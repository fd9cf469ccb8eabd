-- The support and subscription system, bought elsewhere: no foreign keys are
-- declared, customers go by cust_no (the shop's customers.id), and a few of
-- them were deleted in the shop since.
CREATE TABLE agent (
  agent_code TEXT PRIMARY KEY,
  full_name  TEXT NOT NULL,
  team       TEXT NOT NULL
);
CREATE TABLE ticket (
  ticket_id  INTEGER PRIMARY KEY,
  cust_no    INTEGER,
  agent_code TEXT,
  channel    TEXT NOT NULL,    -- mail, chat, phone
  prio       INTEGER NOT NULL, -- 1 = urgent … 4 = whenever
  subject    TEXT NOT NULL,
  opened_ts  TEXT NOT NULL,    -- ISO 8601 with offset
  closed_ts  TEXT
);
CREATE TABLE plan (
  plan_code      TEXT PRIMARY KEY,
  plan_name      TEXT NOT NULL,
  mrr_cents      INTEGER NOT NULL,
  billing_period TEXT NOT NULL
);
CREATE TABLE subscription (
  sub_id     INTEGER PRIMARY KEY,
  cust_no    INTEGER NOT NULL,
  plan_code  TEXT NOT NULL,
  started_on DATE NOT NULL,
  ended_on   DATE
);
-- Club cards and gift cards are numbered by two offices. A card that was used may be either: only a person knows.
CREATE TABLE club_card (
  card_no   INTEGER PRIMARY KEY,
  issued_on DATE NOT NULL
);
CREATE TABLE gift_card (
  card_no     INTEGER PRIMARY KEY,
  value_cents INTEGER NOT NULL
);
CREATE TABLE card_use (
  use_id  INTEGER PRIMARY KEY,
  card_no INTEGER NOT NULL,
  used_on DATE NOT NULL
);
