package layer

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is a project folder with semantic layers on it. The connection is "wh".
type fixture struct {
	*Layer
	dir string
}

func newFixture(t testing.TB) *fixture { return open(t, t.TempDir()) }

// open makes another host's layers on a folder. To it all edits are long ago.
func open(t testing.TB, dir string) *fixture {
	t.Helper()
	f := &fixture{dir: dir}
	f.Layer = New(Config{
		Dir: filepath.Join(dir, "semantic-layer"), Cache: filepath.Join(dir, "cache"), Catalogs: catalog.NewSet(filepath.Join(dir, "catalog")),
		Keys: foreignkey.NewSet(func(id connection.ID) string { return filepath.Join(dir, string(id)+".json") }), Logger: slog.New(slog.DiscardHandler),
	})
	f.settle("wh")
	return f
}

// settle has the time be so much later that no file may still change.
func (f *fixture) settle(id connection.ID) {
	f.site(id).files.folder.Now = func() time.Time { return time.Now().Add(time.Hour) }
}

func (f *fixture) put(t testing.TB, name, content string) {
	t.Helper()
	path := filepath.Join(f.dir, "semantic-layer/wh", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) remove(t testing.TB, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(f.dir, "semantic-layer/wh", name)); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) current(t testing.TB) *State {
	t.Helper()
	s, err := f.Current(t.Context(), "wh", nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// table makes a table of columns with their types; "orders.customer_id → customers" declares a key
// without naming the columns it refers to.
func table(name string, columns ...string) *sdk.Table {
	t := &sdk.Table{TableRef: sdk.TableRef{Schema: "main", Name: name}, RowEstimate: -1, ByteEstimate: -1}
	t.Keys = append(t.Keys, sdk.Key{Kind: sdk.KeyPrimary, Columns: []string{"id"}})
	for _, c := range append([]string{"id"}, columns...) {
		c, to, refers := strings.Cut(c, " → ")
		t.Columns = append(t.Columns, sdk.Column{Name: c, Type: sdk.TypeInt64, NativeType: "INTEGER"})
		if refers {
			t.Keys = append(t.Keys, sdk.Key{Kind: sdk.KeyForeign, Columns: []string{c}, Ref: sdk.TableRef{Name: to}})
		}
	}
	return t
}

// scan commits a snapshot of tables, with what was inferred.
func (f *fixture) scan(t testing.TB, inferred []relationship.Relationship, tables ...*sdk.Table) {
	t.Helper()
	w, err := f.Catalogs.Of("wh").Begin(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range tables {
		if err := w.Table(one); err != nil {
			t.Fatal(err)
		}
	}
	data, err := (&relationship.Result{Relationships: inferred}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	w.Attach(data)
	if _, err := w.Commit(t.Context(), catalog.Identity{SyncID: time.Now().String()}); err != nil {
		t.Fatal(err)
	}
}

func link(from, column, to string) relationship.Link {
	ref := func(name string) sdk.TableRef { return sdk.TableRef{Schema: "main", Name: name} }
	return relationship.Link{From: ref(from), Columns: []string{column}, To: ref(to), ToColumns: []string{"id"}}
}

// said is a model in words: its sources with their measures and joins.
func said(m *model.Model) map[string]string {
	all := map[string]string{}
	for s := range m.Sources() {
		var words []string
		if s.Broken != "" {
			words = append(words, "broken")
		}
		for i := range s.Measures {
			if name := s.Measures[i].Name; name != model.RowCount {
				words = append(words, name)
			}
		}
		for i := range s.Joins {
			j := &s.Joins[i]
			word := "→ " + m.Source(j.To).Name
			if j.Inferred {
				word += "?"
			}
			words = append(words, word)
		}
		all[s.Name] = strings.Join(words, " ")
	}
	return all
}

// overlay is a file about a table, with a measure of that name.
func overlay(table, measure string) string {
	return fmt.Sprintf("version: 1\nname: %s\nmeasures:\n  - {name: %s, agg: sum, expr: id}\n", table, measure)
}

// whole is a file that defines a source of no table that was scanned.
func whole(name, measure string) string {
	return fmt.Sprintf("version: 1\nname: %s\ntable: main.%s\nprimary_key: [id]\ndimensions:\n  - {name: id, type: number}\nmeasures:\n  - {name: %s, agg: sum, expr: id}\n", name, name, measure)
}
