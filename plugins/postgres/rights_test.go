package postgres_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/postgres"
	"github.com/loam-data/loam/sdk"
)

// warned opens and closes a session, and returns the summaries of its warnings.
func warned(t testing.TB, connector *sdk.Connector, config sdk.Config) []string {
	t.Helper()
	s, err := connector.Open(t.Context(), sdk.OpenRequest{ConnectionID: "test", Config: config})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, w := range s.Server().Warnings {
		all = append(all, w.Summary)
	}
	if err := s.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	return all
}

// Sessions of one connector ask for the rights of an account once for each state of the server,
// and for names only where there is something to name.
func TestRightsAreAskedOnce(t *testing.T) {
	t.Parallel()
	server := testserver.NewPostgresAt(t, "18") // where nobody else commits anything
	db := server.Database(t, "CREATE TABLE t (id int); CREATE TABLE u (id int); CREATE SCHEMA own")
	db.Exec(t, testserver.PostgresAdmin, "ALTER SYSTEM SET autovacuum = off")
	db.Exec(t, testserver.PostgresAdmin, "SELECT pg_reload_conf()")
	w, reader := tap(t, db, testserver.PostgresReader)
	connector := postgres.Connector()
	const writes = `the role "loam_reader" may write to tables, public.t among them`
	const open = `others than its owner may create functions and tables in public, where the role "loam_reader" looks names up: it may be made to call what somebody put there`
	for _, step := range []struct {
		name, change string
		want         sent // without rights: one round trip, five statements
		warned       []string
	}{
		{"first", "SELECT", sent{2, 9, 0, 0}, nil},
		{"unchanged", "SELECT", sent{1, 5, 0, 0}, nil},
		{"data changed", "INSERT INTO t VALUES (1)", sent{2, 9, 0, 0}, nil},
		{"granted", "GRANT DELETE ON t TO loam_reader", sent{3, 10, 0, 0}, []string{writes}},
		{"unchanged since", "SELECT", sent{1, 5, 0, 0}, []string{writes}},
		{"opened", "GRANT CREATE ON SCHEMA public TO loam_writer", sent{3, 11, 0, 0}, []string{open, writes}},
		{"closed", "REVOKE CREATE ON SCHEMA public FROM loam_writer; REVOKE DELETE ON t FROM loam_reader", sent{2, 9, 0, 0}, nil},
		{"not on the path", "GRANT CREATE ON SCHEMA own TO loam_writer", sent{2, 9, 0, 0}, nil},
	} {
		db.Exec(t, testserver.PostgresAdmin, step.change)
		w.taken()
		if diff := cmp.Diff(step.warned, warned(t, connector, reader)); diff != "" {
			t.Errorf("%s: warnings (-want +got):\n%s", step.name, diff)
		}
		if diff := cmp.Diff(step.want, w.taken()); diff != "" {
			t.Errorf("%s: sent (-want +got):\n%s", step.name, diff)
		}
	}
	// Another role, database or path is another account.
	if found := warned(t, connector, configOf(db, testserver.PostgresOwner, nil)); len(found) != 3 {
		t.Errorf("the owner has the rights %q", found)
	}
	if diff := cmp.Diff([]string(nil), warned(t, connector, reader)); diff != "" {
		t.Errorf("after the owner: %s", diff)
	}
	db.Exec(t, testserver.PostgresAdmin, "CREATE ROLE loam_twin LOGIN SUPERUSER PASSWORD '"+testserver.PostgresPassword+"'; ALTER ROLE loam_twin SET role = loam_reader")
	warned(t, connector, reader)
	if found := warned(t, connector, configOf(db, "loam_twin", nil)); len(found) != 0 {
		t.Errorf("a superuser that becomes the reader has the rights %q", found)
	}
}

