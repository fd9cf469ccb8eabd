-- +goose Up
-- The runs of each saved query among the rows of tool_call, which triggers count: what a list of
-- queries says does not cost more with a longer history. Times are unix milliseconds.
CREATE TABLE saved_query_run (
    connection TEXT NOT NULL,    -- '': none
    name       TEXT NOT NULL,
    runs       INTEGER NOT NULL,
    last_at    INTEGER NOT NULL,
    outcome    TEXT NOT NULL,    -- of the last one
    PRIMARY KEY (connection, name)
) STRICT, WITHOUT ROWID;

INSERT INTO saved_query_run
SELECT connection, name, runs, started_at, outcome FROM (
    SELECT connection, arguments ->> '$.name' AS name, count(*) AS runs, max(id), started_at, outcome FROM tool_call
    WHERE tool = 'execute_approved_query' AND CASE WHEN json_valid(arguments) THEN json_type(arguments, '$.name') END = 'text'
    GROUP BY 1, 2
);

-- +goose StatementBegin
CREATE TRIGGER saved_query_run_kept AFTER INSERT ON tool_call
WHEN new.tool = 'execute_approved_query' AND CASE WHEN json_valid(new.arguments) THEN json_type(new.arguments, '$.name') END = 'text'
BEGIN
    INSERT INTO saved_query_run VALUES (new.connection, new.arguments ->> '$.name', 1, new.started_at, new.outcome)
    ON CONFLICT (connection, name) DO UPDATE SET runs = runs + 1, last_at = excluded.last_at, outcome = excluded.outcome;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER saved_query_run_pruned AFTER DELETE ON tool_call
WHEN old.tool = 'execute_approved_query' AND CASE WHEN json_valid(old.arguments) THEN json_type(old.arguments, '$.name') END = 'text'
BEGIN
    UPDATE saved_query_run SET runs = runs - 1 WHERE connection = old.connection AND name = old.arguments ->> '$.name';
    DELETE FROM saved_query_run WHERE connection = old.connection AND name = old.arguments ->> '$.name' AND runs < 1;
END;
-- +goose StatementEnd
