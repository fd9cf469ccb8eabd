-- +goose Up
-- What agents and people note while they work: checkpoints of their work, and remediations of errors. Times are unix
-- milliseconds; context and tags are JSON. owner is the principal that alone may see a row, '': everybody may.
CREATE TABLE note_checkpoint (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT NOT NULL UNIQUE,
    owner         TEXT NOT NULL,
    principal     TEXT NOT NULL, -- that saved it; '': none
    author        TEXT NOT NULL, -- 'agent', 'person'
    project_path  TEXT NOT NULL,
    context       TEXT NOT NULL,
    tags          TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    used_at       INTEGER NOT NULL, -- when it was saved last
    summary       TEXT NOT NULL,
    description   TEXT NOT NULL,
    tokens_before INTEGER,
    tokens_after  INTEGER,
    tokens        INTEGER NOT NULL  -- an estimate of its texts
) STRICT;
CREATE INDEX note_checkpoint_created ON note_checkpoint (owner, created_at);
CREATE INDEX note_checkpoint_used ON note_checkpoint (owner, used_at);
CREATE INDEX note_checkpoint_path_created ON note_checkpoint (owner, project_path, created_at);
CREATE INDEX note_checkpoint_path_used ON note_checkpoint (owner, project_path, used_at);
CREATE INDEX note_checkpoint_principal ON note_checkpoint (principal, created_at);

CREATE TABLE note_remediation (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT NOT NULL UNIQUE,
    owner         TEXT NOT NULL,
    principal     TEXT NOT NULL,
    author        TEXT NOT NULL,
    project_path  TEXT NOT NULL,
    context       TEXT NOT NULL,
    tags          TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    used_at       INTEGER NOT NULL, -- when it was saved, confirmed or tried last
    connection    TEXT NOT NULL,    -- '': none
    error_type    TEXT NOT NULL,
    error_message TEXT NOT NULL,
    stack_trace   TEXT NOT NULL,
    frames        TEXT NOT NULL,    -- the normalised frames of the stack trace, one a line
    solution      TEXT NOT NULL,
    severity      TEXT NOT NULL,    -- '': not known
    category      TEXT NOT NULL,
    pattern       TEXT NOT NULL,    -- the normalised message
    pattern_hash  BLOB NOT NULL,
    signature     BLOB NOT NULL,    -- of the error
    solution_hash BLOB NOT NULL,    -- of the normalised solution
    confirmations INTEGER NOT NULL, -- how often it was saved
    worked        INTEGER NOT NULL,
    failed        INTEGER NOT NULL,
    review        TEXT NOT NULL     -- '': nobody decided, 'approved', 'rejected'
) STRICT;
CREATE UNIQUE INDEX note_remediation_solution ON note_remediation (owner, signature, solution_hash);
CREATE INDEX note_remediation_pattern ON note_remediation (pattern_hash);
CREATE INDEX note_remediation_signature ON note_remediation (signature);
CREATE INDEX note_remediation_used ON note_remediation (used_at);
CREATE INDEX note_remediation_review ON note_remediation (review, created_at);

-- Signatures with their counts, of those that may see them. The counts leave out what was rejected.
CREATE TABLE note_pattern (
    owner     TEXT NOT NULL,
    signature BLOB NOT NULL,
    uses      INTEGER NOT NULL, -- confirmations and outcomes
    PRIMARY KEY (owner, signature)
) STRICT;
CREATE INDEX note_pattern_uses ON note_pattern (owner, uses);

-- Saves that their client named, and what they answered.
CREATE TABLE note_call (
    principal TEXT NOT NULL,
    kind      TEXT NOT NULL,
    client_id TEXT NOT NULL,
    hash      BLOB NOT NULL, -- of the content
    answer    TEXT NOT NULL,
    id        TEXT NOT NULL,
    at        INTEGER NOT NULL,
    PRIMARY KEY (principal, kind, client_id)
) STRICT;

-- How many checkpoints there are.
CREATE TABLE note_count (
    owner        TEXT NOT NULL,
    project_path TEXT NOT NULL,
    n            INTEGER NOT NULL,
    PRIMARY KEY (owner, project_path)
) STRICT;

-- The rows of a table in blocks of 4,096 by seq: the parts of the search index.
CREATE TABLE note_block (
    kind  TEXT NOT NULL,
    block INTEGER NOT NULL,
    live  INTEGER NOT NULL, -- rows that are not deleted
    last  TEXT NOT NULL,    -- id of the row that was inserted last
    PRIMARY KEY (kind, block)
) STRICT;

-- +goose StatementBegin
CREATE TRIGGER note_checkpoint_insert AFTER INSERT ON note_checkpoint BEGIN
    INSERT INTO note_block VALUES ('checkpoint', new.seq >> 12, 1, new.id)
        ON CONFLICT (kind, block) DO UPDATE SET live = live + 1, last = excluded.last;
    INSERT INTO note_count VALUES (new.owner, new.project_path, 1) ON CONFLICT (owner, project_path) DO UPDATE SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER note_checkpoint_delete AFTER DELETE ON note_checkpoint BEGIN
    UPDATE note_block SET live = live - 1 WHERE kind = 'checkpoint' AND block = old.seq >> 12;
    UPDATE note_count SET n = n - 1 WHERE owner = old.owner AND project_path = old.project_path;
    DELETE FROM note_count WHERE owner = old.owner AND project_path = old.project_path AND n = 0;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER note_remediation_insert AFTER INSERT ON note_remediation BEGIN
    INSERT INTO note_block VALUES ('remediation', new.seq >> 12, 1, new.id)
        ON CONFLICT (kind, block) DO UPDATE SET live = live + 1, last = excluded.last;
    INSERT INTO note_pattern VALUES (new.owner, new.signature, new.confirmations + new.worked + new.failed)
        ON CONFLICT (owner, signature) DO UPDATE SET uses = uses + excluded.uses;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER note_remediation_update AFTER UPDATE OF confirmations, worked, failed, review ON note_remediation BEGIN
    UPDATE note_pattern SET uses = uses
        + CASE WHEN new.review = 'rejected' THEN 0 ELSE new.confirmations + new.worked + new.failed END
        - CASE WHEN old.review = 'rejected' THEN 0 ELSE old.confirmations + old.worked + old.failed END
    WHERE owner = new.owner AND signature = new.signature;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER note_remediation_delete AFTER DELETE ON note_remediation BEGIN
    UPDATE note_block SET live = live - 1 WHERE kind = 'remediation' AND block = old.seq >> 12;
    UPDATE note_pattern SET uses = uses
        - CASE WHEN old.review = 'rejected' THEN 0 ELSE old.confirmations + old.worked + old.failed END
    WHERE owner = old.owner AND signature = old.signature;
    DELETE FROM note_pattern WHERE owner = old.owner AND signature = old.signature AND uses <= 0
        AND NOT EXISTS (SELECT 1 FROM note_remediation WHERE owner = old.owner AND signature = old.signature);
END;
-- +goose StatementEnd
