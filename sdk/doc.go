// Package sdk defines the types of a Loam connector: its description, the
// requests that it receives and the results that it returns.
//
// A connector author fills a [Connector], implements [Session] and, for what the
// warehouse can do beyond that, the optional interfaces [Explainer], [Validator],
// [Profiler] and [QueryLogger]. Package sdk/serve turns the Connector into a
// program, sdk/sqlkit has the parts that SQL connectors share, sdk/network
// connects to servers (TLS, SSH tunnels), and sdk/conform tests the result.
//
// The package imports the standard library and sdk/dialect, nothing else.
package sdk
