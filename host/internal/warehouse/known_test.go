package warehouse_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// backend is what is known of a connection in a test.
type backend struct {
	dialects []dialect.Dialect
	server   sdk.ServerInfo
	missing  error // of the connector
	forgot   error
	asked    int
	session  sdk.ServerInfo
}

func (w *backend) Lease(context.Context, connection.Connection) (sdk.Session, func(), error) {
	return session{server: w.session}, func() {}, nil
}

type session struct {
	sdk.Session
	server sdk.ServerInfo
}

func (s session) Server() sdk.ServerInfo { return s.server }

func (w *backend) Describe(connection.Connection) (sdk.Description, error) {
	return sdk.Description{Dialects: w.dialects}, w.missing
}

func (w *backend) LastKnown(context.Context, connection.Connection) (connection.State, error) {
	w.asked++
	return connection.State{Server: w.server}, w.forgot
}

func TestKnow(t *testing.T) {
	t.Parallel()
	two := []dialect.Dialect{{Name: "new", Product: "FooDB", MinVersion: "2"}, {Name: "old"}}
	one := two[1:]
	foo := sdk.ServerInfo{Product: "FooDB", Version: "2.1"}
	missing := errors.New("not installed")
	for _, tt := range []struct {
		name    string
		w       backend
		want    string // name of the dialect, "" = none
		certain bool
		asked   int
	}{
		{"no dialect", backend{}, "", true, 0},
		{"one", backend{dialects: one, server: foo}, "old", true, 0},
		{"two, and the server was seen", backend{dialects: two, server: foo}, "new", true, 1},
		{"two, and another server was seen", backend{dialects: two, server: sdk.ServerInfo{Product: "BarDB"}}, "old", true, 1},
		{"two, and nothing known", backend{dialects: two}, "old", false, 1},
		{"two, and what is known cannot be read", backend{dialects: two, forgot: errors.New("damaged")}, "old", false, 1},
		{"no connector", backend{missing: missing}, "", true, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			known, err := newSet(t, &tt.w).Of(connection.Connection{ID: "w"}).Known(t.Context())
			if !errors.Is(err, tt.w.missing) {
				t.Fatal(err)
			}
			got := ""
			if d := known.Dialect(); d != nil {
				got = d.Name
			}
			if got != tt.want || known.Certain() != tt.certain || tt.w.asked != tt.asked {
				t.Errorf("dialect %q, certain: %t, remembered %d times; want %q, %t, %d", got, known.Certain(), tt.w.asked, tt.want, tt.certain, tt.asked)
			}
		})
	}
}

// TestServerOfSession: the server of a session of this process is known without
// another look at what is remembered, under the configuration that it was leased with.
func TestServerOfSession(t *testing.T) {
	t.Parallel()
	b := &backend{dialects: []dialect.Dialect{{Name: "new", Product: "FooDB"}, {Name: "old"}}, session: sdk.ServerInfo{Product: "FooDB"}}
	set := newSet(t, b)
	w := set.Of(connection.Connection{ID: "w", Connector: "foodb"})
	_, release, err := w.Lease(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	release()
	known, err := w.Known(t.Context())
	if err != nil || known.Dialect().Name != "new" || b.asked != 0 {
		t.Errorf("%v: dialect %s after %d looks at what is remembered", err, known.Dialect().Name, b.asked)
	}
	known, err = set.Of(connection.Connection{ID: "w", Connector: "bardb"}).Known(t.Context())
	if err != nil || known.Dialect().Name != "old" || b.asked != 1 {
		t.Errorf("%v: dialect %s of another configuration", err, known.Dialect().Name)
	}
}

// A session's own dialect goes before those that the connector describes, also where it
// describes one only.
func TestDialectOfSession(t *testing.T) {
	t.Parallel()
	own := &dialect.Dialect{Name: "own"}
	b := &backend{dialects: []dialect.Dialect{{Name: "described"}}, session: sdk.ServerInfo{Product: "FooDB", Dialect: own}}
	w := newSet(t, b).Of(connection.Connection{ID: "w"})
	for _, want := range []string{"described", "own"} {
		known, err := w.Known(t.Context())
		if err != nil || known.Dialect().Name != want || b.asked != 0 {
			t.Errorf("%v: dialect %s, want %s, after %d looks at what is remembered", err, known.Dialect().Name, want, b.asked)
		}
		_, release, err := w.Lease(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		release()
	}
}

func newSet(t *testing.T, b *backend) *warehouse.Set {
	t.Helper()
	return warehouse.New(func(context.Context) (*connection.Registry, error) { return connection.New(nil) }, b, slog.New(slog.DiscardHandler))
}
