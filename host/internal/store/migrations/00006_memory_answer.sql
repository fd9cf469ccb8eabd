-- +goose Up
-- What language models answered about parts of texts. Times are unix milliseconds.
CREATE TABLE memory_answer (
    key    BLOB PRIMARY KEY, -- hash of the prompt's version, model, part and names
    answer TEXT NOT NULL,    -- JSON object
    at     INTEGER NOT NULL
) STRICT;

-- The tokens that they took.
CREATE TABLE memory_tokens (
    day    TEXT PRIMARY KEY, -- '2026-11-20', of UTC
    tokens INTEGER NOT NULL
) STRICT;
