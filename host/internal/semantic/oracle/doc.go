// Package oracle answers semantic requests in the slow and obvious way, to compare
// its answers with those of compiled statements.
//
//	Answer     model, rows in memory, request → rows, or the code of a refusal
//	Random…    models, rows and requests from a seed, for differential runs
//
// It works row by row: it visits every row of a measure's home, follows joins one
// row at a time, enumerates the rows of a to-many join, and evaluates conditions
// in three-valued logic. It shares no code with the compiler and prints no SQL, so
// that a fault would have to be made twice to go unseen.
//
// Values are Go values: nil is NULL, numbers are float64, truth is bool, and text,
// dates ("2024-05-15") and timestamps ("2024-05-15 13:14:15") are string, which
// order as they should.
package oracle
