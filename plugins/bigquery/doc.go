// Package bigquery is the connector for Google BigQuery.
//
// # What stops a write
//
// The service does. A statement of a caller is sent as a dry run first, which the
// service plans, checks and never executes, and whose answer names the kind of the
// statement. Only a SELECT then runs, as a job of its own with the same text: no
// script, no destination table, no session. Before it, the routines and the views
// that the dry run names are looked up: a remote function, a Python function and
// EXTERNAL_QUERY hand data to another system, and are refused.
//
// The rights of the account are examined when the session opens. One that can only
// read is the authority of the service itself.
//
// # What a statement costs
//
// The dry run is free and says how many bytes the statement reads. What is beyond
// the budget is refused before it runs, and the job carries the budget as its
// maximum. Metadata that the REST interface lists is free; the views of
// INFORMATION_SCHEMA bill at least 10 MB each, and a scan says what it was billed.
//
// # What ends a statement
//
// The job's own time limit, and a cancel order for the job, which has an id from
// here. The call returns when the service says that the job is done.
//
// # The client
//
// cloud.google.com/go/bigquery over REST; its Storage API stays off. The transport
// below it is the connector's: it signs requests, reads from answers what the client's
// types leave out, and keeps the client from repeating what failed (docs/adr/0021).
//
// # Sources
//
// The reference of the BigQuery API v2 (Job, JobStatistics, ErrorProto, Table,
// Routine) and the manual's pages on INFORMATION_SCHEMA, dry runs and pricing.
package bigquery
