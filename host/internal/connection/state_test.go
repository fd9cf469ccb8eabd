package connection

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	server := sdk.ServerInfo{Product: "FooDB", Version: "1.2", ReadOnly: sdk.ReadOnlyEngine, ReadOnlyMechanism: "mode=ro"}
	refused := sdk.Errorf(sdk.KindUnauthenticated, sdk.SourceWarehouse, "password refused")
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	type step struct {
		server sdk.ServerInfo
		err    error
	}
	failed := State{Failure: &sdk.Error{Kind: sdk.KindUnauthenticated, Source: sdk.SourceWarehouse, Msg: "password refused"}, FailedAt: now}
	opened := State{Server: server, OpenedAt: now}
	both := failed
	both.Server, both.OpenedAt = server, now
	tests := []struct {
		name   string
		steps  []step
		edit   bool // of the configuration, afterwards
		want   State
		status Status
	}{
		{"never tried", nil, false, State{}, StatusNotScanned},
		{"opened", []step{{server, nil}}, false, opened, StatusNotScanned},
		{"refused", []step{{sdk.ServerInfo{}, refused}}, false, failed, StatusUnavailable},
		{"refused later", []step{{server, nil}, {sdk.ServerInfo{}, refused}}, false, both, StatusUnavailable},
		{"cancelled", []step{{server, nil}, {sdk.ServerInfo{}, context.Canceled}}, false, opened, StatusNotScanned},
		{"works again", []step{{sdk.ServerInfo{}, refused}, {server, nil}}, false, opened, StatusNotScanned},
		{"edited", []step{{server, nil}}, true, State{}, StatusNotScanned},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			lazy := store.NewLazy(filepath.Join(t.TempDir(), "state.db"))
			t.Cleanup(func() {
				if err := lazy.Close(); err != nil {
					t.Error(err)
				}
			})
			m := NewStateStore(lazy, func() time.Time { return now })
			c := Connection{ID: "w", Connector: "x"}
			for _, s := range tt.steps {
				if err := m.Record(t.Context(), c, s.server, s.err); err != nil {
					t.Fatal(err)
				}
			}
			if tt.edit {
				c.Config = map[string]any{"host": "other"}
			}
			got, err := m.LastKnown(t.Context(), c)
			if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			if got.Status(false) != tt.status {
				t.Errorf("status %s, want %s", got.Status(false), tt.status)
			}
			if scanned := got.Status(true); (scanned == StatusReady) != (tt.status == StatusNotScanned) {
				t.Errorf("status once scanned %s", scanned)
			}
		})
	}
}

func TestMemoryWithoutAStore(t *testing.T) {
	t.Parallel()
	lazy := store.NewLazy(filepath.Join(t.TempDir(), "state.db"))
	if err := lazy.Close(); err != nil {
		t.Fatal(err)
	}
	m := NewStateStore(lazy, time.Now)
	if _, err := m.LastKnown(t.Context(), Connection{ID: "w"}); sdk.KindOf(err) != sdk.KindUnavailable {
		t.Errorf("LastKnown: %v", err)
	}
	if err := m.Record(t.Context(), Connection{ID: "w"}, sdk.ServerInfo{}, nil); sdk.KindOf(err) != sdk.KindUnavailable {
		t.Errorf("Record: %v", err)
	}
}
