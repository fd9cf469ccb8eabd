package main

import (
	"os"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// The page shows all of the contract, and the committed one is the one of these sources.
func TestReference(t *testing.T) {
	t.Parallel()
	const root = "../../.."
	page, err := write(root)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, k := range sdk.Kinds() {
		want = append(want, "| `"+string(k)+"` | ")
	}
	for _, f := range dialect.Required() {
		if !strings.HasPrefix(string(f), "trunc.") && !strings.HasPrefix(string(f), "add.") {
			want = append(want, "### `"+string(f)+"`, *required*")
		}
	}
	want = append(want, "| Describe | DescribeRequest | DescribeResponse | Describe needs no connection", "| Execute | ExecuteRequest | stream ResultEvent |", "| Batch | ", "| `CancelQuery` | QueryCanceler |", "| `min_minor` | ", "### `trunc.month`, *required*")
	for _, w := range want {
		if !strings.Contains(page, w) {
			t.Errorf("the page does not show %q", w)
		}
	}
	committed, err := os.ReadFile(root + "/docs/connectors/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	if page != string(committed) {
		t.Error("docs/connectors/reference.md is another: run make docs")
	}
}
