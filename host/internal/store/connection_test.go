package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/sdk"
)

var at = time.Date(2026, 3, 1, 12, 30, 0, 123_000_000, time.UTC)

func TestConnectionState(t *testing.T) {
	t.Parallel()
	server := sdk.ServerInfo{
		Product: "PostgreSQL", Version: "16.2", CurrentUser: "reader", Database: "analytics",
		ReadOnly: sdk.ReadOnlySession, ReadOnlyMechanism: "read-only transaction",
		Warnings: []sdk.Diagnostic{{Severity: sdk.SeverityWarning, Summary: "superuser", Detail: "use another account", Path: "user"}},
	}
	refused := &sdk.Error{Kind: sdk.KindUnauthenticated, Source: sdk.SourceWarehouse, Op: "open", Msg: "password refused", Hint: "check it", Code: "28P01", Retry: true}
	opened := func(fingerprint string) func(*testing.T, *Store) error {
		return func(t *testing.T, s *Store) error { return s.PutOpened(t.Context(), "w", fingerprint, server, at) }
	}
	failed := func(fingerprint string) func(*testing.T, *Store) error {
		return func(t *testing.T, s *Store) error {
			return s.PutFailed(t.Context(), "w", fingerprint, refused, at.Add(time.Hour))
		}
	}
	whole := ConnectionState{Connection: "w", Fingerprint: "a", Server: server, OpenedAt: at}
	both := whole
	both.Failure, both.FailedAt = refused, at.Add(time.Hour)
	tests := []struct {
		name  string
		steps []func(*testing.T, *Store) error
		want  ConnectionState // under fingerprint a
	}{
		{"nothing", nil, ConnectionState{}},
		{"opened", []func(*testing.T, *Store) error{opened("a")}, whole},
		{"failed first", []func(*testing.T, *Store) error{failed("a")}, ConnectionState{Connection: "w", Fingerprint: "a", Failure: refused, FailedAt: at.Add(time.Hour)}},
		{"failed later", []func(*testing.T, *Store) error{opened("a"), failed("a")}, both},
		{"opened again", []func(*testing.T, *Store) error{failed("a"), opened("a")}, whole},
		{"opened under another configuration", []func(*testing.T, *Store) error{opened("a"), opened("b")}, ConnectionState{}},
		{"failed under another configuration", []func(*testing.T, *Store) error{opened("b"), failed("a")}, ConnectionState{Connection: "w", Fingerprint: "a", Failure: refused, FailedAt: at.Add(time.Hour)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := statePath(t)
			s := mustOpen(t, path)
			for _, step := range tt.steps {
				if err := step(t, s); err != nil {
					t.Fatal(err)
				}
			}
			for _, reader := range []*Store{s, mustOpen(t, path)} {
				got, err := reader.ConnectionState(t.Context(), "w", "a")
				if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
					t.Errorf("state: %v (-want +got):\n%s", err, diff)
				}
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	path := b.TempDir() + "/.loam/state.db"
	for b.Loop() {
		s, err := Open(b.Context(), path)
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
