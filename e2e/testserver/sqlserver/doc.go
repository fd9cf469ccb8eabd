// Package sqlserver is a fixture: a server that speaks SQL Server's protocol
// (package tds) to real drivers and runs their statements on DuckDB. It is not SQL
// Server. It shows what a client sends, that its statements are T-SQL as far as the
// fixture knows it, and that it reads the answers; it does not show SQL Server's
// verdicts, plans or speed.
//
// The translation is thin (translate.go, expression.go, function.go): a statement
// that it does not know is refused with an error of the server, or with number
// 50001 and the words "The fixture has no …". Views of sys and INFORMATION_SCHEMA
// stand over DuckDB's catalogue (catalog.sql).
//
// What differs from SQL Server: instants are kept without their offset and shown at
// +00:00; times of day have six digits; datetime2(7) ends in 2262; a division of
// decimals is a float; LIKE takes no sets of characters; foreign keys are told and
// not enforced; trailing spaces count in comparisons.
package sqlserver
