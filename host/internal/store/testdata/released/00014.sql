-- A store as schema version 12 left it.
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
INSERT INTO "tool_call" VALUES(1,'4ZQ5LJ2XH7KWM',1767225600000,1500,'sql_execution','warehouse','ok','',3,512,'agent','1.0','http','token','9f86d081','{"connectionId":"warehouse","sql":"select ?"}',52);
CREATE TABLE tool_call_gap (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    from_at  INTEGER NOT NULL,
    until_at INTEGER NOT NULL,
    calls    INTEGER NOT NULL,
    reason   TEXT NOT NULL
) STRICT;
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
INSERT INTO "memory_change" VALUES(1,'3fa2c81b07','4ZQ5LJ2XH7KWM',1,'page','','arr','wiki/global/arr.md','finance','agent',X'1111111111111111111111111111111111111111111111111111111111111111','draft',3,1767225600000,1767225601000,'','',X'0000000000000000000000000000000000000000000000000000000000000000',X'1111111111111111111111111111111111111111111111111111111111111111','{"kind":"page","target":"arr","path":"wiki/global/arr.md","blocks":[{"place":"body:","after":"ARR"}],"says":"ARR","value":"arr"}','{"channel":"mcp","client":"agent"}',NULL,NULL);
CREATE TABLE memory_event (
    n      INTEGER PRIMARY KEY AUTOINCREMENT,
    at     INTEGER NOT NULL,
    actor  TEXT NOT NULL, -- JSON object
    verb   TEXT NOT NULL,
    change TEXT NOT NULL, -- '': none
    run    TEXT NOT NULL, -- '': none
    detail TEXT NOT NULL
) STRICT;
INSERT INTO "memory_event" VALUES(1,1767225601000,'{"channel":"mcp","client":"agent"}','applied','3fa2c81b07','4ZQ5LJ2XH7KWM','');
CREATE TABLE memory_revision (
    n      INTEGER PRIMARY KEY AUTOINCREMENT,
    path   TEXT NOT NULL,
    hash   BLOB NOT NULL,
    at     INTEGER NOT NULL,
    origin TEXT NOT NULL, -- machine or person
    change TEXT NOT NULL  -- '': none wrote it
) STRICT;
INSERT INTO "memory_revision" VALUES(1,'wiki/global/arr.md',X'1111111111111111111111111111111111111111111111111111111111111111',1767225601000,'machine','3fa2c81b07');
CREATE TABLE memory_blob (
    hash    BLOB PRIMARY KEY,
    bytes   INTEGER NOT NULL, -- of the content
    content BLOB NOT NULL     -- zstd
) STRICT;
INSERT INTO "memory_blob" VALUES(X'1111111111111111111111111111111111111111111111111111111111111111',3,X'28B52FFD04001900004152520A');
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
, principal TEXT NOT NULL DEFAULT '', cause TEXT NOT NULL DEFAULT '', input TEXT, done INTEGER NOT NULL DEFAULT 0, total INTEGER, cancel_at INTEGER, error_kind TEXT NOT NULL DEFAULT '') STRICT;
INSERT INTO "run" VALUES('4ZQ5JJ2XH7KWM','ingest','done','done','warehouse','{"channel":"mcp","client":"agent"}',1,1767225600000,1767225600100,1767225600500,'{"signals":{"knowledge":true,"sl":false,"dialect":null,"reasons":["definition"]}}',NULL,'','',NULL,0,NULL,NULL,'');
INSERT INTO "run" VALUES('5ZQ5JJ2XH7KWN','scan','error','tables','warehouse','{"channel":"cli"}',1,1767225600000,1767225600000,1767225600500,NULL,'connection refused','','loam scan','{"mode":"structural"}',3,9,NULL,'unavailable');
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
INSERT INTO "memory_input" VALUES('4ZQ5JJ2XH7KWM','warehouse','finance',X'00',NULL,24,0,'0123456789abcdef0123456789abcdef');
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
INSERT INTO "memory_probe" VALUES('warehouse','orders.revenue',X'00',1767225600000,'2025-12','140',4,12,NULL);
CREATE TABLE chunk_repo (
    repo       TEXT PRIMARY KEY,
    connection TEXT NOT NULL,    -- that its files are about; '': none
    version    INTEGER NOT NULL, -- rises with every write to its files
    manifest   BLOB,             -- hash of its paths after the last sync without errors; NULL: there was none
    revision   TEXT NOT NULL,    -- of the contents after that sync; '': none
    synced_at  INTEGER
, folder TEXT NOT NULL DEFAULT '') STRICT;
INSERT INTO "chunk_repo" VALUES('handbook','warehouse',1,X'00','0123456789abcdef',1767225600000,'');
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
INSERT INTO "chunk_file" VALUES('handbook','a.md','markdown',1,X'00',1,1767225600000,NULL);
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
INSERT INTO "chunk" VALUES('handbook','a.md','markdown',1,1,X'00','Terms',1,3,'# Terms');
CREATE TABLE memory_answer (
    key    BLOB PRIMARY KEY, -- hash of the prompt's version, model, part and names
    answer TEXT NOT NULL,    -- JSON object
    at     INTEGER NOT NULL
) STRICT;
INSERT INTO "memory_answer" VALUES(X'00','{"statements":[]}',1767225600000);
CREATE TABLE memory_tokens (
    day    TEXT PRIMARY KEY, -- '2026-11-20', of UTC
    tokens INTEGER NOT NULL
) STRICT;
INSERT INTO "memory_tokens" VALUES('2026-01-01',1200);
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
INSERT INTO "goose_db_version" VALUES(8,7,1,'2026-01-01 00:00:00');
INSERT INTO "goose_db_version" VALUES(9,8,1,'2026-01-01 00:00:00');
INSERT INTO "goose_db_version" VALUES(10,9,1,'2026-01-01 00:00:00');
INSERT INTO "goose_db_version" VALUES(11,10,1,'2026-01-01 00:00:00');
INSERT INTO "goose_db_version" VALUES(12,11,1,'2026-01-01 00:00:00');
INSERT INTO "goose_db_version" VALUES(13,12,1,'2026-01-01 00:00:00');
INSERT INTO "goose_db_version" VALUES(14,13,1,'2026-01-01 00:00:00');
INSERT INTO "goose_db_version" VALUES(15,14,1,'2026-01-01 00:00:00');
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
INSERT INTO "note_checkpoint" VALUES(1,'01KE0000000000000000000000','','','agent','/srv/shop','{}','["billing"]',1767225600000,1767225600000,'Revenue is checked','',NULL,NULL,5);
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
INSERT INTO "note_remediation" VALUES(1,'01KE0000000000000000000001','','','agent','','{}','[]',1767225600000,1767225600000,'','42P01','no such table','','','Scan again.','','missing','no such table',X'00',X'01',X'02',1,0,0,'');
CREATE TABLE note_pattern (
    owner     TEXT NOT NULL,
    signature BLOB NOT NULL,
    uses      INTEGER NOT NULL, -- confirmations and outcomes
    PRIMARY KEY (owner, signature)
) STRICT;
INSERT INTO "note_pattern" VALUES('',X'01',1);
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
CREATE TABLE note_count (
    owner        TEXT NOT NULL,
    project_path TEXT NOT NULL,
    n            INTEGER NOT NULL,
    PRIMARY KEY (owner, project_path)
) STRICT;
INSERT INTO "note_count" VALUES('','/srv/shop',1);
CREATE TABLE note_block (
    kind  TEXT NOT NULL,
    block INTEGER NOT NULL,
    live  INTEGER NOT NULL, -- rows that are not deleted
    last  TEXT NOT NULL,    -- id of the row that was inserted last
    PRIMARY KEY (kind, block)
) STRICT;
INSERT INTO "note_block" VALUES('checkpoint',0,1,'01KE0000000000000000000000');
INSERT INTO "note_block" VALUES('remediation',0,1,'01KE0000000000000000000001');
CREATE TABLE skill_count (
    name      TEXT    NOT NULL,
    major     INTEGER NOT NULL, -- of the version
    uses      INTEGER NOT NULL,
    succeeded INTEGER NOT NULL,
    failed    INTEGER NOT NULL,
    last_at   INTEGER NOT NULL,
    PRIMARY KEY (name, major)
) STRICT;
INSERT INTO "skill_count" VALUES('close-the-month',1,2,1,0,1767225600000);
CREATE TABLE skill_use (
    n           INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT    NOT NULL UNIQUE, -- a ULID
    name        TEXT    NOT NULL,
    version     TEXT    NOT NULL, -- '' = none
    major       INTEGER NOT NULL,
    actor       BLOB    NOT NULL, -- hash of who used it
    begin_call  TEXT    NOT NULL, -- the clientId of the call that began it, '' = none
    report_call TEXT    NOT NULL, -- the clientId of the call that reported it, '' = none
    succeeded   INTEGER,          -- NULL = nobody reported it
    at          INTEGER NOT NULL
) STRICT;
INSERT INTO "skill_use" VALUES(1,'01KDVR0C000000000000000000','close-the-month','1.0.0',1,X'00','','',1,1767225600000);
INSERT INTO "skill_use" VALUES(2,'01KDVR0C000000000000000001','close-the-month','1.0.0',1,X'00','c','',NULL,1767225600000);
CREATE TABLE chunk_call (
    id     TEXT PRIMARY KEY, -- hash of the caller and the name
    digest BLOB NOT NULL,    -- of the arguments
    answer TEXT NOT NULL,    -- JSON
    at     INTEGER NOT NULL
) STRICT;
INSERT INTO "chunk_call" VALUES('00',X'00','{"ingested":1}',1767225600000);
CREATE TABLE saved_query_run (
    connection TEXT NOT NULL,    -- '': none
    name       TEXT NOT NULL,
    runs       INTEGER NOT NULL,
    last_at    INTEGER NOT NULL,
    outcome    TEXT NOT NULL,    -- of the last one
    PRIMARY KEY (connection, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_change_list ON memory_change (state, n, kind, connection, source, actor, created_at);
CREATE INDEX memory_change_signature ON memory_change (signature);
CREATE INDEX memory_change_target ON memory_change (target, connection);
CREATE INDEX memory_change_run ON memory_change (run);
CREATE INDEX memory_change_path ON memory_change (path);
CREATE INDEX memory_change_undoes ON memory_change (undoes) WHERE undoes <> '';
CREATE INDEX memory_event_change ON memory_event (change);
CREATE INDEX memory_revision_path ON memory_revision (path, n);
CREATE INDEX run_state ON run (kind, state, queued_at, id);
CREATE INDEX run_queued_at ON run (kind, queued_at, id);
CREATE INDEX run_latest ON run (queued_at, id);
CREATE INDEX run_open ON run (kind, target) WHERE state IN ('queued', 'running');
CREATE UNIQUE INDEX memory_input_open ON memory_input (content_hash, connection) WHERE open = 1;
CREATE INDEX memory_input_content ON memory_input (content_hash, connection);
CREATE INDEX note_checkpoint_created ON note_checkpoint (owner, created_at);
CREATE INDEX note_checkpoint_used ON note_checkpoint (owner, used_at);
CREATE INDEX note_checkpoint_path_created ON note_checkpoint (owner, project_path, created_at);
CREATE INDEX note_checkpoint_path_used ON note_checkpoint (owner, project_path, used_at);
CREATE INDEX note_checkpoint_principal ON note_checkpoint (principal, created_at);
CREATE UNIQUE INDEX note_remediation_solution ON note_remediation (owner, signature, solution_hash);
CREATE INDEX note_remediation_pattern ON note_remediation (pattern_hash);
CREATE INDEX note_remediation_signature ON note_remediation (signature);
CREATE INDEX note_remediation_used ON note_remediation (used_at);
CREATE INDEX note_remediation_review ON note_remediation (review, created_at);
CREATE INDEX note_pattern_uses ON note_pattern (owner, uses);
CREATE TRIGGER note_checkpoint_insert AFTER INSERT ON note_checkpoint BEGIN
    INSERT INTO note_block VALUES ('checkpoint', new.seq >> 12, 1, new.id)
        ON CONFLICT (kind, block) DO UPDATE SET live = live + 1, last = excluded.last;
    INSERT INTO note_count VALUES (new.owner, new.project_path, 1) ON CONFLICT (owner, project_path) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER note_checkpoint_delete AFTER DELETE ON note_checkpoint BEGIN
    UPDATE note_block SET live = live - 1 WHERE kind = 'checkpoint' AND block = old.seq >> 12;
    UPDATE note_count SET n = n - 1 WHERE owner = old.owner AND project_path = old.project_path;
    DELETE FROM note_count WHERE owner = old.owner AND project_path = old.project_path AND n = 0;
END;
CREATE TRIGGER note_remediation_insert AFTER INSERT ON note_remediation BEGIN
    INSERT INTO note_block VALUES ('remediation', new.seq >> 12, 1, new.id)
        ON CONFLICT (kind, block) DO UPDATE SET live = live + 1, last = excluded.last;
    INSERT INTO note_pattern VALUES (new.owner, new.signature, new.confirmations + new.worked + new.failed)
        ON CONFLICT (owner, signature) DO UPDATE SET uses = uses + excluded.uses;
END;
CREATE TRIGGER note_remediation_update AFTER UPDATE OF confirmations, worked, failed, review ON note_remediation BEGIN
    UPDATE note_pattern SET uses = uses
        + CASE WHEN new.review = 'rejected' THEN 0 ELSE new.confirmations + new.worked + new.failed END
        - CASE WHEN old.review = 'rejected' THEN 0 ELSE old.confirmations + old.worked + old.failed END
    WHERE owner = new.owner AND signature = new.signature;
END;
CREATE TRIGGER note_remediation_delete AFTER DELETE ON note_remediation BEGIN
    UPDATE note_block SET live = live - 1 WHERE kind = 'remediation' AND block = old.seq >> 12;
    UPDATE note_pattern SET uses = uses
        - CASE WHEN old.review = 'rejected' THEN 0 ELSE old.confirmations + old.worked + old.failed END
    WHERE owner = old.owner AND signature = old.signature;
    DELETE FROM note_pattern WHERE owner = old.owner AND signature = old.signature AND uses <= 0
        AND NOT EXISTS (SELECT 1 FROM note_remediation WHERE owner = old.owner AND signature = old.signature);
END;
CREATE INDEX skill_use_actor ON skill_use (actor, name, n);
CREATE INDEX skill_use_at ON skill_use (at);
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
CREATE INDEX tool_call_started_at ON tool_call (started_at, outcome, bytes, connection);
CREATE INDEX tool_call_tool ON tool_call (tool, duration, started_at, outcome, bytes, connection);
CREATE TABLE memory_mute (
    actor    TEXT PRIMARY KEY, -- as memory_change.actor
    at       INTEGER NOT NULL,
    muted_by TEXT NOT NULL     -- JSON object
) STRICT;
INSERT INTO "memory_mute" VALUES('codex',1767225600000,'{"channel":"cli","user":"ada"}');
CREATE INDEX memory_change_disputed ON memory_change (state, n) WHERE instr(proposal, '"conflicts":[') > 0;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('goose_db_version',15);
INSERT INTO "sqlite_sequence" VALUES('tool_call',1);
INSERT INTO "sqlite_sequence" VALUES('tool_call_gap',1);
INSERT INTO "sqlite_sequence" VALUES('memory_change',1);
INSERT INTO "sqlite_sequence" VALUES('memory_event',1);
INSERT INTO "sqlite_sequence" VALUES('memory_revision',1);
INSERT INTO "sqlite_sequence" VALUES('note_checkpoint',1);
INSERT INTO "sqlite_sequence" VALUES('note_remediation',1);
INSERT INTO "sqlite_sequence" VALUES('skill_use',2);
COMMIT;
