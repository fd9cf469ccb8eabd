// Package mysql is the connector for MySQL 8 and later and MariaDB 10.6 and
// later.
//
// # What stops a write
//
// The engine does, with the host's guard out of the way. A statement of a caller
// has a connection of its own, which served no other and serves no other after
// it. It is made ready ahead of time:
//
//	SET SESSION …                                     what text and limits depend on
//	SET SESSION TRANSACTION … READ ONLY
//	START TRANSACTION READ ONLY
//
// and then runs
//
//	EXPLAIN <statement>                               never executed
//	prepare and execute <statement>
//	SHOW WARNINGS
//
// Neither read-only mode suffices alone: the transaction's is over after a
// statement that commits, such as CREATE TABLE, and the session's can be lifted.
// EXPLAIN accepts nothing but a query, for a write it explains is refused by the
// read-only transaction, and everything that is no SELECT, INSERT, UPDATE, DELETE
// or REPLACE by its grammar; so nothing that commits or sets anything gets to
// run. It does not see INTO OUTFILE and the text of executable comments: the text
// is searched for INTO, and such comments are refused. The protocol takes one
// statement at a time, and preparing makes sure of it.
//
// What a function leaves in its session, such as a lock, a variable or a setting,
// ends with the connection, as does the transaction. Neither product lets a
// driver reset a session completely: variables of the user stay.
//
// # What ends a statement
//
// The server's own limit (max_statement_time, max_execution_time) and KILL QUERY
// over a connection on the side. It cannot hit another statement, because the
// connection it names serves none. A statement that the server ends without an
// error, such as SELECT BENCHMARK(…), still fails.
//
// # Values
//
// Rows come in the binary protocol, whose numbers are exact: the text protocol
// rounds FLOAT to six digits.
//
// # Sources
//
// The MySQL 8.0 reference manual (SET TRANSACTION, EXPLAIN, KILL, Client/Server
// Protocol) and MariaDB's knowledge base on the same statements.
package mysql
