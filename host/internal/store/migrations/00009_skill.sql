-- +goose Up
-- How often the skills of the project were used. Times are unix milliseconds.
CREATE TABLE skill_count (
    name      TEXT    NOT NULL,
    major     INTEGER NOT NULL, -- of the version
    uses      INTEGER NOT NULL,
    succeeded INTEGER NOT NULL,
    failed    INTEGER NOT NULL,
    last_at   INTEGER NOT NULL,
    PRIMARY KEY (name, major)
) STRICT;

-- The uses of the last months, so that each is reported at most once.
CREATE TABLE skill_use (
    n           INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT    NOT NULL UNIQUE, -- a ULID
    name        TEXT    NOT NULL,
    version     TEXT    NOT NULL, -- '' = none
    major       INTEGER NOT NULL,
    actor       BLOB    NOT NULL, -- hash of who used it
    begin_call  TEXT    NOT NULL, -- the clientId of the call that began it, '' = none
    report_call TEXT    NOT NULL, -- the clientId of the call that reported it, '' = none
    succeeded   INTEGER,          -- NULL = nobody reported it
    at          INTEGER NOT NULL
) STRICT;
CREATE INDEX skill_use_actor ON skill_use (actor, name, n);
CREATE INDEX skill_use_at ON skill_use (at);
