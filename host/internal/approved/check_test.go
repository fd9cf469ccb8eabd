package approved_test

import (
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put("shop/orders", orders, ordersSQL)
	f.put("shop/column", "title: x", "SELECT nope FROM orders")
	f.put("shop/optional", "parameters: [{name: a, type: integer}]", "SELECT id FROM orders WHERE 1 = 1 [[AND nope = {{a}}]]")
	f.put("shop/write", "title: x", "DELETE FROM orders")
	f.put("shop/broken", "titel: x", "SELECT 1")
	f.put("crm/orders", "title: x", "SELECT id FROM orders")
	for _, tt := range []struct {
		name, connection string
		dryRun           bool
		failed, says     string // of the first failure
		files            int
	}{
		{"orders", "shop", true, "", "", 1},
		{"orders", "", true, "", "", 2},
		{"column", "", false, "", "", 1},
		{"column", "", true, "dry_run", "nope", 1},
		{"optional", "", true, "dry_run", "with all optional parts", 1},
		{"write", "", true, "guard_with_optional_parts", "DELETE", 1},
		{"broken", "", true, "file", "titel", 1},
		{"", "crm", true, "", "", 1},
	} {
		all, err := f.Check(t.Context(), tt.name, connectionID(tt.connection), tt.dryRun)
		if err != nil || len(all) != tt.files {
			t.Errorf("%s: %v, %d files", tt.name, err, len(all))
			continue
		}
		failed, says := "", ""
		for _, c := range all[0].Checks {
			if !c.OK && failed == "" {
				failed, says = c.Check, c.Message
			}
		}
		if failed != tt.failed || !strings.Contains(says, tt.says) || all[0].OK != (tt.failed == "") {
			t.Errorf("%s: %+v", tt.name, all[0])
		}
	}
	if _, err := f.Check(t.Context(), "nowhere", "", true); sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("%v", err)
	}
}

func TestShow(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put("shop/draft", "title: A draft", "SELECT 1")
	q, err := f.Show(t.Context(), "draft", "")
	if err != nil || !q.Unreviewed || q.SQL != "SELECT 1" || q.File != "queries/shop/draft.sql" || len(q.Version) != 16 || q.Title != "A draft" {
		t.Errorf("%v, %+v", err, q)
	}
	if _, err := f.Show(t.Context(), "draft", "crm"); sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("%v", err)
	}
}
