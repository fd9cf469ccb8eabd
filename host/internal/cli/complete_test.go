package cli

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArgumentsOfUsageLines(t *testing.T) {
	t.Parallel()
	for use, want := range map[string][]string{
		"list": nil, "scan [CONNECTION]...": {"CONNECTION", "+"}, "show [-c CONNECTION] TABLE": {"TABLE"},
		"add ID CONNECTOR|URL|FILE|FOLDER [KEY=VALUE]...": {"ID", "CONNECTOR|URL|FILE|FOLDER", "KEY=VALUE", "+"}, "sql -c CONNECTION [STATEMENT]": {"STATEMENT"},
		"connect [URL|FILE|FOLDER|CONNECTOR|-] [KEY=VALUE]...": {"URL|FILE|FOLDER|CONNECTOR|-", "KEY=VALUE", "+"},
	} {
		got, repeated := arguments(use)
		if repeated {
			got = append(slices.Clone(got), "+")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", use, diff)
		}
	}
}

// TestCompletion completes what a person began to type.
func TestCompletion(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "shop", "crm")
	f.session(t, "complete",
		words("__complete sql -c s"), words("__complete connection test c"), words("__complete scan shop c"), words("__complete connection test shop c"),
		words("__complete catalog show -c shop ord"), words("__complete catalog show -c shop main.c"), words("__complete connector show x"), words("__complete sl query --connection c"))
}

// TestRelationshipCompletion completes the ids of what a person may decide on, and no
// connections.
func TestRelationshipCompletion(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "shop", "crm")
	f.scan(t, "shop", "sync-one", shop)
	f.session(t, "complete_relationship",
		append(words("__complete catalog relationships accept"), ""), words("__complete catalog relationships reject -c shop 8"), append(words("__complete catalog relationships accept -c crm"), ""))
}

// TestSemanticCompletion completes sources and members, from files and the last snapshot.
func TestSemanticCompletion(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "shop", "crm")
	f.scan(t, "shop", "sync-one", shop)
	f.put(t, "semantic-layer/shop/orders.yaml", ordersFile)
	f.put(t, "semantic-layer/shop/metrics.yaml", "metrics: [{name: double, type: derived, expr: orders.order_count * 2}]\n")
	f.put(t, "semantic-layer/crm/tickets.yaml", "name: tickets\ntable: tickets\ndimensions: [{name: \"State of it\", expr: state, type: string, label: \"State\\tor\\nso\"}]\nmeasures: [{name: secret, agg: count, visibility: hidden}, {name: tickets, agg: count}]\n")
	f.session(t, "complete_semantic",
		append(words("__complete sl show"), ""), words("__complete sl show o"), words("__complete sl validate orders o"), append(words("__complete sl validate -c crm"), ""),
		append(words("__complete sl query -m"), ""), words("__complete sl query --measure orders.s"), words("__complete sl query -m nothing"),
		words("__complete sl query -m orders.order_count -b orders."), append(words("__complete sl query -c crm --by"), ""), append(words("__complete sl query --segment"), ""),
		words("__complete sl show orders --dimension s"), append(words("__complete sl show --dimension"), ""), append(words("__complete sl query"), ""))
	newFolder(t).session(t, "complete_semantic_none", append(words("__complete sl show"), ""), append(words("__complete sl query -m"), ""))
}
