// Package clickhouse is the connector for ClickHouse, over its own protocol and
// over HTTP, of every version since 18.16.
//
// # What stops a write
//
// The engine does, with the host's guard out of the way. An account whose
// profile has readonly = 1 can change nothing, and takes no settings: none are
// sent, and the connector's own clock ends statements. Every other account's
// requests carry readonly = 1 together with their limits, in the same request,
// and opening proves that it took effect. readonly = 2 is refused: under it a
// statement reads files and other servers, changes settings, and wrote a file.
//
// What readonly = 1 lets through is refused by the text: KILL QUERY, USE, sleep,
// INTO OUTFILE, and SETTINGS clauses, which in a sub-select go before the setting
// of the request (found in 26.7). FORMAT clauses would change the form of the
// answer. Nothing stays behind: HTTP requests are POST and have no session, and
// on a native connection nothing that a statement may do lasts.
//
// # Why not the driver's connections
//
// The connector builds on clickhouse-go for the messages of the protocol, and
// reads the blocks of results itself, because the driver's connections
//
//   - make Go values of nested types that lose the order and the repeated keys
//     of a Map and the NULL in some Tuples, and some types not at all;
//   - give the extremes of a result out as rows of it;
//   - add max_execution_time to requests over HTTP, which a read-only profile
//     refuses;
//   - do not wait for the end of a query that they cancel.
//
// A block is decoded column by column into memory that the next one reuses, and
// its cells are appended to the result without garbage per row.
//
// # Cancelling
//
// Over the native protocol a cancel packet ends the query, and the call returns
// with the server's last packet. Over HTTP a closed connection leaves a query
// running, so that KILL QUERY … SYNC by its id ends it.
package clickhouse
