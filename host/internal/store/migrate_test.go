package store

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// TestReleasedSchemas opens a store of every schema version that was ever
// released. A new migration brings a new file: the dump of a store before the
// migration after it.
func TestReleasedSchemas(t *testing.T) {
	t.Parallel()
	fresh := schema(t, mustOpen(t, statePath(t)))
	for _, version := range migrations(t) {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			t.Parallel()
			dump, err := os.ReadFile(filepath.Join("testdata", "released", fmt.Sprintf("%05d.sql", version)))
			if err != nil {
				t.Fatal(err)
			}
			path := statePath(t)
			restore(t, path, string(dump))
			s := mustOpen(t, path)
			if diff := cmp.Diff(fresh, schema(t, s)); diff != "" {
				t.Errorf("schema after the migrations (-new store +this one):\n%s", diff)
			}
			state, err := s.ConnectionState(t.Context(), "warehouse", "0123456789abcdef0123456789abcdef")
			want := ConnectionState{
				Connection: "warehouse", Fingerprint: "0123456789abcdef0123456789abcdef",
				Server: sdk.ServerInfo{
					Product: "PostgreSQL", Version: "15.18", CurrentUser: "reader", Database: "analytics",
					ReadOnly: sdk.ReadOnlyEngine, ReadOnlyMechanism: "read-only transaction",
					Warnings: []sdk.Diagnostic{{Severity: sdk.SeverityWarning, Summary: "the account may create tables"}},
				},
				OpenedAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
				Failure:  &sdk.Error{Kind: sdk.KindUnavailable, Source: sdk.SourceWarehouse, Msg: "connection refused"},
				FailedAt: time.Date(2026, 1, 1, 0, 1, 0, 0, time.UTC),
			}
			if diff := cmp.Diff(want, state); err != nil || diff != "" {
				t.Errorf("state after the migrations: %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// migrations lists the numbers of the migrations.
func migrations(t *testing.T) (all []int64) {
	t.Helper()
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		var version int64
		if _, err := fmt.Sscanf(name, "migrations/%05d", &version); err != nil {
			t.Fatal(err)
		}
		all = append(all, version)
	}
	return all
}

func TestNewerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	path := statePath(t)
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.write.ExecContext(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (?, 1)", latestVersion+1); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), path)
	if e := sdk.AsError(err, sdk.SourceHost); e == nil || e.Kind != sdk.KindUnsupported || !strings.Contains(e.Hint, "upgrade loam") {
		t.Errorf("Open of a newer schema: %+v", e)
	}
}

func restore(t *testing.T, path, dump string) {
	t.Helper()
	if err := prepare(path); err != nil {
		t.Fatal(err)
	}
	db := pool(path, writer)
	if _, err := db.ExecContext(t.Context(), dump); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func schema(t *testing.T, s *Store) (statements []string) {
	t.Helper()
	rows, err := s.read.QueryContext(t.Context(), "SELECT name, coalesce(sql, '') FROM sqlite_schema ORDER BY name")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	}()
	for rows.Next() {
		var name, statement string
		if err := rows.Scan(&name, &statement); err != nil {
			t.Fatal(err)
		}
		statements = append(statements, name+": "+statement)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return statements
}
