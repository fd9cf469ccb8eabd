package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/cli/terminal"

	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/sdk"
)

const ordersFile = `name: orders
description: "One row per order.\u001b[2J"
table: main.orders
primary_key: [id]
default_time_dimension: ordered_at
dimensions:
  - {name: ordered_at, type: time, column_type: date}
  - {name: status, type: string, values: [paid, shipped], synonyms: [state]}
  - {name: late, type: boolean, expr: "status = 'on hold'"}
measures:
  - {name: order_count, agg: count, description: Number of orders.}
  - {name: shipped, agg: count, filter: "status = 'shipped'", default: 0}
  - {name: shipped_rate, type: ratio, numerator: shipped, denominator: order_count, format: percent}
  - {name: broken, agg: sum, expr: "sum(id)"}
segments:
  - {name: done, expr: "status = 'shipped'"}
`

// TestSemanticCommands is what a person sees of a connection with files and a
// scan, one with a broken file and neither scan nor connector.
func TestSemanticCommands(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "shop", "crm")
	f.scan(t, "shop", "sync-one", shop)
	f.put(t, "semantic-layer/shop/orders.yaml", ordersFile)
	f.put(t, "semantic-layer/shop/metrics.yaml", "metrics: [{name: double, type: derived, expr: orders.order_count * 2}]\n")
	f.put(t, "semantic-layer/crm/tickets.yaml", "name: tickets\ntable: tickets\nmesures: []\n")
	f.put(t, "semantic-layer/shpo/orders.yaml", ordersFile)
	f.session(t, "semantic",
		words("sl list"),
		words("sl list --all -c shop"),
		words("sl list state"),
		words("sl list nothing"),
		words("sl list -c shpo"),
		words("sl show orders"),
		words("sl show customers"),
		words("sl show orders --dimension status"),
		words("sl show metrics"),
		words("sl show -c crm tickets"),
		words("sl show ordrs"),
		words("sl query -c shop -m orders.order_count"),
		words("sl query -c shop -m orders.order_count --format sql"),
		words("sl query -c shop -m orders.order_count -b"),
		words("sl validate"),
		words("sl validate -c shop orders --data"),
		words("sl validate ordrs"),
		words("sl validate --sql"),
	)
	newFolder(t).session(t, "semantic-empty", words("sl list"), words("sl show orders"), words("sl query -m orders.order_count"))
	newFolder(t, "shop", "crm").session(t, "semantic-none", words("sl list"), words("sl list --all"), words("sl query -m orders.order_count"))
}

func TestSemanticDocuments(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "shop")
	f.scan(t, "shop", "sync-one", shop)
	f.put(t, "semantic-layer/shop/orders.yaml", ordersFile)
	var listed semanticquery.Listings
	f.decode(t, &listed, "sl", "list", "--all", "--json")
	if len(listed.Connections) != 1 || listed.Connections[0].Total != 4 {
		t.Errorf("%+v", listed)
	}
	var source semanticquery.SourceAnswer
	f.decode(t, &source, "sl", "show", "orders", "--json")
	if source.Name != "orders" || len(source.Measures) != 5 || len(source.Problems) != 2 {
		t.Errorf("%+v", source)
	}
	code, stdout, stderr := f.loam(t, "sl", "query", "--json", "-m", "orders.order_count", "-w", "orders.status == 1")
	var failed struct{ Error terminal.Failure }
	if err := json.Unmarshal([]byte(stderr), &failed); err != nil || code != 3 || stdout != "" {
		t.Fatalf("exit %d, %v: %s%s", code, err, stdout, stderr)
	}
	if d := failed.Error.Details; d == nil || d.Code != refusal.CodeInvalidExpression || failed.Error.Kind != sdk.KindSyntax || d.Position == nil || d.Excerpt == "" {
		t.Errorf("%s", stderr)
	}
}

func TestSemanticUsage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		args string
		code int
		says string
	}{
		{"nothing", "", 2, "--measure"},
		{"a limit alone", "--limit 3", 2, "nothing is asked for"},
		{"a word", "orders.revenue", 2, "behind flags"},
		{"file and flags", "--file q.json -m a.b", 2, "--measure goes into the file"},
		{"file and limit", "--file q.json --limit 3", 2, "--limit goes into the file"},
		{"input and flags", "- --by a.b", 2, "--by goes into the file"},
		{"file and input", "--file q.json -", 2, "either"},
		{"no such file", "--file no/such/file", 5, "no/such/file"},
		{"empty input", "-", 2, "it is empty"},
		{"format", "-m a.b --format xml", 2, "table, json, sql or plan"},
		{"two formats", "-m a.b --json --format sql", 2, "--format sql"},
		{"limit of zero", "-m a.b --limit 0", 2, "from 1 to"},
		{"limit below zero", "-m a.b --limit -1", 2, "from 1 to"},
		{"limit above all", "-m a.b --limit 1000001", 2, "too many"},
		{"limit of a word", "-m a.b --limit many", 2, "invalid argument"},
		{"offset", "-m a.b --offset -1", 2, "offset: it must not be negative"},
		{"fanout", "-m a.b --fanout twice", 2, "distinct"},
		{"time zone", "-m a.b --time-zone Mars", 2, "time_zone"},
		{"timeout", "-m a.b --timeout -1s", 2, "negative"},
		{"range", "-m a.b --date-range sometime", 2, "no range of time"},
		{"empty measure", "-m ", 2, "flag needs an argument"},
		{"no UTF-8", "-m a.\xff", 2, "no UTF-8"},
		{"several statements", "-m a.b -w 1;2", 4, "semicolon"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := run(t, append([]string{"sl", "query"}, strings.Fields(c.args)...)...)
			if code != c.code || !strings.Contains(stderr, c.says) || stdout != "" {
				t.Errorf("exit %d, want %d; stdout %q; stderr %q should say %q", code, c.code, stdout, stderr, c.says)
			}
		})
	}
}
