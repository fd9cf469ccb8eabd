// Package sdk is the vocabulary of a Loam connector: what it is, what it is
// asked and what it answers.
//
// A connector author fills a [Connector], implements [Session] and, for what
// the warehouse can do beyond that, the optional interfaces [Explainer],
// [Validator], [Profiler] and [QueryLogger]. Package sdk/serve turns the
// Connector into a program, sdk/sqlkit has what SQL connectors share, sdk/network
// is the way to a server (TLS, SSH tunnels), and sdk/conform proves the result.
//
// The package imports the standard library and sdk/dialect, nothing else.
package sdk
