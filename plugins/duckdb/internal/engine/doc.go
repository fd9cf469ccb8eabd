// Package engine is what the connector uses of the DuckDB library: databases,
// connections, statements, chunks of their results, and errors with a position.
// It goes through the C API of duckdb-go's bindings, because the database/sql
// driver runs all statements of a text but the last before one can look at
// them, holds a whole result in memory, and makes a Go value of every cell.
//
// Everything but this text needs cgo.
package engine
