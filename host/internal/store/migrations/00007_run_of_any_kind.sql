-- +goose Up
-- Runs of all kinds have progress, a cause and an input, and can be cancelled from another
-- process. principal: whose token caused the run; '': nobody's. cause: why it began. input: JSON
-- object; NULL: kept elsewhere. done, total: in units of the stage; NULL: not known. cancel_at:
-- somebody asked to cancel it. error_kind: kind of the error; '': none, or not known.
ALTER TABLE run ADD COLUMN principal TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN cause TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN input TEXT;
ALTER TABLE run ADD COLUMN done INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN total INTEGER;
ALTER TABLE run ADD COLUMN cancel_at INTEGER;
ALTER TABLE run ADD COLUMN error_kind TEXT NOT NULL DEFAULT '';
CREATE INDEX run_latest ON run (queued_at, id);
CREATE INDEX run_open ON run (kind, target) WHERE state IN ('queued', 'running');
