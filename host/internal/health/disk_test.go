package health

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

func TestMeasure(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a", "sub/b", "sub/c"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, 10), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		most int
		want Disk
	}{{9, Disk{Path: dir, Bytes: 30, Files: 3}}, {3, Disk{Path: dir, Bytes: 30, Files: 3}}, {2, Disk{Path: dir, Bytes: 20, Files: 2, Partial: true}}} {
		got, err := measure(t.Context(), dir, tt.most)
		if diff := cmp.Diff(&tt.want, got); diff != "" || err != nil {
			t.Errorf("at most %d (-want +got): %v\n%s", tt.most, err, diff)
		}
	}
	if got, err := measure(t.Context(), filepath.Join(dir, "none"), 9); err != nil || got.Files != 0 {
		t.Errorf("no folder: %+v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := measure(ctx, dir, 9); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Where little space is left the health says what to do; what the system does not say is unknown.
func TestFreeSpace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		free int64
		ok   bool
		hint string
	}{{"none", 0, true, roomHint}, {"little", littleSpace - 1, true, roomHint}, {"enough", littleSpace, true, ""}, {"unknown", 0, false, ""}} {
		d := &Disk{Path: "/state"}
		d.free(func(dir string) (int64, bool) { return tt.free, tt.ok && dir == "/state" })
		if d.Hint != tt.hint || (d.Free != nil) != tt.ok || tt.ok && *d.Free != tt.free {
			t.Errorf("%s: %+v", tt.name, d)
		}
		out := &Status{}
		out.disk(d)
		if (len(out.Components) > 0) != (tt.hint != "") {
			t.Errorf("%s: %+v", tt.name, out.Components)
		}
	}
	d := &Disk{}
	if d.free(nil); d.Free != nil {
		t.Errorf("nobody was asked: %+v", d)
	}
}

// A test of a connection that fails is its last failure; one that passes ends it. One that was cancelled is neither.
func TestTestsAreKept(t *testing.T) {
	t.Parallel()
	lazy := store.NewLazy(filepath.Join(t.TempDir(), "state.db"))
	t.Cleanup(func() {
		if err := lazy.Close(); err != nil {
			t.Error(err)
		}
	})
	states := connection.NewStateStore(lazy, time.Now)
	shop := connection.Connection{ID: "shop", Connector: "foodb"}
	var steps []sdk.TestStep
	var broken error
	s := New(Config{
		Connections: func(context.Context) (*connection.Registry, error) {
			return connection.New([]connection.Connection{shop})
		},
		Test: func(_ context.Context, _ connection.Connection, report func(sdk.TestStep)) error {
			for _, one := range steps {
				report(one)
			}
			return broken
		},
		Tested: states.Tested,
	})
	if err := states.Record(t.Context(), shop, sdk.ServerInfo{Product: "Foo"}, nil); err != nil {
		t.Fatal(err)
	}
	refused := sdk.Errorf(sdk.KindDenied, sdk.SourceWarehouse, "the role may write").WithHint("use another role")
	for _, tt := range []struct {
		name  string
		steps []sdk.TestStep
		err   error
		want  string
	}{
		{"passes", []sdk.TestStep{{Name: "open"}}, nil, ""},
		{"a step fails", []sdk.TestStep{{Name: "open"}, {Name: "read-only", Err: refused}}, nil, "the role may write"},
		{"is cancelled", nil, context.Canceled, "the role may write"},
		{"passes again", []sdk.TestStep{{Name: "open"}}, nil, ""},
		{"breaks off", []sdk.TestStep{{Name: "open"}}, sdk.Errorf(sdk.KindUnavailable, sdk.SourceConnector, "it ended"), "it ended"},
		{"breaks off before any step", nil, sdk.Errorf(sdk.KindUnavailable, sdk.SourceConnector, "it does not start"), "it does not start"},
	} {
		steps, broken = tt.steps, tt.err
		if _, err := s.TestConnection(t.Context(), "shop", false, func(sdk.TestStep) {}); !errors.Is(err, tt.err) {
			t.Errorf("%s: %v", tt.name, err)
		}
		got, err := states.LastKnown(t.Context(), shop)
		message := ""
		if got.Failure != nil {
			message = got.Failure.Msg
		}
		if err != nil || message != tt.want || got.Server.Product != "Foo" {
			t.Errorf("%s: %q of %+v, %v", tt.name, message, got.Server, err)
		}
	}
}
