// Package sqlite is the connector for SQLite database files.
//
// # Reading only
//
// A file is opened with SQLITE_OPEN_READONLY, and an authorizer refuses, while a
// statement is compiled, everything but reading: that is the boundary. Behind
// it stand query_only, defensive mode, an untrusted schema and a limit of no
// attached databases, because the open mode alone would still let ATTACH and
// VACUUM INTO create other files. A text with two statements is refused before
// the first one runs.
//
// A database in WAL mode needs its -wal and -shm files beside it. Where they are
// missing SQLite creates them, and leaves them to the next program that writes:
// they coordinate readers and writers, and reading without them could show half
// a transaction. For the same reason the file is never opened as immutable.
//
// R*Tree tables are opened by the connector before a caller's statement is
// compiled: SQLite compiles the statements that would write to one when it opens
// it (rtree.go).
//
// # Values
//
// SQLite's columns have no types, its values do. A result column's type is
// decided by what the first rows hold (up to 8,192 of them, or 4 MiB) together
// with the declared type:
//
//	only integers                BOOL where declared so and all are 0 or 1; FLOAT64 where declared as a fraction
//	                             (REAL, DECIMAL, NUMERIC, …) and exact in a double; else INT64
//	reals, also with integers    FLOAT64, if every integer is exact in a double
//	only text                    DATE where declared so and all are YYYY-MM-DD; else TEXT
//	only blobs                   BYTES
//	only NULL                    by the declared type
//	anything else                TEXT, with a note: numbers as the JSON results write them, blobs as SQL literals X'…'
//
// The text of a DATETIME or TIMESTAMP column stays as it is stored: SQLite
// compares it as text, and a value that was shown in another form could not be
// found again. Scans report such columns by what they are declared as.
//
// A later value that does not fit its column is never bent: the statement fails
// with a retryable error, and the same text delivers that column as TEXT from
// then on.
//
// Double-quoted text is an identifier and nothing else, unless the connection
// says otherwise: SQLite's habit of taking a misspelt "column" for a string
// would turn a typo into a wrong number.
package sqlite

import "github.com/loam-data/loam/sdk"

// version of the connector; it moves with Loam's.
const version = sdk.SDKVersion

// memory is what the engine, which is inside the connector, may need for a
// connection: what it sorts and keeps beyond some megabytes goes to files.
const memory = 512 << 20

type config struct {
	Path          string `json:"path" doc:"The database file; a relative path starts at the project folder." required:"true" format:"path" url:"file" extensions:".sqlite|.sqlite3|.db|.db3" begins:"SQLite format 3"`
	BusySeconds   int    `json:"busy_seconds" doc:"How long to wait for another program's lock on the file, in seconds." default:"5" min:"0" max:"600" harmless:"true"`
	QuotedStrings bool   `json:"double_quoted_strings" doc:"Take \"text\" for a string where no column has that name, as views of old schemas may need. A misspelt column then is a string, not an error." harmless:"true"`
}

// Connector returns the connector for SQLite.
func Connector() *sdk.Connector {
	return &sdk.Connector{
		ID: "sqlite", Version: version, DisplayName: "SQLite", License: "Apache-2.0",
		Capabilities: sdk.Capabilities{
			ReadOnly: sdk.ReadOnlyEngine, ServerCancel: true, Params: true,
			Explain: true, Validate: true, Profile: true, IncrementalScan: true,
			MemoryBytes: memory,
		},
		Dialects: Dialects(),
		Config:   sdk.ConfigOf[config]("sqlite", "sqlite3"),
		Open:     open,
		Test:     test,
	}
}
