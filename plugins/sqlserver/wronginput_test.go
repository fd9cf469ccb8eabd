package sqlserver_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver/tds"
	"github.com/loam-data/loam/plugins/sqlserver"
	"github.com/loam-data/loam/sdk"
)

// wrongInput is one fault, and what a person reads of it.
type wrongInput struct {
	name  string
	said  *tds.Error // by the server to the login, or to the statement
	extra map[string]any
	sql   string // that meets the fault; "" = to open the connection does

	kind    sdk.Kind
	code    string
	cause   string // part of the message
	command string // part of the hint
}

const again = "loam connection test shop"

func wrongInputs(t *testing.T, certificate string) []wrongInput {
	said := func(number uint32, class byte, message string) *tds.Error {
		return &tds.Error{Number: number, Class: class, Message: message}
	}
	const reading = "SELECT id FROM t"
	tokens := map[string]any{"auth": "token", "user": nil, "sslmode": "require"}
	return []wrongInput{
		{name: "password", extra: map[string]any{"user": "nobody"}, said: said(18456, 14, "Login failed for user 'nobody'."), kind: sdk.KindUnauthenticated, code: "18456", cause: "Login failed", command: again},
		{name: "old password", said: said(18487, 14, "The password of the account has expired."), kind: sdk.KindUnauthenticated, code: "18487", cause: "expired", command: again},
		{name: "locked", said: said(18486, 14, "The account is locked out."), kind: sdk.KindUnauthenticated, code: "18486", cause: "locked", command: "unlocked"},
		{name: "database", said: said(4060, 11, "Cannot open database \"shop\"."), kind: sdk.KindNotFound, code: "4060", cause: "shop", command: "CREATE USER"},
		{name: "region", said: said(40532, 11, "Cannot open server \"db\" requested by the login."), kind: sdk.KindNotFound, code: "40532", cause: "server", command: "<server>.database.windows.net"},
		{name: "firewall", said: said(40615, 14, "Client is not allowed to access the server."), kind: sdk.KindDenied, code: "40615", cause: "not allowed", command: "firewall"},
		{name: "suspended", said: said(40613, 17, "Database 'shop' is not currently available."), kind: sdk.KindUnavailable, code: "40613", cause: "not currently available", command: "try again"},
		{name: "quota", said: said(10928, 16, "The request limit for the database is 60 and has been reached."), kind: sdk.KindRateLimited, code: "10928", cause: "limit", command: "later"},
		{name: "expired token", extra: tokens, said: said(18456, 14, "Login failed for user '<token-identified principal>'. Token is expired."), kind: sdk.KindUnauthenticated, code: "18456", cause: "expired", command: "az account get-access-token"},
		{name: "clock of a token", extra: tokens, said: said(18456, 14, "Login failed for user '<token-identified principal>'. Token is not yet valid."), kind: sdk.KindUnauthenticated, code: "18456", cause: "not yet valid", command: "clock"},
		{name: "clock of a certificate", extra: map[string]any{"sslmode": "verify-full", "sslrootcert": certificate}, kind: sdk.KindUnavailable, cause: "not yet valid", command: "timedatectl"},
		{name: "clock of a ticket", extra: kerberos(t), kind: sdk.KindUnauthenticated, cause: "Clock skew too great", command: "timedatectl"},
		{name: "permission", sql: reading, said: said(229, 14, "The SELECT permission was denied on the object 't'."), kind: sdk.KindDenied, code: "229", cause: "denied", command: "ask the administrator"},
		{name: "role", sql: reading, said: said(916, 14, "The server principal \"reader\" is not able to access the database \"far\" under the current security context."), kind: sdk.KindDenied, code: "916", cause: "far", command: "ask the administrator"},
		{name: "busy", sql: reading, said: said(40501, 20, "The service is currently busy. Retry the request after 10 seconds."), kind: sdk.KindRateLimited, code: "40501", cause: "busy", command: "try again"},
	}
}

// A fault is told by its code, its cause and the next command, after one attempt and
// without a secret.
func TestWrongInput(t *testing.T) {
	t.Parallel()
	pair, file := certificateOfTomorrow(t)
	for _, c := range wrongInputs(t, file) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, pair)
		})
	}
}

