// Package oracle answers semantic queries the slow and obvious way, so that the
// answers of the compiler's statements can be compared with it.
//
//	Answer     model, rows in memory, request → rows, or the code of a refusal
//	Random…    models, rows and requests from a seed, for differential runs
//
// It is written from the meaning of a query, row by row: every row of a measure's
// home is walked, joins are followed one row at a time, what a to-many join
// relates is enumerated, and conditions are computed in three-valued logic. It
// shares no code with the compiler and prints no SQL; a fault has to be made
// twice, in two ways of thinking, to go unseen.
//
// Values are Go values: nil is NULL, numbers are float64, truth is bool, and text,
// dates ("2024-05-15") and timestamps ("2024-05-15 13:14:15") are string, which
// order as they should.
package oracle
