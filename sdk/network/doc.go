// Package network connects to servers: TLS is the configuration of TLS, with
// verification by default, SSH that of a tunnel, Dialer opens connections, and
// Error turns their failures into errors with a hint.
package network
