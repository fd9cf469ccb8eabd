package postgres

import (
	"crypto/tls"
	"crypto/x509"
	"os"

	"github.com/loam-data/loam/sdk"
)

// tls returns the TLS configuration, nil for none.
// Errors: KindInvalid for a file that cannot be read.
func (c *config) tls() (*tls.Config, error) {
	mode := c.sslMode()
	if mode == sslDisable {
		return nil, nil
	}
	t := &tls.Config{ServerName: c.Host, MinVersion: tls.VersionTLS12}
	if c.SSLRootCert != "" {
		pem, err := os.ReadFile(c.SSLRootCert)
		if err != nil {
			return nil, fileError("sslrootcert", err)
		}
		t.RootCAs = x509.NewCertPool()
		if !t.RootCAs.AppendCertsFromPEM(pem) {
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "sslrootcert: %s holds no certificate", c.SSLRootCert).
				WithHint("set sslrootcert to a PEM file of the authority that signed the server's certificate")
		}
	}
	if c.SSLCert != "" {
		pair, err := tls.LoadX509KeyPair(c.SSLCert, c.SSLKey)
		if err != nil {
			return nil, fileError("sslcert and sslkey", err)
		}
		t.Certificates = []tls.Certificate{pair}
	}
	switch mode {
	case sslVerifyFull:
	case sslVerifyCA:
		t.InsecureSkipVerify = true // the chain is verified below, the name is not
		t.VerifyConnection = verifyChain(t.RootCAs)
	default:
		t.InsecureSkipVerify = true
	}
	return t, nil
}

// verifyChain checks that the server's certificate leads to one of the roots,
// whatever name it is for; nil roots are the system's.
func verifyChain(roots *x509.CertPool) func(tls.ConnectionState) error {
	return func(s tls.ConnectionState) error {
		between := x509.NewCertPool()
		for _, cert := range s.PeerCertificates[1:] {
			between.AddCert(cert)
		}
		_, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: between})
		return err
	}
}

func fileError(key string, err error) *sdk.Error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%s: %w", key, err).
		WithHint("set %s to a readable PEM file", key)
}
