-- A store as schema version 2 left it.
BEGIN TRANSACTION;
CREATE TABLE connection_state (
    connection          TEXT PRIMARY KEY,
    fingerprint         TEXT NOT NULL,    -- of the configuration it was seen under
    product             TEXT NOT NULL,
    version             TEXT NOT NULL,
    account             TEXT NOT NULL,
    database            TEXT NOT NULL,
    read_only           INTEGER NOT NULL, -- 0 unspecified, 1 parser, 2 session, 3 engine
    read_only_mechanism TEXT NOT NULL,
    warnings            TEXT NOT NULL,    -- JSON list
    opened_at           INTEGER,          -- NULL: never opened
    failure             TEXT,             -- JSON object; NULL: the last attempt succeeded
    failed_at           INTEGER
) STRICT;
INSERT INTO "connection_state" VALUES('warehouse','0123456789abcdef0123456789abcdef','PostgreSQL','15.18','reader','analytics',3,'read-only transaction','[{"severity":2,"summary":"the account may create tables"}]',1767225600000,'{"kind":"unavailable","source":"warehouse","message":"connection refused"}',1767225660000);
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
CREATE TABLE tool_call_gap (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    from_at  INTEGER NOT NULL,
    until_at INTEGER NOT NULL,
    calls    INTEGER NOT NULL,
    reason   TEXT NOT NULL
) STRICT;
INSERT INTO "tool_call" VALUES(1,'4ZQ5LJ2XH7KWM',1767225600000,1500,'sql_execution','warehouse','ok','',3,512,'agent','1.0','http','token','9f86d081','{"connectionId":"warehouse","sql":"select ?"}',52);
INSERT INTO "tool_call_gap" VALUES(1,1767225600000,1767225660000,2,'more calls ended than could be written');
CREATE TABLE goose_db_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);
INSERT INTO "goose_db_version" VALUES(1,0,1,'2026-01-01 00:00:00');
INSERT INTO "goose_db_version" VALUES(2,1,1,'2026-01-01 00:00:00');
INSERT INTO "goose_db_version" VALUES(3,2,1,'2026-01-01 00:00:00');
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('goose_db_version',3);
INSERT INTO "sqlite_sequence" VALUES('tool_call',1);
INSERT INTO "sqlite_sequence" VALUES('tool_call_gap',1);
COMMIT;
