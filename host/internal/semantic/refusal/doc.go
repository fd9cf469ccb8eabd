// Package refusal defines the error of a refused request to the semantic layer: a code,
// a message, the faulty member and position, candidates and a fix.
package refusal
