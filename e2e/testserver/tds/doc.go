// Package tds is a fixture: a server that speaks the wire protocol of SQL Server,
// TDS 7.4, to real drivers, and leaves the answers to a [Backend]. It is not SQL
// Server and proves nothing about the service's verdicts: what it proves is that
// a client logs in, asks, cancels and reads as the protocol has it, and what the
// client sent.
//
// It speaks PRELOGIN, TLS inside of PRELOGIN, LOGIN7 with a name and a password,
// batches, procedure calls with parameters, transactions, the reset of a session
// and attention; it answers with every column type of [Type]. What else a client
// may send (bulk load, MARS, federated sign-in, Always Encrypted, table-valued
// parameters) it refuses with error 4002 or by ending the connection.
//
// Sources: the open specification MS-TDS, and the drivers go-mssqldb and FreeTDS,
// which the tests read it with.
package tds
