package network

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// The modes of TLS, by the names of libpq.
const (
	Disable    = "disable"
	Prefer     = "prefer"
	Require    = "require"
	VerifyCA   = "verify-ca"
	VerifyFull = "verify-full"
)

// TLS is the TLS part of a configuration. Every connector embeds it, so that all
// have the same keys.
type TLS struct {
	SSLMode     string `json:"sslmode" doc:"verify-full checks certificate and host name, verify-ca the certificate, require nothing; prefer uses TLS if the server offers it. Without a value: verify-full, but no check for this very machine and no TLS for a socket" enum:"verify-full|verify-ca|require|prefer|disable"`
	SSLRootCert string `json:"sslrootcert" doc:"PEM file of the authorities to trust; without it, those of the system" format:"path"`
	SSLCert     string `json:"sslcert" doc:"PEM file of the client's certificate" format:"path"`
	SSLKey      string `json:"sslkey" doc:"PEM file of the client certificate's key" format:"path"`
}

// Loopback reports whether the host is "localhost" or a loopback address.
func Loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// Socket reports whether the host is the path of a Unix socket or of its folder.
func Socket(host string) bool { return strings.HasPrefix(host, "/") }

// Mode returns the mode for a host: Disable for a Unix socket, on which servers offer no
// TLS; else the configured mode; without one, nearby for this machine and VerifyFull for
// every other.
func (t *TLS) Mode(host, nearby string) string {
	switch {
	case Socket(host):
		return Disable
	case t.SSLMode != "":
		return t.SSLMode
	case Loopback(host):
		return nearby
	default:
		return VerifyFull
	}
}

// Verified reports whether a mode verifies the server's identity.
func Verified(mode string) bool { return mode == VerifyFull || mode == VerifyCA }

// Config returns the TLS configuration for a host in a mode, nil for Disable.
// Prefer and Require check nothing.
// Errors: KindInvalid for a file that cannot be read.
func (t *TLS) Config(host, mode string) (*tls.Config, error) {
	if mode == Disable {
		return nil, nil
	}
	c := &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}
	if t.SSLRootCert != "" {
		pem, err := os.ReadFile(t.SSLRootCert)
		if err != nil {
			return nil, fileError("sslrootcert", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "sslrootcert: %s holds no certificate", t.SSLRootCert).
				WithHint("set sslrootcert to a PEM file of the authority that signed the server's certificate")
		}
	}
	if t.SSLCert != "" {
		pair, err := tls.LoadX509KeyPair(t.SSLCert, t.SSLKey)
		if err != nil {
			return nil, fileError("sslcert and sslkey", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	switch mode {
	case VerifyFull:
	case VerifyCA:
		c.InsecureSkipVerify = true // the chain is verified below, the name is not
		c.VerifyConnection = verifyChain(c.RootCAs, "")
	default:
		c.InsecureSkipVerify = true
	}
	return c, nil
}

// verifyChain checks the server's certificate against the roots, nil = those of the
// system, and against a name, "" = any.
func verifyChain(roots *x509.CertPool, name string) func(tls.ConnectionState) error {
	return func(s tls.ConnectionState) error {
		between := x509.NewCertPool()
		for _, cert := range s.PeerCertificates[1:] {
			between.AddCert(cert)
		}
		_, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: between, DNSName: name})
		return err
	}
}

// Handshake records the outcome of a TLS handshake, because the errors of drivers do not
// distinguish a refused certificate from a server without TLS.
// Concurrency: one handshake at a time.
type Handshake struct {
	State   *tls.ConnectionState // nil until TLS is established
	Refused error                // the error of the server's certificate, if any
}

// Watch returns a copy of a configuration of TLS.Config whose handshakes are recorded in h.
// It checks what the configuration checks.
func (h *Handshake) Watch(config *tls.Config) *tls.Config {
	c := config.Clone()
	verify := c.VerifyConnection
	if !c.InsecureSkipVerify {
		c.InsecureSkipVerify, verify = true, verifyChain(c.RootCAs, c.ServerName)
	}
	c.VerifyConnection = func(state tls.ConnectionState) error {
		if h.Refused = nil; verify != nil {
			h.Refused = verify(state)
		}
		if h.Refused == nil {
			h.State = &state
		}
		return h.Refused
	}
	return c
}

func fileError(key string, err error) *sdk.Error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%s: %w", key, err).
		WithHint("set %s to a readable PEM file", key)
}

// Problems finds wrong or unsafe settings for a host in a mode.
func (t *TLS) Problems(host, mode string) []sdk.Diagnostic {
	var found sqlkit.Problems
	found.Wrong(t.SSLCert != "" && t.SSLKey == "", "sslkey", "is required with sslcert")
	found.Wrong(t.SSLKey != "" && t.SSLCert == "", "sslcert", "is required with sslkey")
	switch {
	case Socket(host):
		found.Wrong(t.SSLMode != "" && t.SSLMode != Disable && t.SSLMode != Prefer, "sslmode", t.SSLMode+" is not possible over a Unix socket")
	case !Loopback(host) && !Verified(mode):
		found = append(found, sdk.Diagnostic{
			Severity: sdk.SeverityWarning, Path: "sslmode",
			Summary: fmt.Sprintf("with %s nobody checks that %s is the real server", mode, host),
			Detail:  "Set sslmode to verify-full, and sslrootcert to the authority's PEM file if the system does not know it.",
		})
	}
	return found
}

// Describe returns for a staged check how a connection is protected; state is
// nil for one without TLS. warning: the protection is too weak.
func (t *TLS) Describe(host, mode string, state *tls.ConnectionState) (detail string, warning bool) {
	switch {
	case Socket(host):
		return "a Unix socket needs none", false
	case state == nil:
		return "the connection is not encrypted", !Loopback(host)
	}
	detail = tls.VersionName(state.Version) + ", " + tls.CipherSuiteName(state.CipherSuite)
	if !Verified(mode) {
		return detail + ", the server's certificate is not verified", !Loopback(host)
	}
	return detail, false
}

// invalidHint tells apart a certificate that is too old from one whose time is still to
// come, which is a sign of a wrong clock.
func invalidHint(e x509.CertificateInvalidError) string {
	switch {
	case e.Reason != x509.Expired || e.Cert == nil:
		return "have the server's certificate renewed"
	case time.Now().Before(e.Cert.NotBefore):
		return ClockHint + ": it is before the time of the server's certificate"
	default:
		return "have the server's certificate renewed; or, if it is still good, " + ClockHint
	}
}

// Error maps a failed handshake, with a hint that names the key to change; nil
// for any other error.
func (t *TLS) Error(err error) *sdk.Error {
	failed := func(cause error, hint string) *sdk.Error {
		e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "TLS: %w", cause).WithHint("%s", hint)
		e.Op = "connect"
		return e
	}
	if e, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return failed(e, "set sslrootcert to the PEM file of the authority that signed the server's certificate")
	}
	if e, ok := errors.AsType[x509.HostnameError](err); ok {
		return failed(e, "set host to a name in the server's certificate, or sslmode to verify-ca")
	}
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		return failed(e, invalidHint(e))
	}
	if e, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return failed(e, "set sslrootcert to the PEM file of the authority that signed the server's certificate")
	}
	if e, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return failed(e, "if the server has no TLS and the network is trusted, set sslmode to disable; else check the port")
	}
	// An alert of the server, which may come as late as the first answer.
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "remote error" {
		return failed(e, "the server refused the handshake: set sslcert and sslkey if it asks for a client certificate")
	}
	return nil
}
