// Package sqlkit is a framework for connectors of SQL engines, and the parts that
// it is built from.
//
// # The framework
//
// A connector supplies data and functions; the framework does the work that is the
// same for every engine. It has three layers; a connector may use the first ones
// only.
//
// [Lifecycle] implements ValidateConfig, Open and Test from a configuration and from
// [Stages], the steps by which a session is opened. It decodes and checks the
// configuration, closes sessions that fail, and runs the staged checks: config, the
// connector's own steps (dns, tcp, ssh, a project or a location), tls, login,
// database, read, no_write.
//
// [Session] and [Warehouse] implement sdk.Session, sdk.Explainer, sdk.Validator,
// sdk.Profiler and sdk.QueryLogger with an [Engine]: functions over the resource R of
// a call and a parsed statement S. They end calls with their session, set time
// limits, let the engine check a statement on the connection that then runs it
// (Engine.Check), refuse to explain statements without a plan, run the shared
// profile, and suggest corrections of misspelt names after a failure. R is a
// connection, a transaction or a client of a REST service. Nothing here needs
// database/sql.
//
// [Connections] supplies R for a driver of database/sql, used by its driver
// interfaces (docs/adr/0019): each call has a [Reading], which is one connection of a
// [Pool] in a read-only transaction or its equivalent (Begin, End), a time limit in
// the engine, and a cancellation that completes before the call returns, by the
// driver or by a [Stopper] where the connector sends the order itself (Kill). A dead
// idle connection is replaced silently, and [Ending] decides whether the caller, the
// time limit or the engine ended a statement. [Copy] writes a result with the column
// types of the driver. [Driver] combines all three layers for simple engines;
// examples/connector-csv uses it.
//
// plugins/mysql uses all layers; plugins/postgres and plugins/clickhouse, which
// implement their protocols themselves, use the first two.
//
// # The parts
//
// [Parse] is a connector's own check of a caller's text, [Scan] assembles tables from
// the rows of catalogue queries and [Filter] is its glob language, [Profile] samples
// a table and counts its values, [Suggest] corrects misspelt names, [Verdict] is a row
// of an engine's table of errors, [Pool] keeps connections, [Calls] ends calls with
// their session, [Failed] and [WithTimeout] find why a call ended, [Steps] runs staged
// checks.
package sqlkit
