-- +goose Up
-- Texts of files, in chunks: a cache, which the next sync fills again. Times are unix
-- milliseconds, hashes SHA-256 of texts without their secrets.
CREATE TABLE chunk_repo (
    repo       TEXT PRIMARY KEY,
    connection TEXT NOT NULL,    -- that its files are about; '': none
    version    INTEGER NOT NULL, -- rises with every write to its files
    manifest   BLOB,             -- hash of its paths after the last sync without errors; NULL: there was none
    revision   TEXT NOT NULL,    -- of the contents after that sync; '': none
    synced_at  INTEGER
) STRICT;

-- One row for each parser that read a file.
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
