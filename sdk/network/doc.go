// Package network is what connectors share whose warehouse is reached over a
// network: [TLS] is its configuration with verification on by default, [SSH]
// that of a tunnel, [Dialer] makes the connections, and [Error] says what went
// wrong in words that an agent can act on.
package network
