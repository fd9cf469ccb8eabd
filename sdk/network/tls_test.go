package network_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
)

func TestMode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ configured, host, want string }{
		{"", "localhost", network.Prefer},
		{"", "127.0.0.1", network.Prefer},
		{"", "::1", network.Prefer},
		{"", "/var/run/db", network.Disable},
		{network.Require, "/var/run/db", network.Disable},
		{"", "db.example.com", network.VerifyFull},
		{"", "10.0.0.1", network.VerifyFull},
		{"", "localhost.example.com", network.VerifyFull},
		{network.Require, "db.example.com", network.Require},
		{network.VerifyFull, "localhost", network.VerifyFull},
	} {
		if got := (&network.TLS{SSLMode: c.configured}).Mode(c.host, network.Prefer); got != c.want {
			t.Errorf("%q for %s: %s, want %s", c.configured, c.host, got, c.want)
		}
	}
}

func TestTLSProblems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		tls  network.TLS
		host string
		want []string
	}{
		{"far away, by default", network.TLS{}, "db.example.com", nil},
		{"half a certificate", network.TLS{SSLKey: "k"}, "localhost", []string{"error sslcert"}},
		{"the other half", network.TLS{SSLCert: "c"}, "localhost", []string{"error sslkey"}},
		{"over a socket", network.TLS{SSLMode: network.Require}, "/run", []string{"error sslmode"}},
		{"if possible, over a socket", network.TLS{SSLMode: network.Prefer}, "/run", nil},
		{"open to the world", network.TLS{SSLMode: network.Disable}, "db.example.com", []string{"warning sslmode"}},
		{"trust anyone", network.TLS{SSLMode: network.Require}, "db.example.com", []string{"warning sslmode"}},
		{"trust any name", network.TLS{SSLMode: network.VerifyCA}, "db.example.com", nil},
		{"nearby", network.TLS{SSLMode: network.Disable}, "::1", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, d := range c.tls.Problems(c.host, c.tls.Mode(c.host, network.Prefer)) {
				severity := "error "
				if d.Severity == sdk.SeverityWarning {
					severity = "warning "
				}
				got = append(got, severity+d.Path)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// authority is a certificate authority with the servers and clients it vouches
// for, as PEM files.
type authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  string
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{dir: t.TempDir(), key: key, cert: &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}}
	a.pem = filepath.Join(a.dir, "ca.pem")
	der, err := x509.CreateCertificate(rand.Reader, a.cert, a.cert, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	write(t, a.pem, "CERTIFICATE", der)
	return a
}

func write(t testing.TB, path, kind string, der []byte) {
	t.Helper()
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
}

// issue returns the files of a certificate for a name that is good until then.
func (a *authority) issue(t testing.TB, name string, until time.Time) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: until.Add(-3 * time.Hour), NotAfter: until,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, a.cert, &private.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(a.dir, name+".pem"), filepath.Join(a.dir, name+".key")
	write(t, cert, "CERTIFICATE", der)
	write(t, key, "PRIVATE KEY", secret)
	return cert, key
}

// serve answers every connection with a byte: with TLS, or without if config is
// nil.
func serve(t testing.TB, config *tls.Config) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if config != nil {
		listener = tls.NewListener(listener, config)
	}
	done := make(chan struct{})
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
	})
	go func() {
		defer close(done)
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("this is no handshake"))
			_ = c.Close()
		}
	}()
	return listener.Addr().String()
}

