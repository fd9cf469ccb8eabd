package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const importedOrders = `name: orders
table: main.orders
synonyms: [bookings]
measures:
  - {name: revenue, agg: max, expr: amount}
  - {name: largest_basket, agg: max, expr: amount, description: The dearest basket of all.}
`

// What an importer, a memory and a person say of one source is one source to every
// tool; what is not valid or leads out of the folder takes none of it down.
func TestSemanticLayers(t *testing.T) {
	t.Parallel()
	dir := bakeryProject(t)
	folder := filepath.Join(dir, "semantic-layer/bakery")
	for _, below := range []string{"imported/dbt", "imported/evil", "_memory"} {
		if err := os.MkdirAll(filepath.Join(folder, below), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(folder, "imported/dbt/orders.yaml"), importedOrders)
	writeFile(t, filepath.Join(folder, "_memory/orders.yaml"), "name: orders\nsynonyms: [purchases]\nmeasures:\n  - {name: revenue, agg: min, expr: amount}\n  - {name: smallest_basket, agg: min, expr: amount}\n")
	outside := filepath.Join(t.TempDir(), "tickets.yaml")
	writeFile(t, outside, "name: tickets\nmeasures: [{name: stolen, agg: count}]\n")
	if err := os.Symlink(outside, filepath.Join(folder, "imported/evil/tickets.yaml")); err != nil {
		t.Fatal(err)
	}
	t.Run("tools", func(t *testing.T) { overBoth(t, dir, readsLayers) })
	t.Run("commands", func(t *testing.T) { showsLayers(t, dir) })

	writeFile(t, filepath.Join(folder, "orders.yaml"), "name: orders\nmesures: []\n")
	if r := loam(t, dir, "sl", "query", "-m", "orders.revenue", "--json"); r.code != 0 || !strings.Contains(r.stdout, `[100]]`) || !strings.Contains(r.stdout, "semantic-layer/bakery/orders.yaml:2:1 is not valid") {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	if r := loam(t, dir, "sl", "validate"); r.code != 2 || !strings.Contains(r.stdout, "orders.yaml:2:1: error: mesures") || !strings.Contains(r.stdout, "imported/evil/tickets.yaml") {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
}

func readsLayers(t *testing.T, s *server) {
	var source struct {
		Measures  []struct{ Name, Agg string }
		AIContext struct{ Synonyms []string }
		Origins   []any
	}
	if failed := s.ask(t, "sl_read_source", map[string]any{"connectionId": "bakery", "name": "orders"}, &source); failed != nil {
		t.Fatalf("%+v", failed)
	}
	var measures []string
	for _, m := range source.Measures {
		measures = append(measures, m.Name+" "+m.Agg)
	}
	for _, want := range []string{"revenue sum", "largest_basket max", "smallest_basket min"} {
		if !slices.Contains(measures, want) {
			t.Errorf("%s is not among %q", want, measures)
		}
	}
	if !slices.Contains(source.AIContext.Synonyms, "bookings") || !slices.Contains(source.AIContext.Synonyms, "purchases") || source.Origins != nil {
		t.Errorf("%+v", source)
	}
	s.wantRows(t, `{"measures":["orders.revenue","orders.largest_basket","orders.smallest_basket"]}`, "[[270,100,20]]")
	s.wantRefusal(t, `{"measures":["tickets.stolen"]}`, "broken_definition", "imported/evil/tickets.yaml")
	if found := s.find(t, map[string]any{"query": "largest basket"}); !slices.Contains(found, "orders.largest_basket") {
		t.Errorf("found %q", found)
	}
}

type origin struct {
	Kind, Name, Layer, File string
	Line                    int
	Hides                   []origin
}

func showsLayers(t *testing.T, dir string) {
	r := loam(t, dir, "sl", "show", "orders", "--json")
	var shown struct{ Origins []origin }
	if err := json.Unmarshal([]byte(r.stdout), &shown); err != nil || r.code != 0 {
		t.Fatalf("%v: %s%s", err, r.stdout, r.stderr)
	}
	var got []string
	for _, o := range shown.Origins {
		if o.Kind == "measures" || o.Kind == "synonyms" {
			line := fmt.Sprintf("%s %s %s:%d", o.Name, o.Layer, strings.TrimPrefix(o.File, "semantic-layer/bakery/"), o.Line)
			for _, h := range o.Hides {
				line += fmt.Sprintf(" hides %s:%d", h.Layer, h.Line)
			}
			got = append(got, line)
		}
	}
	want := []string{
		"bookings imported imported/dbt/orders.yaml:3", "purchases memory _memory/orders.yaml:2",
		"revenue person orders.yaml:12 hides imported:5 hides memory:4", "largest_basket imported imported/dbt/orders.yaml:6",
		"order_count person orders.yaml:11", "double person orders.yaml:13", "smallest_basket memory _memory/orders.yaml:5",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if r := loam(t, dir, "sl", "show", "orders"); !strings.Contains(r.stdout, "semantic-layer/bakery/imported/dbt/orders.yaml:6") || !strings.Contains(r.stdout, "semantic-layer/bakery/_memory/orders.yaml:5") {
		t.Errorf("%s%s", r.stdout, r.stderr)
	}
}
