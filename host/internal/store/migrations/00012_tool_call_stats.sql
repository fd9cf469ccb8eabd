-- +goose Up
-- Statistics read these indexes alone, without the arguments of the calls.
DROP INDEX tool_call_started_at;
CREATE INDEX tool_call_started_at ON tool_call (started_at, outcome, bytes, connection);
CREATE INDEX tool_call_tool ON tool_call (tool, duration, started_at, outcome, bytes, connection);
