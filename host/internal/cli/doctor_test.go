package cli

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/sdk"
)

// TestDoctorOnCatalogs: everything that can be wrong with what scans left, and
// the command that mends it.
func TestDoctorOnCatalogs(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "shop", "never", "old", "damaged")
	f.scan(t, "shop", "sync-one", shop, sdk.Warning{Message: "a view could not be read"})
	if code, _, stderr := f.loam(t, "catalog", "relationships", "accept", "-c", "shop", "orders(region)", "customers(id)"); code != 0 {
		t.Fatal(stderr)
	}
	f.scan(t, "shop", "sync-two", changedShop)
	f.commit(t, "old", catalog.Identity{SyncID: "sync-old", ExtractedAt: time.Now().Add(-9 * 24 * time.Hour), Mode: catalog.Structural, Source: "elsewhere"}, shop)
	f.scan(t, "damaged", "sync-bad", shop)
	f.damage(t, "damaged")
	f.put(t, "relationships/old.json", "{")
	f.put(t, "wiki/global/a.md", "to [[b]]")
	f.put(t, "wiki/global/broken.md", "\xff")
	f.put(t, "semantic-layer/shop/orders.yaml", "name: orders\nmeasures:\n  - {name: revenue, agg: sum, expr: amuont}\njoins: []\n")
	f.put(t, "semantic-layer/shop/broken.yaml", "name: broken\n  table: [\n")
	f.put(t, "semantic-layer/never/refunds.yaml", "name: refunds\ntable: refunds\nprimary_key: [id]\ndimensions: [{name: id, type: number}]\nmeasures: [{name: refund_count, agg: count}]\n")
	f.put(t, "semantic-layer/never/orders.yaml", "name: orders\nmeasures: [{name: order_count, agg: count}]\n")
	f.put(t, "semantic-layer/neber/refunds.yaml", "name: refunds\n")
	f.put(t, "semantic-layer/lost.yaml", "name: lost\n")
	f.session(t, "doctor", words("doctor"))
}

// damage turns a byte in the blocks of a connection's last snapshot.
func (f *folder) damage(t *testing.T, id string) {
	t.Helper()
	packs, err := filepath.Glob(filepath.Join(project.StateFolder(f.dir).Catalog(), id, "*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatal(packs, err)
	}
	pack, err := os.OpenFile(packs[0], os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	var b [1]byte
	_, err = pack.ReadAt(b[:], 200)
	b[0] ^= 0x40
	_, err2 := pack.WriteAt(b[:], 200)
	if err := errors.Join(err, err2, pack.Close()); err != nil {
		t.Fatal(err)
	}
}
