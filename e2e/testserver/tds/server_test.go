package tds_test

import (
	"context"
	"crypto/tls"
	"database/sql"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	mssql "github.com/microsoft/go-mssqldb"

	"github.com/loam-data/loam/e2e/testserver/tds"
)

// script is a backend that knows a few texts.
type script struct {
	answers map[string]func(context.Context, tds.Request, *tds.Answer) error
	resets  chan struct{}
	logins  *atomic.Pointer[tds.Login] // the last one; nil = nobody asks
}

func (s *script) Login(_ context.Context, l tds.Login) (tds.Session, error) {
	if s.logins != nil {
		s.logins.Store(&l)
	}
	if l.User != "reader" || l.Password != "p@ss wörd" {
		return nil, &tds.Error{Number: 18456, Class: 14, Message: "Login failed for user '" + l.User + "'."}
	}
	if l.Database == "nowhere" {
		return nil, &tds.Error{Number: 4060, Class: 11, Message: "Cannot open database \"nowhere\" requested by the login. The login failed."}
	}
	return s, nil
}

func (s *script) Answer(ctx context.Context, r tds.Request, a *tds.Answer) error {
	if r.Procedure == tds.Begin || r.Procedure == tds.Commit || r.Procedure == tds.Rollback {
		return nil
	}
	answer, ok := s.answers[r.Text]
	if !ok {
		return &tds.Error{Number: 102, Class: 15, Line: 3, Message: "Incorrect syntax near '" + r.Text + "'."}
	}
	return answer(ctx, r, a)
}

func (s *script) Reset(context.Context) error {
	select {
	case s.resets <- struct{}{}:
	default:
	}
	return nil
}

func (s *script) Close() {}

func start(t *testing.T, answers map[string]func(context.Context, tds.Request, *tds.Answer) error) (*tds.Server, *script) {
	s := &script{answers: answers, resets: make(chan struct{}, 10)}
	return tds.Start(t, tds.Config{Backend: s}), s
}

func open(t *testing.T, s *tds.Server, options string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlserver", fmt.Sprintf("server=%s;port=%d;user id=reader;password=p@ss wörd;app name=loam;%s", s.Host, s.Port, options))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

const plain = "encrypt=disable"

var (
	moment = time.Date(2026, 11, 23, 23, 59, 59, 123456700, time.UTC)
	east   = time.FixedZone("", 5*3600+30*60)
)

// values of each type, and what the driver makes of them where that is something else.
var typed = []struct {
	name  string
	value any
	want  any
}{
	{"bit", true, nil},
	{"tinyint", int64(255), nil},
	{"smallint", int64(-32768), nil},
	{"int", int64(-2147483648), nil},
	{"bigint", int64(-9223372036854775808), nil},
	{"real", float64(1.5), nil},
	{"float", 1.7976931348623157e308, nil},
	{"decimal(38,10)", "-9999999999999999999999999999.9999999999", []byte("-9999999999999999999999999999.9999999999")},
	{"decimal(9,2)", "0.01", []byte("0.01")},
	{"decimal(19,0)", "9999999999999999999", []byte("9999999999999999999")},
	{"money", "-922337203685477.5808", []byte("-922337203685477.5808")},
	{"smallmoney", "214748.3647", []byte("214748.3647")},
	{"date", time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), nil},
	{"date", time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), nil},
	{"time(7)", time.Date(1, 1, 1, 23, 59, 59, 999999900, time.UTC), nil},
	{"datetime2(7)", moment, nil},
	{"datetime2(0)", moment.Truncate(time.Second), nil},
	{"datetime2(3)", moment.Truncate(time.Millisecond), nil},
	{"datetimeoffset(7)", time.Date(2024, 2, 29, 1, 2, 3, 400, east), nil},
	{"datetime", time.Date(1753, 1, 1, 12, 30, 0, 0, time.UTC), nil},
	{"smalldatetime", time.Date(2079, 6, 6, 23, 59, 0, 0, time.UTC), nil},
	{"char(3)", "a€c", nil},
	{"varchar(max)", "naïve", nil},
	{"nchar(2)", "😀", nil},
	{"nvarchar(10)", "", nil},
	{"nvarchar(max)", strings.Repeat("日本", 5000), nil},
	{"xml", "<a>ü</a>", nil},
	{"binary(2)", []byte{0, 255}, nil},
	{"varbinary(max)", make([]byte, 20000), nil},
	{"uniqueidentifier", "6F9619FF-8B86-D011-B42D-00C04FC964FF", []byte{0xFF, 0x19, 0x96, 0x6F, 0x86, 0x8B, 0x11, 0xD0, 0xB4, 0x2D, 0x00, 0xC0, 0x4F, 0xC9, 0x64, 0xFF}},
}

