// Package postgres is the connector for PostgreSQL 12 and later.
//
// # What stops a write
//
// The engine does, with the host's guard out of the way. Every statement goes
// through the extended protocol, which takes one statement per message, and
// through one sequence:
//
//	BEGIN READ ONLY
//	SET LOCAL statement_timeout = …
//	Parse: DECLARE … INSENSITIVE NO SCROLL CURSOR FOR <statement>   never executed
//	Parse, Bind, Execute: <statement>
//	ROLLBACK
//	DISCARD ALL
//
// The server parses the cursor declaration with its own grammar, and that
// accepts nothing but a query without INTO, without a data-modifying CTE and
// without locking clauses; the same text alone is then the same query. The
// analysis takes a snapshot, after which the transaction can no longer be made
// read-write. What a function writes is refused by the transaction (25006) or
// undone by the ROLLBACK; what a session keeps beyond a transaction, such as an
// advisory lock, goes with the DISCARD ALL. The declaration is preferred to a
// cursor that is executed, because that rules out parallel plans, and to
// EXPLAIN, which plans twice and accepts INSERT.
//
// Two things no transaction undoes: functions that open a connection of their
// own (dblink), and functions that act on the server as a whole. A short list
// of names refuses them (see dialect_guard.go), and the check of the account
// warns where it could call them.
//
// What a statement reaches through views and functions is looked up when the
// database has changed, over another idle connection where there is one, which
// keeps the plans of these queries (see lookout.go).
//
// # Sources
//
// The manual's chapters on the frontend/backend protocol (55.2.3 and 55.2.5),
// SET TRANSACTION, DECLARE and DISCARD, and src/backend/parser/analyze.c.
package postgres
