// Package bigquery is a fixture: a server that speaks BigQuery's REST API, version 2, to
// Google's own client, and runs statements on DuckDB after a thin translation. It is not
// BigQuery and proves nothing about the service's verdicts: what it proves is that a client
// signs in, asks, pages, cancels and reads as the API has it, and what the client sent.
//
// Tests set tables up in GoogleSQL with [Server.Exec], whose definitions hold what the
// catalogue shows: descriptions, partitions, clusters, keys. INFORMATION_SCHEMA and the
// REST catalogue are two views of that one catalogue.
//
// A statement that the translation does not know is refused with reason notImplemented, or
// invalidQuery where it cannot tell that from a mistake; a function runs only when its name
// is on a list. Known differences that it does not refuse: a quotient of NUMERIC values is a
// FLOAT64, BIGNUMERIC has 38 digits, TO_JSON_STRING writes times as DuckDB does, the bytes of
// a query are those of the columns that it names anywhere, whole partitions included.
//
// Statements that DuckDB has not (EXPORT DATA, CALL, scripts) have a statement type by
// their first word in a dry run, and fail when they are run.
//
// Sources: https://cloud.google.com/bigquery/docs/reference/rest, and the client
// cloud.google.com/go/bigquery, which the tests read it with.
package bigquery
