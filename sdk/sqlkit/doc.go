// Package sqlkit is the frame of a connector for an SQL engine, and the parts
// that it is made of.
//
// # The frame
//
// A connector gives data and functions; the frame does what is the same for every
// engine. It has three layers, and a connector may stop at any of them.
//
// [Lifecycle] makes ValidateConfig, Open and Test of a configuration and of
// [Stages]: what a session does on its way to be open. The frame decodes and
// checks the configuration, closes what did not pass, and runs the staged checks:
// config, the connector's own steps (dns, tcp, ssh, a project or a location), tls,
// login, database, read, no_write.
//
// [Session] and [Warehouse] make the methods of sdk.Session, sdk.Explainer,
// sdk.Validator, sdk.Profiler and sdk.QueryLogger of an [Engine]: functions over a
// call's work R and a parsed statement S. The frame ties calls to the session's
// life, gives each its time limit, has the engine check a statement on the
// connection that then runs it (Engine.Check), refuses the plan of what has none,
// runs the shared profile, and looks for what a misspelt name may have meant after
// a failure. R is what the engine has: a connection, a transaction, a client of a
// REST service. Nothing here needs database/sql.
//
// [Connections] is R for a driver of database/sql, taken by its driver interfaces
// (docs/adr/0019): each call has a [Reading], one connection of a [Pool] with a
// read-only transaction or what stands for it (Begin, End), a time limit in the
// engine, and a cancel that has settled before the call returns, by the driver or
// by a [Stopper] where the connector sends the order itself (Kill). A dead idle
// connection is replaced without a word, and [Ending] says whether the caller, the
// time or the engine ended a statement. [Copy] writes a result by what the driver
// tells of its columns. [Driver] puts all three together for an engine that needs
// no more; examples/connector-csv is one.
//
// plugins/mysql is on all layers, plugins/postgres and plugins/clickhouse, which
// speak their protocols themselves, on the first two.
//
// # The parts
//
// [Parse] is a connector's own look at a caller's text, [Scan] assembles tables
// from the rows of catalogue queries and [Filter] is its glob language, [Profile]
// samples a table and counts its values, [Suggest] finds what a misspelt name may
// have meant, [Verdict] is a row of an engine's table of errors, [Pool] keeps
// connections, [Calls] ties calls to a session's life, [Failed] and [WithTimeout]
// say why one ended, [Steps] runs staged checks.
package sqlkit
