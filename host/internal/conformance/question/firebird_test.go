package question

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/e2e/firebird"
	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/oracle"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
)

// inUpperCase are the tables as an engine stores their names that folds to upper case.
func inUpperCase() []sdk.Table {
	upper := make([]sdk.Table, len(tables))
	for i, t := range tables {
		t.TableRef = sdk.TableRef{Name: strings.ToUpper(t.Name)} // Firebird has no schemas
		t.Columns, t.Keys = slices.Clone(t.Columns), slices.Clone(t.Keys)
		for c := range t.Columns {
			t.Columns[c].Name = strings.ToUpper(t.Columns[c].Name)
		}
		for k := range t.Keys {
			t.Keys[k].Columns = []string{strings.ToUpper(t.Keys[k].Columns[0])}
		}
		upper[i] = t
	}
	return upper
}

// openStandIn returns a configuration of the stand-in with the tables.
func openStandIn(t *testing.T) sdk.Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "firebird.db")
	write(t, path)
	config, err := json.Marshal(map[string]any{"path": path})
	if err != nil {
		t.Fatal(err)
	}
	return sdk.Config{JSON: config}
}

// What the host takes for granted of dialects is found on an engine that lacks it.
func TestStandInForFirebird(t *testing.T) {
	t.Parallel()
	of := inUpperCase()
	wanted := []string{"semantic", "dialect"}
	results := conform.Examine(t.Context(), conform.Target{
		Connector: firebird.Connector(), Modes: []conform.Mode{conform.InProcess}, Server: "embedded stand-in for Firebird", Config: openStandIn(t),
		Fixture: conform.Fixture{Tables: of}, Request: Requests(of), Requests: 100,
	}, conform.Options{Select: func(group, _ string) bool { return slices.Contains(wanted, group) }})
	asked := 0
	for _, r := range results {
		switch {
		case !slices.Contains(wanted, r.Group):
		case r.Outcome == conform.Failed:
			t.Errorf("%s/%s: %s", r.Group, r.Check, r.Reason)
		case r.Group == "semantic" && r.Outcome == conform.OK:
			asked++
			t.Logf("%s: %s", r.Check, r.Reason)
		}
	}
	if asked != 10 {
		t.Errorf("%d of 10 checks asked requests", asked)
	}
}

// sl query with and without groups, in the words of that dialect.
func TestStandInWithAndWithoutGroups(t *testing.T) {
	t.Parallel()
	c := firebird.Connector()
	session, err := c.Open(t.Context(), sdk.OpenRequest{ConnectionID: "test", Config: openStandIn(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close(context.Background()) })
	ask := func(ctx context.Context, sql string) ([]sdk.Column, [][]any, error) {
		k := &kept{}
		w := sdk.NewRowWriter(k, sdk.Limits{})
		if err := session.Execute(ctx, sdk.ExecuteRequest{SQL: sql}, w); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", sql, err)
		}
		err := w.Close()
		return k.columns, k.rows, err
	}
	d := &c.Dialects[0]
	w, err := read(t.Context(), inUpperCase()[:1], d, ask)
	if err != nil {
		t.Fatal(err)
	}
	for name, request := range map[string]string{
		"without groups": `{"measures": ["ACCOUNTS.d3_sum"]}`,
		"with groups":    `{"measures": ["ACCOUNTS.d3_sum"], "dimensions": [{"field": "ACCOUNTS.d4"}], "limit": 2, "offset": 1}`,
		"long names":     `{"measures": ["ACCOUNTS.d3_sum"], "dimensions": [{"field": "ACCOUNTS.d4", "name": "what_an_account_was_last_updated_with"}]}`,
	} {
		parsed, err := oracle.ParseRequest([]byte(request))
		if err != nil {
			t.Fatal(err)
		}
		query, err := compile.Compile(w.model, d, parsed, compile.Options{Now: oracle.Now})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_, rows, err := ask(t.Context(), query.SQL)
		if grouped := name != "without groups"; err != nil || strings.Contains(query.SQL, "ORDER BY") != grouped || !strings.Contains(query.SQL, "FETCH FIRST") || len(rows) == 0 {
			t.Errorf("%s: %v\n%s\n%v", name, err, query.SQL, rows)
		}
	}
}

// kept is a result.
type kept struct {
	columns []sdk.Column
	rows    [][]any
}

func (*kept) Started(string) error  { return nil }
func (*kept) Progress(sdk.Progress) {}
func (*kept) Notice(sdk.Warning)    {}

func (k *kept) Columns(c []sdk.Column) error {
	k.columns = c
	return nil
}

func (k *kept) Batch(b *sdk.Batch) error {
	for i := range b.Rows {
		row := make([]any, len(k.columns))
		for at, c := range k.columns {
			row[at] = b.Columns[at].Value(c.Type, i)
			if raw, ok := row[at].([]byte); ok {
				row[at] = slices.Clone(raw)
			}
		}
		k.rows = append(k.rows, row)
	}
	return nil
}

// write makes the database file.
func write(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	db := opened(t, path)
	if _, err := db.ExecContext(t.Context(), strings.ToUpper(script)); err != nil {
		t.Fatal(err)
	}
}
