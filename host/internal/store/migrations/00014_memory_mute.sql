-- +goose Up
-- Actors whose waiting changes lists leave out.
CREATE TABLE memory_mute (
    actor    TEXT PRIMARY KEY, -- as memory_change.actor
    at       INTEGER NOT NULL,
    muted_by TEXT NOT NULL     -- JSON object
) STRICT;
