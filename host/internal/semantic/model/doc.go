// Package model builds the semantic model of one connection from YAML files and
// scanned tables: sources with dimensions, measures, segments and joins. A
// Model is immutable; names are looked up in it, and requests are compiled
// against it.
//
// It works in three steps, each of which costs as much as the change is large:
//
//	Parse    bytes of one file  → File: definitions with positions, Problems
//	Build    files and tables   → Model: sources put together, names resolved
//	With     a Model, one file  → the next Model, which shares the rest
//
// A broken file, source or member does not break others. It keeps its name, so
// that a lookup returns the reason.
//
// The package does no I/O and knows no engine by name.
package model
