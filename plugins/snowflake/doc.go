// Package snowflake is the connector for Snowflake.
//
// # What stops a write
//
// Each session of the service has the rights of one role and of no other:
//
//	USE SECONDARY ROLES NONE
//
// What the role may do is examined when the connection is opened. A caller's
// statement is then sent twice. The first request has describeOnly set: the service
// compiles the statement and runs nothing. Its answer names the type of the statement,
// and only a SELECT is sent again, to run. The driver reads the type and has no way to
// ask for it, so that the transport below the driver does. The same transport sends no
// statement whose very text was not examined, but for the connector's own.
//
// MULTI_STATEMENT_COUNT is 1 in every request. What a SELECT may still do is refused
// by name: sequences, SYSTEM$ functions, and the external functions that the role sees.
// The driver itself carries out PUT and GET, whatever the service says of them: they
// never reach it.
//
// # What ends a statement
//
// STATEMENT_TIMEOUT_IN_SECONDS of the session, and the service's abort-request: the
// transport repeats it until the statement's own request is answered. The driver's way
// asks once, and takes "not executing" for an end: a statement that reached the service
// later would run on.
//
// # Values
//
// Results are read as the service sends them, JSON or Arrow, one chunk at a time. The
// driver would round decimals beyond 18 digits and takes the sign of a fraction before
// 1970 for none.
//
// # Sources
//
// Snowflake's SQL reference, and the source of its driver for Go.
package snowflake
