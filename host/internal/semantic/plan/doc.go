// Package plan describes a statement as relations: which rows are read, joined,
// filtered, grouped and put in order. A plan has no SQL text and no dialect; its
// columns are numbers with a type, and every relation derives from its inputs which
// columns it has and which of them tell its rows apart.
//
// The operators are Scan, Filter, Join, Project, Aggregate, Window, Union, Spine,
// Sort and Shared. Values and conditions are expressions over columns
// (expression.Column).
//
// Concurrency: a plan is read-only once it is made.
package plan
