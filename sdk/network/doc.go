// Package network connects to servers: TLS is the configuration of TLS, with
// verification by default, SSH that of a tunnel, Dialer opens connections, and
// Error turns their failures into errors with a hint. For services over HTTP,
// NewTransport, Repeatable, Settle, Answered and PostJSON carry requests, WebError and
// Skew explain their failures, and Browser takes a sign-in's browser back.
package network
