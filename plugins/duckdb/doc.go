// Package duckdb is the connector for DuckDB: database files, and folders of CSV
// and Parquet files that are served as tables.
//
// # Reading only
//
// Three things have to fail before a statement could write. A database file is
// opened with access_mode=READ_ONLY (or, beside folders, attached READ_ONLY);
// everything else is behind enable_external_access=false with the files of the
// configured folders, one by one, as the only exceptions; and the configuration
// is locked before the first statement of a caller. DuckDB's own parser says
// what a statement is, and only a SELECT runs.
//
// That leaves functions that a SELECT may call and that change the process: some
// print to standard output, open log files or change settings behind the lock
// (enable_profiling, enable_logging), and some run SQL that is hidden in a
// string (query, json_execute_serialized_sql). They are refused by name, and so
// is what a view or macro of the database would call for the caller.
//
// Every call has a connection of its own, so that nothing a statement leaves in
// its session reaches another one.
//
// # Locks
//
// A process that writes to a database file locks everybody else out, and readers
// lock writers out. The connector therefore closes a database that nobody has
// asked for the idle time, and opens it again when it is needed.
//
// # Files
//
// Each folder is a schema of the catalog "files". A file is a table named after
// it, and a folder inside is one table of all its files; see files.go. What a
// table's columns are is settled when the folder is read: at the start, before a
// scan if the folder changed, and when a statement names a table that is not
// there.
//
// # Without a C compiler
//
// The library is C++ and needs cgo. A build without it has this connector too,
// but it opens nothing and says why.
package duckdb
