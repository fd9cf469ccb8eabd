package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/health"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/sdk"
)

func TestStatus(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "shop", "crm")
	f.scan(t, "shop", "sync-one", shop, sdk.Warning{Message: "a view could not be read"})
	f.put(t, "semantic-layer/shop/orders.yaml", "name: orders\nmeasures: [{name: order_count, agg: count}, {name: revenue, agg: sum, expr: amount}]\n")
	f.put(t, "semantic-layer/shop/metrics.yaml", "metrics: [{name: per_order, type: ratio, numerator: orders.revenue, denominator: orders.order_count}]\n")
	f.put(t, "semantic-layer/shop/broken.yaml", "name: broken\nmesures: []\n")
	f.session(t, "status", words("status"))
	var s health.Status
	f.decode(t, &s, "status", "--json")
	if s.Connections[0].LastScan.Tables != 4 || s.Connections[0].Status != "ready" || s.Connections[1].LastScan != nil || s.Connections[1].Status != "not_scanned" {
		t.Errorf("status %+v", s)
	}
	if diff := cmp.Diff(&health.Layer{Files: 3, Sources: 2, Measures: 2, Metrics: 1, Problems: 1}, s.Connections[0].SemanticLayer); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s.Connections[1].SemanticLayer != nil {
		t.Errorf("a semantic layer without files: %+v", s.Connections[1].SemanticLayer)
	}
	t.Log("a damaged list of snapshots is told of, and does not hide the rest")
	head := filepath.Join(project.StateFolder(f.dir).Catalog(), "shop", "head.json")
	if err := os.WriteFile(head, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := f.loam(t, "status")
	if code != 0 || !strings.Contains(stdout, "crm") || !strings.Contains(stderr, "loam scan --full") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	code, stdout, stderr = f.loam(t, "catalog", "list")
	if code != 0 || !strings.Contains(stdout, "damaged") || !strings.Contains(stderr, "loam scan --full") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	if code, _, _ := f.loam(t, "catalog", "tables"); code != 14 {
		t.Errorf("the only one that was scanned is damaged, and listing its tables is exit %d", code)
	}
}
