package finding_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/finding"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/statement"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
)

// long are statements that repeat a part n times.
var long = map[string]func(n int) string{
	"conditions": func(n int) string {
		return "SELECT id FROM orders WHERE " + strings.Repeat("status = 'paid' AND ", n) + "1 = 1"
	},
	"faults": func(n int) string {
		return "SELECT id FROM orders WHERE " + strings.Repeat("status = 'payed' OR ", n) + "1 = 1"
	},
	"list": func(n int) string {
		return "SELECT id FROM orders WHERE status IN (" + strings.Repeat("'PAID', ", n) + "'x')"
	},
	"joins": func(n int) string {
		return "SELECT o.status FROM orders o JOIN customers c ON " + strings.Repeat("o.id = c.id AND ", n) + "o.customer_id = c.id"
	},
	"wrong joins": func(n int) string {
		return "SELECT o.status FROM orders o JOIN customers c ON " + strings.Repeat("o.id = c.id AND ", n) + "1 = 1"
	},
	"items": func(n int) string { return "SELECT " + strings.Repeat("sum(shipping_cents), ", n) + "1 FROM orders" },
	"unions": func(n int) string {
		return strings.Repeat("SELECT price_cents FROM product_prices UNION ALL ", n) + "SELECT 1"
	},
	"queries": func(n int) string {
		return "SELECT id FROM orders WHERE " + strings.Repeat("id IN (SELECT product_id FROM product_prices) OR ", n) + "1 = 1"
	},
	"sum": func(n int) string { return "SELECT sum(shipping_cents" + strings.Repeat(" + id", n) + ") FROM orders" },
	"unknown": func(n int) string {
		var b strings.Builder
		b.WriteString("SELECT 1 FROM orders WHERE 1 = 1")
		for i := range n {
			fmt.Fprintf(&b, " OR id IN (SELECT x FROM t%d)", i)
		}
		return b.String()
	},
}

// allocated returns the bytes that a call allocates, the least of three.
func allocated(call func()) uint64 {
	least := ^uint64(0)
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		call()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// The cost grows linearly with the statement.
func TestCostOfLongStatements(t *testing.T) {
	p := open(t)
	for name, text := range long {
		unit := len(text(1011)) - len(text(1010))
		small, large := text(statement.MaxBytes/unit/13), text(statement.MaxBytes/unit*10/13)
		of := func(sql string) uint64 {
			return allocated(func() { p.Of(t.Context(), "shop", sql, nil) })
		}
		if one, ten := of(small), of(large); ten > 16*one+1<<20 {
			t.Errorf("%s: %d bytes for %d bytes of text, and %d for %d", name, one, len(small), ten, len(large))
		}
	}
}

// The cost does not grow with the tables of the warehouse, once they were read.
func TestCostOfManyTables(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the cost of 5,000 tables beside that of 50")
	}
	const sql = "SELECT a.id FROM table_7 a JOIN table_8 b ON b.id = a.next_id JOIN table_9 c ON c.id = b.id WHERE a.status = 'payed'"
	of := func(tables int) uint64 {
		s := wide(t, tables)
		if got := s.Of(t.Context(), "wide", sql, nil); codes(got) != "join_not_known value_not_found" && codes(got) != "value_not_found join_not_known" {
			t.Fatalf("%d tables:\n%s", tables, texts(got))
		}
		return allocated(func() { s.Of(t.Context(), "wide", sql, nil) })
	}
	if few, many := of(50), of(5_000); many > 2*few {
		t.Errorf("%d bytes with 50 tables, %d with 5,000", few, many)
	}
}

// BenchmarkOf compares a statement with a warehouse of 5,000 tables that was read before.
func BenchmarkOf(b *testing.B) {
	s := wide(b, 5_000)
	const sql = "SELECT a.status, count(*) FROM table_7 a JOIN table_8 b ON b.id = a.next_id JOIN table_9 c ON c.id = b.id WHERE a.status = 'payed' GROUP BY a.status"
	s.Of(b.Context(), "wide", sql, nil)
	b.ReportAllocs()
	for b.Loop() {
		s.Of(b.Context(), "wide", sql, nil)
	}
}

