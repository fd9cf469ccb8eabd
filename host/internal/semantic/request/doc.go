// Package request reads and writes requests to the semantic layer. A request is JSON of
// the published schema, or of a similar form that other semantic layers or language
// models use; Normalise reads all forms and returns one normal form. It parses names
// without looking them up; package compile resolves them in a model.
package request
