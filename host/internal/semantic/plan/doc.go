// Package plan is the relational plan of a statement: which rows are read, joined,
// filtered, grouped and sorted. A plan has no SQL text and no dialect; its columns
// are numbers with a type, and every relation derives its columns and keys from its
// inputs.
//
// The operators are Scan, Filter, Join, Project, Aggregate, Window, Union, Spine,
// Sort and Shared. Values and conditions are expressions over columns
// (expression.Column).
//
// Rewrites return or change relations: Tighten (inner.go), InnerFirst and DropKeyJoins
// (order.go), JoinAttributes (attribute.go), AggregateEarly (early.go), NarrowEntities
// (narrow.go). Most change a plan in place.
//
// Concurrency: building and rewriting take one goroutine; a finished plan is read-only.
package plan
