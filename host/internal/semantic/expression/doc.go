// Package expression is the portable expression language of the semantic layer:
// what a dimension, a measure, a filter or a join condition computes, in one
// syntax for every engine.
//
//	Parse        text → Node, or an error with its place
//	Check        Node → Node with types, literals coerced to what they meet
//	Printer      Node → SQL of one dialect, by the dialect's data alone
//	ParseNative  a definition in the engine's own SQL, taken verbatim
//
// The language: numbers, 'text' (only two quotes stand for one; a backslash is a
// backslash), TRUE, FALSE, NULL, DATE '…', TIMESTAMP '…'; names a, a.b, a.b.c,
// "quoted"; + - * / % ||; = <> < <= > >=; IS [NOT] NULL, IS [NOT] DISTINCT FROM,
// BETWEEN, IN (…), LIKE, ILIKE (escape character \); AND, OR, NOT; CASE; CAST and
// ::; EXTRACT; the functions of Functions and the aggregates of Aggregates.
// Division is float division and gives NULL for a zero divisor; % does so too.
//
// There is no way to write a statement, a subquery, a window, a comment or a
// parameter, so that text from a query can only compute.
//
// A Node never changes once made, and may be shared between goroutines.
package expression
