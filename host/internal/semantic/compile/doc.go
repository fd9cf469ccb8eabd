// Package compile turns a request to the semantic layer into one read-only
// statement in the SQL of the connection's dialect.
//
// Every measure has a home: the source whose rows it aggregates. Its value for a
// tuple of dimensions is its aggregate over the rows of the home that have these
// values and satisfy the filters, whatever else the request asks for. So the
// compiler computes measures of different homes apart, in branches, and stitches the
// branches by tuple, NULL equal to NULL:
//
//	resolve   names → members of the model; filters are split and classified
//	          (resolve, dimension, measure, value, filter*, metrictime, conform)
//	branch    aggregates of one home → a branch: its rows, joins, conditions, groups
//	          (branch, rows, relation, together, input; entity and nested for values
//	          per entity; step, period and calendar* for other times)
//	stage     branches → relations with one row for each group (stage, partial,
//	          regroup; cumulative, distinct and spine for windows)
//	finish    stages → one relation in the order of the request (finish, empty,
//	          summary), after rewrites of package plan
//	write     the relation → text, by package statement
//	check     the text is read back by the guard that every statement passes
//
// Refusals are made in the error_* files; describe puts the plan into words.
//
// Where the meaning is not certain the answer is a refusal with choices, never a
// number. The package does no I/O and knows no engine by name.
package compile
