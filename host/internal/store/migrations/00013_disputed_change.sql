-- +goose Up
-- The changes that contradict something are few among those that wait: counting them reads no other rows.
CREATE INDEX memory_change_disputed ON memory_change (state, n) WHERE instr(proposal, '"conflicts":[') > 0;
