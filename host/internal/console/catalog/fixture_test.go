package catalog

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/ask"
	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/shown"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

var scanTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// fixture is a project with the connections wh and empty, of which wh was scanned.
type fixture struct {
	Services
	review   *review.Service
	catalog  *catalog.Set
	samples  []ask.SampleRequest
	denied   string // table whose sample is refused
	calls    []memory.Enhancement
	actors   []change.Actor
	refs     []discover.Ref
	recorded []shown.Call
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	dir := t.TempDir()
	f := &fixture{catalog: catalog.NewSet(filepath.Join(dir, "catalog"))}
	keys := foreignkey.NewSet(func(connection.ID) string { return filepath.Join(dir, "relationships", "wh.json") })
	now := scanTime
	f.review = review.New(review.Config{
		Keys: keys, Now: func() time.Time { now = now.Add(time.Minute); return now },
		Lock: func(context.Context) (func() error, error) { return func() error { return nil }, nil },
	})
	f.Services = Services{
		Connections: func(context.Context) (*connection.Registry, error) {
			return connection.New([]connection.Connection{{ID: "wh", Connector: "foodb"}, {ID: "empty", Connector: "foodb"}})
		},
		Catalogs: f.catalog, Keys: keys, Review: f.review, Discover: f, Ask: f, Memory: f, Now: time.Now,
		Record:  func(_ context.Context, c shown.Call) { f.recorded = append(f.recorded, c) },
		Redact:  func(s string) string { return strings.ReplaceAll(s, "secret", "…") },
		Dialect: func(context.Context, connection.Connection) *dialect.Dialect { return nil },
		Source: func(_ context.Context, _ connection.ID, ref sdk.TableRef) (*Source, error) {
			if ref.Name != "orders" {
				return nil, nil
			}
			return &Source{Identity: "shop.orders", Description: "A purchase"}, nil
		},
	}
	return f
}

func (f *fixture) Search(_ context.Context, r discover.SearchRequest) (*discover.SearchAnswer, error) {
	return &discover.SearchAnswer{Refs: f.refs, Notes: []string{"asked for " + r.Query}}, nil
}

func (f *fixture) Sample(_ context.Context, r ask.SampleRequest, s query.Sink) (ask.Sample, error) {
	f.samples = append(f.samples, r)
	if r.Table == f.denied {
		return ask.Sample{}, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the catalog withholds the secret values of all these columns").WithHint("name other columns")
	}
	columns := make([]sdk.Column, len(r.Columns))
	row := make([][]byte, len(r.Columns))
	for i, c := range r.Columns {
		columns[i], row[i] = sdk.Column{Name: c}, []byte(`"7"`)
	}
	if len(row) > 1 {
		row[1] = []byte("null")
	}
	if err := s.Columns(columns); err != nil {
		return ask.Sample{}, err
	}
	return ask.Sample{Withheld: []string{"email"}}, s.Row(row)
}

func (f *fixture) EnhanceEntity(_ context.Context, c memory.Call, e memory.Enhancement) (*memory.Suggested, error) {
	f.calls, f.actors = append(f.calls, e), append(f.actors, c.Actor)
	id := change.ID("ab12")
	return &memory.Suggested{ChangeID: &id, Status: "approved"}, nil
}

func ref(table string) sdk.TableRef { return sdk.TableRef{Schema: "shop", Name: table} }

// table makes a table of columns.
func table(of string, columns ...string) *sdk.Table {
	t := &sdk.Table{TableRef: ref(of), Kind: sdk.TableBase, RowEstimate: 1200, ByteEstimate: -1}
	for _, c := range columns {
		t.Columns = append(t.Columns, sdk.Column{Name: c, NativeType: "bigint", Type: sdk.TypeInt64, Nullable: c != "id"})
	}
	t.Keys = []sdk.Key{{Kind: sdk.KeyPrimary, Columns: columns[:1]}}
	return t
}

func inferred(from, column, to string, status relationship.Status, score float64) relationship.Relationship {
	return relationship.Relationship{
		Link:   relationship.Link{From: ref(from), Columns: []string{column}, To: ref(to), ToColumns: []string{"id"}},
		Origin: relationship.Inferred, Status: status, Score: score,
		Evidence: relationship.Evidence{Name: score, Key: 1, Containment: .97, Coverage: -1, Checked: 100, Missing: 3, Reason: "some values are not in the table it would refer to"},
	}
}

// scan commits a snapshot of wh.
func (f *fixture) scan(t testing.TB, id string, tables []*sdk.Table, profiles map[string]*catalog.Profile, found ...relationship.Relationship) {
	t.Helper()
	w, err := f.catalog.Of("wh").Begin(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range tables {
		if err := w.Table(one); err != nil {
			t.Fatal(err)
		}
		if p := profiles[one.Name]; p != nil {
			if err := w.Profile(one.TableRef, p); err != nil {
				t.Fatal(err)
			}
		}
	}
	data, err := (&relationship.Result{Relationships: found}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	w.Attach(data)
	if _, err := w.Commit(t.Context(), catalog.Identity{SyncID: id, ExtractedAt: scanTime, Mode: catalog.Enriched}); err != nil {
		t.Fatal(err)
	}
}

// shop scans a small shop: declared and inferred keys, rivals, copies, a withheld column.
func (f *fixture) shop(t testing.TB) {
	t.Helper()
	orders := table("orders", "id", "customer_id", "agent_id", "email")
	orders.Comment = "One row per purchase"
	orders.Keys = append(orders.Keys, sdk.Key{Kind: sdk.KeyForeign, Name: "orders_customer_fk", Columns: []string{"customer_id"}, Ref: ref("customers"), RefColumns: []string{"id"}})
	view := table("totals", "id")
	view.Kind, view.Definition, view.RowEstimate = sdk.TableView, "SELECT id FROM orders", -1
	tables := []*sdk.Table{orders, view, table("customers", "id", "country"), table("agents", "id"), table("staff", "id"), table("items", "id", "order_id")}
	found := []relationship.Relationship{
		inferred("orders", "agent_id", "agents", relationship.Review, .92), inferred("orders", "agent_id", "staff", relationship.Review, .75),
		inferred("items", "order_id", "orders", relationship.Accepted, .95),
	}
	for i := range 4 {
		name := fmt.Sprintf("log_%d", 2021+i)
		tables = append(tables, table(name, "id", "order_id"))
		found = append(found, inferred(name, "order_id", "orders", relationship.Review, .6))
	}
	low := "1"
	profiles := map[string]*catalog.Profile{"orders": {
		At: scanTime, Stats: []sdk.ColumnStats{
			{Column: "id", Rows: 1000, Complete: true, Distinct: 1000, Min: &low, Max: &low, MinLength: -1, MaxLength: -1},
			{Column: "customer_id", Rows: 1000, Complete: true, Nulls: 250, Distinct: 3, Values: []string{"7", "8"}, Counts: []int64{9, 4}, MinLength: -1, MaxLength: -1},
		},
		Withheld: []catalog.Withheld{{Column: "email", Reason: "e-mail addresses"}},
	}}
	f.scan(t, "s1", tables, profiles, found...)
}