func TestHandshake(t *testing.T) {
	t.Parallel()
	ours, theirs := newAuthority(t), newAuthority(t)
	certificate := func(a *authority, name string, until time.Time) tls.Certificate {
		pair, err := tls.LoadX509KeyPair(a.issue(t, name, until))
		if err != nil {
			t.Fatal(err)
		}
		return pair
	}
	later := time.Now().Add(time.Hour)
	pool := x509.NewCertPool()
	if text, err := os.ReadFile(ours.pem); err != nil || !pool.AppendCertsFromPEM(text) {
		t.Fatal(err)
	}
	clientCert, clientKey := ours.issue(t, "client", later)
	good := &tls.Config{Certificates: []tls.Certificate{certificate(ours, "db", later)}}
	old := &tls.Config{Certificates: []tls.Certificate{certificate(ours, "old", time.Now().Add(-time.Hour))}}
	early := &tls.Config{Certificates: []tls.Certificate{certificate(ours, "early", time.Now().Add(5*time.Hour))}}
	foreign := &tls.Config{Certificates: []tls.Certificate{certificate(theirs, "db", later)}}
	mutual := &tls.Config{Certificates: good.Certificates, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool}
	for _, c := range []struct {
		name   string
		server *tls.Config
		tls    network.TLS
		host   string
		hint   string // "" = it works
	}{
		{"verified", good, network.TLS{SSLRootCert: ours.pem}, "db", ""},
		{"verified without the name", good, network.TLS{SSLMode: network.VerifyCA, SSLRootCert: ours.pem}, "10.0.0.1", ""},
		{"not verified", foreign, network.TLS{SSLMode: network.Require}, "db", ""},
		{"with a client certificate", mutual, network.TLS{SSLRootCert: ours.pem, SSLCert: clientCert, SSLKey: clientKey}, "db", ""},
		{"unknown authority", good, network.TLS{}, "db", "set sslrootcert"},
		{"another authority", foreign, network.TLS{SSLRootCert: ours.pem}, "db", "set sslrootcert"},
		{"another authority, any name", foreign, network.TLS{SSLMode: network.VerifyCA, SSLRootCert: ours.pem}, "db", "set sslrootcert"},
		{"another name", good, network.TLS{SSLRootCert: ours.pem}, "elsewhere", "set host to a name in the server's certificate"},
		{"expired", old, network.TLS{SSLRootCert: ours.pem}, "old", "renewed"},
		{"a clock that is behind", early, network.TLS{SSLRootCert: ours.pem}, "early", "set this machine's clock"},
		{"no client certificate", mutual, network.TLS{SSLRootCert: ours.pem}, "db", "set sslcert and sslkey"},
		{"no TLS", nil, network.TLS{SSLRootCert: ours.pem}, "db", "set sslmode to disable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			config, err := c.tls.Config(c.host, c.tls.Mode(c.host, network.Disable))
			if err != nil {
				t.Fatal(err)
			}
			raw, err := net.Dial("tcp", serve(t, c.server))
			if err != nil {
				t.Fatal(err)
			}
			var watched network.Handshake
			conn := tls.Client(raw, watched.Watch(config))
			defer conn.Close()
			_, err = conn.Read(make([]byte, 1))
			e := c.tls.Error(err)
			if watched.State == nil != (c.server == nil || watched.Refused != nil) {
				t.Errorf("the handshake is recorded as %+v", watched)
			}
			switch {
			case c.hint == "" && err != nil:
				t.Error(err)
			case c.hint == "":
				state := conn.ConnectionState()
				mode := c.tls.Mode(c.host, network.Disable)
				if _, warning := c.tls.Describe(c.host, mode, &state); warning == network.Verified(mode) {
					t.Errorf("mode %s: warning is %t", mode, warning)
				}
			case e == nil || e.Kind != sdk.KindUnavailable || !strings.Contains(e.Hint, c.hint):
				t.Errorf("%v became %+v, want a hint like %q", err, e, c.hint)
			}
		})
	}
	if e := (&network.TLS{}).Error(net.ErrClosed); e != nil {
		t.Errorf("a closed connection became %v", e)
	}
}

func TestTLSFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tls  network.TLS
		says string
	}{
		"no authority":      {network.TLS{SSLRootCert: "/does/not/exist"}, "set sslrootcert"},
		"authority of none": {network.TLS{SSLRootCert: "tls_test.go"}, "set sslrootcert"},
		"no certificate":    {network.TLS{SSLCert: "/does/not/exist", SSLKey: "/does/not/exist"}, "set sslcert and sslkey"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := c.tls.Config("db", network.VerifyFull)
			e := sdk.AsError(err, sdk.SourceConnector)
			if e == nil || e.Kind != sdk.KindInvalid || !strings.Contains(e.Hint, c.says) {
				t.Errorf("got %v", err)
			}
		})
	}
	if config, err := (&network.TLS{}).Config("db", network.Disable); config != nil || err != nil {
		t.Errorf("disable: %v, %v", config, err)
	}
}