// Sessions of an account share what statements reach; what other exceptions allow is another matter.
func TestSessionsShareWhatIsReached(t *testing.T) {
	t.Parallel()
	server := testserver.NewPostgresAt(t, "18")
	db := manyFunctionsOn(t, server, 10)
	db.Exec(t, testserver.PostgresAdmin, "GRANT SELECT ON spent TO loam_reader")
	db.Exec(t, testserver.PostgresAdmin, "ALTER SYSTEM SET autovacuum = off")
	db.Exec(t, testserver.PostgresAdmin, "SELECT pg_reload_conf()")
	w, config := tap(t, db, testserver.PostgresReader)
	connector := postgres.Connector()
	first := func(config sdk.Config, sql string) (sent, error) {
		s, err := connector.Open(t.Context(), sdk.OpenRequest{ConnectionID: "test", MaxOpen: 1, Config: config})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close(context.WithoutCancel(t.Context()))
		w.taken()
		_, err = execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql})
		return w.taken(), err
	}
	const calm, spent = "SELECT id FROM t WHERE false", "SELECT * FROM spent"
	for _, step := range []struct {
		name, change, sql string
		want              sent
		refused           bool
	}{
		{"first", "SELECT", calm, sent{6, 16, 0, 0}, false},
		{"second", "SELECT", calm, sent{2, 6, 0, 0}, false},
		{"refused", "SELECT", spent, sent{1, 6, 0, 0}, true},
		{"another transaction", "INSERT INTO t VALUES (1)", calm, sent{3, 8, 0, 0}, false},
		{"mended", "CREATE OR REPLACE FUNCTION spend(a int) RETURNS text LANGUAGE sql AS $$ SELECT 'x' $$", spent, sent{4, 10, 0, 0}, false},
	} {
		db.Exec(t, testserver.PostgresAdmin, step.change)
		got, err := first(config, step.sql)
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s: sent (-want +got):\n%s", step.name, diff)
		}
		if refused := sdk.KindOf(err) == sdk.KindNotReadOnly; refused != step.refused || !refused && err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
	}
	db.Exec(t, testserver.PostgresAdmin, "CREATE OR REPLACE FUNCTION spend(a int) RETURNS text LANGUAGE sql AS $$ SELECT public.dblink_exec('', '') $$")
	for range 2 {
		if _, err := first(config, spent); sdk.KindOf(err) != sdk.KindNotReadOnly {
			t.Errorf("without an exception: %v", err)
		}
		if _, err := first(configOf(db, testserver.PostgresReader, map[string]any{"allow_functions": []string{"spend"}}), spent); sdk.KindOf(err) == sdk.KindNotReadOnly {
			t.Errorf("with an exception: %v", err)
		}
	}
}

// The server looks at the rights of one relation for each owner and each list of grants.
func TestRightsOfManyTables(t *testing.T) {
	t.Parallel()
	const n = 300
	db := testserver.PostgresAt(t, "18").Database(t, fmt.Sprintf(`DO $$ BEGIN FOR i IN 1..%d LOOP
		EXECUTE format('CREATE TABLE t%%s (id int); GRANT SELECT ON t%%1$s TO loam_reader', i); END LOOP; END $$`, n))
	connector := postgres.Connector()
	if found := warned(t, connector, configOf(db, testserver.PostgresReader, nil)); len(found) != 0 {
		t.Errorf("warnings %q", found)
	}
	plan := func() (groups, passed int) {
		for _, row := range explained(t, db, testserver.PostgresReader, postgres.WritesSQL) {
			if _, err := fmt.Sscanf(row, "  ->  HashAggregate (actual rows=%d", &passed); err == nil {
				continue
			}
			_, _ = fmt.Sscanf(row, "        Rows Removed by Filter: %d", &groups)
		}
		return groups, passed
	}
	if groups, passed := plan(); groups < 1 || groups > 5 || passed != 0 {
		t.Errorf("the server looks at %d kinds of %d tables, %d are writable", groups, n, passed)
	}
	if read := rowsOf(explained(t, db, testserver.PostgresAdmin, postgres.WritesSQL)); read >= n {
		t.Errorf("for a superuser the server reads %d rows", read)
	}
	db.Exec(t, testserver.PostgresOwner, fmt.Sprintf("GRANT UPDATE ON t%d TO loam_reader", n))
	found := warned(t, connector, configOf(db, testserver.PostgresReader, nil))
	want := fmt.Sprintf(`the role "loam_reader" may write to tables, public.t%d among them`, n)
	if diff := cmp.Diff([]string{want}, found); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}
