-- A store as schema version 4 left it.
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
CREATE TABLE memory_change (
    n           INTEGER PRIMARY KEY AUTOINCREMENT, -- the order in which they were proposed
    id          TEXT NOT NULL UNIQUE,
    run         TEXT NOT NULL,    -- '': none
    seq         INTEGER NOT NULL, -- in the run
    kind        TEXT NOT NULL,
    connection  TEXT NOT NULL,    -- '': none
    target      TEXT NOT NULL,
    path        TEXT NOT NULL,
    source      TEXT NOT NULL,    -- '': the actor
    actor       TEXT NOT NULL,    -- as people see it
    signature   BLOB NOT NULL,
    state       TEXT NOT NULL,    -- draft: applied and not reviewed
    version     INTEGER NOT NULL, -- rises with every change of the row
    created_at  INTEGER NOT NULL,
    applied_at  INTEGER,
    undoes      TEXT NOT NULL,    -- '': none
    problem     TEXT NOT NULL,
    before_hash BLOB,             -- of the file before it; NULL: not written, or not kept any more
    after_hash  BLOB,
    proposal    TEXT NOT NULL,    -- JSON object
    proposed_by TEXT NOT NULL,    -- JSON object
    decision    TEXT,             -- JSON object; NULL: nobody decided
    writing     TEXT              -- JSON object: what is being written; NULL unless state is applying
) STRICT;
CREATE INDEX memory_change_list ON memory_change (state, n, kind, connection, source, actor, created_at);
CREATE INDEX memory_change_signature ON memory_change (signature);
CREATE INDEX memory_change_target ON memory_change (target, connection);
CREATE INDEX memory_change_run ON memory_change (run);
CREATE INDEX memory_change_path ON memory_change (path);
CREATE INDEX memory_change_undoes ON memory_change (undoes) WHERE undoes <> '';
CREATE TABLE memory_event (
    n      INTEGER PRIMARY KEY AUTOINCREMENT,
    at     INTEGER NOT NULL,
    actor  TEXT NOT NULL, -- JSON object
    verb   TEXT NOT NULL,
    change TEXT NOT NULL, -- '': none
    run    TEXT NOT NULL, -- '': none
    detail TEXT NOT NULL
) STRICT;
CREATE INDEX memory_event_change ON memory_event (change);
CREATE TABLE memory_revision (
    n      INTEGER PRIMARY KEY AUTOINCREMENT,
    path   TEXT NOT NULL,
    hash   BLOB NOT NULL,
    at     INTEGER NOT NULL,
    origin TEXT NOT NULL, -- machine or person
    change TEXT NOT NULL  -- '': none wrote it
) STRICT;
CREATE INDEX memory_revision_path ON memory_revision (path, n);
CREATE TABLE memory_blob (
    hash    BLOB PRIMARY KEY,
    bytes   INTEGER NOT NULL, -- of the content
    content BLOB NOT NULL     -- zstd
) STRICT;
INSERT INTO "memory_change" VALUES(1,'3fa2c81b07','4ZQ5LJ2XH7KWM',1,'page','','arr','wiki/global/arr.md','finance','agent',x'1111111111111111111111111111111111111111111111111111111111111111','draft',3,1767225600000,1767225601000,'','',x'0000000000000000000000000000000000000000000000000000000000000000',x'1111111111111111111111111111111111111111111111111111111111111111','{"kind":"page","target":"arr","path":"wiki/global/arr.md","blocks":[{"place":"body:","after":"ARR"}],"says":"ARR","value":"arr"}','{"channel":"mcp","client":"agent"}',NULL,NULL);
INSERT INTO "memory_event" VALUES(1,1767225601000,'{"channel":"mcp","client":"agent"}','applied','3fa2c81b07','4ZQ5LJ2XH7KWM','');
INSERT INTO "memory_revision" VALUES(1,'wiki/global/arr.md',x'1111111111111111111111111111111111111111111111111111111111111111',1767225601000,'machine','3fa2c81b07');
INSERT INTO "memory_blob" VALUES(x'1111111111111111111111111111111111111111111111111111111111111111',3,x'28b52ffd04001900004152520a');
CREATE TABLE run (
    id          TEXT PRIMARY KEY, -- 13 characters of base32
    kind        TEXT NOT NULL,    -- 'ingest'
    state       TEXT NOT NULL,    -- queued, running, done or error
    stage       TEXT NOT NULL,
    target      TEXT NOT NULL,    -- a connection; '': none
    actor       TEXT NOT NULL,    -- JSON object: who caused it
    attempts    INTEGER NOT NULL, -- counted before work begins
    queued_at   INTEGER NOT NULL,
    started_at  INTEGER,
    finished_at INTEGER,
    report      TEXT,             -- JSON object; NULL: nothing to report yet
    error       TEXT              -- NULL: it did not fail
) STRICT;
CREATE INDEX run_state ON run (kind, state, queued_at, id);
CREATE INDEX run_queued_at ON run (kind, queued_at, id);
CREATE TABLE memory_input (
    run          TEXT PRIMARY KEY REFERENCES run (id),
    connection   TEXT NOT NULL,    -- '': none
    source       TEXT NOT NULL,    -- as it was named beside the text
    content_hash BLOB NOT NULL,
    content      BLOB,             -- zstd, redacted; NULL: its time is over
    bytes        INTEGER NOT NULL, -- of the content
    open         INTEGER NOT NULL, -- 1: queued or running
    project      TEXT NOT NULL     -- the version of pages, files and snapshot when it ended
) STRICT;
CREATE UNIQUE INDEX memory_input_open ON memory_input (content_hash, connection) WHERE open = 1;
CREATE INDEX memory_input_content ON memory_input (content_hash, connection);
CREATE TABLE memory_probe (
    connection TEXT NOT NULL,
    member     TEXT NOT NULL,
    definition BLOB NOT NULL,    -- hash
    at         INTEGER NOT NULL,
    period     TEXT NOT NULL,    -- '2026-10'; '': all rows
    value      TEXT,             -- JSON; NULL: none, or it is withheld
    rows       INTEGER NOT NULL, -- that it was made of
    millis     INTEGER NOT NULL,
    error      TEXT,             -- NULL: it ran
    PRIMARY KEY (connection, member, definition, period)
) STRICT;
INSERT INTO "run" VALUES('4ZQ5JJ2XH7KWM','ingest','done','done','warehouse','{"channel":"mcp","client":"agent"}',1,1767225600000,1767225600100,1767225600500,'{"signals":{"knowledge":true,"sl":false,"dialect":null,"reasons":["definition"]}}',NULL);
INSERT INTO "memory_input" VALUES('4ZQ5JJ2XH7KWM','warehouse','finance',x'00',NULL,24,0,'0123456789abcdef0123456789abcdef');
INSERT INTO "memory_probe" VALUES('warehouse','orders.revenue',x'00',1767225600000,'2025-12','140',4,12,NULL);
CREATE TABLE chunk_repo (
    repo       TEXT PRIMARY KEY,
    connection TEXT NOT NULL,    -- that its files are about; '': none
    version    INTEGER NOT NULL, -- rises with every write to its files
    manifest   BLOB,             -- hash of its paths after the last sync without errors; NULL: there was none
    revision   TEXT NOT NULL,    -- of the contents after that sync; '': none
    synced_at  INTEGER
) STRICT;
CREATE TABLE chunk_file (
    repo           TEXT NOT NULL,
    path           TEXT NOT NULL,    -- below the repository, with slashes
    parser         TEXT NOT NULL,
    parser_version INTEGER NOT NULL,
    hash           BLOB NOT NULL,
    chunks         INTEGER NOT NULL,
    written_at     INTEGER NOT NULL,
    learned        BLOB,             -- hash of the text that was read for what it teaches; NULL: none
    PRIMARY KEY (repo, path, parser)
) STRICT;
CREATE TABLE chunk (
    repo           TEXT NOT NULL,
    path           TEXT NOT NULL,
    parser         TEXT NOT NULL,
    parser_version INTEGER NOT NULL,
    ordinal        INTEGER NOT NULL,
    hash           BLOB NOT NULL,
    heading        TEXT NOT NULL,    -- '': none
    first_line     INTEGER NOT NULL, -- 0: not known
    last_line      INTEGER NOT NULL,
    content        TEXT NOT NULL,
    PRIMARY KEY (repo, path, parser, parser_version, ordinal, hash)
) STRICT;
INSERT INTO "chunk_repo" VALUES('handbook','warehouse',1,x'00','0123456789abcdef',1767225600000);
INSERT INTO "chunk_file" VALUES('handbook','a.md','markdown',1,x'00',1,1767225600000,NULL);
INSERT INTO "chunk" VALUES('handbook','a.md','markdown',1,1,x'00','Terms',1,3,'# Terms');
CREATE TABLE memory_answer (
    key    BLOB PRIMARY KEY, -- hash of the prompt's version, model, part and names
    answer TEXT NOT NULL,    -- JSON object
    at     INTEGER NOT NULL
) STRICT;
CREATE TABLE memory_tokens (
    day    TEXT PRIMARY KEY, -- '2026-11-20', of UTC
    tokens INTEGER NOT NULL
) STRICT;
INSERT INTO "memory_answer" VALUES(x'00','{"statements":[]}',1767225600000);
INSERT INTO "memory_tokens" VALUES('2026-01-01',1200);
CREATE TABLE saved_query_run (
    connection TEXT NOT NULL,    -- '': none
    name       TEXT NOT NULL,
    runs       INTEGER NOT NULL,
    last_at    INTEGER NOT NULL,
    outcome    TEXT NOT NULL,    -- of the last one
    PRIMARY KEY (connection, name)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER saved_query_run_kept AFTER INSERT ON tool_call
WHEN new.tool = 'execute_approved_query' AND CASE WHEN json_valid(new.arguments) THEN json_type(new.arguments, '$.name') END = 'text'
BEGIN
    INSERT INTO saved_query_run VALUES (new.connection, new.arguments ->> '$.name', 1, new.started_at, new.outcome)
    ON CONFLICT (connection, name) DO UPDATE SET runs = runs + 1, last_at = excluded.last_at, outcome = excluded.outcome;
END;
CREATE TRIGGER saved_query_run_pruned AFTER DELETE ON tool_call
WHEN old.tool = 'execute_approved_query' AND CASE WHEN json_valid(old.arguments) THEN json_type(old.arguments, '$.name') END = 'text'
BEGIN
    UPDATE saved_query_run SET runs = runs - 1 WHERE connection = old.connection AND name = old.arguments ->> '$.name';
    DELETE FROM saved_query_run WHERE connection = old.connection AND name = old.arguments ->> '$.name' AND runs < 1;
END;
CREATE TABLE goose_db_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);
INSERT INTO "goose_db_version" VALUES(1,0,1,'2026-01-01 00:00:00');
INSERT INTO "goose_db_version" VALUES(2,1,1,'2026-01-01 00:00:00');
INSERT INTO "goose_db_version" VALUES(3,2,1,'2026-01-01 00:00:00');
INSERT INTO "goose_db_version" VALUES(4,3,1,'2026-01-01 00:00:00');
INSERT INTO "goose_db_version" VALUES(5,4,1,'2026-01-01 00:00:00');
INSERT INTO "goose_db_version" VALUES(6,5,1,'2026-01-01 00:00:00');
INSERT INTO "goose_db_version" VALUES(7,6,1,'2026-01-01 00:00:00');
INSERT INTO "goose_db_version" VALUES(8,11,1,'2026-01-01 00:00:00');
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('goose_db_version',8);
INSERT INTO "sqlite_sequence" VALUES('tool_call',1);
INSERT INTO "sqlite_sequence" VALUES('tool_call_gap',1);
INSERT INTO "sqlite_sequence" VALUES('memory_change',1);
INSERT INTO "sqlite_sequence" VALUES('memory_event',1);
INSERT INTO "sqlite_sequence" VALUES('memory_revision',1);
COMMIT;
