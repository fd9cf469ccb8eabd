-- +goose Up
-- The tool calls that were answered, oldest first by id. Times are unix
-- milliseconds, durations microseconds.
CREATE TABLE tool_call (
    id              INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again
    request         TEXT NOT NULL,    -- in every log line of the call
    started_at      INTEGER NOT NULL,
    duration        INTEGER NOT NULL,
    tool            TEXT NOT NULL,
    connection      TEXT NOT NULL,    -- '': none
    outcome         TEXT NOT NULL,    -- 'ok' or an error's code
    incident        TEXT NOT NULL,    -- '': none
    rows            INTEGER,          -- NULL: no statement ran to its end
    bytes           INTEGER NOT NULL, -- of the answer
    client          TEXT NOT NULL,
    client_version  TEXT NOT NULL,
    transport       TEXT NOT NULL,
    principal       TEXT NOT NULL,
    session         TEXT NOT NULL,    -- a digest
    arguments       TEXT NOT NULL,    -- redacted; '': not kept
    arguments_bytes INTEGER NOT NULL  -- as sent
) STRICT;
CREATE INDEX tool_call_started_at ON tool_call (started_at);

-- Calls that were answered and not written down.
CREATE TABLE tool_call_gap (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    from_at  INTEGER NOT NULL,
    until_at INTEGER NOT NULL,
    calls    INTEGER NOT NULL,
    reason   TEXT NOT NULL
) STRICT;
