// Package engine is the part of SQLite's C interface that a read-only
// connector needs, as Go types over the pure-Go library modernc.org/sqlite/lib.
//
// It stands beside that module's database/sql driver because the driver hides
// what correctness needs: it runs every statement of a string, parses the text
// of DATE and TIMESTAMP columns so that the stored text is lost, opens files
// for writing unless a URI parameter says otherwise, and knows neither where an
// error is nor which statement an interrupt hits.
//
// # Concurrency
//
// A Conn and its statements belong to one goroutine at a time; only the context
// given to Watch may end from another.
//
// # Memory
//
// The library keeps its memory outside of Go's heap: what is opened must be
// closed, what is prepared finalized. Byte slices that a Stmt returns point into
// that memory and are valid until its next Step or Finalize.
package engine
