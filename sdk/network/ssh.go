package network

import (
	"github.com/loam-data/loam/sdk"
)

// SSH is the part of a configuration that names a tunnel: with a host, every
// connection to the warehouse goes through it. Connectors have it as the field
// "ssh".
type SSH struct {
	Host       string     `json:"host" doc:"SSH server to go through; without it, there is no tunnel"`
	Port       int        `json:"port" doc:"Port of the SSH server" default:"22" min:"1" max:"65535"`
	User       string     `json:"user" doc:"Account on the SSH server"`
	Key        string     `json:"key" doc:"File of the private key to log in with" format:"path"`
	Passphrase sdk.Secret `json:"passphrase" doc:"Passphrase of the private key, if it has one"`
	Password   sdk.Secret `json:"password" doc:"Password of the account, where it is not a key that counts"`
	KnownHosts string     `json:"known_hosts" doc:"File of the SSH servers' public keys; without it, ~/.ssh/known_hosts. A server that is not in it is refused" format:"path"`
}

// Problems finds what the shape of the configuration cannot say; the paths are
// those of the field "ssh".
func (s *SSH) Problems() []sdk.Diagnostic {
	var found []sdk.Diagnostic
	wrong := func(path, summary string) {
		found = append(found, sdk.Diagnostic{Severity: sdk.SeverityError, Path: "ssh." + path, Summary: summary})
	}
	if s.Host == "" {
		if s.User != "" || s.Key != "" || s.KnownHosts != "" || !s.Password.IsZero() || !s.Passphrase.IsZero() {
			wrong("host", "is required for a tunnel")
		}
		return found
	}
	if s.User == "" {
		wrong("user", "is required for a tunnel")
	}
	if s.Key == "" && s.Password.IsZero() {
		wrong("key", "is required for a tunnel, or a password")
	}
	if s.Key == "" && !s.Passphrase.IsZero() {
		wrong("passphrase", "is of no use without a key")
	}
	return found
}
