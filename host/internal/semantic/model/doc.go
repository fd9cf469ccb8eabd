// Package model reads the semantic layer of one connection: what people wrote
// in YAML and what a scan found, put together into one immutable Model that
// names can be looked up in and queries can be planned against.
//
// It works in three steps, each of which costs what changed and no more:
//
//	Parse    bytes of one file  → File: definitions with positions, Problems
//	Build    files and tables   → Model: sources put together, names resolved
//	With     a Model, one file  → the next Model, which shares the rest
//
// One broken file, source or member never takes others down. What is broken
// stays known by its name, so that who asks for it is told why.
//
// The package reads and writes nothing and knows no engine by name.
package model