// wide returns a service on a warehouse of tables each of which refers to the next.
func wide(t testing.TB, tables int) *finding.Service {
	t.Helper()
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	dialects, err := recordedDialects("postgres")
	if err != nil {
		t.Fatal(err)
	}
	catalogs := catalog.NewSet(filepath.Join(dir, "catalog"))
	w, err := catalogs.Of("wide").Begin(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	for i := range tables {
		ref := func(n int) sdk.TableRef { return sdk.TableRef{Schema: "public", Name: fmt.Sprintf("table_%d", n)} }
		one := sdk.Table{TableRef: ref(i), Kind: sdk.TableBase, RowEstimate: -1, ByteEstimate: -1, Columns: []sdk.Column{
			{Name: "id", Type: sdk.TypeInt64, NativeType: "bigint"}, {Name: "next_id", Type: sdk.TypeInt64, NativeType: "bigint"}, {Name: "status", Type: sdk.TypeText, NativeType: "text"},
		}, Keys: []sdk.Key{
			{Name: "key", Kind: sdk.KeyPrimary, Columns: []string{"id"}},
			{Name: "next", Kind: sdk.KeyForeign, Columns: []string{"next_id"}, Ref: ref((i + 1) % tables), RefColumns: []string{"id"}},
		}}
		if err := w.Table(&one); err != nil {
			t.Fatal(err)
		}
		p := &catalog.Profile{At: now, Stats: []sdk.ColumnStats{{Column: "status", Rows: 9, Complete: true, Distinct: 2, Values: []string{"open", "paid"}, Counts: []int64{4, 5}, ValuesComplete: true}}}
		if err := w.Profile(one.TableRef, p); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Commit(t.Context(), catalog.Identity{SyncID: "s", ScanRunID: "r", ExtractedAt: now, Mode: catalog.Enriched}); err != nil {
		t.Fatal(err)
	}
	warehouses := warehouse.New(func(context.Context) (*connection.Registry, error) {
		return connection.New([]connection.Connection{{ID: "wide", Connector: "postgres"}})
	}, backend{sdk.Description{Dialects: dialects}}, log)
	keys := foreignkey.NewSet(func(connection.ID) string { return filepath.Join(dir, "keys.json") })
	return finding.New(finding.Config{
		Warehouses: warehouses, Catalogs: catalogs, Keys: keys, Logger: log, Now: func() time.Time { return now },
		Layer: layer.New(layer.Config{Dir: filepath.Join(dir, "layer"), Cache: filepath.Join(dir, "cache"), Catalogs: catalogs, Keys: keys, Logger: log}),
		Uses:  func(context.Context) ([]history.Use, error) { return nil, nil },
		Try:   func(context.Context, connection.ID, json.RawMessage) error { return nil },
	})
}

// backend describes one connector and starts none.
type backend struct{ description sdk.Description }

func (b backend) Describe(connection.Connection) (sdk.Description, error) { return b.description, nil }

func (backend) LastKnown(context.Context, connection.Connection) (connection.State, error) {
	return connection.State{}, nil
}

func (backend) Lease(context.Context, connection.Connection) (sdk.Session, func(), error) {
	return nil, nil, sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "a finding asks no warehouse")
}

// check fails unless findings are complete, few and about the text.
func check(t *testing.T, sql string, all []finding.Finding) {
	t.Helper()
	if len(all) > finding.Most {
		t.Fatalf("%d findings of %q", len(all), sql)
	}
	for _, one := range all {
		if one.Position == nil || one.Position.Line > 1+strings.Count(sql, "\n") || one.Message == "" || one.Evidence == "" || !utf8.ValidString(one.Message+one.Suggestion) || strings.Contains(one.Message, "\n") {
			t.Fatalf("%+v of %q", one, sql)
		}
	}
}

// Statements of which parts are cut out, doubled, exchanged or replaced have findings like any
// other.
func TestMutatedStatements(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: 5,000 mutated statements")
	}
	p := open(t)
	var all []string
	for _, tt := range wrong {
		all = append(all, tt.sql)
	}
	for sql := range strings.Lines(right["shop"]) {
		if sql = strings.TrimSpace(sql); sql != "" {
			all = append(all, sql)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	parts := []string{"'", "\"", "(", ")", ",", ".", "\x00", "\xff", "é", "--", "/*", "::", " NULL ", " SELECT ", " FROM orders ", " WHERE ", " AND ", " = ", " 1e999 ", " JOIN ", " USING (id) ", "*", "\n"}
	for range 5_000 {
		sql := all[r.IntN(len(all))]
		for range 1 + r.IntN(4) {
			a, b := r.IntN(len(sql)+1), r.IntN(len(sql)+1)
			a, b = min(a, b), max(a, b)
			switch r.IntN(4) {
			case 0:
				sql = sql[:a] + sql[b:]
			case 1:
				sql = sql[:b] + sql[a:]
			case 2:
				sql = sql[:a] + parts[r.IntN(len(parts))] + sql[a:]
			default:
				other := all[r.IntN(len(all))]
				sql = sql[:a] + other[r.IntN(len(other)):]
			}
		}
		check(t, sql, p.Of(t.Context(), "shop", sql, nil))
	}
}

// Any text has at most five complete findings, with places in it.
func FuzzOf(f *testing.F) {
	p := open(f)
	for id, lines := range right {
		for sql := range strings.Lines(lines) {
			f.Add(string(id), strings.TrimSpace(sql))
		}
	}
	for _, tt := range wrong {
		f.Add(string(tt.connection), tt.sql)
	}
	for _, text := range long {
		f.Add("shop", text(3))
	}
	f.Fuzz(func(t *testing.T, id, sql string) {
		check(t, sql, p.Of(t.Context(), connection.ID(id), sql, nil))
	})
}
