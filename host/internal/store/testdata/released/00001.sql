-- A store as schema version 1 left it.
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
CREATE TABLE goose_db_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);
INSERT INTO "goose_db_version" VALUES(1,0,1,'2026-01-01 00:00:00');
INSERT INTO "goose_db_version" VALUES(2,1,1,'2026-01-01 00:00:00');
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('goose_db_version',2);
COMMIT;
