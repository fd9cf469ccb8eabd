package sqlkit_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"modernc.org/sqlite"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

type openConfig struct {
	Path string `json:"path" doc:"A file." required:"true"`
}

func openRequest(path string) sdk.OpenRequest {
	return sdk.OpenRequest{Config: sdk.Config{JSON: []byte(`{"path": "` + path + `"}`)}, MaxOpen: 3, StatementTimeout: time.Hour}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	refused := errors.New("refused")
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	pool := func() *sql.DB {
		pool, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		return pool
	}
	for _, tt := range []struct {
		name    string
		ctx     context.Context
		req     sdk.OpenRequest
		connect func(*sqlkit.Session) error
		want    sdk.Kind
	}{
		{"opens", t.Context(), openRequest(path), func(s *sqlkit.Session) error { s.Pool = pool(); return nil }, ""},
		{"wrong configuration", t.Context(), sdk.OpenRequest{}, nil, sdk.KindInvalid},
		{"connect fails", t.Context(), openRequest(path), func(s *sqlkit.Session) error { s.Pool = pool(); return refused }, sdk.KindDenied},
		{"ping fails", t.Context(), openRequest(path), func(s *sqlkit.Session) error { s.Pool = pool(); return s.Pool.Close() }, sdk.KindDenied},
		{"canceled", canceled, openRequest(path), func(s *sqlkit.Session) error { s.Pool = pool(); return nil }, sdk.KindCanceled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var made *sqlkit.Session
			open := sqlkit.Open(func(_ context.Context, c openConfig) (*sqlkit.Session, error) {
				if c.Path != path {
					t.Errorf("path %q", c.Path)
				}
				made = &sqlkit.Session{Errors: func(err error) *sdk.Error { return sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "%w", err) }}
				return made, tt.connect(made)
			})
			s, err := open(tt.ctx, tt.req)
			if sdk.KindOf(err) != tt.want {
				t.Fatalf("got %v", err)
			}
			if err != nil {
				if made != nil && made.Pool.PingContext(t.Context()) == nil {
					t.Error("the pool of a session that did not open is left open")
				}
				return
			}
			if made.StatementTimeout != time.Hour || made.Pool.Stats().MaxOpenConnections != 3 {
				t.Errorf("timeout %s, %d connections", made.StatementTimeout, made.Pool.Stats().MaxOpenConnections)
			}
			if err := s.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestOpenWithoutSession(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	open := sqlkit.Open(func(context.Context, openConfig) (*sqlkit.Session, error) { return nil, refused })
	if s, err := open(t.Context(), openRequest("x")); s != nil || !errors.Is(err, refused) {
		t.Errorf("got %v, %v", s, err)
	}
}

// A bound that the connector gave its pool stays.
func TestOpenKeepsTheBound(t *testing.T) {
	t.Parallel()
	open := sqlkit.Open(func(context.Context, openConfig) (*sqlkit.Session, error) {
		pool, err := sql.Open("sqlite", ":memory:")
		pool.SetMaxOpenConns(1)
		return &sqlkit.Session{Pool: pool}, err
	})
	s, err := open(t.Context(), openRequest("x"))
	if err != nil {
		t.Fatal(err)
	}
	if n := s.(*sqlkit.Session).Pool.Stats().MaxOpenConnections; n != 1 {
		t.Errorf("%d connections", n)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestByCode(t *testing.T) {
	t.Parallel()
	s := open(t)
	_, native := s.Pool.ExecContext(t.Context(), "nonsense")
	foreign := errors.New("foreign")
	for _, tt := range []struct {
		name  string
		err   error
		kinds map[int]sdk.Kind
		other sdk.Kind
		want  sdk.Kind
		code  string
	}{
		{"in the table", native, map[int]sdk.Kind{1: sdk.KindSyntax}, sdk.KindInvalid, sdk.KindSyntax, "1"},
		{"not in the table", native, nil, sdk.KindInvalid, sdk.KindInvalid, "1"},
		{"foreign", foreign, map[int]sdk.Kind{1: sdk.KindSyntax}, sdk.KindInvalid, sdk.KindInvalid, ""},
		{"left internal", foreign, nil, "", "", ""},
	} {
		got := sqlkit.ByCode((*sqlite.Error).Code, tt.kinds, tt.other)(tt.err)
		if got == nil {
			got = &sdk.Error{}
		} else if !errors.Is(got, tt.err) {
			t.Errorf("%s: the cause is lost", tt.name)
		}
		if got.Kind != tt.want || got.Code != tt.code {
			t.Errorf("%s: got %#v", tt.name, got)
		}
	}
}

func TestRaw(t *testing.T) {
	t.Parallel()
	s := open(t)
	refused := errors.New("refused")
	err := sqlkit.Raw(t.Context(), s.Pool, func(conn any) error {
		if _, ok := conn.(sqlite.AuthorizerRegisterer); !ok {
			t.Errorf("got %T", conn)
		}
		return refused
	})
	if !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
	s.Pool.SetMaxOpenConns(1)
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("the connection was not given back: %v", err)
	}
}

func TestDialects(t *testing.T) {
	t.Parallel()
	want := []dialect.Dialect{{Name: "a", Forms: map[dialect.Form]string{dialect.Sum: "SUM({x})"}}}
	one := `{"Name": "a", "Forms": {"agg.sum": "SUM({x})"}}`
	for _, text := range []string{one, "[" + one + "]"} {
		if diff := cmp.Diff(want, sqlkit.Dialects([]byte(text))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	sqlkit.Dialects([]byte("nonsense"))
}
