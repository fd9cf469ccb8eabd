// Package compare has the tests that compare the reader of statements with the parsers of engines. It is a module of its
// own, so that no program requires these parsers.
package compare
