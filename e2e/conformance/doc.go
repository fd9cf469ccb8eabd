// Package conformance runs the official conformance suite of the Model Context
// Protocol against the program that is shipped: with the fixtures that the suite
// calls, and on a project as a person has one. The suite comes from npm, by
// scripts/setup; suite/ pins it and everything it needs.
package conformance
