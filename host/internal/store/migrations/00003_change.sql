-- +goose Up
-- What memory proposes, writes and takes back. Times are unix milliseconds, hashes
-- SHA-256; the zero hash stands for a file that is not there.
CREATE TABLE memory_change (
    n           INTEGER PRIMARY KEY AUTOINCREMENT, -- the order in which they were proposed
    id          TEXT NOT NULL UNIQUE,
    run         TEXT NOT NULL,    -- '': none
    seq         INTEGER NOT NULL, -- in the run
    kind        TEXT NOT NULL,
    connection  TEXT NOT NULL,    -- '': none
    target      TEXT NOT NULL,
    path        TEXT NOT NULL,
    source      TEXT NOT NULL,    -- '': the actor
    actor       TEXT NOT NULL,    -- as people see it
    signature   BLOB NOT NULL,
    state       TEXT NOT NULL,    -- draft: applied and not reviewed
    version     INTEGER NOT NULL, -- rises with every change of the row
    created_at  INTEGER NOT NULL,
    applied_at  INTEGER,
    undoes      TEXT NOT NULL,    -- '': none
    problem     TEXT NOT NULL,
    before_hash BLOB,             -- of the file before it; NULL: not written, or not kept any more
    after_hash  BLOB,
    proposal    TEXT NOT NULL,    -- JSON object
    proposed_by TEXT NOT NULL,    -- JSON object
    decision    TEXT,             -- JSON object; NULL: nobody decided
    writing     TEXT              -- JSON object: what is being written; NULL unless state is applying
) STRICT;
-- Lists are read from this index alone, in its order.
CREATE INDEX memory_change_list ON memory_change (state, n, kind, connection, source, actor, created_at);
CREATE INDEX memory_change_signature ON memory_change (signature);
CREATE INDEX memory_change_target ON memory_change (target, connection);
CREATE INDEX memory_change_run ON memory_change (run);
CREATE INDEX memory_change_path ON memory_change (path);
CREATE INDEX memory_change_undoes ON memory_change (undoes) WHERE undoes <> '';

-- What happened, oldest first.
CREATE TABLE memory_event (
    n      INTEGER PRIMARY KEY AUTOINCREMENT,
    at     INTEGER NOT NULL,
    actor  TEXT NOT NULL, -- JSON object
    verb   TEXT NOT NULL,
    change TEXT NOT NULL, -- '': none
    run    TEXT NOT NULL, -- '': none
    detail TEXT NOT NULL
) STRICT;
CREATE INDEX memory_event_change ON memory_event (change);

-- The contents that files had, oldest first.
CREATE TABLE memory_revision (
    n      INTEGER PRIMARY KEY AUTOINCREMENT,
    path   TEXT NOT NULL,
    hash   BLOB NOT NULL,
    at     INTEGER NOT NULL,
    origin TEXT NOT NULL, -- machine or person
    change TEXT NOT NULL  -- '': none wrote it
) STRICT;
CREATE INDEX memory_revision_path ON memory_revision (path, n);

CREATE TABLE memory_blob (
    hash    BLOB PRIMARY KEY,
    bytes   INTEGER NOT NULL, -- of the content
    content BLOB NOT NULL     -- zstd
) STRICT;
