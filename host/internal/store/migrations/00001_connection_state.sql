-- +goose Up
-- What was last known of each connection. Times are unix milliseconds.
CREATE TABLE connection_state (
    connection          TEXT PRIMARY KEY,
    fingerprint         TEXT NOT NULL,    -- of the configuration it was seen under
    product             TEXT NOT NULL,
    version             TEXT NOT NULL,
    account             TEXT NOT NULL,
    database            TEXT NOT NULL,
    read_only           INTEGER NOT NULL, -- 0 unspecified, 1 parser, 2 session, 3 engine
    read_only_mechanism TEXT NOT NULL,
    warnings            TEXT NOT NULL,    -- JSON list
    opened_at           INTEGER,          -- NULL: never opened
    failure             TEXT,             -- JSON object; NULL: the last attempt succeeded
    failed_at           INTEGER
) STRICT;
