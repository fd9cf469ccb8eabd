// Package sqlserver is the connector for SQL Server 2017 and later and for Azure
// SQL. It is tested against a fixture that speaks the protocol.
//
// # What stops a write
//
// The rights of the account are the authority, and are examined when a connection
// is opened. A statement of a caller runs as
//
//	SET SHOWPLAN_XML ON                               alone, as the server wants it
//	<statement>                                       compiled, never executed
//	SET SHOWPLAN_XML OFF
//	SET …; BEGIN TRANSACTION                          snapshot where the database has it
//	<statement>
//	IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION
//
// and only if the plan is that of exactly one SELECT without an operator that
// reaches another server or a file, a procedure, or a function of an assembly. The
// server executes USE even then, so the connector's own look at the text comes
// first: one statement that begins as a query and has none of the words that begin
// another. Without the right to see plans (SHOWPLAN) an account that may only read
// is believed, and every other one is refused.
//
// A connection serves one call after another: its session is reset before each.
//
// # What ends a statement
//
// An attention, which the driver sends when the context of the call ends and whose
// confirmation it waits for. The server has no time limit of its own.
//
// # Sources
//
// Microsoft's documentation of SET SHOWPLAN_XML, sys.fn_my_permissions, the catalog
// views and the database engine's errors, and the schema of plans,
// schemas.microsoft.com/sqlserver/2004/07/showplan.
package sqlserver
