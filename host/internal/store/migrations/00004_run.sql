-- +goose Up
-- Long work, one row each. Times are unix milliseconds.
CREATE TABLE run (
    id          TEXT PRIMARY KEY, -- 13 characters of base32
    kind        TEXT NOT NULL,    -- 'ingest'
    state       TEXT NOT NULL,    -- queued, running, done or error
    stage       TEXT NOT NULL,
    target      TEXT NOT NULL,    -- a connection; '': none
    actor       TEXT NOT NULL,    -- JSON object: who caused it
    attempts    INTEGER NOT NULL, -- counted before work begins
    queued_at   INTEGER NOT NULL,
    started_at  INTEGER,
    finished_at INTEGER,
    report      TEXT,             -- JSON object; NULL: nothing to report yet
    error       TEXT              -- NULL: it did not fail
) STRICT;
CREATE INDEX run_state ON run (kind, state, queued_at, id);
CREATE INDEX run_queued_at ON run (kind, queued_at, id);

-- The texts that runs of kind ingest remember.
CREATE TABLE memory_input (
    run          TEXT PRIMARY KEY REFERENCES run (id),
    connection   TEXT NOT NULL,    -- '': none
    source       TEXT NOT NULL,    -- as it was named beside the text
    content_hash BLOB NOT NULL,
    content      BLOB,             -- zstd, redacted; NULL: its time is over
    bytes        INTEGER NOT NULL, -- of the content
    open         INTEGER NOT NULL, -- 1: queued or running
    project      TEXT NOT NULL     -- the version of pages, files and snapshot when it ended
) STRICT;
CREATE UNIQUE INDEX memory_input_open ON memory_input (content_hash, connection) WHERE open = 1;
CREATE INDEX memory_input_content ON memory_input (content_hash, connection);

-- What measures were when they were run, never in a file.
CREATE TABLE memory_probe (
    connection TEXT NOT NULL,
    member     TEXT NOT NULL,
    definition BLOB NOT NULL,    -- hash
    at         INTEGER NOT NULL,
    period     TEXT NOT NULL,    -- '2026-10'; '': all rows
    value      TEXT,             -- JSON; NULL: none, or it is withheld
    rows       INTEGER NOT NULL, -- that it was made of
    millis     INTEGER NOT NULL,
    error      TEXT,             -- NULL: it ran
    PRIMARY KEY (connection, member, definition, period)
) STRICT;
