// Package request reads and writes requests to the semantic layer. A request is JSON in
// the shape of the published schema, or in one of those that other semantic layers and
// models use for the same thing; Normalise reads both and returns one normal form.
// Names are parsed and not looked up: a request means something in a model only when
// package compile resolves it.
package request
