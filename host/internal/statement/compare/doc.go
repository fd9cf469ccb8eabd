// Package compare has the tests that compare the reader of statements with the parsers of PostgreSQL and of a database
// that speaks MySQL's dialect. It is a module of its own, so that no program requires these parsers.
package compare