// allTypes answers with a row of values, one of NULL and one that has every second.
func allTypes(t *testing.T) func(context.Context, tds.Request, *tds.Answer) error {
	var columns []tds.Column
	var row []any
	for i, one := range typed {
		typ, err := tds.ParseType(one.name)
		if err != nil {
			t.Fatal(err)
		}
		columns, row = append(columns, tds.Column{Name: "c" + strconv.Itoa(i), Type: typ, Nullable: true}), append(row, one.value)
	}
	return func(_ context.Context, _ tds.Request, a *tds.Answer) error {
		a.Columns(columns...)
		half := append([]any(nil), row...)
		for i := 0; i < len(half); i += 2 {
			half[i] = nil
		}
		return errors.Join(a.Row(row...), a.Row(make([]any, len(row))...), a.Row(half...))
	}
}

func TestTypes(t *testing.T) {
	s, _ := start(t, map[string]func(context.Context, tds.Request, *tds.Answer) error{"select types": allTypes(t)})
	rows, err := open(t, s, plain).Query("select types")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	types, err := rows.ColumnTypes()
	if err != nil {
		t.Fatal(err)
	}
	for i, one := range typed {
		name, _, _ := strings.Cut(one.name, "(")
		if got := strings.ToLower(types[i].DatabaseTypeName()); got != name {
			t.Errorf("%s is told as %s", one.name, got)
		}
	}
	for number := range 3 {
		if !rows.Next() {
			t.Fatal(rows.Err())
		}
		got := make([]any, len(typed))
		into := make([]any, len(typed))
		for i := range got {
			into[i] = &got[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		for i, one := range typed {
			want := one.want
			if want == nil {
				want = one.value
			}
			if number == 1 || number == 2 && i%2 == 0 {
				want = nil
			}
			if at, ok := want.(time.Time); ok {
				if g, ok := got[i].(time.Time); !ok || !g.Equal(at) {
					t.Errorf("row %d: %s is %v, want %v", number, one.name, got[i], at)
				}
			} else if !reflect.DeepEqual(got[i], want) {
				t.Errorf("row %d: %s is %T %.100v, want %T %.100v", number, one.name, got[i], got[i], want, want)
			}
		}
	}
	if rows.Next() || rows.Err() != nil {
		t.Error("a fourth row or an error:", rows.Err())
	}
}

// TestStrangeValues: what a type does not hold is an error, never another value.
func TestStrangeValues(t *testing.T) {
	for _, one := range []struct {
		name  string
		value any
	}{
		{"tinyint", int64(-1)}, {"tinyint", int64(256)}, {"smallint", int64(32768)}, {"int", int64(1 << 31)}, {"int", "1"},
		{"decimal(4,2)", "100"}, {"decimal(4,2)", "0.001"}, {"smallmoney", "214748.3648"}, {"money", "0.00001"}, {"decimal(4,2)", "x"},
		{"datetime2(3)", moment}, {"date", time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}, {"date", time.Date(0, 12, 31, 0, 0, 0, 0, time.UTC)},
		{"varchar(2)", "abc"}, {"varchar(9)", "日"}, {"nchar(1)", "😀"}, {"binary(1)", []byte{1, 2}}, {"uniqueidentifier", "6F96"}, {"bit", int64(1)},
	} {
		typ, err := tds.ParseType(one.name)
		if err != nil {
			t.Fatal(err)
		}
		s, _ := start(t, map[string]func(context.Context, tds.Request, *tds.Answer) error{"select v": func(_ context.Context, _ tds.Request, a *tds.Answer) error {
			a.Columns(tds.Column{Name: "v", Type: typ})
			return a.Row(one.value)
		}})
		var got any
		if err := open(t, s, plain).QueryRow("select v").Scan(&got); err == nil {
			t.Errorf("%s took %v and gave %v", one.name, one.value, got)
		}
	}
	for _, name := range []string{"decimal(39)", "decimal(2,3)", "datetime2(8)", "nvarchar(4001)", "geography", "hierarchyid", "int identity"} {
		if typ, err := tds.ParseType(name); err == nil {
			t.Errorf("%s is %s", name, typ)
		}
	}
}

func TestLogin(t *testing.T) {
	var login atomic.Pointer[tds.Login]
	s := tds.Start(t, tds.Config{Backend: &script{logins: &login}})
	for options, want := range map[string]int32{"user id=other": 18456, "password=wrong": 18456, "database=nowhere": 4060} {
		_, err := open(t, s, plain+";"+options).Conn(t.Context())
		var refused mssql.Error
		if !errors.As(err, &refused) || refused.Number != want {
			t.Errorf("%s: %v", options, err)
		}
	}
	conn, err := open(t, s, plain+";database=shop;applicationintent=ReadOnly").Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	if l := login.Load(); l.Database != "shop" || !l.ReadOnly || l.Application != "loam" || l.Encrypted {
		t.Errorf("the login was %+v", l)
	}
}

func TestEncryption(t *testing.T) {
	web := httptest.NewTLSServer(nil)
	defer web.Close()
	file := filepath.Join(t.TempDir(), "server.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	server := &tls.Config{Certificates: web.TLS.Certificates, MinVersion: tls.VersionTLS12}
	for _, one := range []struct {
		options            string
		tls                *tls.Config
		required, works    bool
		wantEncryptedLogin bool
	}{
		{"encrypt=true;certificate=" + file + ";hostnameincertificate=example.com", server, false, true, true},
		{"encrypt=true;hostnameincertificate=example.com", server, false, false, false}, // nobody vouches for it
		{"encrypt=true;certificate=" + file + ";hostnameincertificate=other.example", server, false, false, false},
		{"encrypt=true;trustservercertificate=true", server, true, true, true},
		{"encrypt=disable", server, true, false, false},
		{"encrypt=disable", server, false, true, false},
		{"encrypt=true", nil, false, false, false},
	} {
		var logins atomic.Pointer[tds.Login]
		s := tds.Start(t, tds.Config{Backend: &script{logins: &logins}, TLS: one.tls, RequireTLS: one.required})
		db := open(t, s, one.options)
		conn, err := db.Conn(t.Context())
		if works := err == nil; works != one.works {
			t.Errorf("%s, required %v: %v", one.options, one.required, err)
		}
		if err == nil {
			_ = conn.Close()
		}
		if l := logins.Load(); l != nil && l.Encrypted != one.wantEncryptedLogin || l == nil && one.works {
			t.Errorf("%s: the login was %+v", one.options, l)
		}
	}
}

func TestErrors(t *testing.T) {
	two := func(_ context.Context, _ tds.Request, a *tds.Answer) error {
		a.Columns(tds.Column{Name: "n", Type: tds.Type{Name: "int"}})
		if err := a.Row(int64(1)); err != nil {
			return err
		}
		return &tds.Error{Number: 8134, Class: 16, Line: 2, Message: "Divide by zero error encountered."}
	}
	s, _ := start(t, map[string]func(context.Context, tds.Request, *tds.Answer) error{"select two": two})
	db := open(t, s, plain)
	var refused mssql.Error
	if _, err := db.Query("selekt 1"); !errors.As(err, &refused) || refused.Number != 102 || refused.LineNo != 3 || !strings.Contains(refused.Message, "'selekt 1'") {
		t.Errorf("a wrong text: %v", err)
	}
	rows, err := db.Query("select two")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for rows.Next() {
		n++
	}
	if err := rows.Err(); n != 1 || !errors.As(err, &refused) || refused.Number != 8134 {
		t.Errorf("%d rows, then %v", n, err)
	}
}

// TestAttention: a cancelled statement ends in the backend, and its connection goes on.
func TestAttention(t *testing.T) {
	begun, ended := make(chan struct{}, 2), make(chan struct{}, 2)
	s, _ := start(t, map[string]func(context.Context, tds.Request, *tds.Answer) error{
		"select wait": func(ctx context.Context, _ tds.Request, _ *tds.Answer) error {
			begun <- struct{}{}
			<-ctx.Done()
			ended <- struct{}{}
			return ctx.Err()
		},
		"select flood": func(ctx context.Context, _ tds.Request, a *tds.Answer) error {
			a.Columns(tds.Column{Name: "n", Type: tds.Type{Name: "nvarchar", Length: 100}})
			for ctx.Err() == nil {
				if err := a.Row(strings.Repeat("x", 100)); err != nil {
					return err
				}
			}
			ended <- struct{}{}
			return ctx.Err()
		},
		"select one": func(_ context.Context, _ tds.Request, a *tds.Answer) error {
			a.Columns(tds.Column{Name: "n", Type: tds.Type{Name: "int"}})
			return a.Row(int64(1))
		},
	})
	db := open(t, s, plain)
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	for _, text := range []string{"select wait", "select flood"} {
		ctx, cancel := context.WithCancel(t.Context())
		if text == "select wait" {
			go func() { <-begun; cancel() }()
		}
		rows, err := conn.QueryContext(ctx, text)
		for n := 0; err == nil; n++ {
			if n == 100 {
				cancel()
			}
			if !rows.Next() {
				err = rows.Err()
				_ = rows.Close()
				break
			}
		}
		cancel()
		if err == nil {
			t.Errorf("%s ended by itself", text)
		}
		<-ended
		var one int
		if err := conn.QueryRowContext(t.Context(), "select one").Scan(&one); err != nil || one != 1 {
			t.Errorf("after %s: %d %v", text, one, err)
		}
	}
}

func TestParameters(t *testing.T) {
	s, _ := start(t, map[string]func(context.Context, tds.Request, *tds.Answer) error{"select @p1": func(_ context.Context, r tds.Request, a *tds.Answer) error {
		a.Columns(tds.Column{Name: "n", Type: tds.Type{Name: "int"}})
		return a.Row(int64(len(r.Parameters)))
	}})
	db := open(t, s, plain)
	for i, one := range []struct{ given, want any }{
		{int64(-7), int64(-7)}, {1.25, 1.25}, {true, true}, {"日本", "日本"}, {mssql.VarChar("abc"), "abc"}, {[]byte{1, 0}, []byte{1, 0}},
		{strings.Repeat("x", 9000), strings.Repeat("x", 9000)}, {nil, nil},
		{moment, moment}, {mssql.DateTimeOffset(time.Date(2024, 2, 29, 1, 2, 3, 400, east)), time.Date(2024, 2, 29, 1, 2, 3, 400, east)},
		{mssql.UniqueIdentifier{0x6F, 0x96, 0x19, 0xFF, 0x8B, 0x86, 0xD0, 0x11, 0xB4, 0x2D, 0, 0xC0, 0x4F, 0xC9, 0x64, 0xFF}, "6F9619FF-8B86-D011-B42D-00C04FC964FF"},
	} {
		var n int
		if err := db.QueryRow("select @p1", one.given).Scan(&n); err != nil || n != 1 {
			t.Errorf("%v: %d %v", one.given, n, err)
			continue
		}
		sent := s.Requests()
		last := sent[len(sent)-1]
		got := last.Parameters["p1"]
		if at, ok := one.want.(time.Time); ok {
			if g, ok := got.(time.Time); !ok || !g.Equal(at) {
				t.Errorf("parameter %d arrived as %v, want %v", i, got, at)
			}
		} else if !reflect.DeepEqual(got, one.want) {
			t.Errorf("parameter %d arrived as %T %v, want %v", i, got, got, one.want)
		}
		if last.Procedure != "sp_executesql" || last.Text != "select @p1" {
			t.Errorf("the log has %+v", last)
		}
	}
}

func TestTransactionsAndReset(t *testing.T) {
	s, script := start(t, map[string]func(context.Context, tds.Request, *tds.Answer) error{"select write": func(_ context.Context, _ tds.Request, a *tds.Answer) error {
		a.Affected(3)
		return nil
	}})
	db := open(t, s, plain)
	db.SetMaxOpenConns(1)
	for _, end := range []func(*sql.Tx) error{(*sql.Tx).Rollback, (*sql.Tx).Commit} {
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		r, err := tx.Exec("select write")
		if err != nil {
			t.Fatal(err)
		}
		if n, err := r.RowsAffected(); n != 3 || err != nil {
			t.Error("affected:", n, err)
		}
		if err := end(tx); err != nil {
			t.Fatal(err)
		}
	}
	var seen []string
	for _, r := range s.Requests() {
		seen = append(seen, r.Procedure+r.Text)
	}
	if want := []string{"begin", "select write", "rollback", "begin", "select write", "commit"}; !reflect.DeepEqual(seen, want) {
		t.Errorf("the log has %q, want %q", seen, want)
	}
	select {
	case <-script.resets:
	default:
		t.Error("the second use of a connection did not reset its session")
	}
}

// TestIndependentClient reads every type with FreeTDS.
func TestIndependentClient(t *testing.T) {
	tsql, err := exec.LookPath("tsql")
	if err != nil && os.Getenv("LOAM_REQUIRE_SERVERS") == "1" {
		t.Fatal("FreeTDS's tsql is not installed (scripts/setup)")
	} else if err != nil {
		t.Skip("FreeTDS's tsql is not installed (scripts/setup)")
	}
	s, _ := start(t, map[string]func(context.Context, tds.Request, *tds.Answer) error{"select types\n": allTypes(t)})
	cmd := exec.CommandContext(t.Context(), tsql, "-H", s.Host, "-p", strconv.Itoa(s.Port), "-U", "reader", "-P", "p@ss wörd", "-o", "q")
	cmd.Env = append(cmd.Environ(), "TDSVER=7.4", "LC_ALL=C.UTF-8")
	cmd.Stdin = strings.NewReader("select types\ngo\nexit\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"-9999999999999999999999999999.9999999999", "-9223372036854775808", "a€c", "naïve", "6F9619FF-8B86-D011-B42D-00C04FC964FF", "日本日本"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %s in\n%.2000s", want, out)
		}
	}
}

// FuzzRequests: no bytes of a client end the server.
func FuzzRequests(f *testing.F) {
	f.Add([]byte{0x12, 1, 0, 9, 0, 0, 1, 0, 0xFF}, []byte{0x10, 1, 0, 8, 0, 0, 1, 0}, []byte{3, 1, 0, 12, 0, 0, 1, 0, 4, 0, 0, 0})
	s := tds.Start(f, tds.Config{Backend: &script{}})
	f.Fuzz(func(t *testing.T, first, second, third []byte) {
		conn, err := net.Dial("tcp", net.JoinHostPort(s.Host, strconv.Itoa(s.Port)))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		for _, b := range [][]byte{first, second, third} {
			if _, err := conn.Write(b); err != nil {
				return
			}
		}
	})
}
