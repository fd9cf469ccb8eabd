//go:build cgo

package oracle_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/oracle"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
)

// A field of a record is a dimension and may be aggregated, filtered and joined on, under
// the name that the engine's SQL has for it; a source called like the record goes first.
func TestFieldsOfRecords(t *testing.T) {
	t.Parallel()
	e := inDuckDB(t)
	err := e.exec(t.Context(),
		`CREATE TABLE people (id INTEGER, address STRUCT(city VARCHAR, geo STRUCT(lat DOUBLE, "at" DATE)), boss STRUCT(id INTEGER))`,
		`INSERT INTO people VALUES (1, {'city': 'Oslo', 'geo': {'lat': 60, 'at': DATE '2024-01-05'}}, {'id': 2}), (2, NULL, NULL),
			(3, {'city': 'Rome', 'geo': {'lat': 42, 'at': DATE '2024-02-01'}}, {'id': 2}), (4, {'city': 'Oslo', 'geo': NULL}, NULL)`)
	if err != nil {
		t.Fatal(err)
	}
	nested := sdk.TypeNestedJSON
	m := model.Build(model.Input{Dialect: e.dialect, Tables: []*model.Table{{
		Ref: sdk.TableRef{Name: "people"}, PrimaryKey: []string{"id"},
		Columns: []model.Column{
			{Name: "id", Type: sdk.TypeInt64}, {Name: "address", Type: nested}, {Name: "boss", Type: nested},
			{Name: "address.city", Type: sdk.TypeText, Path: []string{"address", "city"}},
			{Name: "address.geo", Type: nested, Path: []string{"address", "geo"}},
			{Name: "address.geo.lat", Type: sdk.TypeFloat64, Path: []string{"address", "geo", "lat"}},
			{Name: "address.geo.at", Type: sdk.TypeDate, Path: []string{"address", "geo", "at"}},
			{Name: "boss.id", Type: sdk.TypeInt64, Path: []string{"boss", "id"}},
		},
	}}, Files: []*model.File{model.Parse("people.yaml", []byte(`
name: people
table: people
dimensions:
  - {name: town, type: string, expr: upper(address.city)}
  - {name: address.city, description: where they live}
measures:
  - {name: north, agg: max, expr: address.geo.lat}
  - {name: away, agg: count, filter: "people.address.city <> 'Oslo'"}
joins:
  - {to: people, role: chief, on: 'people."boss.id" = chief.id', relationship: many_to_one}
  - {to: people, role: head, on: 'boss.id = head.id', relationship: many_to_one}
  - {to: people, role: neighbour, on: address.city = neighbour.address.city, relationship: one_to_many}
`))}})
	if len(m.Problems()) > 0 {
		t.Fatal(m.Problems())
	}
	for _, c := range []struct{ request, want string }{
		{`{"measures": ["people.row_count", "people.north"], "dimensions": ["people.address.city"]}`, "[[Oslo 2 60] [Rome 1 42] [<nil> 1 <nil>]]"},
		{`{"measures": ["people.away"], "dimensions": ["people.town"]}`, "[[OSLO 0] [ROME 1] [<nil> 0]]"},
		{`{"measures": ["people.row_count"], "dimensions": ["address.geo.at.month"]}`, "[[2024-01-01 1] [2024-02-01 1] [<nil> 2]]"},
		{`{"measures": ["people.row_count"], "filters": ["people.address.geo.lat > 50"]}`, "[[1]]"},
		{`{"measures": ["people.row_count"], "filters": [{"field": "people.address.city", "op": "equals", "values": ["Rome"]}]}`, "[[1]]"},
		{`{"measures": ["people.row_count"], "dimensions": ["chief.id"]}`, "[[2 2] [<nil> 2]]"},
		{`{"measures": ["people.row_count"], "dimensions": ["head.id"]}`, "[[2 2] [<nil> 2]]"},
	} {
		r, _, err := request.Normalise(json.RawMessage(c.request))
		if err != nil {
			t.Fatal(err)
		}
		q, err := compile.Compile(m, e.dialect, r, compile.Options{Now: oracle.Now})
		if err != nil {
			t.Errorf("%s: %v", c.request, err)
			continue
		}
		rows, err := e.ask(t.Context(), q.SQL)
		if diff := cmp.Diff(c.want, fmt.Sprint(rows)); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s\n(-want +got):\n%s", c.request, err, q.SQL, diff)
		}
	}
}
