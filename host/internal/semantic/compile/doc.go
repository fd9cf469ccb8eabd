// Package compile turns a request to the semantic layer into one read-only
// statement in the SQL of the connection's dialect.
//
// Every measure has a home: the source whose rows it aggregates. Its value for a
// tuple of dimensions is its aggregate over the rows of the home that have these
// values and satisfy the filters, whatever else the request asks for. So the
// compiler computes measures of different homes apart, in branches, and stitches the
// branches by tuple, NULL equal to NULL:
//
//	resolve  names → members of the model, filters split and classified
//	plan     base measures → branches: a home, the joins it needs, what is grouped
//	render   branches → CTEs, stitched and finished, through the dialect's data
//	check    the text read back by the same guard that every statement passes
//
// Where the meaning is not certain the answer is a refusal with choices, never a
// number. The package does no I/O and knows no engine by name.
package compile
