// Package plan is the relational plan of a statement: which rows are read, joined,
// filtered, grouped and sorted. A plan has no SQL text and no dialect; its columns
// are numbers with a type, and every relation derives its columns and keys from its
// inputs.
//
// The operators are Scan, Filter, Join, Project, Aggregate, Window, Union, Spine,
// Sort and Shared. Values and conditions are expressions over columns
// (expression.Column).
//
// Rewrites return or change relations: Tighten (inner), InnerFirst and DropKeyJoins
// (order), JoinAttributes (attribute), AggregateEarly (early), NarrowEntities (narrow).
//
// Concurrency: a plan is read-only once it is made.
package plan
