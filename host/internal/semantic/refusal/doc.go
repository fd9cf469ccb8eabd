// Package refusal describes why a request to the semantic layer is not answered: a code,
// a message, the member and the place that are at fault, candidates and a fix.
package refusal
