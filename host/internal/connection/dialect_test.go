package connection_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// warehouse is what is known of a connection in a test.
type warehouse struct {
	dialects []dialect.Dialect
	server   sdk.ServerInfo
	missing  error // of the connector
	forgot   error
	asked    int
}

func (w *warehouse) Describe(connection.Connection) (sdk.Description, error) {
	return sdk.Description{Dialects: w.dialects}, w.missing
}

func (w *warehouse) LastKnown(context.Context, connection.Connection) (connection.State, error) {
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
		w       warehouse
		want    string // name of the dialect, "" = none
		certain bool
		asked   int
	}{
		{"no dialect", warehouse{}, "", true, 0},
		{"one", warehouse{dialects: one, server: foo}, "old", true, 0},
		{"two, and the server was seen", warehouse{dialects: two, server: foo}, "new", true, 1},
		{"two, and another server was seen", warehouse{dialects: two, server: sdk.ServerInfo{Product: "BarDB"}}, "old", true, 1},
		{"two, and nothing known", warehouse{dialects: two}, "old", false, 1},
		{"two, and what is known cannot be read", warehouse{dialects: two, forgot: errors.New("damaged")}, "old", false, 1},
		{"no connector", warehouse{missing: missing}, "", true, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			known, err := connection.Know(t.Context(), connection.Connection{ID: "w"}, &tt.w, &tt.w, slog.New(slog.DiscardHandler))
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
	if got := connection.LastServer(t.Context(), connection.Connection{}, nil, slog.New(slog.DiscardHandler)); got.Product != "" {
		t.Errorf("remembered without a memory: %+v", got)
	}
}
