package approved_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/host/internal/approved"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/plugins/postgres"
	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/dialect"
)

func connectionID(s string) connection.ID { return connection.ID(s) }

// attacks are the statements of the corpus and texts that want out of a literal.
func attacks(d *dialect.Dialect, folder, dsn string) (all []string) {
	for _, c := range corpus.For(d) {
		all = append(all, c.Statement(folder, dsn))
	}
	for _, text := range []string{
		"'", "''", `\'`, `\`, `"`, "`", "$1", "?", "@p1", ":1", "{{v}}", "]]", "[[", "--", "/*", "*/", ";", "' OR '1'='1", "'; DROP TABLE accounts; --", `\'; DROP TABLE accounts; --`,
		"$$; DROP TABLE accounts; $$", "%", "_", "\u00a0", "\u2028", "\ufeff", "ʼ; DROP TABLE accounts", strings.Repeat("'", 60_000), "a\nb\tc\rd", "NULL",
	} {
		all = append(all, text)
	}
	return all
}

// proveAttacks binds each attack as a value, alone, in a list and in an optional part: it comes back as it is, and nothing
// changes.
func proveAttacks(t *testing.T, f *fixture, d *dialect.Dialect, dsn string) {
	t.Helper()
	f.put("shop/echo", "parameters: [{name: v, type: string, required: true}]\nreviewed: true", "SELECT {{v}} AS v, (SELECT COUNT(*) FROM accounts WHERE name = {{v}}) AS n")
	f.put("shop/list", "parameters: [{name: v, type: \"string[]\", required: true}, {name: o, type: string}]\nreviewed: true",
		"SELECT COUNT(*) AS n FROM accounts WHERE name IN ({{v}}) [[OR name = {{o}} || 'x']]")
	reread := func() string {
		var b strings.Builder
		for _, q := range corpus.Reread(d) {
			var s sink
			w := sdk.NewRowWriter(&batches{sink: &s}, sdk.Limits{})
			if err := f.session.Execute(context.WithoutCancel(t.Context()), sdk.ExecuteRequest{SQL: q}, w); err != nil {
				t.Fatalf("%s: %v", q, err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(&b, q, s.rows)
		}
		return b.String()
	}
	before := reread()
	all := attacks(d, filepath.Join(t.TempDir(), "x"), dsn)
	for _, text := range all {
		if strings.Contains(text, "\x00") {
			f.refused(approved.Run{Name: "echo", Connection: "shop", Parameters: map[string]any{"v": text}}, sdk.KindInvalid)
			continue
		}
		_, rows := f.run(approved.Run{Name: "echo", Connection: "shop", Parameters: map[string]any{"v": text}, MaxBytes: -1})
		want, _ := sdk.AppendJSONText(nil, []byte(text))
		if len(rows) != 1 || rows[0] != string(want)+" 0" {
			t.Errorf("%.60q came back as %.80v", text, rows)
		}
		_, rows = f.run(approved.Run{Name: "list", Connection: "shop", Parameters: map[string]any{"v": []any{text, "Ada", text}, "o": text}})
		if len(rows) != 1 || rows[0] != "1" {
			t.Errorf("%.60q in a list found %v", text, rows)
		}
	}
	if after := reread(); after != before {
		t.Errorf("the data changed:\n%s\n%s", before, after)
	}
	t.Logf("%d values", len(all))
}

// batches keeps the rows of a session as texts.
type batches struct {
	*sink
	columns []sdk.Column
}

func (b *batches) Columns(columns []sdk.Column) error {
	b.columns = columns
	return nil
}

func (*batches) Started(string) error  { return nil }
func (*batches) Progress(sdk.Progress) {}
func (*batches) Notice(sdk.Warning)    {}

func (b *batches) Batch(all *sdk.Batch) error {
	for row := range all.Rows {
		var cells [][]byte
		for i := range all.Columns {
			cells = append(cells, fmt.Append(nil, all.Columns[i].Value(b.columns[i].Type, row)))
		}
		if err := b.Row(cells); err != nil {
			return err
		}
	}
	return nil
}

func TestSQLiteAttacks(t *testing.T) {
	t.Parallel()
	d := &sqlite.Dialects()[0]
	proveAttacks(t, newFixture(t, corpus.Setup(d)...), d, "")
}

func TestPostgresAttacks(t *testing.T) {
	t.Parallel()
	d := &postgres.Dialects()[0]
	db := testserver.Postgres(t).Database(t, strings.Join(corpus.Setup(d), ";\n"))
	f := over(t, postgres.Connector(), map[string]any{"host": db.Host, "port": db.Port, "database": db.Name, "user": testserver.PostgresOwner},
		map[string]sdk.Secret{"password": sdk.NewSecret(testserver.PostgresPassword)})
	proveAttacks(t, f, d, db.DSN(testserver.PostgresWriter))
}
