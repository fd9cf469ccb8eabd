//go:build unix

package testserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

const (
	caFile   = "ca.pem"
	certFile = "server.pem"
	keyFile  = "server.key"

	clientCertFile = "client.pem"
	clientKeyFile  = "client.key"
)

// writeCertificates makes an authority and, signed by it, a certificate for the
// server, whose key belongs to the account that runs it, and one for a client,
// whose key belongs to this process.
func writeCertificates(dir string, account *syscall.Credential) error {
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	ca := certificate(1, "Loam test authority")
	ca.IsCA, ca.BasicConstraintsValid, ca.KeyUsage = true, true, x509.KeyUsageCertSign
	ca.ExtKeyUsage = nil // of any kind
	caDER, err := x509.CreateCertificate(rand.Reader, ca, ca, &caKey.PublicKey, caKey)
	if err != nil {
		return err
	}
	if err := writePEM(filepath.Join(dir, caFile), "CERTIFICATE", caDER, 0o644, account); err != nil {
		return err
	}
	server := certificate(2, "localhost")
	server.DNSNames, server.IPAddresses = []string{"localhost"}, []net.IP{net.IPv4(127, 0, 0, 1)}
	client := certificate(3, "loam test client")
	client.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	for _, leaf := range []struct {
		template  *x509.Certificate
		cert, key string
		account   *syscall.Credential
	}{
		{server, certFile, keyFile, account},
		{client, clientCertFile, clientKeyFile, nil},
	} {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return err
		}
		der, err := x509.CreateCertificate(rand.Reader, leaf.template, ca, &key.PublicKey, caKey)
		if err != nil {
			return err
		}
		keyDER, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			return err
		}
		if err := errors.Join(
			writePEM(filepath.Join(dir, leaf.cert), "CERTIFICATE", der, 0o644, leaf.account),
			writePEM(filepath.Join(dir, leaf.key), "PRIVATE KEY", keyDER, 0o600, leaf.account),
		); err != nil {
			return err
		}
	}
	return nil
}

func writePEM(path, kind string, der []byte, mode os.FileMode, account *syscall.Credential) error {
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), mode); err != nil {
		return err
	}
	if account == nil {
		return nil
	}
	return os.Chown(path, int(account.Uid), int(account.Gid))
}

func certificate(serial int64, name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(serial),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
}

// OtherAuthority returns the PEM of an authority that signed no server's certificate.
func OtherAuthority(t testing.TB) (path string) {
	t.Helper()
	dir := t.TempDir()
	if err := writeCertificates(dir, nil); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, caFile)
}