func (c *wrongInput) run(t *testing.T, pair tls.Certificate) {
	backend := &server{showplan: true}
	switch {
	case c.said == nil:
	case c.sql == "":
		backend.login = func(tds.Login) error { return c.said }
	default:
		backend.answer = func(context.Context, tds.Request, *tds.Answer) error { return c.said }
	}
	fixture := tds.Start(t, tds.Config{Backend: backend, TLS: &tls.Config{Certificates: []tls.Certificate{pair}}})
	extra := map[string]any{"sslmode": "disable"}
	maps.Copy(extra, c.extra)
	config := configOf(fixture, extra)
	if extra["auth"] == "token" {
		config.Secrets = map[string]sdk.Secret{"token": sdk.NewSecret("canary-token")}
	}
	s, err := sqlserver.Connector().Open(t.Context(), sdk.OpenRequest{ConnectionID: "shop", Config: config})
	if err == nil {
		defer func() { _ = s.Close(context.Background()) }()
	}
	if c.sql != "" && err == nil {
		_, err = execute(t.Context(), s, sdk.ExecuteRequest{SQL: c.sql})
	}
	e := wantKind(t, err, c.kind)
	if e.Code != c.code || !strings.Contains(e.Msg, c.cause) || !strings.Contains(e.Hint, c.command) || c.sql == "" && e.Op != "connect" {
		t.Errorf("code %q, cause %q, next %q of %s; want %q, %q, %q", e.Code, e.Msg, e.Hint, e.Op, c.code, c.cause, c.command)
	}
	if strings.Contains(e.Error()+e.Hint, "canary") {
		t.Errorf("the error shows a secret: %v", e)
	}
	// After a failed statement the pool replaces the connection, whose ROLLBACK fails here.
	if c.sql == "" && len(backend.logins) > 1 {
		t.Errorf("%d attempts to log in; %v", len(backend.logins), e)
	}
}

// Rows beyond a limit are told, and so are values of any type, which come as text. Bytes
// among them are refused: the driver does not tell them from numbers.
func TestWhatAnAnswerLeavesOut(t *testing.T) {
	t.Parallel()
	values := []any{int64(7), "seven", nil}
	backend := &server{showplan: true}
	backend.answer = func(_ context.Context, _ tds.Request, a *tds.Answer) error {
		a.Columns(tds.Column{Name: "v", Type: tds.Type{Name: "sql_variant"}, Nullable: true})
		for _, v := range values {
			if err := a.Row(v); err != nil {
				return err
			}
		}
		return nil
	}
	_, s := open(t, backend)
	r, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT v FROM t"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]any{{"7"}, {"seven"}, {nil}}, r.Rows); diff != "" || len(r.Notices) != 1 || r.Notices[0].Object != "v" {
		t.Errorf("notices %+v, rows (-want +got):\n%s", r.Notices, diff)
	}
	w := sdk.NewRowWriter(new(result).Sink(), sdk.Limits{MaxRows: 2})
	if err := s.Execute(t.Context(), sdk.ExecuteRequest{SQL: "SELECT v FROM t", Limits: sdk.Limits{MaxRows: 2}}, w); err != nil || w.Close() != nil || w.Summary().TruncatedBy != sdk.TruncatedByRows {
		t.Errorf("%+v, %v", w.Summary(), err)
	}
	values = []any{[]byte("123")}
	_, err = execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT v FROM t"})
	if e := wantKind(t, err, sdk.KindUnsupported); !strings.Contains(e.Hint, "CAST([v] AS") {
		t.Errorf("%+v", e)
	}
}

// certificateOfTomorrow returns a certificate whose time is still to come, and its file.
func certificateOfTomorrow(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(24 * time.Hour), NotAfter: time.Now().Add(48 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, leaf, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

// kerberos returns the configuration of a realm whose server finds the client's clock off.
func kerberos(t *testing.T) map[string]any {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			answerSkew(c)
		}
	}()
	file := filepath.Join(t.TempDir(), "krb5.conf")
	text := fmt.Sprintf("[libdefaults]\n default_realm = TEST\n dns_lookup_kdc = false\n[realms]\n TEST = {\n  kdc = %s\n }\n", l.Addr())
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string]any{"auth": "kerberos", "user": "ada@TEST", "krb5": map[string]any{"config": file}}
}

// answerSkew answers a request for a ticket with KRB_AP_ERR_SKEW.
// Source: RFC 4120, sections 5.9.1 and 7.2.2.
func answerSkew(c net.Conn) {
	defer func() { _ = c.Close() }()
	var size uint32
	if binary.Read(c, binary.BigEndian, &size) != nil {
		return
	}
	if _, err := io.CopyN(io.Discard, c, int64(size)); err != nil {
		return
	}
	tlv := func(tag byte, content ...byte) []byte { return append([]byte{tag, byte(len(content))}, content...) }
	integer := func(n byte) []byte { return tlv(0x02, n) }
	var fields []byte
	for _, f := range []struct {
		number  byte
		content []byte
	}{
		{0, integer(5)}, {1, integer(30)}, {4, tlv(0x18, []byte("20260101000000Z")...)}, {5, integer(0)}, {6, integer(37)},
		{9, tlv(0x1B, []byte("TEST")...)}, {10, tlv(0x30, append(tlv(0xA0, integer(2)...), tlv(0xA1, tlv(0x30, tlv(0x1B, []byte("krbtgt")...)...)...)...)...)},
	} {
		fields = append(fields, tlv(0xA0|f.number, f.content...)...)
	}
	answer := tlv(0x7E, tlv(0x30, fields...)...)
	_, _ = c.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(answer))), answer...)) // the client's loss
}
