// Package sqlkit holds what connectors of SQL engines share.
//
// For a database/sql driver, [Session] is a whole session: name the type
// mapping, the catalogue queries and the error mapping, and the connector is
// done; examples/connector-csv shows it. The parts are also for connectors that
// speak to their engine natively: [Parse] is their own look at a caller's text,
// [Scan] assembles tables from catalogue rows and [Filter] is its glob language,
// [Profile] samples a table and counts its values, [Suggest] finds what a misspelt
// name may have meant, [Pool] keeps connections, [Calls] ties calls to a session's
// life, [Failed] and [WithTimeout] say why one ended, [Steps] runs staged checks.
package sqlkit
