// Package sqlkit holds what connectors of SQL engines share.
//
// For a database/sql driver, [Session] is a whole session: name the type
// mapping, the catalogue queries and the error mapping, and the connector is
// done; examples/connector-csv shows it. The parts are also for connectors that
// speak to their engine natively: [Scan] assembles tables from catalogue rows,
// [Filter] is the glob language of a scan, [Distribution] and [Sketch] count a
// column's values, [WithTimeout] bounds a call, [Steps] runs staged checks.
package sqlkit
