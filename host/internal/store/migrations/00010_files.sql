-- +goose Up
ALTER TABLE chunk_repo ADD COLUMN folder TEXT NOT NULL DEFAULT ''; -- that is indexed under this name; '': none

-- Calls that named themselves, so that a repeated one gets the same answer. Rows of the last days.
CREATE TABLE chunk_call (
    id     TEXT PRIMARY KEY, -- hash of the caller and the name
    digest BLOB NOT NULL,    -- of the arguments
    answer TEXT NOT NULL,    -- JSON
    at     INTEGER NOT NULL
) STRICT;
